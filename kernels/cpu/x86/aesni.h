// S-boxes made from AES's S-box by AES-NI, in vectors of 16 bytes.
#ifndef GPUCTR_KERNELS_CPU_X86_AESNI_H
#define GPUCTR_KERNELS_CPU_X86_AESNI_H

#include <immintrin.h>

#include "kernels/cpu/x86/xmm.h"

namespace gpuctr::simd {

template <bool Layers>
struct XmmBoxes : Xmm {
  static constexpr bool kAesBoxes = true;
  static constexpr bool kLayers = Layers;

  template <class V>
  GPUCTR_INLINE static V sub_shift(V v) {
    return as<V>(_mm_aesenclast_si128(as<__m128i>(v), _mm_setzero_si128()));
  }
  template <class V>
  GPUCTR_INLINE static V unsub_unshift(V v) {
    return as<V>(_mm_aesdeclast_si128(as<__m128i>(v), _mm_setzero_si128()));
  }
};

}  // namespace gpuctr::simd

#endif
