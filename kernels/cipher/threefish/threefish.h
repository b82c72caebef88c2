// Threefish-256, -512 and -1024 (N. Ferguson et al., The Skein Hash Function Family, version 1.3,
// 2010, section 3.3): blocks and keys of 32, 64 and 128 bytes, a tweak of 16 bytes, little-endian
// 64-bit words. expand() uses a tweak of zeros; set_tweak() replaces the tweak.
#ifndef GPUCTR_KERNELS_CIPHER_THREEFISH_H
#define GPUCTR_KERNELS_CIPHER_THREEFISH_H

#include <utility>

#include "kernels/base/wipe.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

// Tables 3 and 4 of the paper: word i of a round's output is word kFrom[i] of its sums; pair j is
// rotated by kTurns[d mod 8][j] bits in round d.
struct Threefish256Tables {
  static constexpr unsigned kWords = 4;
  static constexpr unsigned kRounds = 72;
  static constexpr const char* kName = "THREEFISH-256";
  static constexpr std::uint8_t kFrom[kWords] = {0, 3, 2, 1};
  static constexpr std::uint8_t kTurns[8][kWords / 2] = {{14, 16}, {52, 57}, {23, 40}, {5, 37},
                                                         {25, 33}, {46, 12}, {58, 22}, {32, 32}};
};
struct Threefish512Tables {
  static constexpr unsigned kWords = 8;
  static constexpr unsigned kRounds = 72;
  static constexpr const char* kName = "THREEFISH-512";
  static constexpr std::uint8_t kFrom[kWords] = {2, 1, 4, 7, 6, 5, 0, 3};
  static constexpr std::uint8_t kTurns[8][kWords / 2] = {
      {46, 36, 19, 37}, {33, 27, 14, 42}, {17, 49, 36, 39}, {44, 9, 54, 56},
      {39, 30, 34, 24}, {13, 50, 10, 17}, {25, 29, 39, 43}, {8, 35, 56, 22}};
};
struct Threefish1024Tables {
  static constexpr unsigned kWords = 16;
  static constexpr unsigned kRounds = 80;
  static constexpr const char* kName = "THREEFISH-1024";
  static constexpr std::uint8_t kFrom[kWords] = {0,  9, 2,  13, 6,  11, 4, 15,
                                                 10, 7, 12, 3,  14, 5,  8, 1};
  static constexpr std::uint8_t kTurns[8][kWords / 2] = {
      {24, 13, 8, 47, 8, 17, 22, 37},   {38, 19, 10, 55, 49, 18, 23, 52},
      {33, 4, 51, 13, 34, 41, 59, 17},  {5, 20, 48, 41, 47, 28, 16, 25},
      {41, 9, 37, 31, 12, 47, 44, 30},  {16, 34, 56, 51, 4, 53, 42, 41},
      {31, 44, 47, 46, 19, 42, 44, 25}, {9, 48, 35, 52, 23, 31, 37, 20}};
};

