// AVX2: like SSSE3, with vectors of 32 bytes.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX2_H
#define GPUCTR_KERNELS_CPU_X86_AVX2_H

#include <immintrin.h>

#include "kernels/cpu/x86/wipe.h"

namespace gpuctr {
namespace {

struct Avx2Vectors : simd::X86<32> {
  static constexpr unsigned kRegisters = 16;
  template <class V>
  GPUCTR_INLINE static V rotl_each(V v, V counts) {
    return (v << counts) | (v >> (8 * sizeof(v[0]) - counts));
  }
  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(_mm256_shuffle_epi8(simd::as<__m256i>(table), simd::as<__m256i>(index)));
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(const V& word, V key) {
    using Sums = simd::RotationSums<Avx2Vectors, V>;
    return Sums::template look_up<A, B, C>(Sums::read_then_spill(word), key);
  }
};

struct Avx2NarrowVectors : simd::X86<16> {
  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(_mm_shuffle_epi8(simd::as<__m128i>(table), simd::as<__m128i>(index)));
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(V v, V key) {
    return simd::RotationSums<Avx2NarrowVectors, V>::template look_up<A, B, C>(v, key);
  }
};

template <class C>
using Avx2 = Avx2Vectors;
template <class C>
using Avx2Narrow = Avx2NarrowVectors;

}  // namespace
}  // namespace gpuctr

#endif
