// SHA-1 (FIPS 180-4, 6.1), as the checksum of a wrapped key in RFC 3217. The module links no
// libcrypto, and collisions do not matter there: the checksum is encrypted.
#ifndef GPUCTR_PROVIDER_MODE_WRAP_SHA1_H
#define GPUCTR_PROVIDER_MODE_WRAP_SHA1_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

constexpr std::size_t kSha1Bytes = 20;

// Writes the hash of n bytes, below 2^61. The running time depends on n only, and no copy of the
// data stays on the stack.
void sha1(const std::uint8_t* data, std::size_t n, std::uint8_t (&hash)[kSha1Bytes]);

}  // namespace gpuctr

#endif
