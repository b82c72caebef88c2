// Camellia as table look-ups, for backends whose tables are out of an attacker's reach
// (kernels/gpu/cuda/kernel/tables/tables.cuh). Round keys are words as numbers. Before and after
// the rounds the state is words of four bytes with byte 0 lowest; during the rounds the state is
// numbers. Words 0 and 1 are the left half.
//
// P of RFC 3713 2.4.1 adds a byte of the half's first word to all bytes of the result's first word
// except the byte before it. P adds a byte of the second word to all bytes except its own in both
// words. The first word's contribution to the result's second word is its contribution to the first
// word, XORed with the same rotated by a byte. So four tables are enough, each with its box's value
// in three of four bytes.
#ifndef GPUCTR_KERNELS_CIPHER_CAMELLIA_CUDA_TABLES_H
#define GPUCTR_KERNELS_CIPHER_CAMELLIA_CUDA_TABLES_H

#include "kernels/cipher/camellia/camellia.h"
#include "kernels/cipher/cuda_words.h"
#include "kernels/cipher/registry.h"

namespace gpuctr {

template <unsigned KeyBits>
struct CamelliaTables {
  using Cipher = Camellia<KeyBits>;
  static constexpr unsigned kRounds = Cipher::kRounds;
  static constexpr unsigned kKeyWords = 4 + kRounds / 6 * 16;
  static constexpr unsigned kFixedWords = 6;

  // The stored table: the four boxes of x, one byte each.
  static constexpr std::uint32_t stored(unsigned x) {
    return CamelliaBox1::at(x) | std::uint32_t{CamelliaBox2::at(x)} << 8 |
           std::uint32_t{CamelliaBox3::at(x)} << 16 | std::uint32_t{CamelliaBox4::at(x)} << 24;
  }
  GPUCTR_HD static std::uint32_t entry(unsigned box, std::uint32_t stored_word) {
    return in_three(box, stored_word >> (8 * box) & 0xff);
  }
  // Box 0 omits the last byte, box 1 the first.
  GPUCTR_HD static std::uint32_t in_three(unsigned box, std::uint32_t value) {
    return value * 0x01010101u & ~tables::rotl(0xffu, 32 - 8 * box);
  }

  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    for (unsigned i = 0; i < kKeyWords; ++i) out[i] = load_be<std::uint32_t>(keys.bytes + 4 * i);
  }
  // The index of the keys of round r = 0, 1, ... and of the layer after it.
  GPUCTR_HD static constexpr unsigned key_at(unsigned r) { return 4 + r / 6 * 16 + r % 6 * 2; }
  GPUCTR_HD static constexpr unsigned layer_at(unsigned r) { return 4 + r / 6 * 16 + 12; }

  // The contribution of byte `Byte`, counted from the first, of a word of a half.
  template <unsigned Word, unsigned Byte, class Look>
  GPUCTR_HD static std::uint32_t part(const Look& look, std::uint32_t x) {
    constexpr unsigned kBox = (Byte + Word) % 4;
    if constexpr (Look::kFour) {
      return look.template word<kBox, 3 - Byte>(x);
    } else {
      return in_three(kBox, look.template byte<kBox, 3 - Byte>(x));
    }
  }
  template <unsigned Word, class Look>
  GPUCTR_HD static std::uint32_t substitute(const Look& look, std::uint32_t x) {
    return part<Word, 0>(look, x) ^ part<Word, 1>(look, x) ^ part<Word, 2>(look, x) ^
           part<Word, 3>(look, x);
  }
  // to ^= P of the contributions of a half's two words.
  GPUCTR_HD static void add(std::uint32_t first, std::uint32_t second, std::uint32_t* to) {
    to[0] ^= first ^ second;
    to[1] ^= first ^ second ^ tables::rotl(first, 24);
  }
  template <class Look>
  GPUCTR_HD static void half_round(const Look& look, const std::uint32_t* key,
                                   const std::uint32_t* from, std::uint32_t* to) {
    add(substitute<0>(look, from[0] ^ key[0]), substitute<1>(look, from[1] ^ key[1]), to);
  }

  GPUCTR_HD static std::uint32_t rotl1(std::uint32_t x) { return x << 1 | x >> 31; }
  GPUCTR_HD static void layer(const std::uint32_t* key, std::uint32_t (&s)[4]) {
    s[1] ^= rotl1(s[0] & key[0]);
    s[0] ^= s[1] | key[1];
    s[2] ^= s[3] | key[3];
    s[3] ^= rotl1(s[2] & key[2]);
  }

  GPUCTR_HD static void to_numbers(const std::uint32_t* key, std::uint32_t (&s)[4]) {
    for (unsigned i = 0; i < 4; ++i) s[i] = tables::turned(s[i]) ^ key[i];
  }
  // The halves are swapped after the last round.
  GPUCTR_HD static void to_block(const std::uint32_t* key, std::uint32_t (&s)[4]) {
    const std::uint32_t a = tables::turned(s[2] ^ key[0]), b = tables::turned(s[3] ^ key[1]);
    const std::uint32_t c = tables::turned(s[0] ^ key[2]), d = tables::turned(s[1] ^ key[3]);
    s[0] = a, s[1] = b, s[2] = c, s[3] = d;
  }

