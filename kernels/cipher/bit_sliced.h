// Bytes of many blocks, bit-sliced: word i of eight holds bit i of each byte. A word that holds one
// bit of each byte is a plane. An S-box is logic on planes, so its time is constant on any CPU.
#ifndef GPUCTR_KERNELS_CIPHER_BIT_SLICED_H
#define GPUCTR_KERNELS_CIPHER_BIT_SLICED_H

#include <type_traits>

#include "kernels/base/inline.h"
#include "kernels/cipher/box.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

// The plane whose bits are all `bit`.
template <class P>
GPUCTR_HD constexpr P plane_of(unsigned bit) {
  if constexpr (std::is_integral_v<P>) {
    return static_cast<P>(0 - std::uint64_t{bit});
  } else {
    return P{} - std::uint64_t{bit};
  }
}

// P: a plane, an integer of any width or a vector of std::uint64_t, one bit for each byte. This is
// a word type as word.h requires.
template <class P>
struct BitSlicedByte {
  P plane[8];

  GPUCTR_HD friend BitSlicedByte operator^(const BitSlicedByte& a, const BitSlicedByte& b) {
    BitSlicedByte c;
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 8; ++i) c.plane[i] = static_cast<P>(a.plane[i] ^ b.plane[i]);
    return c;
  }

  GPUCTR_HD friend BitSlicedByte operator&(const BitSlicedByte& a, const BitSlicedByte& b) {
    BitSlicedByte c;
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 8; ++i) c.plane[i] = static_cast<P>(a.plane[i] & b.plane[i]);
    return c;
  }
  GPUCTR_HD friend BitSlicedByte operator|(const BitSlicedByte& a, const BitSlicedByte& b) {
    BitSlicedByte c;
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 8; ++i) c.plane[i] = static_cast<P>(a.plane[i] | b.plane[i]);
    return c;
  }
  GPUCTR_HD BitSlicedByte shift_in(const BitSlicedByte& below) const {
    return {{below.plane[7], plane[0], plane[1], plane[2], plane[3], plane[4], plane[5], plane[6]}};
  }
  using Carry = P;
  GPUCTR_HD static BitSlicedByte add(const BitSlicedByte& a, const BitSlicedByte& b, P* carry) {
    BitSlicedByte sum;
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 8; ++i) {
      const P x = a.plane[i] ^ *carry;
      const P y = b.plane[i] ^ *carry;
      sum.plane[i] = static_cast<P>(x ^ b.plane[i]);
      *carry = static_cast<P>((x & y) ^ *carry);
    }
    return sum;
  }
  GPUCTR_HD static BitSlicedByte constant(std::uint64_t c) {
    BitSlicedByte same;
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 8; ++i) same.plane[i] = plane_of<P>(c >> i & 1);
    return same;
  }

  // y = Map::kMap(x)
  template <class Map>
  GPUCTR_HD BitSlicedByte linear() const {
    constexpr Affine kMap = Map::kMap;
    BitSlicedByte y;
    GPUCTR_UNROLL
    for (unsigned to = 0; to < 8; ++to) {
      P sum = plane_of<P>(kMap.constant >> to & 1u);
      GPUCTR_UNROLL
      for (unsigned from = 0; from < 8; ++from) {
        if ((kMap.row(to) >> from & 1) != 0) sum = static_cast<P>(sum ^ plane[from]);
      }
      y.plane[to] = sum;
    }
    return y;
  }

  // Inlined on a CPU, SEED and Camellia make two thirds of the rate.
  template <class Box>
  GPUCTR_CALLED_HD BitSlicedByte sub() const;
};

