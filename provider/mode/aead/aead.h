// What the authenticated modes share.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_AEAD_H
#define GPUCTR_PROVIDER_MODE_AEAD_AEAD_H

#include <cstddef>

namespace gpuctr {

// Sizes in TLS 1.2 records (RFC 5288, RFC 6655), bytes: the header, the part of the IV that the
// handshake fixes, and the explicit part of the IV, which precedes the text of each record.
constexpr std::size_t kTlsHeader = 13;
constexpr std::size_t kTlsFixedIv = 4;
constexpr std::size_t kTlsExplicitIv = 8;

}  // namespace gpuctr

#endif
