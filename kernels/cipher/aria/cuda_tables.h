// ARIA as table look-ups, for backends whose tables are out of an attacker's reach
// (kernels/gpu/cuda/kernel/tables/tables.cuh). State and round keys are words of four bytes with
// byte 0 lowest.
//
// The diffusion A of RFC 5794 2.4.3 is W P W M. M acts in each word: a byte becomes the XOR of the
// three others. So an entry of S-box j's word table is S(x) in all bytes except byte j. W mixes
// words; P permutes bytes within words; W and P are involutions. In rounds with the second
// substitution layer box j is two bytes further on, so words leave M rotated by two bytes; P
// rotates them back. Round keys after a diffusion are added before W P W, in the XOR of four
// look-ups.
#ifndef GPUCTR_KERNELS_CIPHER_ARIA_CUDA_TABLES_H
#define GPUCTR_KERNELS_CIPHER_ARIA_CUDA_TABLES_H

#include <cstring>

#include "kernels/cipher/aria/aria.h"
#include "kernels/cipher/cuda_words.h"
#include "kernels/cipher/registry.h"

namespace gpuctr {

template <unsigned KeyBits>
struct AriaTables {
  using Cipher = Aria<KeyBits>;
  static constexpr unsigned kRounds = Cipher::kRounds;
  static constexpr unsigned kKeyWords = 4 * (kRounds + 1);
  static constexpr unsigned kFixedWords = 8;

  // The stored table: the four boxes of x, one byte each.
  static constexpr std::uint32_t stored(unsigned x) {
    return AesBox::at(x) | std::uint32_t{AriaBox2::at(x)} << 8 |
           std::uint32_t{AesInverseBox::at(x)} << 16 | std::uint32_t{AriaInverseBox2::at(x)} << 24;
  }
  GPUCTR_HD static std::uint32_t entry(unsigned box, std::uint32_t stored_word) {
    return in_all_but(box, stored_word >> (8 * box) & 0xff);
  }
  GPUCTR_HD static std::uint32_t in_all_but(unsigned byte, std::uint32_t value) {
    return value * 0x01010101u & ~(0xffu << (8 * byte));
  }

  template <bool Second>
  GPUCTR_HD static void mix(std::uint32_t (&t)[4]) {
    words(t);
    constexpr unsigned kSwap = 0x2301, kTurn = 0x1032, kReverse = 0x0123;
    if (Second) {
      t[0] = tables::permute<kTurn>(t[0], 0);
      t[1] = tables::permute<kReverse>(t[1], 0);
      t[3] = tables::permute<kSwap>(t[3], 0);
    } else {
      t[1] = tables::permute<kSwap>(t[1], 0);
      t[2] = tables::permute<kTurn>(t[2], 0);
      t[3] = tables::permute<kReverse>(t[3], 0);
    }
    words(t);
  }
  GPUCTR_HD static void words(std::uint32_t (&t)[4]) {
    const std::uint32_t a = t[0] ^ t[1] ^ t[2];
    const std::uint32_t b = t[0] ^ t[2] ^ t[3];
    const std::uint32_t c = t[0] ^ t[1] ^ t[3];
    const std::uint32_t d = t[1] ^ t[2] ^ t[3];
    t[0] = a, t[1] = b, t[2] = c, t[3] = d;
  }

  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    for (unsigned r = 0; r <= kRounds; ++r) {
      Wiped<std::uint32_t[4]> key;
      std::memcpy(key.value, keys.bytes + 16 * r, 16);
      if (r != 0 && r != kRounds) r % 2 == 0 ? mix<true>(key.value) : mix<false>(key.value);
      std::memcpy(out + 4 * r, key.value, 16);
    }
  }

  template <bool Second, unsigned Byte>
  static constexpr unsigned kBox = (Byte + (Second ? 2 : 0)) % 4;

