// Records of TLS in CBC, MAC then encrypt (RFC 5246 6.2.3.2): libssl leaves the padding and the
// extraction of the MAC to the provider's cipher.
#ifndef GPUCTR_PROVIDER_MODE_BLOCK_TLS_RECORD_H
#define GPUCTR_PROVIDER_MODE_BLOCK_TLS_RECORD_H

#include <cstddef>
#include <cstdint>

#include "kernels/base/wipe.h"

namespace gpuctr {

constexpr std::size_t kMaxTlsMac = 64;  // EVP_MAX_MD_SIZE

// The MAC of the last record. Secret where the record is not known to be whole.
struct TlsMac {
  std::size_t size = 0;  // bytes; 0: there is none, because it is over the ciphertext
  std::uint8_t bytes[kMaxTlsMac] = {};

  TlsMac() = default;
  TlsMac(const TlsMac&) = default;
  TlsMac& operator=(const TlsMac&) = default;
  ~TlsMac() { wipe(bytes, sizeof bytes); }
};

// Bytes of padding that a text of n bytes gets.
constexpr std::size_t tls_padding(std::size_t n, std::size_t block) { return block - n % block; }

// Writes them behind the text.
void add_tls_padding(std::uint8_t* text, std::size_t n, std::size_t block);

// Takes padding and MAC off a decrypted record of *n bytes and leaves the MAC in `mac`. Constant
// time in all but *n before and mac->size. Padding that is wrong does not show: the MAC becomes one
// that no text has but by chance. False: too short for any text; or, without a MAC, wrong padding.
bool remove_tls_padding(const std::uint8_t* text, std::size_t* n, TlsMac* mac);

}  // namespace gpuctr

#endif
