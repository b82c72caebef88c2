#include "kernels/cipher/registry.h"

#include <cstring>

#include "kernels/cipher/folders_specs.h"

namespace gpuctr {

const CipherSpec& cipher_spec(std::size_t index) { return *kSpecs[index]; }

const CipherSpec* find_cipher(const char* name) {
  for (const CipherSpec* spec : kSpecs) {
    if (std::strcmp(spec->name, name) == 0) return spec;
  }
  return nullptr;
}

}  // namespace gpuctr
