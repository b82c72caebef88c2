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
// The form of F's result: that of the rounds, or bytes as FL takes them.
enum Form { kFormed, kPlain };
// The outer map of SBOX3. That of SBOX1 and SBOX4 rotates its result by one bit, and that of SBOX2
// by two. kFormed: followed by In; In4 rotates by one bit more.
constexpr Affine out_map(Form form, unsigned rotations) {
  const Affine out = linear_part(rotations == 0   ? CamelliaBox3::kOut
                                 : rotations == 1 ? CamelliaBox1::kOut
                                                  : CamelliaBox2::kOut);
  if (form == kPlain) return out;
  return composed(rotations == 3 ? In4::kMap : In::kMap, out);
}
template <Form F, unsigned Rotations>
struct Out {
  static constexpr Affine kMap = out_map(F, Rotations);
};
constexpr bool also(unsigned rotations, const Affine& out) {
  return out_map(kFormed, rotations).matrix == composed(In4::kMap, linear_part(out)).matrix;
}
static_assert(also(1, CamelliaBox3::kOut) && also(2, CamelliaBox1::kOut));

// P of RFC 3713 2.4.1: whether byte `to` of the result includes byte `from`.
constexpr bool adds(unsigned to, unsigned from) {
  const unsigned i = to % 4;
  if (from >= 4) return from - 4 != i;
  return to < 4 ? from != (i + 1) % 4 : from == i || from == (i + 1) % 4;
}
// The rotations of the map of byte `from`, whose box is SBOX3, SBOX2, or SBOX1 and SBOX4.
constexpr unsigned rotations_of(unsigned from) {
  return from == 1 || from == 4 ? 2 : from == 2 || from == 5 ? 0 : 1;
}
// Number n of the bytes that P adds to byte `to`, of those by a map of `rotations`.
constexpr unsigned kNone = 8;
constexpr unsigned summand(Form form, std::size_t to, unsigned rotations, unsigned n) {
  const unsigned more = form == kFormed && passes_box4(to) ? 1 : 0;
  for (unsigned from = 0; from < 8; ++from) {
    if (!adds(static_cast<unsigned>(to), from)) continue;
    if (rotations_of(from) + more == rotations && n-- == 0) return from;
  }
  return kNone;
}
constexpr std::uint8_t place(unsigned from, unsigned half) {
  return static_cast<std::uint8_t>(from == kNone ? 0x80 : from + 8 * half);
}

// With GFNI: three vectors of boxes' bytes, the low half by Out<F, 1>, the high half by Out<F, 0>,
// Out<F, 2> or Out<F, 3>. P adds at most two bytes of each vector.
constexpr unsigned kHighMaps[] = {0, 2, 3};
template <Form F, unsigned Vector, unsigned Term>
struct Summand {
  // The number of bytes that P takes from the high half of the first `vectors` vectors.
  GPUCTR_INLINE static constexpr unsigned taken(std::size_t to, unsigned vectors) {
    unsigned sum = 0;
    for (unsigned v = 0; v < vectors; ++v) {
      for (unsigned n = 0; n < 2; ++n) sum += summand(F, to, kHighMaps[v], n) != kNone;
    }
    return sum;
  }
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    const unsigned high = summand(F, i % 8, kHighMaps[Vector], Term);
    if (high != kNone) return place(high, 1);
    // The places that are left take the bytes by Out<F, 1>, in order.
    return place(summand(F, i % 8, 1, 2 * Vector + Term - taken(i % 8, Vector + 1)), 0);
  }
};
// Without GFNI: for each byte of a half, pair number Term of such bytes, one in each half of the
// vector. The boxes' bytes all have one map.
template <Form F, unsigned Rotations, unsigned Term>
struct OfMap {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return place(summand(F, i % 8, Rotations, static_cast<unsigned>(2 * Term + i / 8)), 0);
  }
};
struct OtherHalf {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>((i + 8) % 16);
  }
};
// The boxes' constants in P's result.
template <Form F>
struct Constants {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    constexpr std::uint8_t kOfBox[] = {CamelliaBox3::kOut.constant, CamelliaBox1::kOut.constant,
                                       CamelliaBox2::kOut.constant};
    unsigned sum = 0;
    for (unsigned from = 0; from < 8; ++from) {
      if (adds(static_cast<unsigned>(i % 8), from)) sum ^= kOfBox[rotations_of(from)];
    }
    if (F == kPlain) return static_cast<std::uint8_t>(sum);
    return passes_box4(i) ? In4::kMap.linear(sum) : In::kMap.linear(sum);
  }
};
struct InConstant {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t) { return CamelliaBox1::kIn.constant; }
};
// The bytes of which In, in the low half, and In4 make that constant.
struct BeforeIn {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return (i < 8 ? Back::kMap : Back4::kMap).linear(InConstant::at(i));
  }
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

