// The intrinsics with vectors of 64 bytes that kernels/cpu uses, by the models.
#ifndef GPUCTR_TEST_KERNELS_EMULATED_AVX512_H
#define GPUCTR_TEST_KERNELS_EMULATED_AVX512_H

#include "test/kernels/emulated/widths.h"

enum _MM_PERM_ENUM { _MM_PERM_BADC = 0x4e };

GPUCTR_MODEL __m512i _mm512_load_si512(const void* p) { return gpuctr::emulated::load<__m512i>(p); }
GPUCTR_MODEL __m512i _mm512_loadu_si512(const void* p) {
  return gpuctr::emulated::load<__m512i>(p);
}
GPUCTR_MODEL void _mm512_store_si512(void* p, __m512i v) { gpuctr::emulated::store(p, v); }
GPUCTR_MODEL void _mm512_storeu_si512(void* p, __m512i v) { gpuctr::emulated::store(p, v); }
// Masked elements are not read.
GPUCTR_MODEL __m512i _mm512_maskz_loadu_epi8(__mmask64 mask, const void* p) {
  return gpuctr::emulated::made<std::uint8_t, __m512i>([&](unsigned i) {
    return (mask >> i & 1) != 0 ? static_cast<const std::uint8_t*>(p)[i] : 0;
  });
}
GPUCTR_MODEL __m512i _mm512_maskz_loadu_epi64(__mmask8 mask, const void* p) {
  std::uint64_t bytes = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((mask >> i & 1) != 0) bytes |= std::uint64_t{0xff} << (8 * i);
  }
  return _mm512_maskz_loadu_epi8(bytes, p);
}
// Masked elements are not written.
GPUCTR_MODEL void _mm512_mask_storeu_epi8(void* p, __mmask64 mask, __m512i v) {
  std::uint8_t bytes[64];
  gpuctr::emulated::store(bytes, v);
  for (unsigned i = 0; i < 64; ++i) {
    if ((mask >> i & 1) != 0) static_cast<std::uint8_t*>(p)[i] = bytes[i];
  }
}
GPUCTR_MODEL __m512i _mm512_maskz_mov_epi8(__mmask64 mask, __m512i v) {
  return gpuctr::emulated::masked<std::uint8_t>(mask, v);
}
GPUCTR_MODEL __m512i _mm512_setzero_si512() { return __m512i{}; }
GPUCTR_MODEL __m512i _mm512_set1_epi8(char x) { return gpuctr::emulated::all<char, __m512i>(x); }
GPUCTR_MODEL __m512i _mm512_set1_epi16(short x) { return gpuctr::emulated::all<short, __m512i>(x); }
GPUCTR_MODEL __m512i _mm512_set1_epi32(int x) { return gpuctr::emulated::all<int, __m512i>(x); }
GPUCTR_MODEL __m512i _mm512_set1_epi64(long long x) {
  return gpuctr::emulated::all<long long, __m512i>(x);
}
template <class... T>
__m512i _mm512_setr_epi32(T... words) {
  static_assert(sizeof...(T) == 16);
  const int made[] = {words...};
  return gpuctr::emulated::load<__m512i>(made);
}
GPUCTR_MODEL __m512i _mm512_zextsi128_si512(__m128i v) {
  return gpuctr::emulated::only<__m512i>(v);
}
GPUCTR_MODEL __m512i _mm512_maskz_broadcast_i32x4(__mmask16 mask, __m128i v) {
  return gpuctr::emulated::masked<std::uint32_t>(mask, gpuctr::emulated::repeated<__m512i>(v));
}
GPUCTR_MODEL __m512 _mm512_castsi512_ps(__m512i v) { return gpuctr::emulated::load<__m512>(&v); }
GPUCTR_MODEL __m512i _mm512_castps_si512(__m512 v) { return gpuctr::emulated::load<__m512i>(&v); }

