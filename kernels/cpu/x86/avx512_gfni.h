// AVX-512 with GFNI and VBMI2: HIGHT's F0 and F1 are one GF2P8AFFINEQB each, and VPSHLDW rotates
// words of 16 bits.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX512_GFNI_H
#define GPUCTR_KERNELS_CPU_X86_AVX512_GFNI_H

#include <immintrin.h>

#include "kernels/cpu/simd/ops.h"
#include "kernels/cpu/x86/aes.h"
#include "kernels/cpu/x86/byte_sums.h"
#include "kernels/cpu/x86/des_row.h"
#include "kernels/cpu/x86/gfni.h"
#include "kernels/cpu/x86/vbmi_tables.h"
#include "kernels/cpu/x86/wipe.h"

namespace gpuctr {
namespace {

struct Avx512Gfni : ByteSums {
  static constexpr unsigned kRegisters = 32;
  static constexpr unsigned kRotates = 2;
  using Aes = simd::AesVectors<64>;
  static constexpr bool kAffine = true;
  using InOne = simd::XmmGfni;
  template <class Map, class V>
  GPUCTR_INLINE static V affine(V v) {
    return simd::as<V>(
        _mm512_gf2p8affine_epi64_epi8(simd::as<__m512i>(v), matrix<Map>(), Map::kMap.constant));
  }
  template <class Map, class V>
  GPUCTR_INLINE static V affine_inverse(V v) {
    return simd::as<V>(
        _mm512_gf2p8affineinv_epi64_epi8(simd::as<__m512i>(v), matrix<Map>(), Map::kMap.constant));
  }
  template <class V>
  GPUCTR_INLINE static V by_matrices(V v, V matrices) {
    return simd::as<V>(
        _mm512_gf2p8affine_epi64_epi8(simd::as<__m512i>(v), simd::as<__m512i>(matrices), 0));
  }
  template <class Map>
  GPUCTR_INLINE static __m512i matrix() {
    return _mm512_set1_epi64(static_cast<long long>(Map::kMap.matrix));
  }
  static constexpr bool kStepWithBatch = true;
  template <unsigned K, class V>
  GPUCTR_INLINE static V rotl(V v) {
    if constexpr (sizeof(v[0]) >= 4) {
      return rotl_by_shifts<K>(v);
    } else if constexpr (sizeof(v[0]) == 1 || K == 8) {
      return Portable::rotl<K>(v);  // two by 8 cancel, and the compiler sees it
    } else {
      const __m512i x = simd::as<__m512i>(v);
      return simd::as<V>(_mm512_shldi_epi16(x, x, K));
    }
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(V v, V key) {
    const __m512i matrix = _mm512_set1_epi64(static_cast<long long>(simd::rot_xor_matrix(A, B, C)));
    return simd::as<V>(_mm512_gf2p8affine_epi64_epi8(simd::as<__m512i>(v), matrix, 0)) ^ key;
  }
  // Of each byte of `index`, below 16, the table's.
  template <class V>
  GPUCTR_INLINE static V look_up_in(const std::uint8_t* table, V index) {
    const __m512i same = _mm512_maskz_broadcast_i32x4(
        0xffff, simd::as<__m128i>(simd::load<simd::Vec<std::uint8_t, 16>>(table)));
    return simd::as<V>(_mm512_shuffle_epi8(same, simd::as<__m512i>(index)));
  }
  template <unsigned Size>
  GPUCTR_INLINE static void wipe_below() {
    simd::wipe_below<Size>();
  }
  GPUCTR_INLINE static void wipe_registers() { simd::wipe_zmm(); }
  GPUCTR_INLINE static void wipe_low_registers() { simd::wipe_ymm(); }
};

struct Narrow : simd::XmmGfni {
  template <unsigned K, class V>
  GPUCTR_INLINE static V rotl(V v) {
    if constexpr (sizeof(v[0]) >= 4) {
      return rotl_by_shifts<K>(v);
    } else if constexpr (sizeof(v[0]) == 1 || K == 8) {
      return Portable::rotl<K>(v);
    } else {
      const __m128i x = simd::as<__m128i>(v);
      return simd::as<V>(_mm_shldi_epi16(x, x, K));
    }
  }
  GPUCTR_INLINE static void wipe_registers() { Avx512Gfni::wipe_registers(); }
};

template <class C>
constexpr CipherOps make_ops() {
  if constexpr (C::kFacts.tables) {
    return make_vbmi_table_ops<Avx512Gfni, C>();
  } else if constexpr (C::kFacts.bit_sliced) {
    return make_des_ops<Avx512Gfni, C, DesRow<C>>();
  } else {
    return simd::make_ops<Avx512Gfni, Narrow, C, DesRow>();
  }
}
template <class C>
constexpr CipherOps kOps = make_ops<C>();

}  // namespace

}  // namespace gpuctr

#endif
