// AES rounds by AES-NI and VAES, for simd/aes.h: one instruction each.
#ifndef GPUCTR_KERNELS_CPU_X86_AES_H
#define GPUCTR_KERNELS_CPU_X86_AES_H

#include <immintrin.h>

#include "kernels/cpu/simd/vec.h"
#include "kernels/cpu/x86/xmm.h"
#ifdef __PCLMUL__
#include "kernels/cpu/x86/ghash_vectors.h"
#endif

namespace gpuctr::simd {

template <>
struct AesVectors<16> : Portable<16> {
  using V = Vec<std::uint8_t, 16>;
#ifdef __PCLMUL__
  using Hash = clmul::Hash<16>;
#endif
  using Narrow = AesVectors;
  GPUCTR_INLINE static V key(V key) { return key; }
  GPUCTR_INLINE static V encrypt(V x, V key) {
    return as<V>(_mm_aesenc_si128(as<__m128i>(x), as<__m128i>(key)));
  }
  GPUCTR_INLINE static V encrypt_last(V x, V key) {
    return as<V>(_mm_aesenclast_si128(as<__m128i>(x), as<__m128i>(key)));
  }
  GPUCTR_INLINE static V decrypt(V x, V key) {
    return as<V>(_mm_aesdec_si128(as<__m128i>(x), as<__m128i>(key)));
  }
  GPUCTR_INLINE static V decrypt_last(V x, V key) {
    return as<V>(_mm_aesdeclast_si128(as<__m128i>(x), as<__m128i>(key)));
  }
  GPUCTR_INLINE static V unmix(V key) { return as<V>(_mm_aesimc_si128(as<__m128i>(key))); }
};

#ifdef __VAES__
template <>
struct AesVectors<32> : Portable<32> {
  using V = Vec<std::uint8_t, 32>;
#ifdef __VPCLMULQDQ__
  using Hash = clmul::Hash<32>;
  template <unsigned Bytes>
  GPUCTR_INLINE static V mask_times(V v) {
    return clmul::mask_times<Bytes>(v);
  }
#endif
  using Narrow = AesVectors<16>;
  GPUCTR_INLINE static V key(Narrow::V key) {
    return as<V>(_mm256_broadcastsi128_si256(as<__m128i>(key)));
  }
  GPUCTR_INLINE static V encrypt(V x, V key) {
    return as<V>(_mm256_aesenc_epi128(as<__m256i>(x), as<__m256i>(key)));
  }
  GPUCTR_INLINE static V encrypt_last(V x, V key) {
    return as<V>(_mm256_aesenclast_epi128(as<__m256i>(x), as<__m256i>(key)));
  }
  GPUCTR_INLINE static V decrypt(V x, V key) {
    return as<V>(_mm256_aesdec_epi128(as<__m256i>(x), as<__m256i>(key)));
  }
  GPUCTR_INLINE static V decrypt_last(V x, V key) {
    return as<V>(_mm256_aesdeclast_epi128(as<__m256i>(x), as<__m256i>(key)));
  }
};

#ifdef __AVX512F__
template <>
struct AesVectors<64> : Portable<64> {
  using V = Vec<std::uint8_t, 64>;
#ifdef __VPCLMULQDQ__
  using Hash = clmul::Hash<64>;
  template <unsigned Bytes>
  GPUCTR_INLINE static V mask_times(V v) {
    return clmul::mask_times<Bytes>(v);
  }
#endif
  using Narrow = AesVectors<16>;
  GPUCTR_INLINE static V key(Narrow::V key) {
    return as<V>(_mm512_maskz_broadcast_i32x4(0xffff, as<__m128i>(key)));
  }
  GPUCTR_INLINE static V encrypt(V x, V key) {
    return as<V>(_mm512_aesenc_epi128(as<__m512i>(x), as<__m512i>(key)));
  }
  GPUCTR_INLINE static V encrypt_last(V x, V key) {
    return as<V>(_mm512_aesenclast_epi128(as<__m512i>(x), as<__m512i>(key)));
  }
  GPUCTR_INLINE static V decrypt(V x, V key) {
    return as<V>(_mm512_aesdec_epi128(as<__m512i>(x), as<__m512i>(key)));
  }
  GPUCTR_INLINE static V decrypt_last(V x, V key) {
    return as<V>(_mm512_aesdeclast_epi128(as<__m512i>(x), as<__m512i>(key)));
  }
  // n bytes, whole blocks but less than a vector. A store with a mask would take longer.
  GPUCTR_INLINE static V load_some(const std::uint8_t* p, std::size_t n) {
    return as<V>(_mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << n / 8) - 1), p));
  }
  GPUCTR_INLINE static void store_some(std::uint8_t* p, std::size_t n, V v) {
    const auto words = as<Vec<std::uint64_t, 64>>(v);
    if (n == 16) return store(p, __builtin_shufflevector(words, words, 0, 1));
    store(p, __builtin_shufflevector(words, words, 0, 1, 2, 3));
    if (n == 48) store(p + 32, __builtin_shufflevector(words, words, 4, 5));
  }
};
#endif
#endif

}  // namespace gpuctr::simd

#endif
