// AVX-512 with GFNI and VBMI2: HIGHT's F0 and F1 are one GF2P8AFFINEQB each, and VPSHLDW rotates
// words of 16 bits.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX512_GFNI_H
#define GPUCTR_KERNELS_CPU_X86_AVX512_GFNI_H

#include <immintrin.h>

#include "kernels/cpu/x86/wipe.h"

namespace gpuctr {
namespace {

struct Avx512GfniVectors : simd::X86<64> {
  static constexpr unsigned kRegisters = 32;
  static constexpr unsigned kRotates = 2;
  static constexpr bool kAffine = true;
  template <class V>
  GPUCTR_INLINE static void hold(V& v) {
    GPUCTR_HOLD(v);
  }
  static constexpr bool kStepWithBatch = true;
  template <unsigned K, class V>
  GPUCTR_INLINE static V rotl(V v) {
    if constexpr (sizeof(v[0]) != 2 || K == 8) {
      return Portable::rotl<K>(v);  // two rotations by 8 cancel, and the compiler sees that
    } else {
      const __m512i x = simd::as<__m512i>(v);
      return simd::as<V>(_mm512_shldi_epi16(x, x, K));
    }
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(V v, V key) {
    const __m512i matrix = _mm512_set1_epi64(
        static_cast<long long>(simd::RotationSums<Avx512GfniVectors, V>::matrix(A, B, C)));
    return simd::as<V>(_mm512_gf2p8affine_epi64_epi8(simd::as<__m512i>(v), matrix, 0)) ^ key;
  }
};

struct Avx512GfniNarrowVectors : simd::X86<16> {
  static constexpr bool kAffine = true;
  template <unsigned K, class V>
  GPUCTR_INLINE static V rotl(V v) {
    if constexpr (sizeof(v[0]) != 2 || K == 8) {
      return Portable::rotl<K>(v);
    } else {
      const __m128i x = simd::as<__m128i>(v);
      return simd::as<V>(_mm_shldi_epi16(x, x, K));
    }
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(V v, V key) {
    const __m128i matrix = _mm_set1_epi64x(
        static_cast<long long>(simd::RotationSums<Avx512GfniNarrowVectors, V>::matrix(A, B, C)));
    return simd::as<V>(_mm_gf2p8affine_epi64_epi8(simd::as<__m128i>(v), matrix, 0)) ^ key;
  }
};

template <class C>
using Avx512Gfni = Avx512GfniVectors;
template <class C>
using Avx512GfniNarrow = Avx512GfniNarrowVectors;

}  // namespace
}  // namespace gpuctr

#endif
