// Block ciphers of libcrypto as BlockCiphers: a test's way to run our CTR_DRBG over AES, TDEA, ARIA
// and SEED, for which there are published vectors.
#ifndef GPUCTR_TEST_DRBG_EVP_CIPHER_H
#define GPUCTR_TEST_DRBG_EVP_CIPHER_H

#include <openssl/evp.h>

#include <memory>
#include <string>

#include "drbg/block_cipher.h"

namespace gpuctr::test {

// Keeps the raw key where a kernel keeps its schedule: slow and simple. 3-key TDEA takes keys of 21
// bytes (keylen 168 of SP 800-90A table 3) and adds the parity bits itself.
class EvpCipher final : public drbg::BlockCipher {
 public:
  // "AES-128", "AES-192", "AES-256", "3KeyTDEA", "ARIA-128", ..., "SEED". nullptr: this libcrypto
  // does not have it, or its key or block is longer than any of this build's ciphers has, and so
  // than the generator's buffers (drbg::BlockCipher).
  static std::unique_ptr<EvpCipher> make(const std::string& name);

  void expand(const std::uint8_t* key, RoundKeys* out) const override;
  void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
               std::size_t blocks) const override;
  void keystream(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                 std::size_t n) const override;
  bool output(const BulkSegment* segments, std::size_t count) const override;

 private:
  using Cipher = std::unique_ptr<EVP_CIPHER, decltype(&EVP_CIPHER_free)>;
  EvpCipher(Cipher cipher, std::size_t block, std::size_t key, unsigned strength)
      : BlockCipher(block, key, strength), cipher_(std::move(cipher)) {}

  Cipher cipher_;
};

}  // namespace gpuctr::test

#endif
