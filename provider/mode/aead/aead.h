// What the authenticated modes share.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_AEAD_H
#define GPUCTR_PROVIDER_MODE_AEAD_AEAD_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

// Sizes in TLS 1.2 records (RFC 5288, RFC 6655), bytes: the header, the part of the IV that the
// handshake fixes, and the explicit part of the IV, which precedes the text of each record.
constexpr std::size_t kTlsHeader = 13;
constexpr std::size_t kTlsFixedIv = 4;
constexpr std::size_t kTlsExplicitIv = 8;

// Compares two tags of n bytes in constant time.
inline bool same_tag(const std::uint8_t* a, const std::uint8_t* b, std::size_t n) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < n; ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace gpuctr

#endif
