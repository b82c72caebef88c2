// Vectors of 16 bytes with GFNI, for few blocks on the backends that have GFNI.
#ifndef GPUCTR_KERNELS_CPU_X86_GFNI_H
#define GPUCTR_KERNELS_CPU_X86_GFNI_H

#include <immintrin.h>

#include "kernels/cpu/x86/xmm.h"

namespace gpuctr::simd {

struct XmmGfni : Xmm {
  static constexpr bool kAffine = true;
  template <class Map, class V>
  GPUCTR_INLINE static V affine(V v) {
    return as<V>(_mm_gf2p8affine_epi64_epi8(as<__m128i>(v), matrix<Map>(), Map::kMap.constant));
  }
  template <class Map, class V>
  GPUCTR_INLINE static V affine_inverse(V v) {
    return as<V>(_mm_gf2p8affineinv_epi64_epi8(as<__m128i>(v), matrix<Map>(), Map::kMap.constant));
  }
  // The linear part of one map on the low half, and of another map on the high half.
  template <class Low, class High, class V>
  GPUCTR_INLINE static V linear_halves(V v) {
    const __m128i maps = matrices<Low, High>();  // clang defines the next word as a macro
    return as<V>(_mm_gf2p8affine_epi64_epi8(as<__m128i>(v), maps, 0));
  }
  // The same maps of 1 / x.
  template <class Low, class High, class V>
  GPUCTR_INLINE static V linear_halves_of_inverse(V v) {
    const __m128i maps = matrices<Low, High>();
    return as<V>(_mm_gf2p8affineinv_epi64_epi8(as<__m128i>(v), maps, 0));
  }
  // Multiplies byte i by matrix i / 8 of the other vector.
  template <class V>
  GPUCTR_INLINE static V by_matrices(V v, V matrices) {
    return as<V>(_mm_gf2p8affine_epi64_epi8(as<__m128i>(v), as<__m128i>(matrices), 0));
  }

 private:
  template <class Map>
  GPUCTR_INLINE static __m128i matrix() {
    return _mm_set1_epi64x(static_cast<long long>(Map::kMap.matrix));
  }
  template <class Low, class High>
  GPUCTR_INLINE static __m128i matrices() {
    return _mm_set_epi64x(static_cast<long long>(High::kMap.matrix),
                          static_cast<long long>(Low::kMap.matrix));
  }
};

}  // namespace gpuctr::simd

#endif
