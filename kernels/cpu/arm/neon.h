// NEON: vectors of 16 bytes, part of every AArch64 CPU. TBL looks up HIGHT's F0 and F1.
#ifndef GPUCTR_KERNELS_CPU_ARM_NEON_H
#define GPUCTR_KERNELS_CPU_ARM_NEON_H

#include <arm_neon.h>

#include "kernels/base/wipe.h"
#include "kernels/cpu/simd/vec.h"

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
  GPUCTR_INLINE static void wipe_registers() {
    __asm__ __volatile__(
        "movi v0.16b, #0\n\t"
        "movi v1.16b, #0\n\t"
        "movi v2.16b, #0\n\t"
        "movi v3.16b, #0\n\t"
        "movi v4.16b, #0\n\t"
        "movi v5.16b, #0\n\t"
        "movi v6.16b, #0\n\t"
        "movi v7.16b, #0\n\t"
        "movi v8.16b, #0\n\t"
        "movi v9.16b, #0\n\t"
        "movi v10.16b, #0\n\t"
        "movi v11.16b, #0\n\t"
        "movi v12.16b, #0\n\t"
        "movi v13.16b, #0\n\t"
        "movi v14.16b, #0\n\t"
        "movi v15.16b, #0\n\t"
        "movi v16.16b, #0\n\t"
        "movi v17.16b, #0\n\t"
        "movi v18.16b, #0\n\t"
        "movi v19.16b, #0\n\t"
        "movi v20.16b, #0\n\t"
        "movi v21.16b, #0\n\t"
        "movi v22.16b, #0\n\t"
        "movi v23.16b, #0\n\t"
        "movi v24.16b, #0\n\t"
        "movi v25.16b, #0\n\t"
        "movi v26.16b, #0\n\t"
        "movi v27.16b, #0\n\t"
        "movi v28.16b, #0\n\t"
        "movi v29.16b, #0\n\t"
        "movi v30.16b, #0\n\t"
        "movi v31.16b, #0\n\t"
        :
        :
        : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
          "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
          "v27", "v28", "v29", "v30", "v31");
  }
};

template <class C>
using Neon = NeonVectors;
template <class C>
using NeonNarrow = NeonVectors;

}  // namespace

}  // namespace gpuctr

#endif
