// GHASH, the universal hash of GCM (SP 800-38D 6.4): a polynomial over GF(2^128) whose coefficients
// are the blocks, at a secret point H. What each implementation does.
#ifndef GPUCTR_KERNELS_CPU_BASE_GHASH_OPS_H
#define GPUCTR_KERNELS_CPU_BASE_GHASH_OPS_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

// Enough for any form: the widest has 32 powers of H, and 32 more blocks made from them.
inline constexpr std::size_t kGhashKeyBytes = 1024;

// H's powers, as the form that made them lays them out: no other form understands them. Secret; its
// owner wipes it.
struct GhashKey {
  alignas(64) std::uint8_t bytes[kGhashKeyBytes];
};

// elements[to] = elements[a] elements[b] in GHASH's field.
struct GhashProduct {
  std::uint16_t to, a, b;
};

// All functions: pointers to bytes need no alignment; thread-safe, cannot fail, constant time, keep
// no state, leave no secret on the stack or in vector registers.
struct GhashOps {
  // How many powers of H a key has for GCM's loops (CipherOps::gcm); 0: it has another layout.
  unsigned powers;
  // `h`, 16 bytes: the block of zeros, encrypted (SP 800-38D 7.1 step 1).
  void (*expand)(const std::uint8_t* h, GhashKey* key);
  // y = (...((y ^ in[0]) H ^ in[1]) H ...) H for `blocks` whole blocks of 16 bytes, any number. `y`
  // is 16 bytes in GCM's order, zero before the first block, and may not lie inside `in`.
  void (*update)(const GhashKey& key, std::uint8_t* y, const std::uint8_t* in, std::size_t blocks);
  // `count` products, any number, one after another. Elements are blocks in GCM's order; which of
  // them are multiplied is no secret.
  void (*multiply)(std::uint8_t (*elements)[16], const GhashProduct* products, std::size_t count);
};

}  // namespace gpuctr

#endif
