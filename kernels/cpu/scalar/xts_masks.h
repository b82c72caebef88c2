// XTS's masks in integers, on any CPU.
#ifndef GPUCTR_KERNELS_CPU_SCALAR_XTS_MASKS_H
#define GPUCTR_KERNELS_CPU_SCALAR_XTS_MASKS_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/word.h"
#include "kernels/cpu/base/xts_ops.h"

namespace gpuctr {
namespace {

struct ScalarXtsMasks {
  GPUCTR_INLINE static void add(const std::uint8_t* masks, const std::uint8_t* in,
                                std::uint8_t* out, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 8) {
      store_le(out + at, load_le<std::uint64_t>(in + at) ^ load_le<std::uint64_t>(masks + at));
    }
  }
  // Not inlined, so that its frame lies where wipe_stack's frame lies later.
  __attribute__((noinline)) static void begin_all(std::uint8_t* mask, std::uint8_t* masks,
                                                  const std::uint8_t* in, std::uint8_t* out,
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
    add(masks, in, out, kXtsBlock * blocks);
  }
  __attribute__((noinline)) static void end_all(const std::uint8_t* masks, const std::uint8_t* in,
                                                std::uint8_t* out, std::size_t blocks) {
    add(masks, in, out, kXtsBlock * blocks);
  }

  static constexpr std::size_t kStackBytes = 256;

  static void begin(std::uint8_t* mask, std::uint8_t* masks, const std::uint8_t* in,
                    std::uint8_t* out, std::size_t blocks) {
    begin_all(mask, masks, in, out, blocks);
    wipe_stack<kStackBytes>();
  }
  static void end(const std::uint8_t* masks, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks) {
    end_all(masks, in, out, blocks);
    wipe_stack<kStackBytes>();
  }
};

}  // namespace
}  // namespace gpuctr

#endif
