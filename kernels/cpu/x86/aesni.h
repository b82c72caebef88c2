// S-boxes out of AES's, by AES-NI, in vectors of 16 bytes.
#ifndef GPUCTR_KERNELS_CPU_X86_AESNI_H
#define GPUCTR_KERNELS_CPU_X86_AESNI_H

#include <immintrin.h>

#include "kernels/cpu/simd/word.h"

namespace gpuctr::simd {

template <bool Layers>
struct XmmBoxes : Portable<16> {
  static constexpr bool kAesBoxes = true;
  static constexpr bool kLayers = Layers;

  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return as<V>(_mm_shuffle_epi8(as<__m128i>(table), as<__m128i>(index)));
  }
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
