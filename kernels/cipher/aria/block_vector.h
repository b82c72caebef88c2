// ARIA on one block in one vector (kernels/cpu/simd/block_vector.h).
#ifndef GPUCTR_KERNELS_CIPHER_ARIA_BLOCK_VECTOR_H
#define GPUCTR_KERNELS_CIPHER_ARIA_BLOCK_VECTOR_H

#include "kernels/cipher/aria/aria.h"

namespace gpuctr {
namespace aria_vector {

inline constexpr std::uint8_t kNoByte = 0x80;

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

// All bytes with the same number kRow modulo 4 pass the same box. Byte i of the result is number
// Term of these bytes in sum i of A.
template <unsigned kRow, unsigned Term>
struct OfBox {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    unsigned count = 0;
    for (const std::uint8_t from : kSums[i]) {
      if (from % 4 == kRow && count++ == Term) return from;
    }
    return kNoByte;
  }
};
// Whether every byte that passes the box is in its place.
template <unsigned kRow>
struct InPlace {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return i % 4 == kRow ? static_cast<std::uint8_t>(i) : kNoByte;
  }
};

// SL1 or SL2 of 2.4.2, then A, and a key. At most two of the seven bytes of a sum pass one box. No
// step selects the box of a byte: the result of each box is added to the sums separately. The
// results of AES's own boxes come first, because with AES-NI these two boxes have no maps before or
// after them.
template <unsigned Layer, class R>
GPUCTR_INLINE R round(R x, R key) {
  constexpr unsigned kTurn = Layer == 1 ? 0 : 2;
  const auto a = x.template sub_placed<AesBox, kTurn>();
  const auto b = x.template sub_placed<AriaBox2, kTurn + 1>();
  const auto c = x.template sub_placed<AesInverseBox, 2 - kTurn>();
  const auto d = x.template sub_placed<AriaInverseBox2, 3 - kTurn>();
  const R first = R::sum3(a.template moved<OfBox<kTurn, 0>>(), a.template moved<OfBox<kTurn, 1>>(),
                          c.template moved<OfBox<2 - kTurn, 0>>());
  const R early = R::sum3(c.template moved<OfBox<2 - kTurn, 1>>(), key, first);
  return R::sum3(d.template moved<OfBox<3 - kTurn, 0>>(), d.template moved<OfBox<3 - kTurn, 1>>(),
                 R::sum3(b.template moved<OfBox<kTurn + 1, 0>>(),
                         b.template moved<OfBox<kTurn + 1, 1>>(), early));
}
// SL2 and a key.
template <class R>
GPUCTR_INLINE R last_round(R x, R key) {
  const auto a = x.template sub_placed<AesInverseBox, 0>().template moved<InPlace<0>>();
  const auto b = x.template sub_placed<AriaInverseBox2, 1>().template moved<InPlace<1>>();
  const auto c = x.template sub_placed<AesBox, 2>().template moved<InPlace<2>>();
  const auto d = x.template sub_placed<AriaBox2, 3>().template moved<InPlace<3>>();
  return R::sum3(b, d, R::sum3(a, c, key));
}

template <class R, class K>
GPUCTR_INLINE R encrypt(R x, const K& keys, unsigned rounds) {
  x = x ^ keys(0);
  GPUCTR_ROUNDS
  for (unsigned i = 1; i + 1 < rounds; i += 2) {
    x = round<1>(x, keys(16 * i));
    x = round<2>(x, keys(16 * i + 16));
  }
  x = round<1>(x, keys(16 * (rounds - 1)));
  return last_round(x, keys(16 * rounds));
}

// Decryption is encryption with other keys: A applied to the keys of the schedule, in reverse order
// (2.3.2).
template <class R, class K>
GPUCTR_INLINE R decrypt(R x, const K& keys, unsigned rounds) {
  x = x ^ keys(16 * rounds);
  GPUCTR_ROUNDS
  for (unsigned i = rounds - 1; i > 1; i -= 2) {
    x = round<1>(x, diffuse(keys(16 * i)));
    x = round<2>(x, diffuse(keys(16 * i - 16)));
  }
  x = round<1>(x, diffuse(keys(16)));
  return last_round(x, keys(0));
}

}  // namespace aria_vector

template <>
struct BlockVectorForm<AriaRounds> {
  template <class R, class K>
  GPUCTR_INLINE static R encrypt(R x, const K& keys) {
    return aria_vector::encrypt(x, keys, keys.stored(AriaRounds::kRoundsAt));
  }
  template <class R, class K>
  GPUCTR_INLINE static R decrypt(R x, const K& keys) {
    return aria_vector::decrypt(x, keys, keys.stored(AriaRounds::kRoundsAt));
  }
  // The keys with which the encryption function decrypts (2.3.2).
  template <class R>
  GPUCTR_INLINE static void decryption_keys(const std::uint8_t* rk, std::uint8_t* out) {
    const unsigned rounds = rk[AriaRounds::kRoundsAt];
    R::load(rk + 16 * rounds).store(out);
    for (unsigned round = 1; round < rounds; ++round) {
      aria_vector::diffuse(R::load(rk + 16 * (rounds - round))).store(out + 16 * round);
    }
    R::load(rk).store(out + 16 * rounds);
    out[AriaRounds::kRoundsAt] = rk[AriaRounds::kRoundsAt];
  }
};

template <class Boxes>
struct AriaKeyBlock<Boxes, true> {
  using R = typename Boxes::Vector;
  R x;

  GPUCTR_INLINE void load(const std::uint8_t* p) { x = R::load(p); }
  template <unsigned Layer>
  GPUCTR_INLINE void function(const AriaKeyBlock& in, const std::uint8_t (&constant)[16],
                              const AriaKeyBlock& with) {
    x = aria_vector::round<Layer>(in.x ^ R::load(constant), with.x);
  }
  GPUCTR_INLINE static void rotate_xor(const AriaKeyBlock& a, const AriaKeyBlock& b, unsigned by,
                                       std::uint8_t* out) {
    (a.x ^ b.x.rotr_number(by)).store(out);
  }
};

}  // namespace gpuctr

#endif