GPUCTR_MODEL __m512i _mm512_and_si512(__m512i a, __m512i b) {
  return gpuctr::emulated::both_and(a, b);
}
GPUCTR_MODEL __m512i _mm512_or_si512(__m512i a, __m512i b) {
  return gpuctr::emulated::either(a, b);
}
GPUCTR_MODEL __m512i _mm512_xor_si512(__m512i a, __m512i b) {
  return gpuctr::emulated::sum_without_carry(a, b);
}
GPUCTR_MODEL __m512i _mm512_mask_or_epi32(__m512i other, __mmask16 mask, __m512i a, __m512i b) {
  return gpuctr::emulated::masked<std::uint32_t>(mask, _mm512_or_si512(a, b), other);
}
GPUCTR_MODEL __m512i _mm512_ternarylogic_epi64(__m512i a, __m512i b, __m512i c, int map) {
  return gpuctr::emulated::ternary(a, b, c, static_cast<unsigned>(map));
}
GPUCTR_MODEL __m512i _mm512_add_epi8(__m512i a, __m512i b) {
  return gpuctr::emulated::each<std::uint8_t>(a, b, [](unsigned x, unsigned y) { return x + y; });
}
GPUCTR_MODEL __m512i _mm512_add_epi32(__m512i a, __m512i b) {
  return gpuctr::emulated::each<std::uint32_t>(a, b, [](unsigned x, unsigned y) { return x + y; });
}
GPUCTR_MODEL __m512i _mm512_sub_epi32(__m512i a, __m512i b) {
  return gpuctr::emulated::each<std::uint32_t>(a, b, [](unsigned x, unsigned y) { return x - y; });
}
GPUCTR_MODEL __m512i _mm512_mask_add_epi32(__m512i other, __mmask16 mask, __m512i a, __m512i b) {
  return gpuctr::emulated::masked<std::uint32_t>(mask, _mm512_add_epi32(a, b), other);
}
GPUCTR_MODEL __m512i _mm512_mask_sub_epi8(__m512i other, __mmask64 mask, __m512i a, __m512i b) {
  return gpuctr::emulated::masked<std::uint8_t>(
      mask, gpuctr::emulated::each<std::uint8_t>(a, b, [](int x, int y) { return x - y; }), other);
}
GPUCTR_MODEL __m512i _mm512_mulhi_epu16(__m512i a, __m512i b) {
  return gpuctr::emulated::high_words_of_products(a, b);
}
namespace gpuctr::emulated {
template <class V>
inline __attribute__((always_inline)) V rotated_each(V v, V bits) {
  return each<std::uint32_t>(
      v, bits, [](std::uint64_t x, unsigned by) { return x << by % 32 | x >> (32 - by % 32); });
}
}  // namespace gpuctr::emulated
GPUCTR_MODEL __m128i _mm_rolv_epi32(__m128i v, __m128i bits) {
  return gpuctr::emulated::rotated_each(v, bits);
}
GPUCTR_MODEL __m256i _mm256_rolv_epi32(__m256i v, __m256i bits) {
  return gpuctr::emulated::rotated_each(v, bits);
}
GPUCTR_MODEL __m512i _mm512_maskz_rolv_epi32(__mmask16 mask, __m512i v, __m512i bits) {
  return gpuctr::emulated::masked<std::uint32_t>(mask, gpuctr::emulated::rotated_each(v, bits));
}
GPUCTR_MODEL __m512i _mm512_shldi_epi16(__m512i a, __m512i b, int bits) {
  return gpuctr::emulated::shifted_together(a, b, static_cast<unsigned>(bits));
}

