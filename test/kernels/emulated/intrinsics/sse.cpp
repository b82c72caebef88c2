// SSSE3, AES-NI, PCLMULQDQ.
#include "test/kernels/emulated/intrinsics/rows.h"

#define ALIGN(n) X(_mm_alignr_epi8(a, b, n))
#define LEFT(n) X(_mm_bslli_si128(a, n))
#define RIGHT(n) X(_mm_bsrli_si128(a, n))
#define SHUFFLE(n) X(_mm_shuffle_epi32(a, n))
#define PRODUCT(n) X(_mm_clmulepi64_si128(a, b, n))

namespace gpuctr::test {
namespace {

// clang-format off
constexpr Intrinsic kAll[] = {
    X(_mm_setzero_si128())
    X(_mm_set1_epi64x(x))
    X(_mm_set_epi64x(x, ~x))
    X(_mm_cvtsi64_si128(x))
    X(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, -10, 9, 8, 15, 14, 13, 12))
    X(_mm_setr_epi32(1, -2, static_cast<int>(x), 4))
    X(_mm_unpacklo_epi64(a, b))
    X(_mm_shuffle_epi8(a, b))
    X(_mm_mulhi_epu16(a, b))
    GPUCTR_BELOW_16(ALIGN) ALIGN(16) ALIGN(20) ALIGN(31) ALIGN(32)
    GPUCTR_BELOW_16(LEFT) LEFT(16)
    GPUCTR_BELOW_16(RIGHT) RIGHT(16)
    GPUCTR_BYTES(SHUFFLE)
    X(_mm_aesenc_si128(a, b))
    X(_mm_aesenclast_si128(a, b))
    X(_mm_aesdec_si128(a, b))
    X(_mm_aesdeclast_si128(a, b))
    X(_mm_aesimc_si128(a))
    GPUCTR_HALVES(PRODUCT)
};
// clang-format on

}  // namespace

Table GPUCTR_TABLES::sse() { return {kAll, sizeof kAll / sizeof kAll[0]}; }

}  // namespace gpuctr::test
