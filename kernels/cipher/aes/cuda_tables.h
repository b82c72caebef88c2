// AES as look-ups in tables of 32-bit words, for backends whose tables are out of an attacker's
// reach: the bank-private tables of a device (kernels/gpu/cuda/kernel/tables/tables.cuh). State and
// round keys are words of four bytes with byte 0 lowest.
#ifndef GPUCTR_KERNELS_CIPHER_AES_CUDA_TABLES_H
#define GPUCTR_KERNELS_CIPHER_AES_CUDA_TABLES_H

#include <cstring>

#include "kernels/cipher/aes/aes.h"
#include "kernels/cipher/cuda_words.h"
#include "kernels/cipher/registry.h"

namespace gpuctr {

// The rounds of a form for encryption or decryption.
template <class Form>
struct AesTableRounds {
  // Blocks side by side, with any number of rounds: the same code for every key size.
  template <class Look, unsigned N>
  GPUCTR_HD static void encrypt_blocks(const Look& look, const std::uint32_t* rk, unsigned rounds,
                                       std::uint32_t (&s)[N][4]) {
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < N; ++q) {
      for (unsigned i = 0; i < 4; ++i) s[q][i] ^= rk[i];
    }
    GPUCTR_DEVICE_LOOP
    for (unsigned r = 1; r < rounds; ++r) {
      GPUCTR_DEVICE_UNROLL
      for (unsigned q = 0; q < N; ++q) Form::round(look, rk + 4 * r, s[q]);
    }
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < N; ++q) Form::last_round(look, rk + 4 * rounds, s[q]);
  }
};

template <unsigned KeyBits>
struct AesTables : AesTableRounds<AesTables<KeyBits>> {
  using Cipher = Aes<KeyBits>;
  static constexpr unsigned kRounds = Cipher::kRounds;
  static constexpr unsigned kKeyWords = 4 * (kRounds + 1);
  static constexpr unsigned kFixedWords = 4;

