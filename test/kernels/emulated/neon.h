// The intrinsic of AArch64 that kernels/cpu uses, by a model.
#ifndef GPUCTR_TEST_KERNELS_EMULATED_NEON_H
#define GPUCTR_TEST_KERNELS_EMULATED_NEON_H

#include "test/kernels/emulated/lanes.h"

typedef std::uint8_t uint8x16_t __attribute__((vector_size(16)));

// TBL (Arm's manual C7.2): an index beyond the table gives 0.
GPUCTR_MODEL uint8x16_t vqtbl1q_u8(uint8x16_t table, uint8x16_t index) {
  const gpuctr::emulated::Lanes<std::uint8_t, uint8x16_t> x(table), at(index);
  return gpuctr::emulated::made<std::uint8_t, uint8x16_t>(
      [&](unsigned i) { return at.of[i] < 16 ? x.of[at.of[i]] : 0; });
}

#endif
