// CTR_DRBG over one block cipher: the parameters (SP 800-90A table 3), the cipher's functions, and
// constants that are computed once.
#ifndef GPUCTR_DRBG_MECHANISM_H
#define GPUCTR_DRBG_MECHANISM_H

#include <cstddef>
#include <cstdint>

#include "kernels/bulk/engine.h"
#include "kernels/cipher/registry.h"
#include "kernels/cpu/backend.h"

namespace gpuctr::drbg {

constexpr std::size_t kMaxSeedBytes = kMaxKeyBytes + kMaxBlockBytes;

// Immutable after construction and usable from any thread. Sizes in bytes.
struct Mechanism {
  // `spec` and `engine` outlive this object.
  Mechanism(const CipherSpec& spec, Engine* engine);

  // Writes the round keys of the key at `bytes`, `key` bytes long.
  void expand(const std::uint8_t* bytes, RoundKeys* out) const {
    expand_on(spec, cpu, bytes, key, out);
  }

  const CipherSpec& spec;
  const CipherOps& cpu;  // the engine's CPU backend, for single blocks, steps and chains of states
  Engine& engine;        // for large outputs
  const std::size_t block;         // blocklen, and ctr_len: the whole of V is the counter
  const std::size_t key;           // keylen
  const std::size_t seed;          // seedlen = blocklen + keylen
  const std::size_t seed_blocks;   // seedlen in blocks, rounded up
  const std::size_t max_request;   // max_number_of_bits_per_request
  const std::uint64_t max_reseed;  // largest reseed_interval, in requests
  const std::size_t min_entropy;   // with a derivation function: the security strength
  const std::size_t max_length;    // of entropy input, personalization string, additional input

  // Public constants. The derivation function uses a fixed key, and the first block of each of its
  // BCC chains is a counter. The first Update uses Key = 0 and V = 0. The two tables save 2
  // seed_blocks block encryptions per instantiation and seed_blocks per reseed. They are the
  // precomputation of section 4.1 of "ARX-based Korean Block Ciphers with CTR Mode and CTR_DRBG".
  RoundKeys df_keys;
  std::uint8_t df_chains[kMaxSeedBytes];    // Block_Encrypt(00 01 02 ..., i || 0) for i = 0, 1, ...
  std::uint8_t zero_update[kMaxSeedBytes];  // Block_Encrypt(0, 1), Block_Encrypt(0, 2), ...
};

}  // namespace gpuctr::drbg

#endif
