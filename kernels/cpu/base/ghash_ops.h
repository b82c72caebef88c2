// GHASH, the universal hash of GCM (SP 800-38D 6.4): a polynomial over GF(2^128) with the blocks as
// coefficients, evaluated at a secret point H. The functions of an implementation.
#ifndef GPUCTR_KERNELS_CPU_BASE_GHASH_OPS_H
#define GPUCTR_KERNELS_CPU_BASE_GHASH_OPS_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

// Enough for every implementation: the widest has 32 powers of H, and 32 more blocks made from
// them.
inline constexpr std::size_t kGhashKeyBytes = 1024;

// The number of elements, as many values, and the sums of their halves.
inline constexpr std::size_t kGhashRowsBytes = 64 + 2 * 1024;

// The powers of H, in the layout of the implementation that made them; other implementations cannot
// read them. Secret; the owner wipes it.
struct GhashKey {
  alignas(64) std::uint8_t bytes[kGhashKeyBytes];
};

// elements[to] = elements[a] elements[b] in GHASH's field.
struct GhashProduct {
  std::uint16_t to, a, b;
};

// For all functions: pointers to bytes need no alignment. The functions are thread-safe, cannot
// fail, are constant time and keep no state. They leave no secret on the stack or in vector
// registers.
struct GhashOps {
  // The number of powers of H in a key for GCM's loops (CipherOps::gcm); 0: the key has another
  // layout.
  unsigned powers;
  // `h`, 16 bytes: the encrypted zero block (SP 800-38D 7.1 step 1). Makes all powers.
  void (*expand)(const std::uint8_t* h, GhashKey* key);
  // The same in parts, for short messages: begin() makes the first power, grow() makes more behind
  // the `have` that are there, for runs of up to `blocks` blocks, and returns their number.
  void (*begin)(const std::uint8_t* h, GhashKey* key);
  unsigned (*grow)(GhashKey* key, unsigned have, std::size_t blocks);
  // y = (...((y ^ in[0]) H ^ in[1]) H ...) H for `blocks` whole blocks of 16 bytes, any number; the
  // key has as many powers, or all. `y`, 16 bytes in GCM's order, is zero before the first block
  // and may not lie inside `in`.
  void (*update)(const GhashKey& key, std::uint8_t* y, const std::uint8_t* in, std::size_t blocks);
  // As update, of blocks and `y` with their bytes in reverse order: POLYVAL (RFC 8452 appendix A).
  void (*polyval)(const GhashKey& key, std::uint8_t* y, const std::uint8_t* in, std::size_t blocks);
  // `count` products, any number, in order. Elements are blocks in GCM's order. The choice of the
  // elements is public.
  void (*multiply)(std::uint8_t (*elements)[16], const GhashProduct* products, std::size_t count);
  // Hashes under different keys. expand_rows makes `table`, kGhashRowsBytes, of `count` values H,
  // which fill whole vectors of up to 64 bytes, at most 64 of them. multiply_rows multiplies a row
  // of as many elements in place, each by its own H. Both leave secrets on the stack and in
  // registers. Pointers are aligned to 64.
  void (*expand_rows)(const std::uint8_t* h, std::size_t count, std::uint8_t* table);
  void (*multiply_rows)(const std::uint8_t* table, std::uint8_t* rows, std::size_t count);
};

}  // namespace gpuctr

#endif
