// The masks of XTS (IEEE 1619 5.2): mask number i of a data unit is the encrypted tweak times x^i
// modulo x^128 + x^7 + x^2 + x + 1, lowest bit of the first byte first. The functions of a vector
// width.
#ifndef GPUCTR_KERNELS_CPU_BASE_XTS_OPS_H
#define GPUCTR_KERNELS_CPU_BASE_XTS_OPS_H

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/base/cipher_ops.h"

namespace gpuctr {

inline constexpr std::size_t kXtsBlock = 16;

// The bytes of masks that `begin` writes: those of `blocks` blocks and at least one more, in groups
// of eight.
constexpr std::size_t xts_mask_bytes(std::size_t blocks) { return (blocks / 8 + 1) * 128; }

// Both functions: pointers need no alignment. Thread-safe; cannot fail; constant time in the masks
// and the data. They leave no secret on the stack or in vector registers.
struct XtsOps {
  // Writes the masks, xts_mask_bytes(blocks) bytes: `mask`, 16 bytes, then each mask times x.
  // `mask` becomes mask number `blocks`. out = in ^ masks, for `blocks` whole blocks; in == out is
  // allowed.
  void (*begin)(std::uint8_t* mask, std::uint8_t* masks, const std::uint8_t* in, std::uint8_t* out,
                std::size_t blocks);
  // out = in ^ masks, for `blocks` whole blocks. in == out is allowed.
  void (*end)(const std::uint8_t* masks, const std::uint8_t* in, std::uint8_t* out,
              std::size_t blocks);
};

using XtsOperation = decltype(CipherOps::xts);

}  // namespace gpuctr

#endif
