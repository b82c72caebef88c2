// AVX-512 F, BW, DQ, VL: vectors of 64 bytes, 32 registers, VPROLD.
#ifndef GPUCTR_KERNELS_CPU_X86_AVX512_H
#define GPUCTR_KERNELS_CPU_X86_AVX512_H

#include <immintrin.h>

#include "kernels/cpu/simd/ops.h"
#include "kernels/cpu/x86/aes.h"
#include "kernels/cpu/x86/aesni.h"
#include "kernels/cpu/x86/byte_sums.h"
#include "kernels/cpu/x86/des_shifts.h"
#include "kernels/cpu/x86/wipe.h"

namespace gpuctr {
namespace {

struct Avx512 : ByteSums {
  static constexpr unsigned kRegisters = 32;
  static constexpr unsigned kRotates = 4;
  using Aes = simd::AesVectors<16>;
  using InOne = simd::XmmBoxes<false>;
  template <unsigned K, class V>
  GPUCTR_INLINE static V rotl(V v) {
    if constexpr (sizeof(v[0]) >= 4) {
      return rotl_by_shifts<K>(v);
    } else {
      return Portable::rotl<K>(v);
    }
  }
  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(_mm512_shuffle_epi8(simd::as<__m512i>(table), simd::as<__m512i>(index)));
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(V v, V key) {
    return simd::rot_xor_by_tables<Avx512, A, B, C>(v, V{}) ^ key;  // nothing won in the table
  }
  template <unsigned Size>
  GPUCTR_INLINE static void wipe_below() {
    simd::wipe_below<Size>();
  }
  GPUCTR_INLINE static void wipe_registers() { simd::wipe_zmm(); }
  GPUCTR_INLINE static void wipe_low_registers() { simd::wipe_ymm(); }
};

struct Narrow : simd::Portable<16> {
  template <unsigned K, class V>
  GPUCTR_INLINE static V rotl(V v) {
    if constexpr (sizeof(v[0]) >= 4) {
      return rotl_by_shifts<K>(v);
    } else {
      return Portable::rotl<K>(v);
    }
  }
  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(_mm_shuffle_epi8(simd::as<__m128i>(table), simd::as<__m128i>(index)));
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(V v, V key) {
    return simd::rot_xor_by_tables<Narrow, A, B, C>(v, key);
  }
  GPUCTR_INLINE static void wipe_registers() { Avx512::wipe_registers(); }
};

template <class C>
constexpr CipherOps kOps = simd::kOps<Avx512, Narrow, C, DesShifts>;

}  // namespace

}  // namespace gpuctr

#endif
