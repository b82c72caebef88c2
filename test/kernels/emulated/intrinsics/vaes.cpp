// AVX2 with VAES, VPCLMULQDQ and GFNI.
#include "test/kernels/emulated/intrinsics/rows.h"

#define PRODUCT(n) Y(_mm256_clmulepi64_epi128(a, b, n))
#define AFFINE(n)                           \
  X(_mm_gf2p8affine_epi64_epi8(a, b, n))    \
  X(_mm_gf2p8affineinv_epi64_epi8(a, b, n)) \
  Y(_mm256_gf2p8affine_epi64_epi8(a, b, n)) \
  Y(_mm256_gf2p8affineinv_epi64_epi8(a, b, n))

namespace gpuctr::test {
namespace {

// clang-format off
constexpr Intrinsic kAll[] = {
    Y(_mm256_aesenc_epi128(a, b))
    Y(_mm256_aesenclast_epi128(a, b))
    Y(_mm256_aesdec_epi128(a, b))
    Y(_mm256_aesdeclast_epi128(a, b))
    GPUCTR_HALVES(PRODUCT)
    GPUCTR_BYTES(AFFINE)
};
// clang-format on

}  // namespace

Table GPUCTR_TABLES::vaes() { return {kAll, sizeof kAll / sizeof kAll[0]}; }

}  // namespace gpuctr::test
