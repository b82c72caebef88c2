#include "provider/mode/base/mode.h"

#include <algorithm>
#include <cstring>

#include "kernels/cipher/registry.h"

namespace gpuctr {
namespace {

bool is_of_family(const CipherSpec& cipher, const char* family) {
  const std::size_t n = std::strlen(family);
  return std::strncmp(cipher.name, family, n) == 0 &&
         (cipher.name[n] == '-' || cipher.name[n] == '\0');
}

}  // namespace

bool Mode::takes(const CipherSpec& cipher) const {
  return (only_block_bytes == 0 || cipher.block_bytes == only_block_bytes) &&
         (most_block_bytes == 0 || cipher.block_bytes <= most_block_bytes) &&
         (only_family == nullptr || is_of_family(cipher, only_family)) &&
         (keys == 1 || (cipher.least_key_bytes == cipher.most_key_bytes &&
                        (cipher.key_bytes == 16 || cipher.key_bytes == 32)));
}

std::size_t Mode::iv_bytes(const CipherSpec& cipher) const {
  if (!has_iv) return 0;
  return usual_iv_bytes != 0 ? usual_iv_bytes : std::min(cipher.block_bytes, kMaxBlockIv);
}

}  // namespace gpuctr
