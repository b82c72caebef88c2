// The findings of gpuctr-check, and helpers for their text.
#ifndef GPUCTR_PROVIDER_CHECK_FINDINGS_H
#define GPUCTR_PROVIDER_CHECK_FINDINGS_H

#include <string>
#include <vector>

namespace gpuctr::check {

struct Finding {
  bool fault;  // false: a note, which does not change the exit status
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

// The least number of changes that turn a into b. A change inserts, removes or replaces a letter,
// or swaps two adjacent letters. Upper and lower case are different letters.
std::size_t distance(const std::string& a, const std::string& b);

// The word of the list that is nearest to `text`, which may be a misspelling of it. "": no word is
// near.
std::string nearest(const std::string& text, const std::vector<std::string>& words);

}  // namespace gpuctr::check

#endif
