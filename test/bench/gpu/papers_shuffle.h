// The rounds of the seven ciphers of "Fast implementation of block ciphers and PRNGs in Maxwell GPU
// architecture", rebuilt from its abstract, which is what is public of it: a word of round keys is
// keys[i], wherever it lies, and tables of 256 words lie one after another. papers_shuffle.cuh runs
// them on a device; test/gpu/host/documents_test.cpp compares them with the scalar backend on the
// CPU.
//
// A method has the words of a block, of round keys and of tables; lay_out() writes the latter two
// as it wants them; encrypt() takes a block as it lies in memory, little-endian words.
#ifndef GPUCTR_TEST_BENCH_PAPERS_SHUFFLE_H
#define GPUCTR_TEST_BENCH_PAPERS_SHUFFLE_H

#include <algorithm>
#include <utility>

#include "kernels/cipher/aes/cuda_tables.h"
#include "kernels/cipher/blowfish/blowfish.h"
#include "kernels/cipher/camellia/cuda_tables.h"
#include "kernels/cipher/cast5/cast5.h"
#include "kernels/cipher/idea/idea.h"
#include "kernels/cipher/seed/cuda_tables.h"
#include "kernels/cipher/threefish/threefish.h"

namespace gpuctr::papers {

struct WordTables {
  static constexpr bool kFour = true;
  const std::uint32_t* words;
  template <unsigned kTable, unsigned kByte>
  GPUCTR_HD std::uint32_t word(std::uint32_t x) const {
    return words[256 * kTable + (x >> (8 * kByte) & 0xff)];
  }
};

// What the ciphers with T-boxes of the registry's table forms have in common.
template <class Form>
struct ByTBoxes {
  using Tables = Form;
  using Cipher = typename Form::Cipher;
  static constexpr unsigned kTextWords = 4;
  static constexpr unsigned kKeyWords = Form::kKeyWords;
  static constexpr unsigned kTableWords = 1024;
  static void lay_out(const RoundKeys& keys, std::uint32_t* words, std::uint32_t* tables) {
    Form::lay_out_keys(keys, words);
    for (unsigned i = 0; i < kTableWords; ++i)
      tables[i] = Form::entry(i / 256, Form::stored(i % 256));
  }
};

struct AesByShuffle : ByTBoxes<AesTables<128>> {
  template <class Keys>
  GPUCTR_HD static void encrypt(const WordTables& look, const Keys& keys, std::uint32_t (&s)[4]) {
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 4; ++i) s[i] ^= keys[i];
    GPUCTR_UNROLL
    for (unsigned r = 1; r <= Tables::kRounds; ++r) {
      const std::uint32_t key[4] = {keys[4 * r], keys[4 * r + 1], keys[4 * r + 2], keys[4 * r + 3]};
      r < Tables::kRounds ? Tables::round(look, key, s) : Tables::last_round(look, key, s);
    }
  }
};

struct CamelliaByShuffle : ByTBoxes<CamelliaTables<128>> {
  template <class Keys>
  GPUCTR_HD static void encrypt(const WordTables& look, const Keys& keys, std::uint32_t (&s)[4]) {
    const std::uint32_t first[4] = {keys[0], keys[1], keys[2], keys[3]};
    Tables::to_numbers(first, s);
    GPUCTR_UNROLL
    for (unsigned r = 0; r < Tables::kRounds; ++r) {
      const std::uint32_t key[2] = {keys[Tables::key_at(r)], keys[Tables::key_at(r) + 1]};
      Tables::half_round(look, key, s + r % 2 * 2, s + (2 - r % 2 * 2));
      if (r % 6 != 5) continue;
      const unsigned at = Tables::layer_at(r);
      const std::uint32_t layer[4] = {keys[at], keys[at + 1], keys[at + 2], keys[at + 3]};
      r + 1 < Tables::kRounds ? Tables::layer(layer, s) : Tables::to_block(layer, s);
    }
  }
};

