// Camellia on one block: each half is in a vector twice (kernels/cpu/simd/block_vector.h).
//
// The halves are kept in the form that the boxes' inversion in AES's field takes. Byte i is kIn of
// its box without the constant, which is part of the round key. Only bytes 3 and 6 pass SBOX4,
// whose kIn differs from that of SBOX1 to SBOX3.
#ifndef GPUCTR_KERNELS_CIPHER_CAMELLIA_BLOCK_VECTOR_H
#define GPUCTR_KERNELS_CIPHER_CAMELLIA_BLOCK_VECTOR_H

#include "kernels/cipher/camellia/camellia.h"

namespace gpuctr {
namespace camellia_vector {

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
// A box's outer map, followed by the inner map of the byte's box in the next round.
template <class Box, class Next>
struct Out {
  static constexpr Affine kMap = composed(Next::kMap, linear_part(Box::kOut));
};

// P of RFC 3713 2.4.1: whether byte `to` of the result includes byte `from`.
constexpr bool adds(unsigned to, unsigned from) {
  const unsigned i = to % 4;
  if (from >= 4) return from - 4 != i;
  return to < 4 ? from != (i + 1) % 4 : from == i || from == (i + 1) % 4;
}
// The box of a byte is SBOX3, SBOX2, or SBOX1 and SBOX4, which have the same outer map. The result
// of SBOX3 rotated by one bit is the result of SBOX1; rotated by two bits it is the result of
// SBOX2.
constexpr unsigned rotations_after_box3(unsigned from) {
  return from == 1 || from == 4 ? 2 : from == 2 || from == 5 ? 0 : 1;
}
// Number n of the bytes with `rotations` rotations that P adds to byte `to`.
constexpr std::uint8_t summand(std::size_t to, unsigned rotations, std::size_t n) {
  for (unsigned from = 0; from < 8; ++from) {
    if (!adds(static_cast<unsigned>(to), from) || rotations_after_box3(from) != rotations) continue;
    if (n-- == 0) return static_cast<std::uint8_t>(from);
  }
  return 0x80;
}
// For each byte of a half, pair number Term of such bytes, one in each half of the vector. The
// boxes' bytes for SBOX4 are in the high half, the others in the low half.
template <unsigned Rotations, unsigned Term>
struct Summand {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    const std::uint8_t from = summand(i % 8, Rotations, 2 * Term + i / 8);
    return from == 0x80 || !passes_box4(i) ? from : static_cast<std::uint8_t>(from + 8);
  }
};
// The same if the boxes' bytes all have one form. In4 rotates by one bit more than In.
static_assert(Out<CamelliaBox3, In4>::kMap.matrix == Out<CamelliaBox1, In>::kMap.matrix);
static_assert(Out<CamelliaBox1, In4>::kMap.matrix == Out<CamelliaBox2, In>::kMap.matrix);
template <unsigned Rotations, unsigned Term>
struct OfMap {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return summand(i % 8, Rotations - (passes_box4(i) ? 1 : 0), 2 * Term + i / 8);
  }
};
struct OtherHalf {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>((i + 8) % 16);
  }
};
// The boxes' constants in P's result, in the next round's form.
struct Constants {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    constexpr std::uint8_t kOfBox[] = {CamelliaBox3::kOut.constant, CamelliaBox1::kOut.constant,
                                       CamelliaBox2::kOut.constant};
    unsigned sum = 0;
    for (unsigned from = 0; from < 8; ++from) {
      if (adds(static_cast<unsigned>(i % 8), from)) sum ^= kOfBox[rotations_after_box3(from)];
    }
    return passes_box4(i) ? In4::kMap.linear(sum) : In::kMap.linear(sum);
  }
};
struct InConstant {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t) { return CamelliaBox1::kIn.constant; }
};

// Converts a half of the block, which is in the vector twice, to that form and back.
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

// The sums of P in two parts, one in each half of the vector. With GFNI three instructions make the
// boxes' bytes in both forms. Without GFNI each map is two look-ups, so only four maps are used.
template <class R>
GPUCTR_INLINE R summed(R x) {
  using Box1 = Out<CamelliaBox1, In>;
  using Box2 = Out<CamelliaBox2, In>;
  using Box3 = Out<CamelliaBox3, In>;
  const auto inverse = x.inverse();
  if constexpr (R::kGfni) {
    const R y1 = inverse.template linear_halves<Box1, Out<CamelliaBox1, In4>>();
    const R y2 = inverse.template linear_halves<Box2, Out<CamelliaBox2, In4>>();
    const R y3 = inverse.template linear_halves<Box3, Out<CamelliaBox3, In4>>();
    return R::sum3(y1.template moved<Summand<1, 0>>(), y1.template moved<Summand<1, 1>>(),
                   y2.template moved<Summand<2, 0>>() ^ y3.template moved<Summand<0, 0>>());
  } else {
    using Box2In4 = Out<CamelliaBox2, In4>;
    const auto y0 = inverse.template linear_halves<Box3, Box3>();
    const auto y1 = inverse.template linear_halves<Box1, Box1>();
    const auto y2 = inverse.template linear_halves<Box2, Box2>();
    const auto y3 = inverse.template linear_halves<Box2In4, Box2In4>();
    return R::sum3(y1.template moved<OfMap<1, 0>>(), y1.template moved<OfMap<1, 1>>(),
                   y0.template moved<OfMap<0, 0>>()) ^
           R::sum3(y2.template moved<OfMap<2, 0>>(), y2.template moved<OfMap<2, 1>>(),
                   y3.template moved<OfMap<3, 0>>());
  }
}