template <class Tables>
struct Threefish : Tables {
  using Word = std::uint64_t;
  using Tables::kFrom;
  using Tables::kRounds;
  using Tables::kTurns;
  using Tables::kWords;
  static constexpr std::size_t kKeyBytes = 8 * kWords;
  static constexpr unsigned kSubkeys = kRounds / 4 + 1;
  static constexpr unsigned kTweakAt = kSubkeys * kWords;  // the current tweak of the subkeys
  static constexpr unsigned kRoundKeyWords = kTweakAt + 2;
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.legacy = true;
    f.tweak_bytes = 16;
  });

  GPUCTR_INLINE static void expand(const std::uint8_t (&key)[kKeyBytes],
                                   Word (&rk)[kRoundKeyWords]) {
    Wiped<Word[kWords + 1]> words;
    words.value[kWords] = 0x1bd11bdaa9fc1a22;  // C240
    for (unsigned i = 0; i < kWords; ++i) {
      words.value[i] = load_le<Word>(key + 8 * i);
      words.value[kWords] ^= words.value[i];
    }
    for (unsigned s = 0; s < kSubkeys; ++s) {
      for (unsigned i = 0; i < kWords; ++i) {
        rk[kWords * s + i] = words.value[(s + i) % (kWords + 1)];
      }
      rk[kWords * s + kWords - 1] += s;
    }
    rk[kTweakAt] = rk[kTweakAt + 1] = 0;
  }

  // Subkey s has t[s mod 3] in its third word from the end and t[(s + 1) mod 3] in the next word,
  // where t[2] = t[0] ^ t[1]. set_tweak() adds the difference from the previous tweak.
  static void set_tweak(const std::uint8_t* tweak, Word* rk) {
    Word* const now = rk + kTweakAt;
    const Word next[2] = {load_le<Word>(tweak), load_le<Word>(tweak + 8)};
    const Word change[3] = {next[0] - now[0], next[1] - now[1],
                            (next[0] ^ next[1]) - (now[0] ^ now[1])};
    for (unsigned s = 0; s < kSubkeys; ++s) {
      rk[kWords * s + kWords - 3] += change[s % 3];
      rk[kWords * s + kWords - 2] += change[(s + 1) % 3];
    }
    now[0] = next[0];
    now[1] = next[1];
  }

  // Names move, words stay: the place of word i after `rounds` rounds.
  GPUCTR_HD static constexpr unsigned place(unsigned rounds, unsigned i) {
    for (; rounds != 0; --rounds) i = kFrom[i];
    return i;
  }
  GPUCTR_HD static constexpr bool comes_back() {
    for (unsigned i = 0; i < kWords; ++i) {
      if (place(4, i) != i) return false;
    }
    return true;
  }

  template <unsigned Round, unsigned Pair, class V>
  GPUCTR_HD static void mix(V (&x)[kWords]) {
    V& a = x[place(Round % 4, 2 * Pair)];
    V& b = x[place(Round % 4, 2 * Pair + 1)];
    a = a + b;
    b = b.template rotl<kTurns[Round][Pair]>() ^ a;
  }
  template <unsigned Round, unsigned Pair, class V>
  GPUCTR_HD static void unmix(V (&x)[kWords]) {
    V& a = x[place(Round % 4, 2 * Pair)];
    V& b = x[place(Round % 4, 2 * Pair + 1)];
    b = (b ^ a).template rotl<64 - kTurns[Round][Pair]>();
    a = a - b;
  }

  template <unsigned First, class V, std::size_t... Pair>
  GPUCTR_HD static void four_rounds(V (&x)[kWords], std::index_sequence<Pair...>) {
    (mix<First, Pair>(x), ...);
    (mix<First + 1, Pair>(x), ...);
    (mix<First + 2, Pair>(x), ...);
    (mix<First + 3, Pair>(x), ...);
  }
  template <unsigned First, class V, std::size_t... Pair>
  GPUCTR_HD static void four_unrounds(V (&x)[kWords], std::index_sequence<Pair...>) {
    (unmix<First + 3, Pair>(x), ...);
    (unmix<First + 2, Pair>(x), ...);
    (unmix<First + 1, Pair>(x), ...);
    (unmix<First, Pair>(x), ...);
  }

  template <class V, class K>
  GPUCTR_HD static void add_subkey(V (&x)[kWords], const K& rk, unsigned s) {
    GPUCTR_UNROLL
    for (unsigned i = 0; i < kWords; ++i) x[i] = x[i] + rk(kWords * s + i);
  }
  template <class V, class K>
  GPUCTR_HD static void subtract_subkey(V (&x)[kWords], const K& rk, unsigned s) {
    GPUCTR_UNROLL
    for (unsigned i = 0; i < kWords; ++i) x[i] = x[i] - rk(kWords * s + i);
  }

  using Pairs = std::make_index_sequence<kWords / 2>;

  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[kWords], const K& rk) {
    static_assert(kRounds % 8 == 0 && comes_back(), "eight rounds are a turn");
    GPUCTR_ROUNDS
    for (unsigned s = 0; s < kSubkeys - 1; s += 2) {
      add_subkey(x, rk, s);
      four_rounds<0>(x, Pairs{});
      add_subkey(x, rk, s + 1);
      four_rounds<4>(x, Pairs{});
    }
    add_subkey(x, rk, kSubkeys - 1);
  }

  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[kWords], const K& rk) {
    subtract_subkey(x, rk, kSubkeys - 1);
    GPUCTR_ROUNDS
    for (unsigned s = kSubkeys - 1; s != 0; s -= 2) {
      four_unrounds<4>(x, Pairs{});
      subtract_subkey(x, rk, s - 1);
      four_unrounds<0>(x, Pairs{});
      subtract_subkey(x, rk, s - 2);
    }
  }
};

using Threefish256 = Threefish<Threefish256Tables>;
using Threefish512 = Threefish<Threefish512Tables>;
using Threefish1024 = Threefish<Threefish1024Tables>;

namespace folder {
using threefish = CipherList<Threefish256, Threefish512, Threefish1024>;
}

}  // namespace gpuctr

#endif