struct SeedByShuffle : ByTBoxes<SeedTables> {
  template <class Keys>
  GPUCTR_HD static void encrypt(const WordTables& look, const Keys& keys, std::uint32_t (&s)[4]) {
    Tables::to_numbers(s);
    GPUCTR_UNROLL
    for (unsigned r = 0; r < Tables::kRounds; r += 2) {
      const std::uint32_t key[4] = {keys[2 * r], keys[2 * r + 1], keys[2 * r + 2], keys[2 * r + 3]};
      Tables::two_rounds(look, key, s);
    }
    Tables::to_block(s);
  }
};

// A lane has one masking key or one rotation key.
struct CastByShuffle {
  using Cipher = Cast5;
  static constexpr unsigned kTextWords = 2;
  static constexpr unsigned kKeyWords = 32;
  static constexpr unsigned kTableWords = 1024;
  static void lay_out(const RoundKeys& keys, std::uint32_t* words, std::uint32_t* tables) {
    std::copy_n(keys.words<std::uint32_t>(), kKeyWords, words);
    for (unsigned i = 0; i < kTableWords; ++i) tables[i] = kCastBoxes[i / 256][i % 256];
  }

  // RFC 2144 2.2: round i has f of type i mod 3 + 1.
  template <class Keys>
  GPUCTR_HD static std::uint32_t f(const WordTables& look, const Keys& keys, unsigned i,
                                   std::uint32_t x) {
    const std::uint32_t mask = keys[i];
    const std::uint32_t turn = keys[16 + i];
    const std::uint32_t sum = i % 3 == 0 ? mask + x : i % 3 == 1 ? mask ^ x : mask - x;
    const std::uint32_t at = tables::rotl_any(sum, turn);
    const std::uint32_t a = look.word<0, 3>(at), b = look.word<1, 2>(at), c = look.word<2, 1>(at),
                        d = look.word<3, 0>(at);
    return i % 3 == 0 ? ((a ^ b) - c) + d : i % 3 == 1 ? ((a - b) + c) ^ d : ((a + b) ^ c) - d;
  }
  template <class Keys>
  GPUCTR_HD static void encrypt(const WordTables& look, const Keys& keys, std::uint32_t (&s)[2]) {
    std::uint32_t left = tables::turned(s[0]);
    std::uint32_t right = tables::turned(s[1]);
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 16; i += 2) {
      left ^= f(look, keys, i, right);
      right ^= f(look, keys, i + 1, left);
    }
    s[0] = tables::turned(right);
    s[1] = tables::turned(left);
  }
};

struct BlowfishByShuffle {
  using Cipher = Blowfish;
  static constexpr unsigned kTextWords = 2;
  static constexpr unsigned kKeyWords = Blowfish::kBoxesAt;
  static constexpr unsigned kTableWords = 1024;
  static void lay_out(const RoundKeys& keys, std::uint32_t* words, std::uint32_t* tables) {
    std::copy_n(keys.words<std::uint32_t>(), kKeyWords, words);
    std::copy_n(keys.words<std::uint32_t>() + kKeyWords, kTableWords, tables);
  }

  GPUCTR_HD static std::uint32_t f(const WordTables& look, std::uint32_t x) {
    return ((look.word<0, 3>(x) + look.word<1, 2>(x)) ^ look.word<2, 1>(x)) + look.word<3, 0>(x);
  }
  template <class Keys>
  GPUCTR_HD static void encrypt(const WordTables& look, const Keys& keys, std::uint32_t (&s)[2]) {
    std::uint32_t left = tables::turned(s[0]);
    std::uint32_t right = tables::turned(s[1]);
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 16; i += 2) {
      left ^= keys[i];
      right ^= f(look, left) ^ keys[i + 1];
      left ^= f(look, right);
    }
    s[0] = tables::turned(right ^ keys[17]);
    s[1] = tables::turned(left ^ keys[16]);
  }
};

// Words of four bytes as the keys of IDEA's rounds.
template <class Keys>
struct IdeaKeys {
  const Keys& keys;
  GPUCTR_HD PlainWord<std::uint16_t> operator()(unsigned i) const {
    return {static_cast<std::uint16_t>(keys[i])};
  }
};

