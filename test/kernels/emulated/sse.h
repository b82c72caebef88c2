// The intrinsics with vectors of 16 bytes that kernels/cpu uses, by the models.
#ifndef GPUCTR_TEST_KERNELS_EMULATED_SSE_H
#define GPUCTR_TEST_KERNELS_EMULATED_SSE_H

#include "test/kernels/emulated/widths.h"

GPUCTR_MODEL __m128i _mm_setzero_si128() { return __m128i{}; }
GPUCTR_MODEL __m128i _mm_set1_epi64x(long long x) {
  return gpuctr::emulated::all<long long, __m128i>(x);
}
GPUCTR_MODEL __m128i _mm_set_epi64x(long long high, long long low) { return __m128i{low, high}; }
GPUCTR_MODEL __m128i _mm_cvtsi64_si128(long long x) { return __m128i{x, 0}; }
template <class... T>
__m128i _mm_setr_epi8(T... bytes) {
  static_assert(sizeof...(T) == 16);
  const char made[] = {static_cast<char>(bytes)...};
  return gpuctr::emulated::load<__m128i>(made);
}
GPUCTR_MODEL __m128i _mm_setr_epi32(int a, int b, int c, int d) {
  const int made[] = {a, b, c, d};
  return gpuctr::emulated::load<__m128i>(made);
}
GPUCTR_MODEL __m128i _mm_unpacklo_epi64(__m128i a, __m128i b) {
  return gpuctr::emulated::unpacked<std::uint64_t>(a, b, false);
}
GPUCTR_MODEL __m128i _mm_shuffle_epi8(__m128i v, __m128i index) {
  return gpuctr::emulated::shuffle_bytes(v, index);
}
GPUCTR_MODEL __m128i _mm_shuffle_epi32(__m128i v, int order) {
  return gpuctr::emulated::shuffle_dwords(v, static_cast<unsigned>(order));
}
GPUCTR_MODEL __m128i _mm_alignr_epi8(__m128i a, __m128i b, int bytes) {
  return gpuctr::emulated::aligned(a, b, static_cast<unsigned>(bytes));
}
GPUCTR_MODEL __m128i _mm_bslli_si128(__m128i v, int bytes) {
  return gpuctr::emulated::shifted_left(v, static_cast<unsigned>(bytes));
}
GPUCTR_MODEL __m128i _mm_bsrli_si128(__m128i v, int bytes) {
  return gpuctr::emulated::shifted_right(v, static_cast<unsigned>(bytes));
}
GPUCTR_MODEL __m128i _mm_mulhi_epu16(__m128i a, __m128i b) {
  return gpuctr::emulated::high_words_of_products(a, b);
}

// AES-NI and PCLMULQDQ.
GPUCTR_MODEL __m128i _mm_aesenc_si128(__m128i x, __m128i key) {
  return gpuctr::emulated::aes_rounds(x, key, false, true);
}
GPUCTR_MODEL __m128i _mm_aesenclast_si128(__m128i x, __m128i key) {
  return gpuctr::emulated::aes_rounds(x, key, false, false);
}
GPUCTR_MODEL __m128i _mm_aesdec_si128(__m128i x, __m128i key) {
  return gpuctr::emulated::aes_rounds(x, key, true, true);
}
GPUCTR_MODEL __m128i _mm_aesdeclast_si128(__m128i x, __m128i key) {
  return gpuctr::emulated::aes_rounds(x, key, true, false);
}
GPUCTR_MODEL __m128i _mm_aesimc_si128(__m128i x) {
  gpuctr::emulated::Lanes<std::uint8_t, __m128i> mixed(x);
  gpuctr::emulated::aes_mix_inversely(mixed.of);
  return mixed;
}
GPUCTR_MODEL __m128i _mm_clmulepi64_si128(__m128i a, __m128i b, int halves) {
  return gpuctr::emulated::carryless(a, b, halves);
}

// GFNI, and AVX-512 with VL and VBMI2.
GPUCTR_MODEL __m128i _mm_gf2p8affine_epi64_epi8(__m128i x, __m128i matrix, int constant) {
  return gpuctr::emulated::affine(x, matrix, constant, false);
}
GPUCTR_MODEL __m128i _mm_gf2p8affineinv_epi64_epi8(__m128i x, __m128i matrix, int constant) {
  return gpuctr::emulated::affine(x, matrix, constant, true);
}
GPUCTR_MODEL __m128i _mm_ternarylogic_epi64(__m128i a, __m128i b, __m128i c, int map) {
  return gpuctr::emulated::ternary(a, b, c, static_cast<unsigned>(map));
}
GPUCTR_MODEL __m128i _mm_shldi_epi16(__m128i a, __m128i b, int bits) {
  return gpuctr::emulated::shifted_together(a, b, static_cast<unsigned>(bits));
}

#endif