  // The stored table: the column that SubBytes and MixColumns make from a byte in row 0.
  static constexpr std::uint32_t stored(unsigned x) {
    const std::uint32_t s = AesBox::at(x);
    const std::uint32_t twice = field::times(s, 2);
    return twice | s << 8 | s << 16 | (twice ^ s) << 24;
  }
  // An entry of the table for row `row`, computed from an entry of the stored table.
  GPUCTR_HD static std::uint32_t entry(unsigned row, std::uint32_t stored_word) {
    return tables::rotl(stored_word, 8 * row);
  }

  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    std::memcpy(out, keys.bytes, 4 * kKeyWords);
  }

  // The contribution of byte `Row` of x to its column.
  template <unsigned Row, class Look>
  GPUCTR_HD static std::uint32_t part(const Look& look, std::uint32_t x) {
    if (Look::kFour) return look.template word<Row, Row>(x);
    return tables::rotl(look.template word<0, Row>(x), 8 * Row);
  }
  template <class Look>
  GPUCTR_HD static std::uint32_t column(const Look& look, std::uint32_t a, std::uint32_t b,
                                        std::uint32_t c, std::uint32_t d, std::uint32_t key) {
    return part<0>(look, a) ^ part<1>(look, b) ^ part<2>(look, c) ^ part<3>(look, d) ^ key;
  }
  // The last round has no MixColumns. Each entry has S(x) itself in two bytes; in the stored table
  // these are bytes 1 and 2.
  template <class Look>
  GPUCTR_HD static std::uint32_t last(const Look& look, std::uint32_t a, std::uint32_t b,
                                      std::uint32_t c, std::uint32_t d, std::uint32_t key) {
    if (Look::kFour) {
      const std::uint32_t low =
          tables::permute<0x0050>(look.template word<2, 0>(a), look.template word<3, 1>(b));
      const std::uint32_t high =
          tables::permute<0x7200>(look.template word<0, 2>(c), look.template word<1, 3>(d));
      return tables::permute<0x7610>(low, high) ^ key;
    }
    const std::uint32_t low =
        tables::permute<0x0051>(look.template word<0, 0>(a), look.template word<0, 1>(b));
    const std::uint32_t high =
        tables::permute<0x5100>(look.template word<0, 2>(c), look.template word<0, 3>(d));
    return tables::permute<0x7610>(low, high) ^ key;
  }

  template <class Look>
  GPUCTR_HD static void round(const Look& look, const std::uint32_t* k, std::uint32_t (&s)[4]) {
    const std::uint32_t a = column(look, s[0], s[1], s[2], s[3], k[0]);
    const std::uint32_t b = column(look, s[1], s[2], s[3], s[0], k[1]);
    const std::uint32_t c = column(look, s[2], s[3], s[0], s[1], k[2]);
    const std::uint32_t d = column(look, s[3], s[0], s[1], s[2], k[3]);
    s[0] = a, s[1] = b, s[2] = c, s[3] = d;
  }
  template <class Look>
  GPUCTR_HD static void last_round(const Look& look, const std::uint32_t* k,
                                   std::uint32_t (&s)[4]) {
    const std::uint32_t a = last(look, s[0], s[1], s[2], s[3], k[0]);
    const std::uint32_t b = last(look, s[1], s[2], s[3], s[0], k[1]);
    const std::uint32_t c = last(look, s[2], s[3], s[0], s[1], k[2]);
    const std::uint32_t d = last(look, s[3], s[0], s[1], s[2], k[3]);
    s[0] = a, s[1] = b, s[2] = c, s[3] = d;
  }

  // The rounds from the third to the last.
  template <class Look>
  GPUCTR_HD static void other_rounds(const Look& look, const std::uint32_t* rk,
                                     std::uint32_t (&s)[4]) {
    GPUCTR_DEVICE_UNROLL
    for (unsigned r = 3; r < kRounds; ++r) round(look, rk + 4 * r, s);
    last_round(look, rk + 4 * kRounds, s);
  }

  // Counter mode with all bytes of the counter fixed except byte 14. Byte 14 reaches one column of
  // round 1, so the state after round 2 is `fixed` XOR the result of row() for byte 14.
  template <class Look>
  GPUCTR_HD static void row(const Look& look, const std::uint32_t* rk, const std::uint32_t* counter,
                            unsigned byte_14, std::uint32_t (&out)[4]) {
    const std::uint32_t x = column(look, counter[1] ^ rk[1], counter[2] ^ rk[2],
                                   byte_14 << 16 ^ rk[3], counter[0] ^ rk[0], rk[5]);
    out[0] = part<1>(look, x);
    out[1] = part<0>(look, x);
    out[2] = part<3>(look, x);
    out[3] = part<2>(look, x);
  }
  template <class Look>
  GPUCTR_HD static void fix(const Look& look, const std::uint32_t* rk, const std::uint32_t* counter,
                            std::uint32_t (&fixed)[kFixedWords]) {
    std::uint32_t s[4];
    for (unsigned i = 0; i < 4; ++i) s[i] = counter[i] ^ rk[i];
    const std::uint32_t a = column(look, s[0], s[1], s[2], s[3], rk[4]);
    const std::uint32_t c = column(look, s[2], s[3], s[0], s[1], rk[6]);
    const std::uint32_t d = column(look, s[3], s[0], s[1], s[2], rk[7]);
    fixed[0] = part<0>(look, a) ^ part<2>(look, c) ^ part<3>(look, d) ^ rk[8];
    fixed[1] = part<3>(look, a) ^ part<1>(look, c) ^ part<2>(look, d) ^ rk[9];
    fixed[2] = part<2>(look, a) ^ part<0>(look, c) ^ part<1>(look, d) ^ rk[10];
    fixed[3] = part<1>(look, a) ^ part<3>(look, c) ^ part<0>(look, d) ^ rk[11];
  }
  template <class Look>
  GPUCTR_HD static void finish(const Look& look, const std::uint32_t* rk,
                               const std::uint32_t (&fixed)[kFixedWords], std::uint32_t (&s)[4]) {
    for (unsigned i = 0; i < 4; ++i) s[i] ^= fixed[i];
    other_rounds(look, rk, s);
  }
};

// Decryption in the form of encryption: the equivalent inverse cipher of FIPS 197 5.3.5. Its table
// has the column that InvSubBytes and InvMixColumns make from a byte.
template <unsigned KeyBits>
struct AesInverseTables : AesTableRounds<AesInverseTables<KeyBits>> {
  using Cipher = Aes<KeyBits>;
  using Forward = AesTables<KeyBits>;
  static constexpr unsigned kRounds = Cipher::kRounds;
  static constexpr unsigned kKeyWords = Forward::kKeyWords;

