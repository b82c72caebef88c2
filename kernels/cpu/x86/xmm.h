// Vectors of 16 bytes for ciphers with S-boxes on x86: sse_boxes.h, gfni.h and aesni.h add the
// boxes.
#ifndef GPUCTR_KERNELS_CPU_X86_XMM_H
#define GPUCTR_KERNELS_CPU_X86_XMM_H

#include <immintrin.h>

#include "kernels/cpu/x86/wipe.h"

namespace gpuctr::simd {

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
  // a ^ b ^ c at once if that is one instruction, whatever order the compiler would choose.
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

}  // namespace gpuctr::simd

#endif
