// Camellia on one block, each half of it twice in one vector (kernels/cpu/simd/row.h).
//
// The halves are kept as the boxes' inverses in AES's field take them: byte i is kIn of its box
// without the constant, which is in the round key. Only bytes 3 and 6 pass SBOX4, whose kIn is
// another than that of SBOX1 to SBOX3.
#ifndef GPUCTR_KERNELS_CIPHER_CAMELLIA_ROW_H
#define GPUCTR_KERNELS_CIPHER_CAMELLIA_ROW_H

#include "kernels/cipher/camellia/boxes.h"
#include "kernels/cipher/word.h"

namespace gpuctr::camellia_row {

constexpr bool passes_box4(std::size_t i) { return i % 8 == 3 || i % 8 == 6; }

struct In {
  static constexpr Affine kMap = linear_part(CamelliaBox1::kIn);
};
struct In4 {
  static constexpr Affine kMap = linear_part(CamelliaBox4::kIn);
};
struct Back {
  static constexpr Affine kMap = inverse_of(In::kMap);
};
struct Back4 {
  static constexpr Affine kMap = inverse_of(In4::kMap);
};
// A box's outer map, and then the inner map of the box that the byte passes in the next round.
template <class Box, class Next>
struct Out {
  static constexpr Affine kMap = composed(Next::kMap, linear_part(Box::kOut));
};

// P of RFC 3713 2.4.1: the boxes' bytes whose sum is byte i, those of SBOX1 and SBOX4, which have
// one outer map, of SBOX2, and of SBOX3. kNone: no more of them.
constexpr std::uint8_t kNone = 0xff;
struct Sums {
  std::uint8_t of1[8][4] = {};
  std::uint8_t of2[8][2] = {};
  std::uint8_t of3[8][2] = {};
  std::uint8_t constant[8] = {};  // of the boxes, in the next round's form

  constexpr Sums() {
    for (unsigned i = 0; i < 8; ++i) {
      unsigned n1 = 0, n2 = 0, n3 = 0, sum = 0;
      for (unsigned from = 0; from < 8; ++from) {
        if (!adds(i, from)) continue;
        const bool is2 = from == 1 || from == 4, is3 = from == 2 || from == 5;
        const auto byte = static_cast<std::uint8_t>(from);
        if (is2) of2[i][n2++] = byte;
        if (is3) of3[i][n3++] = byte;
        if (!is2 && !is3) of1[i][n1++] = byte;
        sum ^= is2   ? CamelliaBox2::kOut.constant
               : is3 ? CamelliaBox3::kOut.constant
                     : CamelliaBox1::kOut.constant;
      }
      while (n1 < 4) of1[i][n1++] = kNone;
      while (n2 < 2) of2[i][n2++] = kNone;
      while (n3 < 2) of3[i][n3++] = kNone;
      constant[i] = passes_box4(i) ? In4::kMap.linear(sum) : In::kMap.linear(sum);
    }
  }
  // Whether byte `to` of P's result has byte `from` in it.
  static constexpr bool adds(unsigned to, unsigned from) {
    const unsigned i = to % 4;
    if (from >= 4) return from - 4 != i;
    return to < 4 ? from != (i + 1) % 4 : from == i || from == (i + 1) % 4;
  }
};
inline constexpr Sums kSums;

// Where byte i of a half finds summand number First, or First + 1 in the vector's other half. The
// boxes' bytes for SBOX4 are in the high half, the others in the low one.
template <unsigned Box, unsigned First>
struct Summand {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    const std::size_t term = First + i / 8, to = i % 8;
    const std::uint8_t from = Box == 1   ? kSums.of1[to][term]
                              : Box == 2 ? kSums.of2[to][term]
                                         : kSums.of3[to][term];
    if (from == kNone) return 0x80;
    return static_cast<std::uint8_t>(from + (passes_box4(to) ? 8 : 0));
  }
};
struct Swapped {  // the halves of the vector
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(i ^ 8);
  }
};
struct Constants {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) { return kSums.constant[i % 8]; }
};
struct InConstant {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t) { return CamelliaBox1::kIn.constant; }
};

// A half of the block, which a vector has twice, into that form and back. FL wants its two words
// with the least significant byte first.
struct Chosen {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(i % 8 + (passes_box4(i) ? 8 : 0));
  }
};
struct Turned {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(i ^ 3);
  }
};
template <class R>
GPUCTR_INLINE R into(R half) {
  return half.template linear_halves<In, In4>().template moved<Chosen>();
}
template <class R>
GPUCTR_INLINE R back(R half) {
  return half.template linear_halves<Back, Back4>().template moved<Chosen>();
}

