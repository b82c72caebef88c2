// ARIA on one block in one vector (kernels/cpu/simd/row.h).
#ifndef GPUCTR_KERNELS_CIPHER_ARIA_ROW_H
#define GPUCTR_KERNELS_CIPHER_ARIA_ROW_H

#include "kernels/cipher/aes/boxes.h"
#include "kernels/cipher/aria/boxes.h"
#include "kernels/cipher/word.h"

namespace gpuctr::aria_row {

// RFC 5794 2.4.3: the seven bytes of x whose sum is byte i of A(x).
inline constexpr std::uint8_t kSums[16][7] = {
    {3, 4, 6, 8, 9, 13, 14},   {2, 5, 7, 8, 9, 12, 15},  {1, 4, 6, 10, 11, 12, 15},
    {0, 5, 7, 10, 11, 13, 14}, {0, 2, 5, 8, 11, 14, 15}, {1, 3, 4, 9, 10, 14, 15},
    {0, 2, 7, 9, 10, 12, 13},  {1, 3, 6, 8, 11, 12, 13}, {0, 1, 4, 7, 10, 13, 15},
    {0, 1, 5, 6, 11, 12, 14},  {2, 3, 5, 6, 8, 13, 15},  {2, 3, 4, 7, 9, 12, 14},
    {1, 2, 6, 7, 9, 11, 12},   {0, 3, 6, 7, 8, 10, 13},  {0, 3, 4, 5, 9, 11, 14},
    {1, 2, 4, 5, 8, 10, 15}};
template <unsigned Term>
struct Summand {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) { return kSums[i][Term]; }
};
template <class R>
GPUCTR_INLINE R diffuse(R x) {
  return (x.template moved<Summand<0>>() ^ x.template moved<Summand<1>>() ^
          x.template moved<Summand<2>>()) ^
         (x.template moved<Summand<3>>() ^ x.template moved<Summand<4>>()) ^
         (x.template moved<Summand<5>>() ^ x.template moved<Summand<6>>());
}

struct Odd {
  GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) { return i % 2; }
};
template <unsigned Layer>
struct Second {  // whether a byte passes one of the layer's inverse boxes
  GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) {
    return i / 2 % 2 ^ (Layer == 1 ? 0 : 1);
  }
};
// SL1 and SL2 of 2.4.2.
template <unsigned Layer, class R>
GPUCTR_INLINE R substitute(R x) {
  const R boxes = R::template picked<Odd>(x.template sub<AesBox>(), x.template sub<AriaBox2>());
  const R inverse =
      R::template picked<Odd>(x.template sub<AesInverseBox>(), x.template sub<AriaInverseBox2>());
  return R::template picked<Second<Layer>>(boxes, inverse);
}

template <class R, class K>
GPUCTR_INLINE R encrypt(R x, const K& keys, unsigned rounds) {
  x = x ^ keys(0);
  GPUCTR_ROUNDS
  for (unsigned round = 1; round + 1 < rounds; round += 2) {
    x = diffuse(substitute<1>(x)) ^ keys(16 * round);
    x = diffuse(substitute<2>(x)) ^ keys(16 * round + 16);
  }
  x = diffuse(substitute<1>(x)) ^ keys(16 * (rounds - 1));
  return substitute<2>(x) ^ keys(16 * rounds);
}

template <class R, class K>
GPUCTR_INLINE R decrypt(R x, const K& keys, unsigned rounds) {
  x = substitute<1>(x ^ keys(16 * rounds)) ^ keys(16 * (rounds - 1));
  GPUCTR_ROUNDS
  for (unsigned round = rounds - 2; round != 0; round -= 2) {
    x = substitute<2>(diffuse(x)) ^ keys(16 * round);
    x = substitute<1>(diffuse(x)) ^ keys(16 * round - 16);
  }
  return substitute<2>(diffuse(x)) ^ keys(0);
}

}  // namespace gpuctr::aria_row

#endif