template <class R>
struct Parts {
  R one, other;
};
// The sums of P in two parts. With GFNI three instructions make all bytes that both halves of the
// vector add. Without GFNI each map is two look-ups: only the maps are made, and each half of the
// vector adds a part.
template <Form F, class R>
GPUCTR_INLINE Parts<R> summed(R x) {
  const auto inverse = x.inverse();
  if constexpr (R::kGfni) {
    const R y0 = inverse.template linear_halves<Out<F, 1>, Out<F, 0>>();
    const R y2 = inverse.template linear_halves<Out<F, 1>, Out<F, 2>>();
    const R y3 = inverse.template linear_halves<Out<F, 1>, Out<F, 3>>();
    return {R::sum3(y0.template moved<Summand<F, 0, 0>>(), y0.template moved<Summand<F, 0, 1>>(),
                    y2.template moved<Summand<F, 1, 0>>()),
            R::sum3(y2.template moved<Summand<F, 1, 1>>(), y3.template moved<Summand<F, 2, 0>>(),
                    y3.template moved<Summand<F, 2, 1>>())};
  } else {
    const auto y0 = inverse.template linear_halves<Out<F, 0>, Out<F, 0>>();
    const auto y1 = inverse.template linear_halves<Out<F, 1>, Out<F, 1>>();
    const auto y2 = inverse.template linear_halves<Out<F, 2>, Out<F, 2>>();
    const R three =
        R::sum3(y1.template moved<OfMap<F, 1, 0>>(), y1.template moved<OfMap<F, 1, 1>>(),
                y0.template moved<OfMap<F, 0, 0>>());
    R rest = y2.template moved<OfMap<F, 2, 0>>();
    if constexpr (F == kFormed) {
      const auto y3 = inverse.template linear_halves<Out<F, 3>, Out<F, 3>>();
      rest =
          R::sum3(rest, y2.template moved<OfMap<F, 2, 1>>(), y3.template moved<OfMap<F, 3, 0>>());
    }
    const R half = three ^ rest;
    return {half, half.template moved<OtherHalf>()};
  }
}

