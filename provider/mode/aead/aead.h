// What the authenticated modes share.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_AEAD_H
#define GPUCTR_PROVIDER_MODE_AEAD_AEAD_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

// Records of TLS 1.2 (RFC 5288, RFC 6655): bytes of their header, of the IV that the handshake
// fixes, and of the rest of it, which each record brings in front of its text.
constexpr std::size_t kTlsHeader = 13;
constexpr std::size_t kTlsFixedIv = 4;
constexpr std::size_t kTlsExplicitIv = 8;

// In constant time.
inline bool same_tag(const std::uint8_t* a, const std::uint8_t* b, std::size_t n) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < n; ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace gpuctr

#endif