  // The contribution of byte `Byte` of x to M's result.
  template <bool Second, unsigned Byte, class Look>
  GPUCTR_HD static std::uint32_t part(const Look& look, std::uint32_t x) {
    constexpr unsigned kJ = kBox<Second, Byte>;
    if (Look::kFour) return look.template word<kJ, Byte>(x);
    return in_all_but(kJ, look.template byte<kJ, Byte>(x));
  }
  // Substitution and M of a word, XORed with a key.
  template <bool Second, class Look>
  GPUCTR_HD static std::uint32_t substitute(const Look& look, std::uint32_t x, std::uint32_t key) {
    if (Look::kFour) {
      return part<Second, 0>(look, x) ^ part<Second, 1>(look, x) ^ part<Second, 2>(look, x) ^
             part<Second, 3>(look, x) ^ key;
    }
    const std::uint32_t w = tables::bytes(
        look.template byte<0, kBox<Second, 0>>(x), look.template byte<1, kBox<Second, 1>>(x),
        look.template byte<2, kBox<Second, 2>>(x), look.template byte<3, kBox<Second, 3>>(x));
    return tables::permute<0x2103>(w, 0) ^ tables::permute<0x1032>(w, 0) ^
           tables::permute<0x0321>(w, 0) ^ key;
  }
  template <bool Second, class Look>
  GPUCTR_HD static void round(const Look& look, const std::uint32_t* key, std::uint32_t (&s)[4]) {
    for (unsigned i = 0; i < 4; ++i) s[i] = substitute<Second>(look, s[i], key[i]);
    mix<Second>(s);
  }
  // The last round has no diffusion.
  template <class Look>
  GPUCTR_HD static std::uint32_t last(const Look& look, std::uint32_t x, std::uint32_t key) {
    if (Look::kFour) {
      const std::uint32_t low =
          tables::permute<0x0050>(look.template word<2, 0>(x), look.template word<3, 1>(x));
      const std::uint32_t high =
          tables::permute<0x7200>(look.template word<0, 2>(x), look.template word<1, 3>(x));
      return tables::permute<0x7610>(low, high) ^ key;
    }
    return tables::bytes(look.template byte<2, 0>(x), look.template byte<3, 1>(x),
                         look.template byte<0, 2>(x), look.template byte<1, 3>(x)) ^
           key;
  }

  // The rounds from the third to the last.
  template <class Look>
  GPUCTR_HD static void other_rounds(const Look& look, const std::uint32_t* rk,
                                     std::uint32_t (&s)[4]) {
    GPUCTR_DEVICE_UNROLL
    for (unsigned r = 3; r + 1 < kRounds; r += 2) {
      round<false>(look, rk + 4 * r, s);
      round<true>(look, rk + 4 * r + 4, s);
    }
    round<false>(look, rk + 4 * kRounds - 4, s);
    for (unsigned i = 0; i < 4; ++i) s[i] = last(look, s[i], rk[4 * kRounds + i]);
  }