// to ^= F of 2.4.1 without the boxes' constants, in form F, which `to` has already. Returns `to`
// XORed with `key`, the input of F in the next round. x already includes the round key. The value
// with the longest delay is added last.
template <Form F, class R>
GPUCTR_INLINE R function(R x, R& to, R key) {
  const Parts<R> parts = summed<F>(x);
  const R next = R::sum3(parts.one, to ^ key, parts.other);
  to = R::sum3(parts.one, to, parts.other);
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
template <class R>
GPUCTR_INLINE R formed(R y) {
  return y.template linear_halves<In, In4>().template moved<TurnedBack>();
}
// The left half, and the input of F in the next round.
template <class R>
struct Left {
  R half, argument;
};
// FL of 2.4.2 on a plain half. The key of the next round is added before the half takes the form of
// the rounds, which the next round waits for. z is the word that changes first, in both places.
template <class R, class K>
GPUCTR_INLINE Left<R> fl(R x, const K& keys, unsigned at, unsigned next) {
  const R key = keys.twice(at);
  const R z =
      x.template moved<Words<kSecond, kSecond>>() ^
      (x.template moved<Words<kFirst, kFirst>>() & key.template moved<Words<kFirst, kFirst>>())
          .rotl1();
  const R set = z | key.template moved<Words<kSecond, kNoWord>>();
  const R first = x.template moved<Words<kFirst, kNoWord>>();
  const R added =
      keys.twice(next).template moved<Words<kFirst, kSecond>>() ^ R::template constant<BeforeIn>();
  return {formed(set ^ first), formed(set ^ (first ^ added))};
}
// The inverse, 2.4.3, on a half in the form of the rounds.
template <class R, class K>
GPUCTR_INLINE R fl_inverse(R half, const K& keys, unsigned at) {
  const R key = keys.twice(at);
  const R x = half.template linear_halves<Back, Back4>();
  const R z = x.template moved<ChosenWords<kFirst, kFirst>>() ^
              (x.template moved<ChosenWords<kSecond, kSecond>>() |
               key.template moved<Words<kSecond, kSecond>>());
  const R rotated = (z & key.template moved<Words<kNoWord, kFirst>>()).rotl1();
  return formed(rotated ^ (x.template moved<ChosenWords<kNoWord, kSecond>>() ^
                           (z & R::template constant<FirstWord>())));
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

// The key at `at`, as the rounds take it.
template <class R, class K>
GPUCTR_INLINE R round_key(const K& keys, unsigned at) {
  return into(keys.twice(at)) ^ R::template constant<InConstant>();
}
// Six rounds, two at a time; the left half becomes form F. The first key, at `at`, is part of
// `argument`, and each further key is Step bytes after the previous key. The next round's input
// waits for F, so its other summands are added before F is done.
template <int Step, Form F, class R, class K>
GPUCTR_INLINE void six_rounds(State<R>& s, R argument, const K& keys, unsigned at) {
  const R constant = R::template constant<Constants<kFormed>>();
  const auto round = [&](R& to, int next) {
    to = to ^ constant;
    const R key = round_key<R>(keys, at + static_cast<unsigned>(Step * next));
    argument = function<kFormed>(argument, to, key);
  };
  round(s.right, 1);
  round(s.left, 2);
  round(s.right, 3);
  round(s.left, 4);
  round(s.right, 5);
  if (F == kPlain) s.left = back(s.left);
  s.left = s.left ^ R::template constant<Constants<F>>();
  function<F>(argument, s.left, constant);
}

// All rounds, with the halves in the order of the block; the right one in form F. `argument` is the
// left half with the first key, which is at `at`.
template <int Step, Form F, class R, class K>
GPUCTR_INLINE State<R> all_rounds(State<R> s, R argument, const K& keys, unsigned at,
                                  unsigned groups) {
  const auto key = [&](int number) { return at + static_cast<unsigned>(Step * number); };
  GPUCTR_ROUNDS
  for (; groups > 1; --groups) {
    six_rounds<Step, kPlain>(s, argument, keys, at);
    const Left<R> left = fl(s.left, keys, key(6), key(8));
    s = {left.half, fl_inverse(s.right, keys, key(7))};
    argument = left.argument;
    at = key(8);
  }
  six_rounds<Step, F>(s, argument, keys, at);
  return {s.right, s.left};
}
template <class K>
GPUCTR_INLINE unsigned groups_of(const K& keys) {
  return keys.stored(CamelliaRounds::kRoundsAt) / 6u;
}
// One block. The keys of the ends are at `begin` and `end`.
template <int Step, class R, class K>
GPUCTR_INLINE R block(R x, const K& keys, unsigned begin, unsigned end, unsigned at) {
  const R left = x.template moved<Twice<0>>(), key = keys.twice(begin);
  const R added = key ^ (keys.twice(at) ^ R::template constant<BeforeIn>());
  const State<R> in = {into(left ^ key),
                       into(x.template moved<Twice<8>>() ^ keys.twice(begin + 8))};
  const State<R> s = all_rounds<Step, kPlain>(in, into(left ^ added), keys, at, groups_of(keys));
  return R::template picked<High>(back(s.left), s.right) ^ keys(end);
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
  const R constant = R::template constant<Constants<kFormed>>();
  s = s ^ State<R>{constant, constant};
  const R second = function<kFormed>(first, s.right, R::template constant<ScheduleKey<I + 1>>());
  function<kFormed>(second, s.left, constant);
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
  // The place of the last key.
  template <class K>
  GPUCTR_INLINE static unsigned end_of(const K& keys) {
    return camellia_vector::groups_of(keys) * CamelliaRounds::kGroupBytes;
  }
  template <class R, class K>
  GPUCTR_INLINE static R encrypt(R x, const K& keys) {
    return camellia_vector::block<8>(x, keys, 0, end_of(keys), 16);
  }
  template <class R, class K>
  GPUCTR_INLINE static R decrypt(R x, const K& keys) {
    return camellia_vector::block<-8>(x, keys, end_of(keys), 0, end_of(keys) - 8);
  }
  // In CBC encryption the chain value between two blocks stays in the basis of the rounds.
  template <class R, class K, class Text>
  GPUCTR_INLINE static R chain(R chain, const K& keys, std::size_t blocks, const Text& text) {
    using namespace camellia_vector;
    const unsigned groups = groups_of(keys);
    const R last = keys(end_of(keys)), ends = keys(0) ^ last;
    State<R> state = enter(chain ^ last);
    for (std::size_t i = 0; i < blocks; ++i) {
      const State<R> in = enter(text.in(i) ^ ends);
      const R argument = state.left ^ (in.left ^ round_key<R>(keys, 16));
      state = all_rounds<8, kFormed>(state ^ in, argument, keys, 16, groups);
      chain = leave(state) ^ last;
      text.out(i, chain);
    }
    return chain;
  }
};

}  // namespace gpuctr

#endif