// Masks: bit i belongs to element i.
GPUCTR_MODEL __mmask64 _mm512_movepi8_mask(__m512i v) {
  const gpuctr::emulated::Lanes<std::uint8_t, __m512i> x(v);
  __mmask64 mask = 0;
  for (unsigned i = 0; i < 64; ++i) mask |= static_cast<__mmask64>(x.of[i] >> 7) << i;
  return mask;
}
namespace gpuctr::emulated {
namespace {
template <class F>
__mmask16 mask_of_dwords(__m512i a, __m512i b, F f) {
  const Lanes<std::uint32_t, __m512i> x(a), y(b);
  unsigned mask = 0;
  for (unsigned i = 0; i < 16; ++i) mask |= unsigned{f(x.of[i], y.of[i])} << i;
  return static_cast<__mmask16>(mask);
}
}  // namespace
}  // namespace gpuctr::emulated
GPUCTR_MODEL __mmask16 _mm512_cmplt_epu32_mask(__m512i a, __m512i b) {
  return gpuctr::emulated::mask_of_dwords(a, b, [](unsigned x, unsigned y) { return x < y; });
}
GPUCTR_MODEL __mmask16 _mm512_cmpeq_epi32_mask(__m512i a, __m512i b) {
  return gpuctr::emulated::mask_of_dwords(a, b, [](unsigned x, unsigned y) { return x == y; });
}
GPUCTR_MODEL __m512i _mm512_mask_blend_epi8(__mmask64 mask, __m512i a, __m512i b) {
  return gpuctr::emulated::masked<std::uint8_t>(mask, b, a);
}

GPUCTR_MODEL __m512i _mm512_shuffle_epi8(__m512i v, __m512i index) {
  return gpuctr::emulated::shuffle_bytes(v, index);
}
GPUCTR_MODEL __m512i _mm512_maskz_shuffle_epi32(__mmask16 mask, __m512i v, int order) {
  return gpuctr::emulated::masked<std::uint32_t>(
      mask, gpuctr::emulated::shuffle_dwords(v, static_cast<unsigned>(order)));
}
GPUCTR_MODEL __m512 _mm512_shuffle_ps(__m512 a, __m512 b, int order) {
  return gpuctr::emulated::shuffle_floats(a, b, static_cast<unsigned>(order));
}
// VSHUFI64X2: the first two lanes from a, the others from b.
GPUCTR_MODEL __m512i _mm512_maskz_shuffle_i64x2(__mmask8 mask, __m512i a, __m512i b, int order) {
  const gpuctr::emulated::Lanes<std::uint64_t, __m512i> x(a), y(b);
  return gpuctr::emulated::masked<std::uint64_t>(
      mask, gpuctr::emulated::made<std::uint64_t, __m512i>([&](unsigned i) {
        const unsigned lane = static_cast<unsigned>(order) >> (i / 2 * 2) & 3;
        return (i < 4 ? x : y).of[2 * lane + i % 2];
      }));
}
// VPERMB and VPERMI2B: indices modulo 64 and 128.
GPUCTR_MODEL __m512i _mm512_maskz_permutexvar_epi8(__mmask64 mask, __m512i index, __m512i v) {
  const gpuctr::emulated::Lanes<std::uint8_t, __m512i> x(v), at(index);
  return gpuctr::emulated::masked<std::uint8_t>(
      mask, gpuctr::emulated::made<std::uint8_t, __m512i>(
                [&](unsigned i) { return x.of[at.of[i] % 64]; }));
}
GPUCTR_MODEL __m512i _mm512_permutex2var_epi8(__m512i a, __m512i index, __m512i b) {
  const gpuctr::emulated::Lanes<std::uint8_t, __m512i> x(a), at(index), y(b);
  return gpuctr::emulated::made<std::uint8_t, __m512i>(
      [&](unsigned i) { return ((at.of[i] & 64) == 0 ? x : y).of[at.of[i] % 64]; });
}
GPUCTR_MODEL __m512i _mm512_maskz_permutex2var_epi8(__mmask64 mask, __m512i a, __m512i index,
                                                    __m512i b) {
  return gpuctr::emulated::masked<std::uint8_t>(mask, _mm512_permutex2var_epi8(a, index, b));
}
GPUCTR_MODEL __m512i _mm512_unpacklo_epi8(__m512i a, __m512i b) {
  return gpuctr::emulated::unpacked<std::uint8_t>(a, b, false);
}
GPUCTR_MODEL __m512i _mm512_unpackhi_epi8(__m512i a, __m512i b) {
  return gpuctr::emulated::unpacked<std::uint8_t>(a, b, true);
}
GPUCTR_MODEL __m512i _mm512_unpacklo_epi16(__m512i a, __m512i b) {
  return gpuctr::emulated::unpacked<std::uint16_t>(a, b, false);
}
GPUCTR_MODEL __m512i _mm512_unpackhi_epi16(__m512i a, __m512i b) {
  return gpuctr::emulated::unpacked<std::uint16_t>(a, b, true);
}
GPUCTR_MODEL __m512i _mm512_maskz_unpacklo_epi32(__mmask16 mask, __m512i a, __m512i b) {
  return gpuctr::emulated::masked<std::uint32_t>(
      mask, gpuctr::emulated::unpacked<std::uint32_t>(a, b, false));
}
GPUCTR_MODEL __m512i _mm512_maskz_unpackhi_epi32(__mmask16 mask, __m512i a, __m512i b) {
  return gpuctr::emulated::masked<std::uint32_t>(
      mask, gpuctr::emulated::unpacked<std::uint32_t>(a, b, true));
}
GPUCTR_MODEL __m512i _mm512_maskz_unpacklo_epi64(__mmask8 mask, __m512i a, __m512i b) {
  return gpuctr::emulated::masked<std::uint64_t>(
      mask, gpuctr::emulated::unpacked<std::uint64_t>(a, b, false));
}
GPUCTR_MODEL __m512i _mm512_maskz_unpackhi_epi64(__mmask8 mask, __m512i a, __m512i b) {
  return gpuctr::emulated::masked<std::uint64_t>(
      mask, gpuctr::emulated::unpacked<std::uint64_t>(a, b, true));
}
GPUCTR_MODEL __m512i _mm512_alignr_epi8(__m512i a, __m512i b, int bytes) {
  return gpuctr::emulated::aligned(a, b, static_cast<unsigned>(bytes));
}
GPUCTR_MODEL __m512i _mm512_bslli_epi128(__m512i v, int bytes) {
  return gpuctr::emulated::shifted_left(v, static_cast<unsigned>(bytes));
}
GPUCTR_MODEL __m512i _mm512_bsrli_epi128(__m512i v, int bytes) {
  return gpuctr::emulated::shifted_right(v, static_cast<unsigned>(bytes));
}

