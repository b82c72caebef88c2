// Products of lanes of 16 bits modulo 2^16 + 1, in constant time, for IDEA: 8 operations.
#ifndef GPUCTR_KERNELS_CPU_SIMD_PRODUCTS_H
#define GPUCTR_KERNELS_CPU_SIMD_PRODUCTS_H

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "kernels/cpu/simd/word.h"

namespace gpuctr::simd {

// The high halves of the products of 16-bit lanes: one instruction on x86.
template <unsigned N>
GPUCTR_INLINE Vec<std::uint16_t, N> high_products(Vec<std::uint16_t, N> a,
                                                  Vec<std::uint16_t, N> b) {
  using V = Vec<std::uint16_t, N>;
#if defined(__AVX512BW__)
  if constexpr (N == 64) return as<V>(_mm512_mulhi_epu16(as<__m512i>(a), as<__m512i>(b)));
#endif
#if defined(__AVX2__)
  if constexpr (N == 32) return as<V>(_mm256_mulhi_epu16(as<__m256i>(a), as<__m256i>(b)));
#endif
#if defined(__SSE2__)
  if constexpr (N == 16) return as<V>(_mm_mulhi_epu16(as<__m128i>(a), as<__m128i>(b)));
#endif
  // Computed from products of the even lanes and of the odd lanes, each in a 32-bit lane.
  using Wide = Vec<std::uint32_t, N>;
  const Wide even = (as<Wide>(a) & 0xffff) * (as<Wide>(b) & 0xffff);
  const Wide odd = (as<Wide>(a) >> 16) * (as<Wide>(b) >> 16);
  return as<V>((even >> 16) | (odd & 0xffff0000));
}

// 0 stands for 2^16. 2^16 is -1, so the product is its low half minus its high half, plus 1 if that
// is below 0. The halves are equal only if a factor is 0, because 2^16 + 1 is a prime. Then the
// product is 1 - a - b.
template <class V>
struct Products {
  GPUCTR_INLINE static V of(V a, V b) {
    const V low = a * b;
    const V high = high_products<sizeof(V)>(a, b);
    return low - high - as<V>(low <= high) - (as<V>(low == high) & (a + b));
  }
};

}  // namespace gpuctr::simd

#endif
