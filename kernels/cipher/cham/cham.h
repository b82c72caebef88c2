// Revised CHAM (Roh et al., ICISC 2019): four little-endian words of 16 or 32 bits. The revision
// has 88, 112 and 120 rounds; the cipher of the 2017 paper, with 80, 80 and 96 rounds, is
// incompatible.
#ifndef GPUCTR_KERNELS_CIPHER_CHAM_H
#define GPUCTR_KERNELS_CIPHER_CHAM_H

#include "kernels/cipher/facts.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

// The numbers from `first` on as words: numbers(i) is first + i. A word may have its own.
template <class V, class = void>
struct NumbersFrom {
  unsigned first;
  GPUCTR_HD static NumbersFrom at(unsigned first) { return {first}; }
  GPUCTR_HD auto operator()(unsigned i) const { return V::constant(first + i); }
};
template <class V>
struct NumbersFrom<V, std::void_t<typename V::Numbers>> : V::Numbers {};

// Whether a CPU unrolls the rounds: in integer registers a number that is not known takes an
// instruction, a quarter of the time.
template <class K>
constexpr bool kUnrolls = false;
template <class T>
constexpr bool kUnrolls<PlainKeys<T>> = true;

template <class WordType, unsigned KeyBits, unsigned Rounds>
struct Cham {
  using Word = WordType;
  static constexpr unsigned kWords = 4;
  static constexpr std::size_t kKeyBytes = KeyBits / 8;
  static constexpr unsigned kRounds = Rounds;
  static constexpr unsigned kKeyWords = KeyBits / (8 * sizeof(Word));
  static constexpr unsigned kRoundKeyWords = 2 * kKeyWords;  // used repeatedly, in order
  static constexpr const char* kName = sizeof(Word) == 2 ? "CHAM-64-128"
                                       : KeyBits == 128  ? "CHAM-128-128"
                                                         : "CHAM-128-256";

  // A round of decryption depends on the round before, a round of encryption on the third round
  // before (kernels/cpu/README.md).
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.hoists_first_rounds = true;
    f.decryption_groups = {4, 4, sizeof(Word) == 2 ? 6 : 7};
  });
  static_assert(kRounds % 8 == 0 && kRoundKeyWords % 8 == 0, "rounds are written eight at a time");

  template <class K, class S>
  GPUCTR_HD static void expand_words(const K& key, const S& schedule) {
    for (unsigned i = 0; i < kKeyWords; ++i) {
      const auto k = key(i);
      const auto common = k ^ k.template rotl<1>();
      schedule(i, common ^ k.template rotl<8>());
      schedule((i + kKeyWords) ^ 1, common ^ k.template rotl<11>());
    }
  }
  GPUCTR_HD static void expand(const std::uint8_t (&key)[kKeyBytes], Word (&rk)[kRoundKeyWords]) {
    expand_words(PlainKey<Word>{key}, PlainSchedule<Word>{rk});
  }

  // Rounds Turn and Turn + 1 of eight, with the eight's keys and round numbers; Turn is even. A
  // round replaces the word x[Turn % 4]. If not prevented, compilers merge a round's rotation with
  // that of the next use, and then rotations accumulate (kernels/cpu/README.md).
  template <unsigned Turn, class V, class K, class I>
  GPUCTR_HD static void round_pair(V (&x)[4], const K& keys, const I& i) {
    V& x0 = x[Turn % 4];
    V& x1 = x[(Turn + 1) % 4];
    V& x2 = x[(Turn + 2) % 4];
    x0 = rotl_here<8>((x0 ^ i(Turn)) + (x1.template rotl<1>() ^ keys(Turn)));
    x1 = rotl_here<1>((x1 ^ i(Turn + 1)) + (x2.template rotl<8>() ^ keys(Turn + 1)));
  }

  template <class V, class K>
  GPUCTR_HD static void eight_rounds(V (&x)[4], const K& rk, unsigned i) {
    const auto keys = keys_from(rk, i % kRoundKeyWords);
    const auto numbers = NumbersFrom<V>::at(i);
    round_pair<0>(x, keys, numbers);
    round_pair<2>(x, keys, numbers);
    round_pair<4>(x, keys, numbers);
    round_pair<6>(x, keys, numbers);
  }
  template <unsigned First, class V, class K>
  GPUCTR_HD static void rounds_from(V (&x)[4], const K& rk) {
    if constexpr (kUnrolls<K>) {
      GPUCTR_UNROLL
      for (unsigned i = First; i < kRounds; i += 8) eight_rounds(x, rk, i);
    } else {
      GPUCTR_ROUNDS
      for (unsigned i = First; i < kRounds; i += 8) eight_rounds(x, rk, i);
    }
  }
  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[4], const K& rk) {
    rounds_from<0>(x, rk);
  }
  // The rounds in two parts.
  template <class V, class K>
  GPUCTR_HD static void first_rounds(V (&x)[4], const K& rk) {
    eight_rounds(x, rk, 0);
  }
  template <class V, class K>
  GPUCTR_HD static void other_rounds(V (&x)[4], const K& rk) {
    rounds_from<8>(x, rk);
  }

  template <unsigned Turn, class V, class K, class I>
  GPUCTR_HD static void unround_pair(V (&x)[4], const K& keys, const I& i) {
    constexpr unsigned kBits = 8 * sizeof(Word);
    V& x0 = x[Turn % 4];
    V& x1 = x[(Turn + 1) % 4];
    V& x2 = x[(Turn + 2) % 4];
    x1 = (x1.template rotl<kBits - 1>() - (x2.template rotl<8>() ^ keys(Turn + 1))) ^ i(Turn + 1);
    x0 = (x0.template rotl<kBits - 8>() - (x1.template rotl<1>() ^ keys(Turn))) ^ i(Turn);
  }

  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[4], const K& rk) {
    GPUCTR_DEVICE_ROUNDS
    for (unsigned i = kRounds; i != 0; i -= 8) {
      const auto keys = keys_from(rk, (i - 8) % kRoundKeyWords);
      const auto numbers = NumbersFrom<V>::at(i - 8);
      unround_pair<6>(x, keys, numbers);
      unround_pair<4>(x, keys, numbers);
      unround_pair<2>(x, keys, numbers);
      unround_pair<0>(x, keys, numbers);
    }
  }
};

using Cham64_128 = Cham<std::uint16_t, 128, 88>;
using Cham128_128 = Cham<std::uint32_t, 128, 112>;
using Cham128_256 = Cham<std::uint32_t, 256, 120>;

namespace folder {
using cham = CipherList<Cham64_128, Cham128_128, Cham128_256>;
}

}  // namespace gpuctr

#endif
