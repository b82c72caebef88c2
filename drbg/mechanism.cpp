#include "drbg/mechanism.h"

#include <cstring>

namespace gpuctr::drbg {
namespace {

// SP 800-90A table 3: the row of AES for 128-bit blocks, that of 3-key TDEA for 64-bit blocks.
bool wide(const BlockCipher& cipher) { return cipher.block_bytes() == 16; }

// L of Block_Cipher_df is 32 bits long and counts the bytes of up to three such inputs. It is also
// what OpenSSL's own generators say.
constexpr std::size_t kMaxLength = 0x7fffffff;

}  // namespace

Mechanism::Mechanism(const BlockCipher& block_cipher)
    : cipher(block_cipher),
      block(cipher.block_bytes()),
      key(cipher.key_bytes()),
      seed(block + key),
      seed_blocks((seed + block - 1) / block),
      max_request(wide(cipher) ? std::size_t{1} << 16 : std::size_t{1} << 10),
      max_reseed(std::uint64_t{1} << (wide(cipher) ? 48 : 32)),
      min_entropy(cipher.strength_bits() / 8),
      max_length(kMaxLength) {
  std::uint8_t bytes[kMaxKeyBytes];
  for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  cipher.expand(bytes, &df_keys);
  std::memset(df_chains, 0, sizeof df_chains);
  for (std::size_t i = 0; i < seed_blocks; ++i) {
    df_chains[i * block + 3] = static_cast<std::uint8_t>(i);
  }
  cipher.encrypt(df_keys, df_chains, df_chains, seed_blocks);

  RoundKeys zero_keys;
  std::memset(bytes, 0, sizeof bytes);
  cipher.expand(bytes, &zero_keys);
  bytes[block - 1] = 1;
  cipher.keystream(zero_keys, bytes, zero_update, seed_blocks * block);
}

}  // namespace gpuctr::drbg