// AES's S-box in 113 gates and four complements: J. Boyar, R. Peralta, "A depth-16 circuit for the
// AES S-box", 2011; the names are the paper's. Bit 0 of the circuit is the most significant.
template <class P>
GPUCTR_HD BitSlicedByte<P> aes_box(const BitSlicedByte<P>& in) {
  const P x0 = in.plane[7], x1 = in.plane[6], x2 = in.plane[5], x3 = in.plane[4];
  const P x4 = in.plane[3], x5 = in.plane[2], x6 = in.plane[1], x7 = in.plane[0];
  // The linear top layer.
  const P y14 = x3 ^ x5;
  const P y13 = x0 ^ x6;
  const P y9 = x0 ^ x3;
  const P y8 = x0 ^ x5;
  const P t0 = x1 ^ x2;
  const P y1 = t0 ^ x7;
  const P y4 = y1 ^ x3;
  const P y12 = y13 ^ y14;
  const P y2 = y1 ^ x0;
  const P y5 = y1 ^ x6;
  const P y3 = y5 ^ y8;
  const P t1 = x4 ^ y12;
  const P y15 = t1 ^ x5;
  const P y20 = t1 ^ x1;
  const P y6 = y15 ^ x7;
  const P y10 = y15 ^ t0;
  const P y11 = y20 ^ y9;
  const P y7 = x7 ^ y11;
  const P y17 = y10 ^ y11;
  const P y19 = y10 ^ y8;
  const P y16 = t0 ^ y11;
  const P y21 = y13 ^ y16;
  const P y18 = x0 ^ y16;
  // The inversion.
  const P t2 = y12 & y15;
  const P t3 = y3 & y6;
  const P t4 = t3 ^ t2;
  const P t5 = y4 & x7;
  const P t6 = t5 ^ t2;
  const P t7 = y13 & y16;
  const P t8 = y5 & y1;
  const P t9 = t8 ^ t7;
  const P t10 = y2 & y7;
  const P t11 = t10 ^ t7;
  const P t12 = y9 & y11;
  const P t13 = y14 & y17;
  const P t14 = t13 ^ t12;
  const P t15 = y8 & y10;
  const P t16 = t15 ^ t12;
  const P t17 = t4 ^ t14;
  const P t18 = t6 ^ t16;
  const P t19 = t9 ^ t14;
  const P t20 = t11 ^ t16;
  const P t21 = t17 ^ y20;
  const P t22 = t18 ^ y19;
  const P t23 = t19 ^ y21;
  const P t24 = t20 ^ y18;
  const P t25 = t21 ^ t22;
  const P t26 = t21 & t23;
  const P t27 = t24 ^ t26;
  const P t28 = t25 & t27;
  const P t29 = t28 ^ t22;
  const P t30 = t23 ^ t24;
  const P t31 = t22 ^ t26;
  const P t32 = t31 & t30;
  const P t33 = t32 ^ t24;
  const P t34 = t23 ^ t33;
  const P t35 = t27 ^ t33;
  const P t36 = t24 & t35;
  const P t37 = t36 ^ t34;
  const P t38 = t27 ^ t36;
  const P t39 = t29 & t38;
  const P t40 = t25 ^ t39;
  const P t41 = t40 ^ t37;
  const P t42 = t29 ^ t33;
  const P t43 = t29 ^ t40;
  const P t44 = t33 ^ t37;
  const P t45 = t42 ^ t41;
  const P z0 = t44 & y15;
  const P z1 = t37 & y6;
  const P z2 = t33 & x7;
  const P z3 = t43 & y16;
  const P z4 = t40 & y1;
  const P z5 = t29 & y7;
  const P z6 = t42 & y11;
  const P z7 = t45 & y17;
  const P z8 = t41 & y10;
  const P z9 = t44 & y12;
  const P z10 = t37 & y3;
  const P z11 = t33 & y4;
  const P z12 = t43 & y13;
  const P z13 = t40 & y5;
  const P z14 = t29 & y2;
  const P z15 = t42 & y9;
  const P z16 = t45 & y14;
  const P z17 = t41 & y8;
  // The linear bottom layer.
  const P tc1 = z15 ^ z16;
  const P tc2 = z10 ^ tc1;
  const P tc3 = z9 ^ tc2;
  const P tc4 = z0 ^ z2;
  const P tc5 = z1 ^ z0;
  const P tc6 = z3 ^ z4;
  const P tc7 = z12 ^ tc4;
  const P tc8 = z7 ^ tc6;
  const P tc9 = z8 ^ tc7;
  const P tc10 = tc8 ^ tc9;
  const P tc11 = tc6 ^ tc5;
  const P tc12 = z3 ^ z5;
  const P tc13 = z13 ^ tc1;
  const P tc14 = tc4 ^ tc12;
  const P s3 = tc3 ^ tc11;
  const P tc16 = z6 ^ tc8;
  const P tc17 = z14 ^ tc10;
  const P tc18 = tc13 ^ tc14;
  const P s7 = ~(z12 ^ tc18);
  const P tc20 = z15 ^ tc16;
  const P tc21 = tc2 ^ z11;
  const P tc26 = tc17 ^ tc20;
  const P s2 = ~(tc26 ^ z17);
  const P s6 = ~(tc10 ^ tc18);
  const P s4 = tc14 ^ s3;
  const P s1 = ~(s3 ^ tc16);
  const P s0 = tc3 ^ tc16;
  const P s5 = tc21 ^ tc17;
  return {{s7, s6, s5, s4, s3, s2, s1, s0}};
}

