// AVX2 with GFNI, as laptop CPUs without AVX-512 have them: HIGHT's F0 and F1 are one
// GF2P8AFFINEQB each.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX2_GFNI_H
#define GPUCTR_KERNELS_CPU_X86_AVX2_GFNI_H

#include <immintrin.h>

#include "kernels/cpu/simd/ops.h"
#include "kernels/cpu/x86/aes.h"
#include "kernels/cpu/x86/des_shifts.h"
#include "kernels/cpu/x86/gfni.h"
#include "kernels/cpu/x86/wipe.h"

namespace gpuctr {
namespace {

struct Avx2Gfni : simd::Portable<32> {
  static constexpr unsigned kRegisters = 16;
  using Aes = simd::AesVectors<32>;
  static constexpr bool kAffine = true;
  using InOne = simd::XmmGfni;
  template <class Map, class V>
  GPUCTR_INLINE static V affine(V v) {
    return simd::as<V>(
        _mm256_gf2p8affine_epi64_epi8(simd::as<__m256i>(v), matrix<Map>(), Map::kMap.constant));
  }
  template <class Map, class V>
  GPUCTR_INLINE static V affine_inverse(V v) {
    return simd::as<V>(
        _mm256_gf2p8affineinv_epi64_epi8(simd::as<__m256i>(v), matrix<Map>(), Map::kMap.constant));
  }
  template <class V>
  GPUCTR_INLINE static V by_matrices(V v, V matrices) {
    return simd::as<V>(
        _mm256_gf2p8affine_epi64_epi8(simd::as<__m256i>(v), simd::as<__m256i>(matrices), 0));
  }
  template <class Map>
  GPUCTR_INLINE static __m256i matrix() {
    return _mm256_set1_epi64x(static_cast<long long>(Map::kMap.matrix));
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(const V& word, V key) {
    const V v = simd::read_then_spill(word);
    const __m256i matrix =
        _mm256_set1_epi64x(static_cast<long long>(simd::rot_xor_matrix(A, B, C)));
    return simd::as<V>(_mm256_gf2p8affine_epi64_epi8(simd::as<__m256i>(v), matrix, 0)) ^ key;
  }
  // Of each byte of `index`, below 16, the table's.
  template <class V>
  GPUCTR_INLINE static V look_up_in(const std::uint8_t* table, V index) {
    const __m256i same = _mm256_broadcastsi128_si256(
        simd::as<__m128i>(simd::load<simd::Vec<std::uint8_t, 16>>(table)));
    return simd::as<V>(_mm256_shuffle_epi8(same, simd::as<__m256i>(index)));
  }
  template <unsigned Size>
  GPUCTR_INLINE static void wipe_below() {
    simd::wipe_below<Size>();
  }
  GPUCTR_INLINE static void wipe_registers() { simd::wipe_ymm(); }
};

struct Narrow : simd::XmmGfni {
  GPUCTR_INLINE static void wipe_registers() { Avx2Gfni::wipe_registers(); }
};

template <class C>
constexpr CipherOps kOps = simd::kOps<Avx2Gfni, Narrow, C, DesShifts>;

}  // namespace

}  // namespace gpuctr

#endif
