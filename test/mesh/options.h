// `--name value` and `--name` on a command line.
#ifndef GPUCTR_TEST_MESH_OPTIONS_H
#define GPUCTR_TEST_MESH_OPTIONS_H

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace mesh {

class Options {
 public:
  Options(int argc, char** argv) : argc_(argc), argv_(argv) {}
  bool has(const char* name) const { return find(name) != 0; }
  std::string text(const char* name, const char* otherwise = "") const {
    const int at = find(name);
    return at != 0 && at + 1 < argc_ ? argv_[at + 1] : otherwise;
  }
  std::uint64_t number(const char* name, std::uint64_t otherwise) const {
    const std::string value = text(name);
    return value.empty() ? otherwise : std::strtoull(value.c_str(), nullptr, 0);
  }

 private:
  int find(const char* name) const {
    for (int i = 1; i < argc_; ++i) {
      if (std::strcmp(argv_[i], name) == 0) return i;
    }
    return 0;
  }
  int argc_;
  char** argv_;
};

}  // namespace mesh

#endif