  // Blocks side by side, with any number of rounds: the same code for every key size.
  template <class Look, unsigned N>
  GPUCTR_HD static void encrypt_blocks(const Look& look, const std::uint32_t* rk, unsigned rounds,
                                       std::uint32_t (&s)[N][4]) {
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < N; ++q) {
      for (unsigned i = 0; i < 4; ++i) s[q][i] ^= rk[i];
    }
    GPUCTR_DEVICE_LOOP
    for (unsigned r = 1; r + 1 < rounds; r += 2) {
      GPUCTR_DEVICE_UNROLL
      for (unsigned q = 0; q < N; ++q) {
        round<false>(look, rk + 4 * r, s[q]);
        round<true>(look, rk + 4 * r + 4, s[q]);
      }
    }
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < N; ++q) {
      round<false>(look, rk + 4 * rounds - 4, s[q]);
      for (unsigned i = 0; i < 4; ++i) s[q][i] = last(look, s[q][i], rk[4 * rounds + i]);
    }
  }

  // Counter mode with all bytes of the counter fixed except byte 14. The state after round 1 is
  // fixed[0 .. 3] XOR the result of row() for byte 14, which reaches bytes 0, 3, 4, 5, 9, 11 and
  // 14. The contribution of the nine other bytes in round 2 is fixed[4 .. 7].
  template <class Look>
  GPUCTR_HD static void row(const Look& look, const std::uint32_t* rk, const std::uint32_t*,
                            unsigned byte_14, std::uint32_t (&out)[4]) {
    out[0] = out[1] = out[2] = 0;
    out[3] = part<false, 2>(look, byte_14 << 16 ^ rk[3]);
    mix<false>(out);
  }
  template <class Look>
  GPUCTR_HD static void fix(const Look& look, const std::uint32_t* rk, const std::uint32_t* counter,
                            std::uint32_t (&fixed)[kFixedWords]) {
    std::uint32_t s[4];
    for (unsigned i = 0; i < 3; ++i) {
      s[i] = substitute<false>(look, counter[i] ^ rk[i], rk[4 + i]);
    }
    const std::uint32_t x = counter[3] ^ rk[3];
    s[3] = part<false, 0>(look, x) ^ part<false, 1>(look, x) ^ part<false, 3>(look, x) ^ rk[7];
    mix<false>(s);
    for (unsigned i = 0; i < 4; ++i) fixed[i] = s[i];
    fixed[4] = part<true, 1>(look, s[0]) ^ part<true, 2>(look, s[0]) ^ rk[8];
    fixed[5] = part<true, 2>(look, s[1]) ^ part<true, 3>(look, s[1]) ^ rk[9];
    fixed[6] = part<true, 0>(look, s[2]) ^ part<true, 2>(look, s[2]) ^ rk[10];
    fixed[7] =
        part<true, 0>(look, s[3]) ^ part<true, 1>(look, s[3]) ^ part<true, 3>(look, s[3]) ^ rk[11];
  }
  template <class Look>
  GPUCTR_HD static void finish(const Look& look, const std::uint32_t* rk,
                               const std::uint32_t (&fixed)[kFixedWords], std::uint32_t (&s)[4]) {
    for (unsigned i = 0; i < 4; ++i) s[i] ^= fixed[i];
    s[0] = part<true, 0>(look, s[0]) ^ part<true, 3>(look, s[0]) ^ fixed[4];
    s[1] = part<true, 0>(look, s[1]) ^ part<true, 1>(look, s[1]) ^ fixed[5];
    s[2] = part<true, 1>(look, s[2]) ^ part<true, 3>(look, s[2]) ^ fixed[6];
    s[3] = part<true, 2>(look, s[3]) ^ fixed[7];
    mix<true>(s);
    other_rounds(look, rk, s);
  }
};

// Decryption is encryption with other round keys (RFC 5794 2.3.2).
template <unsigned KeyBits>
struct AriaInverseTables : AriaTables<KeyBits> {
  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    using Byte = PlainWord<std::uint8_t>;
    constexpr unsigned kRounds = AriaTables<KeyBits>::kRounds;
    ScopedRoundKeys turned{sizeof(Schedule<Aria<KeyBits>>)};
    for (unsigned r = 0; r <= kRounds; ++r) {
      Wiped<Byte[16]> key;
      std::memcpy(key.value, keys.bytes + 16 * (kRounds - r), 16);
      if (r != 0 && r != kRounds) AriaRounds::diffuse(key.value);
      std::memcpy(turned.value.bytes + 16 * r, key.value, 16);
    }
    AriaTables<KeyBits>::lay_out_keys(turned.value, out);
  }
};

namespace folder {
template <unsigned KeyBits>
using AriaForms = tables::Forms<AriaTables<KeyBits>, AriaInverseTables<KeyBits>, AriaTables<256>,
                                AriaTables<256>>;
using aria_tables = std::tuple<AriaForms<128>, AriaForms<192>, AriaForms<256>>;
}  // namespace folder

}  // namespace gpuctr

#endif
