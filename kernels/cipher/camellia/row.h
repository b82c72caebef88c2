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

// Where byte i of a half finds summand number Term of it. The boxes' bytes for SBOX4 are in the
// high half, the others in the low one.
template <unsigned Box, unsigned Term>
struct Summand {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    const std::size_t to = i % 8;
    const std::uint8_t from = Box == 1   ? kSums.of1[to][Term]
                              : Box == 2 ? kSums.of2[to][Term]
                                         : kSums.of3[to][Term];
    if (from == kNone) return 0x80;
    return static_cast<std::uint8_t>(from + (passes_box4(to) ? 8 : 0));
  }
};
struct Constants {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) { return kSums.constant[i % 8]; }
};
struct InConstant {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t) { return CamelliaBox1::kIn.constant; }
};

// A half of the block, which a vector has twice, into that form and back.
struct Chosen {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(i % 8 + (passes_box4(i) ? 8 : 0));
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

// to ^= F of 2.4.1 without the boxes' constants; returns that with `key` added, the argument of the
// next round. x has the round key. What comes last is added last, three summands at a time.
template <class R>
GPUCTR_INLINE R function(R x, R& to, R key) {
  using Low1 = Out<CamelliaBox1, In>;
  using Low2 = Out<CamelliaBox2, In>;
  using Low3 = Out<CamelliaBox3, In>;
  const R y1 = x.template linear_halves_of_inverse<Low1, Out<CamelliaBox1, In4>>();
  const R y2 = x.template linear_halves_of_inverse<Low2, Out<CamelliaBox2, In4>>();
  const R y3 = x.template linear_halves_of_inverse<Low3, Out<CamelliaBox3, In4>>();
  const R a = R::sum3(y1.template moved<Summand<1, 0>>(), y1.template moved<Summand<1, 1>>(),
                      y1.template moved<Summand<1, 2>>());
  const R b = y1.template moved<Summand<1, 3>>(), c = y2.template moved<Summand<2, 0>>();
  const R d = R::sum3(y2.template moved<Summand<2, 1>>(), y3.template moved<Summand<3, 0>>(),
                      y3.template moved<Summand<3, 1>>());
  const R next = R::sum3(a, R::sum3(b, c, to ^ key), d);
  to = R::sum3(a, R::sum3(b, c, to), d);
  return next;
}

// FL wants the two words of a half with the least significant byte first. Which of them each place
// for a word gets:
enum Word { kFirst, kSecond, kNoWord };
template <Word First, Word Second>
struct Words {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    const Word which = i % 8 < 4 ? First : Second;
    if (which == kNoWord) return 0x80;
    return static_cast<std::uint8_t>((i % 4 + (which == kSecond ? 4 : 0)) ^ 3);
  }
};
// The same of a half whose bytes for SBOX4 are in the high half of the vector.
template <Word First, Word Second>
struct ChosenWords {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    const std::uint8_t from = Words<First, Second>::at(i);
    return from == 0x80 ? from : Chosen::at(from);
  }
};
struct TurnedBack {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(Chosen::at(i) ^ 3);
  }
};
struct FirstWord {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) { return i % 8 < 4 ? 0xff : 0; }
};
// FL of 2.4.2 and its inverse, 2.4.3. z is the word that changes first, in both places.
template <bool Inverse, class R, class K>
GPUCTR_INLINE R layer(R half, const K& keys, unsigned at) {
  const R key = keys.twice(at);
  const R x = half.template linear_halves<Back, Back4>();
  R y;
  if constexpr (Inverse) {
    const R z = x.template moved<ChosenWords<kFirst, kFirst>>() ^
                (x.template moved<ChosenWords<kSecond, kSecond>>() |
                 key.template moved<Words<kSecond, kSecond>>());
    const R rotated = (z & key.template moved<Words<kNoWord, kFirst>>()).rotl1();
    y = rotated ^ (x.template moved<ChosenWords<kNoWord, kSecond>>() ^
                   (z & R::template constant<FirstWord>()));
  } else {
    const R z = x.template moved<ChosenWords<kSecond, kSecond>>() ^
                (x.template moved<ChosenWords<kFirst, kFirst>>() &
                 key.template moved<Words<kFirst, kFirst>>())
                    .rotl1();
    y = x.template moved<ChosenWords<kFirst, kNoWord>>() ^
        (z | key.template moved<Words<kSecond, kNoWord>>());
  }
  return y.template linear_halves<In, In4>().template moved<TurnedBack>();
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
    to = to ^ constant;
    argument = function(argument, to, key(next));
  };
  round(right, 1);
  round(left, 2);
  round(right, 3);
  round(left, 4);
  round(right, 5);
  left = left ^ constant;
  function(argument, left, constant);
}

template <class R>
struct State {
  R left, right;
  GPUCTR_INLINE friend State operator^(State a, State b) {
    return {a.left ^ b.left, a.right ^ b.right};
  }
};
// Linear, both of them: a block as the rounds take it, and back.
template <class R>
GPUCTR_INLINE State<R> enter(R x) {
  return {into(x.template moved<LowTwice>()), into(x.template moved<HighTwice>())};
}
template <class R>
GPUCTR_INLINE R leave(State<R> s) {
  return R::template picked<High>(back(s.left), back(s.right));
}

// All rounds, with the halves in the order in which the block has them.
template <class R, class K>
GPUCTR_INLINE State<R> encrypt(State<R> s, const K& keys, unsigned end) {
  six_rounds<8>(s.left, s.right, keys, 16);
  GPUCTR_ROUNDS
  for (unsigned at = 64; at < end; at += 64) {
    s.left = layer<false>(s.left, keys, at);
    s.right = layer<true>(s.right, keys, at + 8);
    six_rounds<8>(s.left, s.right, keys, at + 16);
  }
  return {s.right, s.left};
}
template <class R, class K>
GPUCTR_INLINE State<R> decrypt(State<R> s, const K& keys, unsigned end) {
  six_rounds<-8>(s.left, s.right, keys, end - 8);
  GPUCTR_ROUNDS
  for (unsigned at = end - 64; at != 0; at -= 64) {
    s.left = layer<false>(s.left, keys, at + 8);
    s.right = layer<true>(s.right, keys, at);
    six_rounds<-8>(s.left, s.right, keys, at - 8);
  }
  return {s.right, s.left};
}

}  // namespace gpuctr::camellia_row

#endif
