// AVX2.
#include "test/kernels/emulated/intrinsics/rows.h"

#define ALIGN(n) Y(_mm256_alignr_epi8(a, b, n))
#define LEFT(n) Y(_mm256_bslli_epi128(a, n))
#define RIGHT(n) Y(_mm256_bsrli_epi128(a, n))
#define SHUFFLE(n) Y(_mm256_shuffle_epi32(a, n))
#define FLOATS(n) \
  Y(_mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), n)))
#define PERMUTE(n) Y(_mm256_permute2x128_si256(a, b, n))
#define SHIFT(n) Y(_mm256_slli_epi64(a, 5 * n))

namespace gpuctr::test {
namespace {

// clang-format off
constexpr Intrinsic kAll[] = {
    Y(_mm256_setzero_si256())
    Y(_mm256_load_si256(reinterpret_cast<const __m256i*>(at)))
    Y(_mm256_set1_epi64x(x))
    Y(_mm256_setr_epi32(0, 2, 4, static_cast<int>(x), 1, -2, 3, 4))
    Y(_mm256_set_m128i(lane, _mm256_castsi256_si128(b)))
    Y(_mm256_castsi256_si128(a))
    Y(_mm256_extracti128_si256(a, 0))
    Y(_mm256_extracti128_si256(a, 1))
    Y(_mm256_zextsi128_si256(lane))
    Y(_mm256_broadcastsi128_si256(lane))
    Y(_mm256_and_si256(a, b))
    Y(_mm256_or_si256(a, b))
    Y(_mm256_xor_si256(a, b))
    Y(_mm256_cmpeq_epi8(a, b))
    Y(_mm256_movemask_epi8(a))
    Y(_mm256_sad_epu8(a, b))
    Y(_mm256_sllv_epi64(a, b))
    Y(_mm256_srlv_epi64(a, b))
    Y(_mm256_sllv_epi64(a, _mm256_and_si256(b, _mm256_set1_epi64x(127))))
    Y(_mm256_srlv_epi64(a, _mm256_and_si256(b, _mm256_set1_epi64x(127))))
    Y(_mm256_mulhi_epu16(a, b))
    Y(_mm256_shuffle_epi8(a, b))
    Y(_mm256_permutevar8x32_epi32(a, b))
    GPUCTR_BELOW_16(SHIFT)
    GPUCTR_BELOW_16(ALIGN) ALIGN(16) ALIGN(20) ALIGN(31) ALIGN(32)
    GPUCTR_BELOW_16(LEFT) LEFT(16)
    GPUCTR_BELOW_16(RIGHT) RIGHT(16)
    GPUCTR_BYTES(SHUFFLE)
    GPUCTR_BYTES(FLOATS)
    GPUCTR_BYTES(PERMUTE)
};
// clang-format on

}  // namespace

Table GPUCTR_TABLES::avx2() { return {kAll, sizeof kAll / sizeof kAll[0]}; }

}  // namespace gpuctr::test
