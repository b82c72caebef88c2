// AVX-512 F, BW, DQ, VL, VBMI and VBMI2, and with it VAES, VPCLMULQDQ and GFNI.
#include "test/kernels/emulated/intrinsics/rows.h"

#define ALIGN(n) Z(_mm512_alignr_epi8(a, b, n))
#define LEFT(n) Z(_mm512_bslli_epi128(a, n))
#define RIGHT(n) Z(_mm512_bsrli_epi128(a, n))
#define TOGETHER(n)           \
  X(_mm_shldi_epi16(a, b, n)) \
  Z(_mm512_shldi_epi16(a, b, n))
#define PRODUCT(n) Z(_mm512_clmulepi64_epi128(a, b, n))
#define BYTES(n)                                                                               \
  X(_mm_ternarylogic_epi64(a, b, c, n))                                                        \
  Y(_mm256_ternarylogic_epi64(a, b, c, n))                                                     \
  Z(_mm512_ternarylogic_epi64(a, b, c, n))                                                     \
  Z(_mm512_gf2p8affine_epi64_epi8(a, b, n))                                                    \
  Z(_mm512_gf2p8affineinv_epi64_epi8(a, b, n))                                                 \
  Z(_mm512_maskz_shuffle_epi32(M16, a, static_cast<_MM_PERM_ENUM>(n)))                         \
  Z(_mm512_castps_si512(_mm512_shuffle_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), n))) \
  Z(_mm512_maskz_shuffle_i64x2(M8, a, b, n))
#define M8 static_cast<__mmask8>(mask)
#define M16 static_cast<__mmask16>(mask)

namespace gpuctr::test {
namespace {

struct Stored {
  std::uint8_t bytes[64];
};
template <class V>
inline __attribute__((always_inline)) Stored stored(V v) {
  alignas(64) Stored made, again;
  _mm512_store_si512(made.bytes, v);
  _mm512_storeu_si512(again.bytes, v);
  for (unsigned i = 0; i < 64; i += 2) made.bytes[i] = again.bytes[i];
  return made;
}

template <class V>
inline __attribute__((always_inline)) Stored stored_over(V before, __mmask64 mask, V v) {
  Stored made;
  _mm512_storeu_si512(made.bytes, before);
  _mm512_mask_storeu_epi8(made.bytes, mask, v);
  return made;
}

// clang-format off
constexpr Intrinsic kAll[] = {
    Z(_mm512_load_si512(at))
    Z(_mm512_loadu_si512(at + 1))
    Z(stored(a))
    Z(_mm512_maskz_loadu_epi8(mask, at))
    Z(_mm512_maskz_loadu_epi64(M8, at))
    Z(stored_over(a, mask, b))
    Z(_mm512_maskz_mov_epi8(mask, a))
    Z(_mm512_setzero_si512())
    Z(_mm512_set1_epi8(static_cast<char>(x)))
    Z(_mm512_set1_epi16(static_cast<short>(x)))
    Z(_mm512_set1_epi32(static_cast<int>(x)))
    Z(_mm512_set1_epi64(x))
    Z(_mm512_setr_epi32(0, 1, 8, 9, 2, 3, 10, static_cast<int>(x), 4, 5, 12, 13, 6, 7, -14, 15))
    Z(_mm512_zextsi128_si512(lane))
    Z(_mm512_maskz_broadcast_i32x4(M16, lane))
    Z(_mm512_and_si512(a, b))
    Z(_mm512_or_si512(a, b))
    Z(_mm512_xor_si512(a, b))
    Z(_mm512_mask_or_epi32(c, M16, a, b))
    Z(_mm512_add_epi8(a, b))
    Z(_mm512_add_epi32(a, b))
    Z(_mm512_sub_epi32(a, b))
    Z(_mm512_mask_add_epi32(c, M16, a, b))
    Z(_mm512_mask_sub_epi8(c, mask, a, b))
    Z(_mm512_mulhi_epu16(a, b))
    X(_mm_rolv_epi32(a, b))
    Y(_mm256_rolv_epi32(a, b))
    Z(_mm512_maskz_rolv_epi32(M16, a, b))
    Z(_mm512_movepi8_mask(a))
    Z(_mm512_cmplt_epu32_mask(a, b))
    Z(_mm512_cmpeq_epi32_mask(a, b))
    Z(_mm512_cmpeq_epi32_mask(a, _mm512_mask_or_epi32(a, M16, a, b)))
    Z(_mm512_mask_blend_epi8(mask, a, b))
    Z(_mm512_shuffle_epi8(a, b))
    Z(_mm512_maskz_permutexvar_epi8(mask, b, a))
    Z(_mm512_permutex2var_epi8(a, b, c))
    Z(_mm512_maskz_permutex2var_epi8(mask, a, b, c))
    Z(_mm512_unpacklo_epi8(a, b))
    Z(_mm512_unpackhi_epi8(a, b))
    Z(_mm512_unpacklo_epi16(a, b))
    Z(_mm512_unpackhi_epi16(a, b))
    Z(_mm512_maskz_unpacklo_epi32(M16, a, b))
    Z(_mm512_maskz_unpackhi_epi32(M16, a, b))
    Z(_mm512_maskz_unpacklo_epi64(M8, a, b))
    Z(_mm512_maskz_unpackhi_epi64(M8, a, b))
    Z(_mm512_aesenc_epi128(a, b))
    Z(_mm512_aesenclast_epi128(a, b))
    Z(_mm512_aesdec_epi128(a, b))
    Z(_mm512_aesdeclast_epi128(a, b))
    GPUCTR_BELOW_16(TOGETHER)
    GPUCTR_BELOW_16(ALIGN) ALIGN(16) ALIGN(20) ALIGN(31) ALIGN(32)
    GPUCTR_BELOW_16(LEFT) LEFT(16)
    GPUCTR_BELOW_16(RIGHT) RIGHT(16)
    GPUCTR_HALVES(PRODUCT)
    GPUCTR_BYTES(BYTES)
};
// clang-format on

}  // namespace

Table GPUCTR_TABLES::avx512() { return {kAll, sizeof kAll / sizeof kAll[0]}; }

}  // namespace gpuctr::test
