// AVX2 with AES instructions, for ciphers with S-boxes, which are made from AES's S-box
// (simd/box.h); `avx2` has the other ciphers. `avx2-aesni` applies AES-NI to each half of a vector,
// and `avx2-vaes`, for CPUs such as Zen 3 that lack GFNI, VAES to a vector.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX2_AES_H
#define GPUCTR_KERNELS_CPU_X86_AVX2_AES_H

#include "kernels/cpu/x86/xmm.h"

namespace gpuctr {
namespace {

template <bool Layers>
struct Avx2AesBoxes : simd::X86<32> {
  static constexpr unsigned kRegisters = 16;
  using Lane = simd::XmmBoxes<Layers>;
  static constexpr bool kAesBoxes = true;
  static constexpr bool kLayers = Layers;

  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(_mm256_shuffle_epi8(simd::as<__m256i>(table), simd::as<__m256i>(index)));
  }
  // Looks up each byte of `index`, below 16, in the table.
  template <class V>
  GPUCTR_INLINE static V look_up_in(const std::uint8_t* table, V index) {
    const __m256i same = _mm256_broadcastsi128_si256(
        simd::as<__m128i>(simd::load<simd::Vec<std::uint8_t, 16>>(table)));
    return simd::as<V>(_mm256_shuffle_epi8(same, simd::as<__m256i>(index)));
  }
};

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

#ifdef __VAES__
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
#endif

}  // namespace
}  // namespace gpuctr

#endif
