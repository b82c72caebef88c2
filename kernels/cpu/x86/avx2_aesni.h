// AVX2 with AES-NI, for ciphers with S-boxes; `avx2` has the others. AES-NI takes each half of a
// vector for itself.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX2_AESNI_H
#define GPUCTR_KERNELS_CPU_X86_AVX2_AESNI_H

#include "kernels/cpu/simd/ops.h"
#include "kernels/cpu/x86/aes.h"
#include "kernels/cpu/x86/aesni.h"
#include "kernels/cpu/x86/wipe.h"

namespace gpuctr {
namespace {

template <bool Layers>
struct Avx2AesNi : simd::Portable<32> {
  using Half = simd::XmmBoxes<Layers>;
  static constexpr unsigned kRegisters = 16;
  using Aes = simd::AesVectors<16>;
  static constexpr bool kAesBoxes = true;
  static constexpr bool kLayers = Layers;

  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(_mm256_shuffle_epi8(simd::as<__m256i>(table), simd::as<__m256i>(index)));
  }
  template <class V>
  GPUCTR_INLINE static V sub_shift(V v) {
    const __m256i x = simd::as<__m256i>(v);
    return simd::as<V>(_mm256_set_m128i(Half::sub_shift(_mm256_extracti128_si256(x, 1)),
                                        Half::sub_shift(_mm256_castsi256_si128(x))));
  }
  template <class V>
  GPUCTR_INLINE static V unsub_unshift(V v) {
    const __m256i x = simd::as<__m256i>(v);
    return simd::as<V>(_mm256_set_m128i(Half::unsub_unshift(_mm256_extracti128_si256(x, 1)),
                                        Half::unsub_unshift(_mm256_castsi256_si128(x))));
  }
  template <unsigned Size>
  GPUCTR_INLINE static void wipe_below() {
    simd::wipe_below<Size>();
  }
  GPUCTR_INLINE static void wipe_registers() { simd::wipe_ymm(); }
};

template <bool Layers>
struct Narrow : simd::XmmBoxes<Layers> {
  GPUCTR_INLINE static void wipe_registers() { simd::wipe_ymm(); }
};

template <class C, bool kLayers = BoxLayers<C>::value>
constexpr CipherOps kOps = simd::kOps<Avx2AesNi<kLayers>, Narrow<kLayers>, C>;

}  // namespace

}  // namespace gpuctr

#endif
