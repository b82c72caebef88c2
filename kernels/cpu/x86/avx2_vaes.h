// AVX2 with VAES and without GFNI, for example Zen 3, for ciphers with S-boxes; `avx2` has the
// other ciphers. Like `avx2-aesni`, with AES instructions on whole vectors.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX2_VAES_H
#define GPUCTR_KERNELS_CPU_X86_AVX2_VAES_H

#include "kernels/cpu/x86/avx2_aes_boxes.h"

namespace gpuctr {
namespace {

template <bool Layers>
struct Avx2VaesVectors : Avx2AesBoxes<Layers> {
  using Aes = simd::AesVectors<32>;

  template <class V>
  GPUCTR_INLINE static V sub_shift(V v) {
    return simd::as<V>(_mm256_aesenclast_epi128(simd::as<__m256i>(v), _mm256_setzero_si256()));
  }
  template <class V>
  GPUCTR_INLINE static V unsub_unshift(V v) {
    return simd::as<V>(_mm256_aesdeclast_epi128(simd::as<__m256i>(v), _mm256_setzero_si256()));
  }
};

template <class C>
using Avx2Vaes = Avx2VaesVectors<C::kFacts.box_layers>;
template <class C>
using Avx2VaesNarrow = simd::XmmBoxes<C::kFacts.box_layers>;

}  // namespace
}  // namespace gpuctr

#endif
