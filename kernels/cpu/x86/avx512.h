// AVX-512 F, BW, DQ, VL: vectors of 64 bytes, 32 registers, VPROLD.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX512_H
#define GPUCTR_KERNELS_CPU_X86_AVX512_H

#include <immintrin.h>

#include "kernels/cpu/x86/wipe.h"

namespace gpuctr {
namespace {

struct Avx512Vectors : simd::X86<64> {
  static constexpr unsigned kRegisters = 32;
  static constexpr unsigned kRotates = 4;
  template <class V>
  GPUCTR_INLINE static void hold(V& v) {
    GPUCTR_HOLD(v);
  }
  // Rotates each word by a count of its own.
  template <class V>
  GPUCTR_INLINE static V rotl_each(V v, V counts) {
    if constexpr (sizeof v == 16) {
      return simd::as<V>(_mm_rolv_epi32(simd::as<__m128i>(v), simd::as<__m128i>(counts)));
    } else {
      return simd::as<V>(_mm256_rolv_epi32(simd::as<__m256i>(v), simd::as<__m256i>(counts)));
    }
  }
  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(_mm512_shuffle_epi8(simd::as<__m512i>(table), simd::as<__m512i>(index)));
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(V v, V key) {
    return simd::RotationSums<Avx512Vectors, V>::template look_up<A, B, C>(v, V{}) ^
           key;  // the key in the table would gain nothing
  }
};

struct Avx512NarrowVectors : simd::X86<16> {
  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(_mm_shuffle_epi8(simd::as<__m128i>(table), simd::as<__m128i>(index)));
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(V v, V key) {
    return simd::RotationSums<Avx512NarrowVectors, V>::template look_up<A, B, C>(v, key);
  }
};

template <class C>
using Avx512 = Avx512Vectors;
template <class C>
using Avx512Narrow = Avx512NarrowVectors;

}  // namespace
}  // namespace gpuctr

#endif
