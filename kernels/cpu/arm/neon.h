// NEON: vectors of 16 bytes, part of every AArch64 CPU. TBL looks up HIGHT's F0 and F1.
#ifndef GPUCTR_KERNELS_CPU_ARM_NEON_H
#define GPUCTR_KERNELS_CPU_ARM_NEON_H

#include <arm_neon.h>

#include "kernels/base/wipe.h"
#include "kernels/cpu/arm/wipe.h"

namespace gpuctr {
namespace {

struct NeonVectors : simd::Portable<16> {
  static constexpr unsigned kRegisters = 16;
  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(vqtbl1q_u8(simd::as<uint8x16_t>(table), simd::as<uint8x16_t>(index)));
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(V v, V key) {
    return simd::RotationSums<NeonVectors, V>::template look_up<A, B, C>(v, key);
  }
  // A stack frame of a size that the compiler does not see, because the build limits the frames
  // that the compiler sees.
  template <unsigned Size>
  GPUCTR_INLINE static void wipe_below() {
    std::size_t size = GPUCTR_WIPE_FACTOR * Size;
    __asm__("" : "+r"(size));
    simd::wipe_vectors<NeonVectors>(__builtin_alloca(size), size);
  }
  GPUCTR_INLINE static void wipe_registers() { simd::wipe_vector_registers(); }
};

template <class C>
using Neon = NeonVectors;
template <class C>
using NeonNarrow = NeonVectors;

}  // namespace

}  // namespace gpuctr

#endif
