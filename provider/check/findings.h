// What gpuctr-check finds, and how it words that.
#ifndef GPUCTR_PROVIDER_CHECK_FINDINGS_H
#define GPUCTR_PROVIDER_CHECK_FINDINGS_H

#include <string>
#include <vector>

namespace gpuctr::check {

struct Finding {
  bool fault;  // else a note, which leaves the exit status 0
  std::string where;
  std::string text;
};

class Findings {
 public:
  void fault(const std::string& where, const std::string& text) { add(true, where, text); }
  void note(const std::string& where, const std::string& text) { add(false, where, text); }
  std::size_t faults() const;
  const std::vector<Finding>& all() const { return all_; }

 private:
  void add(bool fault, const std::string& where, const std::string& text);
  std::vector<Finding> all_;
};

// How many letters have to be inserted, removed, changed or swapped with the next one to make b of
// a. Upper and lower case are different letters.
std::size_t distance(const std::string& a, const std::string& b);

// The word of the list that `text` is most likely a misspelling of; "": none is near.
std::string nearest(const std::string& text, const std::vector<std::string>& words);

}  // namespace gpuctr::check

#endif
