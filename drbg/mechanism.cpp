#include "drbg/mechanism.h"

#include <cstring>

namespace gpuctr::drbg {
namespace {

// The row of SP 800-90A table 3. True: the row of AES, for 128-bit blocks. False: the row of 3-key
// TDEA, for 64-bit blocks.
bool wide(const CipherSpec& spec) { return spec.block_bytes == 16; }

// The most bytes of one input. L of Block_Cipher_df has 32 bits and counts the bytes of up to three
// inputs. OpenSSL's own generators report the same maximum.
constexpr std::size_t kMaxLength = 0x7fffffff;

}  // namespace

Mechanism::Mechanism(const CipherSpec& cipher, Engine* bulk_engine)
    : spec(cipher),
      cpu(bulk_engine->cpu(cipher)),
      engine(*bulk_engine),
      block(spec.block_bytes),
      key(spec.key_bytes),
      seed(block + key),
      seed_blocks((seed + block - 1) / block),
      max_request(wide(spec) ? std::size_t{1} << 16 : std::size_t{1} << 10),
      max_reseed(std::uint64_t{1} << (wide(spec) ? 48 : 32)),
      min_entropy(spec.strength_bits / 8),
      max_length(kMaxLength) {
  std::uint8_t bytes[kMaxKeyBytes];
  for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  expand(bytes, &df_keys);
  std::memset(df_chains, 0, sizeof df_chains);
  for (std::size_t i = 0; i < seed_blocks; ++i) {
    df_chains[i * block + 3] = static_cast<std::uint8_t>(i);
  }
  cpu.encrypt(df_keys, df_chains, df_chains, seed_blocks);

  RoundKeys zero_keys;
  std::memset(bytes, 0, sizeof bytes);
  expand(bytes, &zero_keys);
  bytes[block - 1] = 1;
  cpu.ctr(zero_keys, bytes, nullptr, zero_update, seed_blocks * block);
}

}  // namespace gpuctr::drbg