// F of 2.4.1 without the boxes' constants: the sum of the result's two halves. x has the round key.
template <class R>
GPUCTR_INLINE R function(R x) {
  using Low1 = Out<CamelliaBox1, In>;
  using Low2 = Out<CamelliaBox2, In>;
  using Low3 = Out<CamelliaBox3, In>;
  const R y1 = x.template linear_halves_of_inverse<Low1, Out<CamelliaBox1, In4>>();
  const R y2 = x.template linear_halves_of_inverse<Low2, Out<CamelliaBox2, In4>>();
  const R y3 = x.template linear_halves_of_inverse<Low3, Out<CamelliaBox3, In4>>();
  return (y1.template moved<Summand<1, 0>>() ^ y1.template moved<Summand<1, 2>>()) ^
         (y2.template moved<Summand<2, 0>>() ^ y3.template moved<Summand<3, 0>>());
}

struct FromFirst {  // the first word in the second one's place, and nothing else
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(i % 8 < 4 ? 0x80 : i % 8 - 4);
  }
};
struct FromSecond {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(i % 8 < 4 ? i % 8 + 4 : 0x80);
  }
};
// FL of 2.4.2 and its inverse, 2.4.3.
template <class R>
GPUCTR_INLINE R add_rotated(R x, R key) {
  return x ^ (x & key).rotl1().template moved<FromFirst>();
}
template <class R>
GPUCTR_INLINE R add_or(R x, R key) {
  return x ^ (x | key).template moved<FromSecond>();
}
template <bool Inverse, class R, class K>
GPUCTR_INLINE R layer(R half, const K& keys, unsigned at) {
  const R key = keys.twice(at).template moved<Turned>();
  R x = back(half).template moved<Turned>();
  x = Inverse ? add_rotated(add_or(x, key), key) : add_or(add_rotated(x, key), key);
  return into(x.template moved<Turned>());
}

struct LowTwice {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(i % 8);
  }
};
struct HighTwice {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(i % 8 + 8);
  }
};
struct High {
  GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) { return i / 8; }
};

// Six rounds, two at a time; the first key is at `at`, and each key Step bytes behind the one
// before. What waits for F is the next round's argument, so its other summands are added before F
// is done.
template <int Step, class R, class K>
GPUCTR_INLINE void six_rounds(R& left, R& right, const K& keys, unsigned at) {
  const R constant = R::template constant<Constants>();
  const R in = R::template constant<InConstant>();
  const auto key = [&](int round) {
    return into(keys.twice(static_cast<unsigned>(static_cast<int>(at) + Step * round))) ^ in;
  };
  R argument = left ^ key(0);
  const auto round = [&](R& to, int next) {
    const R sum = function(argument);
    const R other = sum.template moved<Swapped>();
    to = to ^ constant;
    argument = ((to ^ key(next)) ^ sum) ^ other;
    to = (to ^ sum) ^ other;
  };
  round(right, 1);
  round(left, 2);
  round(right, 3);
  round(left, 4);
  round(right, 5);
  const R sum = function(argument);
  left = ((left ^ constant) ^ sum) ^ sum.template moved<Swapped>();
}

template <class R, class K>
GPUCTR_INLINE R encrypt(R x, const K& keys, unsigned end) {
  x = x ^ keys(0);
  R left = into(x.template moved<LowTwice>()), right = into(x.template moved<HighTwice>());
  six_rounds<8>(left, right, keys, 16);
  GPUCTR_ROUNDS
  for (unsigned at = 64; at < end; at += 64) {
    left = layer<false>(left, keys, at);
    right = layer<true>(right, keys, at + 8);
    six_rounds<8>(left, right, keys, at + 16);
  }
  return R::template picked<High>(back(right), back(left)) ^ keys(end);
}

template <class R, class K>
GPUCTR_INLINE R decrypt(R x, const K& keys, unsigned end) {
  x = x ^ keys(end);
  R left = into(x.template moved<LowTwice>()), right = into(x.template moved<HighTwice>());
  six_rounds<-8>(left, right, keys, end - 8);
  GPUCTR_ROUNDS
  for (unsigned at = end - 64; at != 0; at -= 64) {
    left = layer<false>(left, keys, at + 8);
    right = layer<true>(right, keys, at);
    six_rounds<-8>(left, right, keys, at - 8);
  }
  return R::template picked<High>(back(right), back(left)) ^ keys(0);
}

}  // namespace gpuctr::camellia_row

#endif
