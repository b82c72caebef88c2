// AVX-512 with GFNI and VAES, for ciphers with S-boxes: a box is one GF2P8AFFINEINVQB, preceded by
// one GF2P8AFFINEQB if its inner map is not the identity. The carries of a sum of bytes are one bit
// for each byte in a mask register.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX512_GFNI_BOXES_H
#define GPUCTR_KERNELS_CPU_X86_AVX512_GFNI_BOXES_H

#include "kernels/cpu/x86/avx512_gfni.h"
#include "kernels/cpu/x86/xmm.h"

namespace gpuctr {
namespace {

struct Avx512GfniBoxVectors : Avx512GfniVectors {
  using Aes = simd::AesVectors<64>;
  using Lane = simd::XmmGfni;
  template <class Map, class V>
  GPUCTR_INLINE static V affine(V v) {
    return simd::as<V>(
        _mm512_gf2p8affine_epi64_epi8(simd::as<__m512i>(v), matrix<Map>(), Map::kMap.constant));
  }
  template <class Map, class V>
  GPUCTR_INLINE static V affine_inverse(V v) {
    return simd::as<V>(
        _mm512_gf2p8affineinv_epi64_epi8(simd::as<__m512i>(v), matrix<Map>(), Map::kMap.constant));
  }
  template <class V>
  GPUCTR_INLINE static V by_matrices(V v, V matrices) {
    return simd::as<V>(
        _mm512_gf2p8affine_epi64_epi8(simd::as<__m512i>(v), simd::as<__m512i>(matrices), 0));
  }
  template <class Map>
  GPUCTR_INLINE static __m512i matrix() {
    return _mm512_set1_epi64(static_cast<long long>(Map::kMap.matrix));
  }
  // Looks up each byte of `index`, below 16, in the table.
  template <class V>
  GPUCTR_INLINE static V look_up_in(const std::uint8_t* table, V index) {
    const __m512i same = _mm512_maskz_broadcast_i32x4(
        0xffff, simd::as<__m128i>(simd::load<simd::Vec<std::uint8_t, 16>>(table)));
    return simd::as<V>(_mm512_shuffle_epi8(same, simd::as<__m512i>(index)));
  }
  using Carry = __mmask64;
  using V = simd::Vec<std::uint8_t, 64>;

  GPUCTR_INLINE static V add(V a, V b, Carry* carry) {
    const V sum = plus_one_where(*carry, a + b);
    *carry = top_bits((a & b) | ((a | b) & ~sum));
    return sum;
  }
  GPUCTR_INLINE static V shift_in(V v, V below) { return plus_one_where(top_bits(below), v + v); }

 private:
  GPUCTR_INLINE static Carry top_bits(V v) { return _mm512_movepi8_mask(simd::as<__m512i>(v)); }
  GPUCTR_INLINE static V plus_one_where(Carry carry, V v) {
    if (__builtin_constant_p(carry) && carry == 0) return v;
    const __m512i x = simd::as<__m512i>(v);
    return simd::as<V>(_mm512_mask_sub_epi8(x, carry, x, _mm512_set1_epi8(-1)));
  }
};

template <class C>
using Avx512GfniBoxes = Avx512GfniBoxVectors;
template <class C>
using Avx512GfniBoxesNarrow = simd::XmmGfni;

}  // namespace
}  // namespace gpuctr

#endif
