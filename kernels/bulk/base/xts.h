// XTS (IEEE 1619, SP 800-38E) on the CPU: whole blocks, a data unit with ciphertext stealing, and
// many data units under one key.
#ifndef GPUCTR_KERNELS_BULK_BASE_XTS_H
#define GPUCTR_KERNELS_BULK_BASE_XTS_H

#include <cstddef>
#include <cstdint>

#include "kernels/cipher/registry.h"
#include "kernels/cpu/backend.h"

namespace gpuctr::bulk {

// Whole blocks of a data unit, or a data unit of at least a block. In host memory; in == out is
// allowed, no other overlap. A mask is 16 bytes, secret (kernels/cpu/base/xts_ops.h).
struct XtsWork {
  const CipherOps& cpu;
  XtsMasks masks;
  const RoundKeys& keys;  // of the data, not of the tweak
  bool encrypts;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t bytes;

  XtsWork part(std::size_t at, std::size_t n) const {
    return {cpu, masks, keys, encrypts, in + at, out + at, n};
  }
  // The whole blocks that need no stealing. If a part of a block is left, the last whole block
  // belongs to the rest too.
  std::size_t body() const {
    const std::size_t whole = bytes / kXtsBlock * kXtsBlock;
    return whole == bytes ? bytes : whole - kXtsBlock;
  }
};

// The functions cannot fail, and leave no secret on the stack or in vector registers.

// Whole blocks. `mask` is the first block's; then it is the mask after the last block.
void xts_blocks(const XtsWork& work, std::uint8_t* mask);

// The rest of a data unit, 17 to 31 bytes, with ciphertext stealing (IEEE 1619 5.3.2, 5.4.2).
void xts_steal(const XtsWork& work, const std::uint8_t* mask);

// A whole data unit; `mask` is the first block's.
void xts_unit(const XtsWork& work, const std::uint8_t* mask);

// Becomes the mask `blocks` blocks later. `blocks` is public.
void xts_skip(std::uint8_t* mask, std::uint64_t blocks);

// Data units of `unit` bytes each, at least a block, one after the other; the last may be shorter.
// Their IVs are `ivs`, 16 bytes each.
struct XtsUnits {
  std::size_t unit;
  const std::uint8_t* ivs;
  const RoundKeys& tweak_keys;
};
void xts_units(const XtsWork& work, const XtsUnits& units);

}  // namespace gpuctr::bulk

#endif