// A lane has one or two subkeys of 16 bits.
struct IdeaByShuffle {
  using Cipher = Idea;
  static constexpr unsigned kTextWords = 2;
  static constexpr unsigned kKeyWords = Idea::kSubkeys;
  static constexpr unsigned kTableWords = 0;
  static void lay_out(const RoundKeys& keys, std::uint32_t* words, std::uint32_t*) {
    std::copy_n(keys.words<std::uint16_t>(), kKeyWords, words);
  }

  template <class Keys>
  GPUCTR_HD static void encrypt(const WordTables&, const Keys& keys, std::uint32_t (&s)[2]) {
    const std::uint32_t a = tables::turned(s[0]);
    const std::uint32_t b = tables::turned(s[1]);
    PlainWord<std::uint16_t> x[4] = {{static_cast<std::uint16_t>(a >> 16)},
                                     {static_cast<std::uint16_t>(a)},
                                     {static_cast<std::uint16_t>(b >> 16)},
                                     {static_cast<std::uint16_t>(b)}};
    Idea::encrypt(x, IdeaKeys<Keys>{keys});
    s[0] = tables::turned(std::uint32_t{x[0].v} << 16 | x[1].v);
    s[1] = tables::turned(std::uint32_t{x[2].v} << 16 | x[3].v);
  }
};

// Where word kWord of Threefish-512 lies in round kRound.
template <unsigned kRound, unsigned kWord>
constexpr unsigned kPlace = Threefish512::place(kRound % 4, kWord);

// The abstract does not say which of the three sizes it has.
struct ThreefishByShuffle {
  using Cipher = Threefish512;
  static constexpr unsigned kTextWords = 16;
  static constexpr unsigned kKeyWords = 2 * Cipher::kTweakAt;
  static constexpr unsigned kTableWords = 0;
  static void lay_out(const RoundKeys& keys, std::uint32_t* words, std::uint32_t*) {
    for (unsigned i = 0; i < kKeyWords; ++i) {
      words[i] = static_cast<std::uint32_t>(keys.words<std::uint64_t>()[i / 2] >> (i % 2 * 32));
    }
  }

  template <unsigned kRound, std::size_t... kPair>
  GPUCTR_HD static void round(std::uint64_t (&x)[8], std::index_sequence<kPair...>) {
    (mix<kPlace<kRound, 2 * kPair>, kPlace<kRound, 2 * kPair + 1>, Cipher::kTurns[kRound][kPair]>(
         x),
     ...);
  }
  template <unsigned kFirst, unsigned kSecond, unsigned kTurn>
  GPUCTR_HD static void mix(std::uint64_t (&x)[8]) {
    x[kFirst] += x[kSecond];
    x[kSecond] = (x[kSecond] << kTurn | x[kSecond] >> (64 - kTurn)) ^ x[kFirst];
  }
  template <class Keys>
  GPUCTR_HD static void add_subkey(const Keys& keys, unsigned s, std::uint64_t (&x)[8]) {
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint64_t low = keys[16 * s + 2 * i];
      x[i] += std::uint64_t{keys[16 * s + 2 * i + 1]} << 32 | low;
    }
  }
  template <unsigned kFirst, std::size_t... kRound>
  GPUCTR_HD static void four_rounds(std::uint64_t (&x)[8], std::index_sequence<kRound...>) {
    (round<kFirst + kRound>(x, std::make_index_sequence<4>{}), ...);
  }

  template <class Keys>
  GPUCTR_HD static void encrypt(const WordTables&, const Keys& keys, std::uint32_t (&s)[16]) {
    std::uint64_t x[8];
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 8; ++i) x[i] = std::uint64_t{s[2 * i + 1]} << 32 | s[2 * i];
    GPUCTR_UNROLL
    for (unsigned k = 0; k + 1 < Cipher::kSubkeys; k += 2) {
      add_subkey(keys, k, x);
      four_rounds<0>(x, std::make_index_sequence<4>{});
      add_subkey(keys, k + 1, x);
      four_rounds<4>(x, std::make_index_sequence<4>{});
    }
    add_subkey(keys, Cipher::kSubkeys - 1, x);
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 8; ++i) {
      s[2 * i] = static_cast<std::uint32_t>(x[i]);
      s[2 * i + 1] = static_cast<std::uint32_t>(x[i] >> 32);
    }
  }
};

}  // namespace gpuctr::papers

#endif
