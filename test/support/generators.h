// Which generators this build has, and which ciphers of the usual kind.
#ifndef GPUCTR_TEST_SUPPORT_GENERATORS_H
#define GPUCTR_TEST_SUPPORT_GENERATORS_H

#include <vector>

#include "kernels/cipher/registry.h"

namespace gpuctr::test {

// The ciphers that are offered without being asked for: their places in the registry.
inline std::vector<std::size_t> usual_ciphers() {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (!cipher_spec(i).legacy) indices.push_back(i);
  }
  return indices;
}

// The names of the ciphers that have a generator.
inline std::vector<const char*> generator_ciphers() {
  std::vector<const char*> names;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (cipher_spec(i).generator_answer != nullptr) names.push_back(cipher_spec(i).name);
  }
  return names;
}

}  // namespace gpuctr::test

#endif
