// AVX2 with GFNI and VAES, for ciphers with S-boxes: a box is one GF2P8AFFINEINVQB, preceded by one
// GF2P8AFFINEQB if its inner map is not the identity.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX2_GFNI_BOXES_H
#define GPUCTR_KERNELS_CPU_X86_AVX2_GFNI_BOXES_H

#include "kernels/cpu/x86/avx2_gfni.h"
#include "kernels/cpu/x86/xmm.h"

namespace gpuctr {
namespace {

struct Avx2GfniBoxVectors : Avx2GfniVectors {
  using Aes = simd::AesVectors<32>;
  using Lane = simd::XmmGfni;
  template <class Map, class V>
  GPUCTR_INLINE static V affine(V v) {
    return simd::as<V>(
        _mm256_gf2p8affine_epi64_epi8(simd::as<__m256i>(v), matrix<Map>(), Map::kMap.constant));
  }
  template <class Map, class V>
  GPUCTR_INLINE static V affine_inverse(V v) {
    return simd::as<V>(
        _mm256_gf2p8affineinv_epi64_epi8(simd::as<__m256i>(v), matrix<Map>(), Map::kMap.constant));
  }
  template <class V>
  GPUCTR_INLINE static V by_matrices(V v, V matrices) {
    return simd::as<V>(
        _mm256_gf2p8affine_epi64_epi8(simd::as<__m256i>(v), simd::as<__m256i>(matrices), 0));
  }
  template <class Map>
  GPUCTR_INLINE static __m256i matrix() {
    return _mm256_set1_epi64x(static_cast<long long>(Map::kMap.matrix));
  }
  // Looks up each byte of `index`, below 16, in the table.
  template <class V>
  GPUCTR_INLINE static V look_up_in(const std::uint8_t* table, V index) {
    const __m256i same = _mm256_broadcastsi128_si256(
        simd::as<__m128i>(simd::load<simd::Vec<std::uint8_t, 16>>(table)));
    return simd::as<V>(_mm256_shuffle_epi8(same, simd::as<__m256i>(index)));
  }
};

template <class C>
using Avx2GfniBoxes = Avx2GfniBoxVectors;
template <class C>
using Avx2GfniBoxesNarrow = simd::XmmGfni;

}  // namespace
}  // namespace gpuctr

#endif
