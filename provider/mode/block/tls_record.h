// TLS records in CBC, MAC then encrypt (RFC 5246 6.2.3.2). The provider's cipher adds and removes
// the padding and extracts the MAC, because libssl leaves both to it.
#ifndef GPUCTR_PROVIDER_MODE_BLOCK_TLS_RECORD_H
#define GPUCTR_PROVIDER_MODE_BLOCK_TLS_RECORD_H

#include <cstddef>
#include <cstdint>

#include "kernels/base/wipe.h"

namespace gpuctr {

constexpr std::size_t kMaxTlsMac = 64;  // EVP_MAX_MD_SIZE

// The MAC of the last record. Secret until the record is authenticated.
struct TlsMac {
  std::size_t size = 0;  // bytes; 0: no MAC here, because the MAC is over the ciphertext
  std::uint8_t bytes[kMaxTlsMac] = {};

  TlsMac() = default;
  TlsMac(const TlsMac&) = default;
  TlsMac& operator=(const TlsMac&) = default;
  ~TlsMac() { wipe(bytes, sizeof bytes); }
};

// The number of padding bytes for a text of n bytes.
constexpr std::size_t tls_padding(std::size_t n, std::size_t block) { return block - n % block; }

// Writes the padding behind the text.
void add_tls_padding(std::uint8_t* text, std::size_t n, std::size_t block);

// Removes padding and MAC from a decrypted record of *n bytes, sets *n to the length of the text
// and copies the MAC to `mac`. The running time depends only on the original *n and mac->size.
// Wrong padding is not reported: `mac` then holds zeros, which match a text's MAC only by chance.
// False: the record is too short for any text, or, without a MAC, the padding is wrong.
bool remove_tls_padding(const std::uint8_t* text, std::size_t* n, TlsMac* mac);

}  // namespace gpuctr

#endif
