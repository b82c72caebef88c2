// Whole blocks: each encrypted or decrypted by itself, or CBC decryption.
#ifndef GPUCTR_KERNELS_BULK_BLOCK_WORK_H
#define GPUCTR_KERNELS_BULK_BLOCK_WORK_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/bulk/engine.h"
#include "kernels/cpu/backend.h"

namespace gpuctr::bulk {

struct BlockWork {
  const CipherSpec& cipher;
  const CipherOps& cpu;
  const RoundKeys& keys;
  BlockVerb verb;
  // CBC decryption: the ciphertext block before in[0], host memory; nullptr: each block for itself.
  const std::uint8_t* before;
  const std::uint8_t* in;
  std::uint8_t* out;  // == in is allowed, no other overlap
  std::size_t bytes;  // a multiple of block_bytes

  bool chained() const { return before != nullptr && verb == BlockVerb::kDecrypt; }
  bool in_place() const { return in == out; }
  GpuVerb gpu_verb() const {
    if (verb == BlockVerb::kEncrypt) return GpuVerb::kEncrypt;
    return chained() ? GpuVerb::kChain : GpuVerb::kDecrypt;
  }
  // A part of it; `last` is the block before, where it is chained.
  BlockWork part(std::size_t at, std::size_t n, const std::uint8_t* last) const {
    return {cipher, cpu, keys, verb, last, in + at, out + at, n};
  }
};

// A block, that of 16 bytes in one piece: a CPU waits where it loads more than was stored at once.
// Arrays of kMaxBlockBytes have room for 16 bytes only where a cipher of the build has such a
// block.
inline void copy_chain(std::uint8_t* to, const std::uint8_t* from, std::size_t block_bytes) {
  if (kMaxBlockBytes >= 16 && block_bytes == 16) {
    std::memcpy(to, from, 16);
  } else {
    copy_block(to, from, block_bytes);
  }
}

// Host memory only. Cannot fail, leaves no secret on the stack.
void run_blocks(const BlockWork& work);

// The rest of it where a card has encrypted or decrypted each block for itself, to `made`.
void finish_blocks(const BlockWork& work, const std::uint8_t* made);

}  // namespace gpuctr::bulk

#endif
