// The intrinsics with vectors of 32 bytes that kernels/cpu uses, by the models.
#ifndef GPUCTR_TEST_KERNELS_EMULATED_AVX2_H
#define GPUCTR_TEST_KERNELS_EMULATED_AVX2_H

#include "test/kernels/emulated/widths.h"

GPUCTR_MODEL __m256i _mm256_load_si256(const __m256i* p) {
  return gpuctr::emulated::load<__m256i>(p);
}
GPUCTR_MODEL __m256i _mm256_setzero_si256() { return __m256i{}; }
GPUCTR_MODEL __m256i _mm256_set1_epi64x(long long x) {
  return gpuctr::emulated::all<long long, __m256i>(x);
}
template <class... T>
__m256i _mm256_setr_epi32(T... words) {
  static_assert(sizeof...(T) == 8);
  const int made[] = {words...};
  return gpuctr::emulated::load<__m256i>(made);
}
GPUCTR_MODEL __m256i _mm256_set_m128i(__m128i high, __m128i low) {
  return __m256i{low[0], low[1], high[0], high[1]};
}
GPUCTR_MODEL __m128i _mm256_castsi256_si128(__m256i v) { return __m128i{v[0], v[1]}; }
GPUCTR_MODEL __m128i _mm256_extracti128_si256(__m256i v, int half) {
  return half == 0 ? __m128i{v[0], v[1]} : __m128i{v[2], v[3]};
}
GPUCTR_MODEL __m256i _mm256_zextsi128_si256(__m128i v) {
  return gpuctr::emulated::only<__m256i>(v);
}
GPUCTR_MODEL __m256i _mm256_broadcastsi128_si256(__m128i v) {
  return gpuctr::emulated::repeated<__m256i>(v);
}
GPUCTR_MODEL __m256 _mm256_castsi256_ps(__m256i v) { return gpuctr::emulated::load<__m256>(&v); }
GPUCTR_MODEL __m256i _mm256_castps_si256(__m256 v) { return gpuctr::emulated::load<__m256i>(&v); }