// VAES, VPCLMULQDQ, GFNI.
GPUCTR_MODEL __m512i _mm512_aesenc_epi128(__m512i x, __m512i key) {
  return gpuctr::emulated::aes_rounds(x, key, false, true);
}
GPUCTR_MODEL __m512i _mm512_aesenclast_epi128(__m512i x, __m512i key) {
  return gpuctr::emulated::aes_rounds(x, key, false, false);
}
GPUCTR_MODEL __m512i _mm512_aesdec_epi128(__m512i x, __m512i key) {
  return gpuctr::emulated::aes_rounds(x, key, true, true);
}
GPUCTR_MODEL __m512i _mm512_aesdeclast_epi128(__m512i x, __m512i key) {
  return gpuctr::emulated::aes_rounds(x, key, true, false);
}
GPUCTR_MODEL __m512i _mm512_clmulepi64_epi128(__m512i a, __m512i b, int halves) {
  return gpuctr::emulated::carryless(a, b, halves);
}
GPUCTR_MODEL __m512i _mm512_gf2p8affine_epi64_epi8(__m512i x, __m512i matrix, int constant) {
  return gpuctr::emulated::affine(x, matrix, constant, false);
}
GPUCTR_MODEL __m512i _mm512_gf2p8affineinv_epi64_epi8(__m512i x, __m512i matrix, int constant) {
  return gpuctr::emulated::affine(x, matrix, constant, true);
}

#endif
