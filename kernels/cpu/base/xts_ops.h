// The masks of XTS (IEEE 1619 5.2): mask number i of a data unit is the encrypted tweak times x^i
// modulo x^128 + x^7 + x^2 + x + 1, lowest bit of the first byte first. The function of a vector
// width.
#ifndef GPUCTR_KERNELS_CPU_BASE_XTS_OPS_H
#define GPUCTR_KERNELS_CPU_BASE_XTS_OPS_H

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/base/cipher_ops.h"

namespace gpuctr {

inline constexpr std::size_t kXtsBlock = 16;

// The bytes that XtsMasks writes: the masks of `blocks` blocks and at least one more, in groups of
// eight.
constexpr std::size_t xts_mask_bytes(std::size_t blocks) { return (blocks / 8 + 1) * 128; }

// Writes `mask`, 16 bytes, and then each mask times x, xts_mask_bytes(blocks) bytes. `mask` becomes
// mask number `blocks`. Pointers need no alignment. Thread-safe; cannot fail; constant time in the
// mask. Leaves no secret on the stack or in vector registers.
using XtsMasks = void (*)(std::uint8_t* mask, std::uint8_t* masks, std::size_t blocks);

using XtsOperation = decltype(CipherOps::xts);

}  // namespace gpuctr

#endif
