// DES on the reference backend. Many blocks are bit-sliced in vectors of 16 bytes, which are one
// register of every x86-64 and AArch64 CPU. A few blocks are computed in integer registers.
#ifndef GPUCTR_KERNELS_CPU_SCALAR_BITSLICED_H
#define GPUCTR_KERNELS_CPU_SCALAR_BITSLICED_H

#include "kernels/cpu/simd/des_words.h"

namespace gpuctr {
namespace {

// The backend for simd/bitsliced.h.
struct ScalarVectors {
  static constexpr unsigned kBytes = 16;
  template <unsigned Size>
  GPUCTR_INLINE static void wipe_below() {
    wipe_from_here<Size>();  // as a tail call of wipe_after(), whose frame would keep a register
  }
  GPUCTR_INLINE static void wipe_registers() {}
};

template <class C>
constexpr CipherOps bitsliced_ops() {
  return des_ops<ScalarVectors, C, DesWords<C>>(nullptr);
}

}  // namespace
}  // namespace gpuctr

#endif
