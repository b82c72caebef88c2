// The parameters of CTR_DRBG for one block cipher (SP 800-90A table 3), the functions that run the
// cipher, and the constants that are computed once.
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
  // Neither is owned; both outlive this object.
  Mechanism(const CipherSpec& spec, Engine* engine);

  // The key schedule of the `key` bytes at `bytes`.
  void expand(const std::uint8_t* bytes, RoundKeys* out) const {
    expand_on(spec, cpu, bytes, key, out);
  }

  const CipherSpec& spec;
  const CipherOps& cpu;     // the engine's CPU backend: single blocks, steps and chains of states
  Engine& engine;           // large outputs
  const std::size_t block;  // blocklen; ctr_len is the same: all of V counts
  const std::size_t key;    // keylen
  const std::size_t seed;   // seedlen = blocklen + keylen
  const std::size_t seed_blocks;   // blocks that cover seedlen
  const std::size_t max_request;   // max_number_of_bits_per_request
  const std::uint64_t max_reseed;  // largest reseed_interval, in requests
  const std::size_t min_entropy;   // with a derivation function: the security strength
  const std::size_t max_length;    // of entropy input, personalization string, additional input

  // Public constants. The derivation function works under a fixed key, and the first block of each
  // of its BCC chains is a counter; the first Update works under Key = 0 and V = 0. The two tables
  // save 2 seed_blocks block encryptions an instantiation, seed_blocks a reseed. They are the
  // precomputation of section 4.1 of "ARX-based Korean Block Ciphers with CTR Mode and CTR_DRBG".
  RoundKeys df_keys;
  std::uint8_t df_chains[kMaxSeedBytes];    // Block_Encrypt(00 01 02 ..., i || 0) for i = 0, 1, ...
  std::uint8_t zero_update[kMaxSeedBytes];  // Block_Encrypt(0, 1), Block_Encrypt(0, 2), ...
};

}  // namespace gpuctr::drbg

#endif
