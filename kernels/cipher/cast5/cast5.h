// CAST-128 (RFC 2144); OpenSSL's name is CAST5. 64-bit block of two big-endian words, keys of 40 to
// 128 bits, 16 rounds, or 12 for keys of up to 80 bits. A CPU without VPERMI2B looks the S-boxes up
// in memory: there CAST-128 is not constant time.
#ifndef GPUCTR_KERNELS_CIPHER_CAST5_H
#define GPUCTR_KERNELS_CIPHER_CAST5_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/cast5/boxes.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

struct Cast5 {
  using Word = std::uint32_t;
  static constexpr unsigned kWords = 2;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr unsigned kRounds = 16;
  static constexpr unsigned kTurnsAt = 16;   // Kr of each round, after Km of each round
  static constexpr unsigned kRoundsAt = 32;  // 12 or 16
  static constexpr unsigned kRoundKeyWords = 33;
  static constexpr const char* kName = "CAST5";
  static constexpr ModeNames kModeNames[] = {{"CBC", "CAST-CBC:CAST:1.2.840.113533.7.66.10"}};
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.mode_names = kModeNames;
    f.legacy = true;
    f.big_endian = true;
    f.least_key_bytes = 5;
    f.most_key_bytes = 16;
    f.tables = true;
  });

  // Sixteen bytes as words: x or z of section 2.4.
  struct Bytes {
    Word words[4];
    unsigned operator[](unsigned i) const { return words[i / 4] >> (24 - 8 * (i % 4)) & 0xff; }
  };
  // S5 to S8 of section 2.4, and a fifth look-up in S`box`.
  template <class Work>
  static Word five(const Work& work, const Bytes& a, unsigned i5, unsigned i6, unsigned i7,
                   unsigned i8, unsigned box, unsigned last) {
    return work.find(kCastBoxes[4], a[i5]) ^ work.find(kCastBoxes[5], a[i6]) ^
           work.find(kCastBoxes[6], a[i7]) ^ work.find(kCastBoxes[7], a[i8]) ^
           work.find(kCastBoxes[box - 1], last);
  }
  template <class Work>
  static void z_from_x(const Work& work, const Bytes& x, Bytes* z) {
    z->words[0] = x.words[0] ^ five(work, x, 13, 15, 12, 14, 7, x[8]);
    z->words[1] = x.words[2] ^ five(work, *z, 0, 2, 1, 3, 8, x[10]);
    z->words[2] = x.words[3] ^ five(work, *z, 7, 6, 5, 4, 5, x[9]);
    z->words[3] = x.words[1] ^ five(work, *z, 10, 9, 11, 8, 6, x[11]);
  }
  template <class Work>
  static void x_from_z(const Work& work, const Bytes& z, Bytes* x) {
    x->words[0] = z.words[2] ^ five(work, z, 5, 7, 4, 6, 7, z[0]);
    x->words[1] = z.words[0] ^ five(work, *x, 0, 2, 1, 3, 8, z[2]);
    x->words[2] = z.words[1] ^ five(work, *x, 7, 6, 5, 4, 5, z[1]);
    x->words[3] = z.words[3] ^ five(work, *x, 10, 9, 11, 8, 6, z[3]);
  }
  // K1 to K4 and K13 to K16 take z and x in one order, K5 to K12 in another.
  template <class Work>
  static void four_keys(const Work& work, const Bytes& a, bool outer, const unsigned (&last)[4],
                        Word* to) {
    constexpr unsigned kOuter[4][4] = {
        {8, 9, 7, 6}, {10, 11, 5, 4}, {12, 13, 3, 2}, {14, 15, 1, 0}};
    constexpr unsigned kInner[4][4] = {
        {3, 2, 12, 13}, {1, 0, 14, 15}, {7, 6, 8, 9}, {5, 4, 10, 11}};
    for (unsigned i = 0; i < 4; ++i) {
      const auto& from = outer ? kOuter[i] : kInner[i];
      to[i] = five(work, a, from[0], from[1], from[2], from[3], 5 + i, a[last[i]]);
    }
  }

  // `work` does the look-ups.
  template <class Work>
  GPUCTR_INLINE static void expand_by(const Work& work, const std::uint8_t* key, std::size_t bytes,
                                      Word* rk) {
    Wiped<std::uint8_t[16]> whole;
    for (unsigned i = 0; i < 16; ++i) whole.value[i] = i < bytes ? key[i] : 0;
    Wiped<Bytes> x, z;
    for (unsigned i = 0; i < 4; ++i) x.value.words[i] = load_be<Word>(whole.value + 4 * i);
    for (unsigned half = 0; half < 32; half += 16) {
      z_from_x(work, x.value, &z.value);
      four_keys(work, z.value, true, {2, 6, 9, 12}, rk + half);
      x_from_z(work, z.value, &x.value);
      four_keys(work, x.value, false, {8, 13, 3, 7}, rk + half + 4);
      z_from_x(work, x.value, &z.value);
      four_keys(work, z.value, false, {9, 12, 2, 6}, rk + half + 8);
      x_from_z(work, z.value, &x.value);
      four_keys(work, x.value, true, {3, 7, 8, 13}, rk + half + 12);
    }
    for (unsigned i = kTurnsAt; i < kRoundsAt; ++i) rk[i] &= 31;
    rk[kRoundsAt] = bytes <= 10 ? 12 : 16;
  }
  struct PlainWork {
    Word find(const Word* table, unsigned index) const { return table[index]; }
  };
  static void expand(const std::uint8_t* key, std::size_t bytes, Word (&rk)[kRoundKeyWords]) {
    expand_by(PlainWork{}, key, bytes, rk);
  }

  GPUCTR_INLINE static const Word* table(const Word*, unsigned i) { return kCastBoxes[i]; }

  // Section 2.2: three kinds of f, in turn.
  template <unsigned Kind, class V, class K>
  GPUCTR_INLINE static void round(V& to, const V& from, const K& rk, unsigned i) {
    const V key = rk(i);
    const V sum = Kind == 0 ? key + from : Kind == 1 ? key ^ from : key - from;
    const V turned = sum.turned(rk.stored(kTurnsAt + i));
    const auto& at = turned.bytes();
    const V a = at.template entry<3>(rk.template table<Cast5>(0));
    const V b = at.template entry<2>(rk.template table<Cast5>(1));
    const V c = at.template entry<1>(rk.template table<Cast5>(2));
    const V d = at.template entry<0>(rk.template table<Cast5>(3));
    if constexpr (Kind == 0) {
      to = to ^ (((a ^ b) - c) + d);
    } else if constexpr (Kind == 1) {
      to = to ^ (((a - b) + c) ^ d);
    } else {
      to = to ^ (((a + b) ^ c) - d);
    }
  }

  template <class V>
  GPUCTR_INLINE static void swap(V (&x)[2]) {
    const V left = x[0];
    x[0] = x[1];
    x[1] = left;
  }
  template <class V, class K>
  GPUCTR_INLINE static void encrypt(V (&x)[2], const K& rk) {
    GPUCTR_ROUNDS
    for (unsigned i = 0; i < 12; i += 6) {
      round<0>(x[0], x[1], rk, i);
      round<1>(x[1], x[0], rk, i + 1);
      round<2>(x[0], x[1], rk, i + 2);
      round<0>(x[1], x[0], rk, i + 3);
      round<1>(x[0], x[1], rk, i + 4);
      round<2>(x[1], x[0], rk, i + 5);
    }
    if (rk.stored(kRoundsAt) > 12) {
      round<0>(x[0], x[1], rk, 12);
      round<1>(x[1], x[0], rk, 13);
      round<2>(x[0], x[1], rk, 14);
      round<0>(x[1], x[0], rk, 15);
    }
    swap(x);
  }
  template <class V, class K>
  GPUCTR_INLINE static void decrypt(V (&x)[2], const K& rk) {
    swap(x);
    if (rk.stored(kRoundsAt) > 12) {
      round<0>(x[1], x[0], rk, 15);
      round<2>(x[0], x[1], rk, 14);
      round<1>(x[1], x[0], rk, 13);
      round<0>(x[0], x[1], rk, 12);
    }
    GPUCTR_ROUNDS
    for (unsigned i = 12; i != 0; i -= 6) {
      round<2>(x[1], x[0], rk, i - 1);
      round<1>(x[0], x[1], rk, i - 2);
      round<0>(x[1], x[0], rk, i - 3);
      round<2>(x[0], x[1], rk, i - 4);
      round<1>(x[1], x[0], rk, i - 5);
      round<0>(x[0], x[1], rk, i - 6);
    }
  }
};

namespace folder {
using cast5 = CipherList<Cast5>;
}

}  // namespace gpuctr

#endif