  static constexpr std::uint32_t stored(unsigned x) {
    const unsigned s = AesInverseBox::at(x);
    return field::times(s, 14) | std::uint32_t{field::times(s, 9)} << 8 |
           std::uint32_t{field::times(s, 13)} << 16 | std::uint32_t{field::times(s, 11)} << 24;
  }
  GPUCTR_HD static std::uint32_t entry(unsigned row, std::uint32_t stored_word) {
    return Forward::entry(row, stored_word);
  }

  // Each byte times 2.
  static std::uint32_t twice(std::uint32_t x) {
    return (x & 0x7f7f7f7f) << 1 ^ (x >> 7 & 0x01010101) * 0x1b;
  }
  // Multiplication by 14, 11, 13, 9 is multiplication by 5, 0, 4, 0, and then by 2, 3, 1, 1.
  static std::uint32_t unmix(std::uint32_t x) {
    x ^= twice(twice(x ^ tables::rotl(x, 16)));
    const std::uint32_t pairs = x ^ tables::rotl(x, 24);
    return x ^ pairs ^ tables::rotl(pairs, 16) ^ twice(pairs);
  }
  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    for (unsigned r = 0; r <= kRounds; ++r) {
      for (unsigned i = 0; i < 4; ++i) {
        const auto key = load_le<std::uint32_t>(keys.bytes + 16 * (kRounds - r) + 4 * i);
        out[4 * r + i] = r == 0 || r == kRounds ? key : unmix(key);
      }
    }
  }

  // The last round has no InvMixColumns. 14 + 9 + 13 + 11 is 1, so the sum of the bytes of an entry
  // is the box's value.
  template <class Look>
  GPUCTR_HD static std::uint32_t last(const Look& look, std::uint32_t a, std::uint32_t b,
                                      std::uint32_t c, std::uint32_t d, std::uint32_t key) {
    const std::uint32_t ta = look.template word<0, 0>(a);
    const std::uint32_t tb = look.template word<0, 1>(b);
    const std::uint32_t tc = look.template word<0, 2>(c);
    const std::uint32_t td = look.template word<0, 3>(d);
    const std::uint32_t ab = tables::permute<0x5140>(ta, tb) ^ tables::permute<0x7362>(ta, tb);
    const std::uint32_t cd = tables::permute<0x5140>(tc, td) ^ tables::permute<0x7362>(tc, td);
    return tables::permute<0x5410>(ab, cd) ^ tables::permute<0x7632>(ab, cd) ^ key;
  }

  template <class Look>
  GPUCTR_HD static void round(const Look& look, const std::uint32_t* k, std::uint32_t (&s)[4]) {
    const std::uint32_t a = Forward::column(look, s[0], s[3], s[2], s[1], k[0]);
    const std::uint32_t b = Forward::column(look, s[1], s[0], s[3], s[2], k[1]);
    const std::uint32_t c = Forward::column(look, s[2], s[1], s[0], s[3], k[2]);
    const std::uint32_t d = Forward::column(look, s[3], s[2], s[1], s[0], k[3]);
    s[0] = a, s[1] = b, s[2] = c, s[3] = d;
  }
  template <class Look>
  GPUCTR_HD static void last_round(const Look& look, const std::uint32_t* k,
                                   std::uint32_t (&s)[4]) {
    const std::uint32_t a = last(look, s[0], s[3], s[2], s[1], k[0]);
    const std::uint32_t b = last(look, s[1], s[0], s[3], s[2], k[1]);
    const std::uint32_t c = last(look, s[2], s[1], s[0], s[3], k[2]);
    const std::uint32_t d = last(look, s[3], s[2], s[1], s[0], k[3]);
    s[0] = a, s[1] = b, s[2] = c, s[3] = d;
  }
};

namespace folder {
template <unsigned KeyBits>
using AesForms = tables::Forms<AesTables<KeyBits>, AesInverseTables<KeyBits>, AesTables<256>,
                               AesInverseTables<256>>;
using aes_tables = std::tuple<AesForms<128>, AesForms<192>, AesForms<256>>;
}  // namespace folder

}  // namespace gpuctr

#endif