GPUCTR_MODEL __m256i _mm256_and_si256(__m256i a, __m256i b) {
  return gpuctr::emulated::both_and(a, b);
}
GPUCTR_MODEL __m256i _mm256_or_si256(__m256i a, __m256i b) {
  return gpuctr::emulated::either(a, b);
}
GPUCTR_MODEL __m256i _mm256_xor_si256(__m256i a, __m256i b) {
  return gpuctr::emulated::sum_without_carry(a, b);
}
GPUCTR_MODEL __m256i _mm256_cmpeq_epi8(__m256i a, __m256i b) {
  using Byte = std::uint8_t;
  return gpuctr::emulated::each<Byte>(a, b, [](Byte x, Byte y) { return x == y ? 0xff : 0; });
}
GPUCTR_MODEL int _mm256_movemask_epi8(__m256i v) {
  const gpuctr::emulated::Lanes<std::uint8_t, __m256i> x(v);
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 32; ++i) mask |= static_cast<std::uint32_t>(x.of[i] >> 7) << i;
  return static_cast<int>(mask);
}
// VPSADBW: the sums of eight differences, each in a qword.
GPUCTR_MODEL __m256i _mm256_sad_epu8(__m256i a, __m256i b) {
  const gpuctr::emulated::Lanes<std::uint8_t, __m256i> x(a), y(b);
  return gpuctr::emulated::made<std::uint64_t, __m256i>([&](unsigned i) {
    int sum = 0;
    for (unsigned k = 8 * i; k < 8 * i + 8; ++k) {
      sum += x.of[k] > y.of[k] ? x.of[k] - y.of[k] : y.of[k] - x.of[k];
    }
    return sum;
  });
}
GPUCTR_MODEL __m256i _mm256_slli_epi64(__m256i v, int bits) {
  return gpuctr::emulated::each<std::uint64_t>(
      v, [&](std::uint64_t x) { return bits > 63 ? 0 : x << bits; });
}
GPUCTR_MODEL __m256i _mm256_sllv_epi64(__m256i v, __m256i bits) {
  return gpuctr::emulated::each<std::uint64_t>(
      v, bits, [](std::uint64_t x, std::uint64_t by) { return by > 63 ? 0 : x << by; });
}
GPUCTR_MODEL __m256i _mm256_srlv_epi64(__m256i v, __m256i bits) {
  return gpuctr::emulated::each<std::uint64_t>(
      v, bits, [](std::uint64_t x, std::uint64_t by) { return by > 63 ? 0 : x >> by; });
}
GPUCTR_MODEL __m256i _mm256_mulhi_epu16(__m256i a, __m256i b) {
  return gpuctr::emulated::high_words_of_products(a, b);
}
GPUCTR_MODEL __m256i _mm256_shuffle_epi8(__m256i v, __m256i index) {
  return gpuctr::emulated::shuffle_bytes(v, index);
}
GPUCTR_MODEL __m256i _mm256_shuffle_epi32(__m256i v, int order) {
  return gpuctr::emulated::shuffle_dwords(v, static_cast<unsigned>(order));
}
GPUCTR_MODEL __m256 _mm256_shuffle_ps(__m256 a, __m256 b, int order) {
  return gpuctr::emulated::shuffle_floats(a, b, static_cast<unsigned>(order));
}
GPUCTR_MODEL __m256i _mm256_permutevar8x32_epi32(__m256i v, __m256i index) {
  const gpuctr::emulated::Lanes<std::uint32_t, __m256i> x(v), at(index);
  return gpuctr::emulated::made<std::uint32_t, __m256i>(
      [&](unsigned i) { return x.of[at.of[i] % 8]; });
}
// VPERM2I128: for each half, its lane of a, b, or zeros.
GPUCTR_MODEL __m256i _mm256_permute2x128_si256(__m256i a, __m256i b, int order) {
  const auto half = [&](int by) {
    if ((by & 8) != 0) return __m128i{};
    return _mm256_extracti128_si256((by & 2) == 0 ? a : b, by & 1);
  };
  return _mm256_set_m128i(half(order >> 4), half(order));
}
GPUCTR_MODEL __m256i _mm256_alignr_epi8(__m256i a, __m256i b, int bytes) {
  return gpuctr::emulated::aligned(a, b, static_cast<unsigned>(bytes));
}
GPUCTR_MODEL __m256i _mm256_bslli_epi128(__m256i v, int bytes) {
  return gpuctr::emulated::shifted_left(v, static_cast<unsigned>(bytes));
}
GPUCTR_MODEL __m256i _mm256_bsrli_epi128(__m256i v, int bytes) {
  return gpuctr::emulated::shifted_right(v, static_cast<unsigned>(bytes));
}

// VAES, VPCLMULQDQ, GFNI, AVX-512 with VL.
GPUCTR_MODEL __m256i _mm256_aesenc_epi128(__m256i x, __m256i key) {
  return gpuctr::emulated::aes_rounds(x, key, false, true);
}
GPUCTR_MODEL __m256i _mm256_aesenclast_epi128(__m256i x, __m256i key) {
  return gpuctr::emulated::aes_rounds(x, key, false, false);
}
GPUCTR_MODEL __m256i _mm256_aesdec_epi128(__m256i x, __m256i key) {
  return gpuctr::emulated::aes_rounds(x, key, true, true);
}
GPUCTR_MODEL __m256i _mm256_aesdeclast_epi128(__m256i x, __m256i key) {
  return gpuctr::emulated::aes_rounds(x, key, true, false);
}
GPUCTR_MODEL __m256i _mm256_clmulepi64_epi128(__m256i a, __m256i b, int halves) {
  return gpuctr::emulated::carryless(a, b, halves);
}
GPUCTR_MODEL __m256i _mm256_gf2p8affine_epi64_epi8(__m256i x, __m256i matrix, int constant) {
  return gpuctr::emulated::affine(x, matrix, constant, false);
}
GPUCTR_MODEL __m256i _mm256_gf2p8affineinv_epi64_epi8(__m256i x, __m256i matrix, int constant) {
  return gpuctr::emulated::affine(x, matrix, constant, true);
}
GPUCTR_MODEL __m256i _mm256_ternarylogic_epi64(__m256i a, __m256i b, __m256i c, int map) {
  return gpuctr::emulated::ternary(a, b, c, static_cast<unsigned>(map));
}

#endif
