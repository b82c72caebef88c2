// Which parts of bench_gpu run, by its arguments.
#ifndef GPUCTR_TEST_BENCH_GPU_SELECTION_H
#define GPUCTR_TEST_BENCH_GPU_SELECTION_H

#include <functional>
#include <string>
#include <vector>

namespace gpuctr::bench {

// Whether a cipher, by its name in the registry, is to be measured.
using Wanted = std::function<bool(const char* cipher)>;

// Parts: ciphers, documents, generators, hashes, messages. Without one, all of them, or, where
// ciphers are named, the first two. Ciphers: names of the registry, and "older" for those that it
// calls legacy; without one, all.
struct Selection {
  std::vector<std::string> parts;
  std::vector<std::string> names;

  bool has(const char* part) const;
  bool wants(const char* cipher) const;
};

// False, with a message on stderr, where an argument is neither a part nor a cipher of this build.
bool select(int argc, char** argv, Selection* selection);

}  // namespace gpuctr::bench

#endif
