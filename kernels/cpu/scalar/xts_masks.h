// XTS's masks in integers, on any CPU.
#ifndef GPUCTR_KERNELS_CPU_SCALAR_XTS_MASKS_H
#define GPUCTR_KERNELS_CPU_SCALAR_XTS_MASKS_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/word.h"
#include "kernels/cpu/base/xts_ops.h"

namespace gpuctr {
namespace {

struct ScalarXtsMasks {
  // Not inlined, so that its frame lies where wipe_stack's frame lies later.
  __attribute__((noinline)) static void all(std::uint8_t* mask, std::uint8_t* masks,
                                            std::size_t blocks) {
    std::uint64_t low = load_le<std::uint64_t>(mask), high = load_le<std::uint64_t>(mask + 8);
    const std::size_t count = xts_mask_bytes(blocks) / kXtsBlock;
    for (std::size_t i = 0; i < count; ++i) {
      store_le(masks + kXtsBlock * i, low);
      store_le(masks + kXtsBlock * i + 8, high);
      const std::uint64_t carry = (high >> 63) * 0x87;
      high = high << 1 | low >> 63;
      low = low << 1 ^ carry;
    }
    __builtin_memcpy(mask, masks + kXtsBlock * blocks, kXtsBlock);
  }

  static void run(std::uint8_t* mask, std::uint8_t* masks, std::size_t blocks) {
    all(mask, masks, blocks);
    wipe_stack<256>();
  }
};

}  // namespace
}  // namespace gpuctr

#endif