// to ^= F of 2.4.1 without the boxes' constants. Returns `to` XORed with `key`, the input of F in
// the next round. x already includes the round key. The value with the longest delay is added last.
template <class R>
GPUCTR_INLINE R function(R x, R& to, R key) {
  const R parts = summed(x), other = parts.template moved<OtherHalf>();
  const R next = R::sum3(parts, to ^ key, other);
  to = R::sum3(parts, to, other);
  return next;
}

// FL takes the two words of a half with the least significant byte first. The word for each place:
enum Word { kFirst, kSecond, kNoWord };
template <Word First, Word Second>
struct Words {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    const Word which = i % 8 < 4 ? First : Second;
    if (which == kNoWord) return 0x80;
    return static_cast<std::uint8_t>((i % 4 + (which == kSecond ? 4 : 0)) ^ 3);
  }
};
// The same for a half whose bytes for SBOX4 are in the high half of the vector.
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

template <unsigned First>
struct Twice {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(First + i % 8);
  }
};
struct High {
  GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) { return i / 8; }
};

// Six rounds, two at a time. The first key is at `at`, and each further key is Step bytes after the
// previous key. The next round's input waits for F, so its other summands are added before F is
// done.
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
// Converts a block to the form of the rounds, and back. Both maps are linear.
template <class R>
GPUCTR_INLINE State<R> enter(R x) {
  return {into(x.template moved<Twice<0>>()), into(x.template moved<Twice<8>>())};
}
template <class R>
GPUCTR_INLINE R leave(State<R> s) {
  return R::template picked<High>(back(s.left), back(s.right));
}

// All rounds, with the halves in the order of the block.
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

// The key of a round of the key schedule, constant Sigma number I, in the form of the rounds.
template <unsigned I>
struct ScheduleKey {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    const unsigned byte = camellia_sigma(I) >> (56 - 8 * (i % 8)) & 0xff;
    const unsigned mapped = passes_box4(i) ? In4::kMap.linear(byte) : In::kMap.linear(byte);
    return static_cast<std::uint8_t>(mapped ^ InConstant::at(i));
  }
};
template <unsigned I, class R>
GPUCTR_INLINE State<R> schedule_rounds(State<R> s) {
  const R first = s.left ^ R::template constant<ScheduleKey<I>>();
  const R constant = R::template constant<Constants>();
  s = s ^ State<R>{constant, constant};
  function(function(first, s.right, R::template constant<ScheduleKey<I + 1>>()), s.left, constant);
  return s;
}

}  // namespace camellia_vector

template <class Boxes>
struct CamelliaKeyRounds<Boxes, true> {
  using State = camellia_vector::State<typename Boxes::Vector>;

  GPUCTR_INLINE static CamelliaWide ka(CamelliaWide d, CamelliaWide kl) {
    using namespace camellia_vector;
    return leave(schedule_rounds<2>(schedule_rounds<0>(enter(d)) ^ enter(kl)));
  }
  GPUCTR_INLINE static CamelliaWide kb(CamelliaWide d) {
    return leave(camellia_vector::schedule_rounds<4>(enter(d)));
  }

 private:
  GPUCTR_INLINE static State enter(CamelliaWide d) {
    __asm__("" : "+r"(d.high), "+r"(d.low));  // else GCC moves half a vector as valgrind cannot
    return camellia_vector::enter(Boxes::Vector::of_numbers(d.high, d.low));
  }
  GPUCTR_INLINE static CamelliaWide leave(State s) {
    std::uint8_t bytes[16];
    camellia_vector::leave(s).store(bytes);
    return {load_be<std::uint64_t>(bytes), load_be<std::uint64_t>(bytes + 8)};
  }
};

template <>
struct BlockVectorForm<CamelliaRounds> {
  template <class K>
  GPUCTR_INLINE static unsigned end_of(const K& keys) {
    return keys.stored(CamelliaRounds::kRoundsAt) / 6u * CamelliaRounds::kGroupBytes;
  }
  template <class R, class K>
  GPUCTR_INLINE static R encrypt(R x, const K& keys) {
    const unsigned end = end_of(keys);
    const auto in = camellia_vector::enter(x ^ keys(0));
    return camellia_vector::leave(camellia_vector::encrypt(in, keys, end)) ^ keys(end);
  }
  template <class R, class K>
  GPUCTR_INLINE static R decrypt(R x, const K& keys) {
    const unsigned end = end_of(keys);
    const auto in = camellia_vector::enter(x ^ keys(end));
    return camellia_vector::leave(camellia_vector::decrypt(in, keys, end)) ^ keys(0);
  }
  // In CBC encryption the chain value between two blocks stays in the basis of the rounds.
  template <class R, class K, class Text>
  GPUCTR_INLINE static R chain(R chain, const K& keys, std::size_t blocks, const Text& text) {
    const unsigned end = end_of(keys);
    const R last = keys(end), ends = keys(0) ^ last;
    auto state = camellia_vector::enter(chain ^ last);
    for (std::size_t i = 0; i < blocks; ++i) {
      state = state ^ camellia_vector::enter(text.in(i) ^ ends);
      state = camellia_vector::encrypt(state, keys, end);
      chain = camellia_vector::leave(state) ^ last;
      text.out(i, chain);
    }
    return chain;
  }
};

}  // namespace gpuctr

#endif
