// SEED on one block: a vector holds one of the four words four times, least significant byte first
// (kernels/cpu/simd/block_vector.h).
#ifndef GPUCTR_KERNELS_CIPHER_SEED_BLOCK_VECTOR_H
#define GPUCTR_KERNELS_CIPHER_SEED_BLOCK_VECTOR_H

#include "kernels/cipher/seed/seed.h"

namespace gpuctr {
namespace seed_vector {

// Word number Index of a block, four times, with the bytes of each word reversed.
template <unsigned Index>
struct WordOf {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(4 * Index + 3 - i % 4);
  }
};
struct Turned {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(i ^ 3);
  }
};
// Whether byte i of a block is in an odd word, or in the second half.
struct OddWord {
  GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) { return i / 4 % 2; }
};
struct SecondHalf {
  GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) { return i / 8; }
};

// The masks m0 to m3 of RFC 4269 2.2. Byte i of a result is the sum over n of box byte n under mask
// number (i + n) % 4.
inline constexpr std::uint8_t kMasks[4] = {0xfc, 0xf3, 0xcf, 0x3f};

// A box's output map under a mask, without its constant.
template <class Box, unsigned Mask>
struct Masked {
  static constexpr Affine kMap = {
      matrix_of([](unsigned x) { return Box::kOut.linear(x) & kMasks[Mask]; }), 0};
};
// The same without a mask.
template <class Box>
struct OutOf {
  static constexpr Affine kMap = linear_part(Box::kOut);
};
// For bytes First and First + 2, under mask Mask in the vector's low half and Mask + 1 in its high
// half: selects the byte that byte i of a result includes. The other box has the other two bytes.
template <unsigned First, unsigned Mask>
struct Summand {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    const std::size_t n = (First + i) % 4 / 2 == Mask / 2 ? First : First + 2;
    return static_cast<std::uint8_t>(n + 8 * ((i + n) % 4 - Mask));
  }
};
// The sum of the boxes' constants.
struct Constants {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    unsigned sum = 0;
    for (std::size_t n = 0; n < 4; ++n) {
      const std::uint8_t constant = n % 2 == 0 ? SeedBox1::kOut.constant : SeedBox2::kOut.constant;
      sum ^= constant & kMasks[(i + n) % 4];
    }
    return static_cast<std::uint8_t>(sum);
  }
};
struct In {
  static constexpr Affine kMap = SeedBox1::kIn;
};
static_assert(In::kMap.constant == 0, "linear_halves has none");

template <class Box, unsigned First, unsigned Mask, class R, class Inverse>
GPUCTR_INLINE R part(const Inverse& x) {
  return x.template linear_halves<Masked<Box, Mask>, Masked<Box, Mask + 1>>()
      .template moved<Summand<First, Mask>>();
}

// Byte N of a word at the place of each of its bytes, and the mask for each place.
template <unsigned N>
struct Byte {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(i / 4 * 4 + N);
  }
};
template <unsigned N>
struct MaskOf {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) { return kMasks[(i + N) % 4]; }
};
template <unsigned N, class R, class Y>
GPUCTR_INLINE R masked(const Y& y) {
  return y.template moved<Byte<N>>() & R::template constant<MaskOf<N>>();
}

// G of 2.2. With GFNI the masks are part of the boxes' maps; four instructions compute all eight
// maps. Without GFNI each of the eight maps would take two look-ups.
template <class R>
GPUCTR_INLINE R mix(R x) {
  const auto y = x.template linear_halves<In, In>().inverse();
  const R constants = R::template constant<Constants>();
  if constexpr (R::kGfni) {
    const R first = R::sum3(part<SeedBox1, 0, 0, R>(y), constants, part<SeedBox1, 0, 2, R>(y));
    return R::sum3(part<SeedBox2, 1, 0, R>(y), part<SeedBox2, 1, 2, R>(y), first);
  } else {
    const auto y1 = y.template linear_halves<OutOf<SeedBox1>, OutOf<SeedBox1>>();
    const auto y2 = y.template linear_halves<OutOf<SeedBox2>, OutOf<SeedBox2>>();
    const R first = R::sum3(masked<0, R>(y1), constants, masked<2, R>(y1));
    return R::sum3(masked<1, R>(y2), masked<3, R>(y2), first);
  }
}

// left ^= F(right) of 2.1. `c` is the first word of the right half with its key; `sum` is `c` XOR
// the second word with its key. They become the values of the left half for the next round, whose
// keys are at `next`. Summands that do not depend on F are added before F is done.
template <class R, class K>
GPUCTR_INLINE void half_round(R* left, R& c, R& sum, const K& keys, unsigned next) {
  const R next_c = left[0] ^ keys.number(next);
  const R next_sum = (next_c ^ left[1]) ^ keys.number(next + 4);
  const R first = mix(sum);
  const R second = mix(R::sum(first, c));
  const R third = mix(R::sum(first, second));
  const R fourth = R::sum(second, third);
  sum = R::sum3(next_sum, third, fourth);
  c = next_c ^ fourth;
  left[0] = left[0] ^ fourth;
  left[1] = left[1] ^ third;
}

// The rounds from `at` on; the keys of successive rounds are Step bytes apart.
template <int Step, class R, class K>
GPUCTR_INLINE R run(R block, const K& keys, int at) {
  R x[4] = {block.template moved<WordOf<0>>(), block.template moved<WordOf<1>>(),
            block.template moved<WordOf<2>>(), block.template moved<WordOf<3>>()};
  R c = x[2] ^ keys.number(static_cast<unsigned>(at));
  R sum = (c ^ x[3]) ^ keys.number(static_cast<unsigned>(at + 4));
  GPUCTR_ROUNDS
  for (unsigned round = 0; round < 16; round += 2) {
    at += Step;
    half_round(x, c, sum, keys, static_cast<unsigned>(at));
    if (round != 14) at += Step;  // no key follows the last round
    half_round(x + 2, c, sum, keys, static_cast<unsigned>(at));
  }
  // The last round does not swap the halves.
  const R second = R::template picked<OddWord>(x[0], x[1]);
  const R first = R::template picked<OddWord>(x[2], x[3]);
  return R::template picked<SecondHalf>(first, second).template moved<Turned>();
}

}  // namespace seed_vector

template <>
struct BlockVectorForm<Seed> {
  template <class R, class K>
  GPUCTR_INLINE static R encrypt(R x, const K& keys) {
    return seed_vector::run<8>(x, keys, 0);
  }
  template <class R, class K>
  GPUCTR_INLINE static R decrypt(R x, const K& keys) {
    return seed_vector::run<-8>(x, keys, 8 * Seed::kRounds - 8);
  }
};

}  // namespace gpuctr

#endif
