// The common part of the AVX2 backends that make S-boxes from AES's S-box (simd/box.h).
// avx2_aesni.h and avx2_vaes.h apply AES instructions to a vector.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX2_AES_BOXES_H
#define GPUCTR_KERNELS_CPU_X86_AVX2_AES_BOXES_H

#include <immintrin.h>

#include "kernels/cpu/x86/aes.h"
#include "kernels/cpu/x86/aesni.h"

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

}  // namespace
}  // namespace gpuctr

#endif
