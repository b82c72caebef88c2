// The result of loading the file with OpenSSL: the loaded providers, and the provider that serves
// each name.
#ifndef GPUCTR_PROVIDER_CHECK_LOADED_H
#define GPUCTR_PROVIDER_CHECK_LOADED_H

#include <map>
#include <string>
#include <vector>

#include "provider/check/findings.h"
#include "provider/check/module.h"
#include "provider/check/rules.h"

namespace gpuctr::check {

class Loaded {
 public:
  // Loads the file into a new library context, and reports what OpenSSL refuses in the file.
  Loaded(const File& file, const Places& places, Findings* findings);

  bool ours() const { return ours_; }
  std::string version() const;
  std::size_t served() const { return served_; }
  // Prints the lists that follow the verdict.
  void print() const;

 private:
  using Names = std::map<std::string, std::vector<std::string>>;  // a cipher's modes

  void check_others(const File& file, const Places& places, Findings* findings) const;
  void check_default_properties(const File& file, const Places& places, Findings* findings) const;
  void check_random(const File& file, const Places& places, Findings* findings);
  void list_names();

  std::string name_;
  Library library_;
  bool ours_ = false;
  std::string random_;
  std::size_t served_ = 0;
  // The key is the provider that serves a fetch without properties.
  std::map<std::string, Names> by_provider_;
  std::vector<std::string> generators_;
};

}  // namespace gpuctr::check

#endif
