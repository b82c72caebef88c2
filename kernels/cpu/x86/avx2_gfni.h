// AVX2 with GFNI, for example laptop CPUs without AVX-512: HIGHT's F0 and F1 are one GF2P8AFFINEQB
// each.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX2_GFNI_H
#define GPUCTR_KERNELS_CPU_X86_AVX2_GFNI_H

#include <immintrin.h>

#include "kernels/cpu/x86/wipe.h"

namespace gpuctr {
namespace {

struct Avx2GfniVectors : simd::X86<32> {
  static constexpr unsigned kRegisters = 16;
  static constexpr bool kAffine = true;
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(const V& word, V key) {
    const V v = simd::RotationSums<Avx2GfniVectors, V>::read_then_spill(word);
    const __m256i matrix = _mm256_set1_epi64x(
        static_cast<long long>(simd::RotationSums<Avx2GfniVectors, V>::matrix(A, B, C)));
    return simd::as<V>(_mm256_gf2p8affine_epi64_epi8(simd::as<__m256i>(v), matrix, 0)) ^ key;
  }
};

struct Avx2GfniNarrowVectors : simd::X86<16> {
  static constexpr bool kAffine = true;
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(V v, V key) {
    const __m128i matrix = _mm_set1_epi64x(
        static_cast<long long>(simd::RotationSums<Avx2GfniNarrowVectors, V>::matrix(A, B, C)));
    return simd::as<V>(_mm_gf2p8affine_epi64_epi8(simd::as<__m128i>(v), matrix, 0)) ^ key;
  }
};

template <class C>
using Avx2Gfni = Avx2GfniVectors;
template <class C>
using Avx2GfniNarrow = Avx2GfniNarrowVectors;

}  // namespace
}  // namespace gpuctr

#endif