// The maps that make a box from AES's: S(x) = after(AES(before(x))).
template <class Box>
struct BeforeAes {
  static constexpr Affine kMap = Box::kIn;
  static constexpr bool kIsNeeded = !kMap.is_identity();
};
template <class Box>
struct AfterAes {
  static constexpr Affine kMap = composed(Box::kOut, AesInverseBox::kIn);
  static constexpr bool kIsNeeded = !kMap.is_identity();
};

template <class P>
template <class Box>
GPUCTR_CALLED_HD BitSlicedByte<P> BitSlicedByte<P>::sub() const {
  BitSlicedByte x = *this;
  if constexpr (BeforeAes<Box>::kIsNeeded) x = x.template linear<BeforeAes<Box>>();
  x = aes_box(x);
  if constexpr (AfterAes<Box>::kIsNeeded) x = x.template linear<AfterAes<Box>>();
  return x;
}

// Transposes the bits of eight bytes, byte i at bits 8 i: bit b of byte i moves to bit i of byte b.
// Its own inverse.
GPUCTR_HD std::uint64_t transpose_bits(std::uint64_t x) {
  std::uint64_t swap = (x ^ (x >> 7)) & 0x00aa00aa00aa00aa;
  x ^= swap ^ (swap << 7);
  swap = (x ^ (x >> 14)) & 0x0000cccc0000cccc;
  x ^= swap ^ (swap << 14);
  swap = (x ^ (x >> 28)) & 0x00000000f0f0f0f0;
  return x ^ swap ^ (swap << 28);
}

// S(x) of each byte of N words of eight bytes, byte i at bits 8 i, all at once in planes of type P.
// For key schedules.
template <class Box, class P, unsigned N>
GPUCTR_CALLED_HD void sub_words(std::uint64_t (&words)[N]) {
  static_assert(N <= sizeof(P), "a plane has a byte for each word");
  BitSlicedByte<P> x = {};
  for (unsigned w = 0; w < N; ++w) {
    const std::uint64_t bits = transpose_bits(words[w]);
    for (unsigned i = 0; i < 8; ++i) {
      x.plane[i] = static_cast<P>(x.plane[i] | (bits >> (8 * i) & 0xff) << (8 * w));
    }
  }
  x = x.template sub<Box>();
  for (unsigned w = 0; w < N; ++w) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 8; ++i) {
      bits |= (std::uint64_t{x.plane[i]} >> (8 * w) & 0xff) << (8 * i);
    }
    words[w] = transpose_bits(bits);
  }
}

// S-boxes for a key schedule, on any CPU. A cipher with S-boxes has expand<Boxes>(key, round keys),
// where Boxes is this struct or a backend's own (kernels/cpu/simd/key_schedule.h).
struct BitSlicedBoxes {
  // Whether there is a vector of 16 bytes, Boxes::Vector, with the operations of
  // kernels/cpu/simd/block_vector.h.
  static constexpr bool kHasBlockVector = false;

  // S(x) of each byte of N words of eight bytes.
  template <class Box, unsigned N>
  GPUCTR_HD static void sub_bytes(std::uint64_t (&words)[N]) {
    sub_words<Box, std::uint64_t>(words);
  }
  // S(x) of up to eight bytes in a word.
  template <class Box>
  GPUCTR_HD static std::uint64_t sub_bytes(std::uint64_t bytes) {
    std::uint64_t words[1] = {bytes};
    sub_words<Box, std::uint32_t>(words);
    return words[0];
  }
};

}  // namespace gpuctr

#endif
