// AVX2 with AES-NI, for ciphers with S-boxes; `avx2` has the other ciphers. AES-NI is applied to
// each half of a vector separately.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX2_AESNI_H
#define GPUCTR_KERNELS_CPU_X86_AVX2_AESNI_H

#include "kernels/cpu/x86/avx2_aes_boxes.h"

namespace gpuctr {
namespace {

template <bool Layers>
struct Avx2AesNiVectors : Avx2AesBoxes<Layers> {
  using Half = simd::XmmBoxes<Layers>;
  using Aes = simd::AesVectors<16>;

  // Otherwise GCC loads the halves of a vector that a round has just stored, and such loads wait
  // longer.
  template <class V>
  GPUCTR_INLINE static __m256i in_register(V v) {
    __m256i x = simd::as<__m256i>(v);
    __asm__("" : "+x"(x));
    return x;
  }
  template <class V>
  GPUCTR_INLINE static V sub_shift(V v) {
    const __m256i x = in_register(v);
    return simd::as<V>(_mm256_set_m128i(Half::sub_shift(_mm256_extracti128_si256(x, 1)),
                                        Half::sub_shift(_mm256_castsi256_si128(x))));
  }
  template <class V>
  GPUCTR_INLINE static V unsub_unshift(V v) {
    const __m256i x = in_register(v);
    return simd::as<V>(_mm256_set_m128i(Half::unsub_unshift(_mm256_extracti128_si256(x, 1)),
                                        Half::unsub_unshift(_mm256_castsi256_si128(x))));
  }
};

template <class C>
using Avx2AesNi = Avx2AesNiVectors<C::kFacts.box_layers>;
template <class C>
using Avx2AesNiNarrow = simd::XmmBoxes<C::kFacts.box_layers>;

}  // namespace
}  // namespace gpuctr

#endif