  // Blocks side by side, with any number of rounds: the same code for every key size.
  template <class Look, unsigned N>
  GPUCTR_HD static void encrypt_blocks(const Look& look, const std::uint32_t* rk, unsigned rounds,
                                       std::uint32_t (&s)[N][4]) {
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < N; ++q) to_numbers(rk, s[q]);
    GPUCTR_DEVICE_LOOP
    for (unsigned r = 0;;) {
      const std::uint32_t* const key = rk + 4 + r / 6 * 16;
      GPUCTR_DEVICE_UNROLL
      for (unsigned i = 0; i < 6; i += 2) {
        GPUCTR_DEVICE_UNROLL
        for (unsigned q = 0; q < N; ++q) {
          half_round(look, key + 2 * i, s[q], s[q] + 2);
          half_round(look, key + 2 * i + 2, s[q] + 2, s[q]);
        }
      }
      r += 6;
      GPUCTR_DEVICE_UNROLL
      for (unsigned q = 0; q < N; ++q)
        r == rounds ? to_block(key + 12, s[q]) : layer(key + 12, s[q]);
      if (r == rounds) return;
    }
  }

  // Counter mode with all bytes of the counter fixed except byte 14. Byte 14 is in the right half,
  // so round 1 is the same for the whole job. Its one look-up in round 2 reaches all bytes of the
  // left half except two; the look-ups of these two in round 3 are fixed[4] and fixed[5].
  template <class Look>
  GPUCTR_HD static void first_round(const Look& look, const std::uint32_t* rk,
                                    const std::uint32_t* counter, std::uint32_t (&s)[4]) {
    for (unsigned i = 0; i < 4; ++i) s[i] = tables::turned(counter[i]) ^ rk[i];
    half_round(look, rk + key_at(0), s, s + 2);
  }
  template <class Look>
  GPUCTR_HD static void row(const Look& look, const std::uint32_t* rk, const std::uint32_t* counter,
                            unsigned byte_14, std::uint32_t (&out)[4]) {
    const std::uint32_t first[4] = {counter[0], counter[1], counter[2], byte_14 << 16};
    std::uint32_t s[4];
    first_round(look, rk, first, s);
    out[0] = part<1, 2>(look, s[3] ^ rk[key_at(1) + 1]);
    out[1] = byte_14 << 8;
    out[2] = out[3] = 0;
  }
  template <class Look>
  GPUCTR_HD static void fix(const Look& look, const std::uint32_t* rk, const std::uint32_t* counter,
                            std::uint32_t (&fixed)[kFixedWords]) {
    const std::uint32_t first[4] = {counter[0], counter[1], counter[2], counter[3] & 0xff00ffff};
    std::uint32_t s[4];
    first_round(look, rk, first, s);
    const std::uint32_t x = s[3] ^ rk[key_at(1) + 1];
    add(substitute<0>(look, s[2] ^ rk[key_at(1)]),
        part<1, 0>(look, x) ^ part<1, 1>(look, x) ^ part<1, 3>(look, x), s);
    for (unsigned i = 0; i < 4; ++i) fixed[i] = s[i];
    fixed[4] = part<0, 2>(look, s[0] ^ rk[key_at(2)]);
    fixed[5] = part<1, 2>(look, s[1] ^ rk[key_at(2) + 1]);
  }
  template <class Look>
  GPUCTR_HD static void finish(const Look& look, const std::uint32_t* rk,
                               const std::uint32_t (&fixed)[kFixedWords], std::uint32_t (&s)[4]) {
    const std::uint32_t given = s[0], byte_14 = s[1];
    s[0] = fixed[0] ^ given, s[1] = fixed[1] ^ given;
    s[2] = fixed[2], s[3] = fixed[3] ^ byte_14;
    const std::uint32_t x = s[0] ^ rk[key_at(2)], y = s[1] ^ rk[key_at(2) + 1];
    add(part<0, 0>(look, x) ^ part<0, 1>(look, x) ^ part<0, 3>(look, x) ^ fixed[4],
        part<1, 0>(look, y) ^ part<1, 1>(look, y) ^ part<1, 3>(look, y) ^ fixed[5], s + 2);
    GPUCTR_DEVICE_UNROLL
    for (unsigned r = 3; r < kRounds; ++r) {
      half_round(look, rk + key_at(r), s + r % 2 * 2, s + (2 - r % 2 * 2));
      if (r % 6 == 5 && r + 1 != kRounds) layer(rk + layer_at(r), s);
    }
    to_block(rk + layer_at(kRounds - 1), s);
  }
};

// Decryption is encryption with the subkeys in reverse order; the subkeys at both ends also swap
// sides.
template <unsigned KeyBits>
struct CamelliaInverseTables : CamelliaTables<KeyBits> {
  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    constexpr unsigned kSubkeys = CamelliaTables<KeyBits>::kKeyWords / 2;
    for (unsigned i = 0; i < kSubkeys; ++i) {
      unsigned from = kSubkeys - 1 - i;
      if (i < 2 || from < 2) from ^= 1;
      out[2 * i] = load_be<std::uint32_t>(keys.bytes + 8 * from);
      out[2 * i + 1] = load_be<std::uint32_t>(keys.bytes + 8 * from + 4);
    }
  }
};

namespace folder {
template <unsigned KeyBits>
using CamelliaForms = tables::Forms<CamelliaTables<KeyBits>, CamelliaInverseTables<KeyBits>,
                                    CamelliaTables<256>, CamelliaTables<256>>;
using camellia_tables = std::tuple<CamelliaForms<128>, CamelliaForms<192>, CamelliaForms<256>>;
}  // namespace folder

}  // namespace gpuctr

#endif
