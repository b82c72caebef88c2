// Vectors of 16 bytes for ciphers with S-boxes on x86: with the boxes of AES-NI, of GFNI, or
// neither (sse_boxes.h).
#ifndef GPUCTR_KERNELS_CPU_X86_XMM_H
#define GPUCTR_KERNELS_CPU_X86_XMM_H

#include <immintrin.h>

#include "kernels/cpu/x86/wipe.h"

namespace gpuctr::simd {

// The rounds of AES in vectors of so many bytes: aes.h, for units of AES.
template <unsigned Bytes>
struct AesVectors;

struct Xmm : X86<16> {
  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return as<V>(_mm_shuffle_epi8(as<__m128i>(table), as<__m128i>(index)));
  }
  // Looks up each byte of `index`, below 16, in the table.
  template <class V>
  GPUCTR_INLINE static V look_up_in(const std::uint8_t* table, V index) {
    return look_up(load<V>(table), index);
  }
  // a ^ b ^ c in one instruction, where the CPU has one. The compiler might use two XORs.
#if defined(__AVX512VL__)
  template <class V>
  GPUCTR_INLINE static V sum3(V a, V b, V c) {
    return as<V>(_mm_ternarylogic_epi64(as<__m128i>(a), as<__m128i>(b), as<__m128i>(c), 0x96));
  }
#endif
  // Two numbers in one vector. GCC 12 would write both to the stack and wait for the stores.
  GPUCTR_INLINE static Vec<std::uint64_t, 16> pair(std::uint64_t low, std::uint64_t high) {
    __m128i first = _mm_cvtsi64_si128(static_cast<long long>(low));
    __m128i second = _mm_cvtsi64_si128(static_cast<long long>(high));
    __asm__("" : "+x"(first), "+x"(second));
    return as<Vec<std::uint64_t, 16>>(_mm_unpacklo_epi64(first, second));
  }
};

#ifdef __AES__
// S-boxes made from AES's S-box by AES-NI.
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
#endif

#ifdef __GFNI__
// For few blocks on the backends that have GFNI.
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
#endif

}  // namespace gpuctr::simd

#endif
