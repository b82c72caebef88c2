// LEA (TTAK.KO-12.0223, ISO/IEC 29192-2:2019): 128-bit block, four little-endian 32-bit words.
#ifndef GPUCTR_KERNELS_CIPHER_LEA_H
#define GPUCTR_KERNELS_CIPHER_LEA_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

// A table with internal linkage for cipher L: the linker keeps one copy of a shared symbol, and
// backends must not share a copy.
template <class L>
static constexpr typename L::Deltas kDeltasOf = {};

template <unsigned KeyBits>
struct Lea {
  static_assert(KeyBits == 128 || KeyBits == 192 || KeyBits == 256, "LEA's key sizes");
  using Word = std::uint32_t;
  static constexpr unsigned kWords = 4;
  static constexpr std::size_t kKeyBytes = KeyBits / 8;
  static constexpr unsigned kRounds = KeyBits == 128 ? 24 : KeyBits == 192 ? 28 : 32;
  // LEA-128 uses T[1] three times a round, so its round key has four different words, not six.
  static constexpr unsigned kKeysPerRound = KeyBits == 128 ? 4 : 6;
  static constexpr unsigned kRoundKeyWords = kRounds * kKeysPerRound;
  static constexpr const char* kName = KeyBits == 128   ? "LEA-128"
                                       : KeyBits == 192 ? "LEA-192"
                                                        : "LEA-256";

  // In a round of decryption each word depends on the word before it (kernels/cpu/README.md).
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.hoists_first_rounds = true;
    f.decryption_groups = {3, 3, 7};
  });

  // delta[i mod (key words)], rotated for word j of a round; at = kKeysPerRound (the round) + j.
  GPUCTR_HD static constexpr Word delta(unsigned i, unsigned at) {
    constexpr Word kDelta[8] = {0xc3efe9db, 0x44626b02, 0x79e27c8a, 0x78df30ec,
                                0x715ea49e, 0xc785da0a, 0xe04ef22a, 0xe5c40957};
    return rotl_word(kDelta[i % (KeyBits / 32)], at / kKeysPerRound + at % kKeysPerRound);
  }
  struct Deltas {
    Word words[kRoundKeyWords] = {};
    constexpr Deltas() {
      for (unsigned at = 0; at < kRoundKeyWords; ++at) words[at] = delta(at / kKeysPerRound, at);
    }
  };
  GPUCTR_HD static Word ready_delta([[maybe_unused]] unsigned turn, unsigned at) {
#ifdef __CUDA_ARCH__
    return delta(turn, at);
#else
    return kDeltasOf<Lea>.words[at];
#endif
  }

  // Unrolled until the places of the words repeat; on a device the deltas as well: none is looked
  // up.
  template <class K, class S>
  GPUCTR_HD static void expand_words(const K& key, const S& schedule) {
    constexpr unsigned kKeyWords = KeyBits / 32;
#ifdef __CUDA_ARCH__
    constexpr unsigned kTurn = kKeyWords;
#else
    constexpr unsigned kTurn = KeyBits == 256 ? 4 : 1;
#endif
    decltype(schedule.same(0)) t[kKeyWords];
    for (unsigned j = 0; j < kKeyWords; ++j) t[j] = key(j);
    GPUCTR_DEVICE_ROUNDS  // a loop for PlainKey: unrolled, LEA-192's key schedule spills
        for (unsigned i = 0; i < kRounds; i += kTurn) {
      GPUCTR_UNROLL
      for (unsigned turn = 0; turn < kTurn; ++turn) {
        if (kRounds % kTurn != 0 && i + turn == kRounds) break;
        const unsigned first = kKeysPerRound * turn, at = kKeysPerRound * i + first;
        next_word<1>(t[first % kKeyWords], at, turn, schedule);
        next_word<3>(t[(first + 1) % kKeyWords], at + 1, turn, schedule);
        next_word<6>(t[(first + 2) % kKeyWords], at + 2, turn, schedule);
        next_word<11>(t[(first + 3) % kKeyWords], at + 3, turn, schedule);
        if constexpr (kKeysPerRound == 6) {
          next_word<13>(t[(first + 4) % kKeyWords], at + 4, turn, schedule);
          next_word<17>(t[(first + 5) % kKeyWords], at + 5, turn, schedule);
        }
      }
    }
#ifndef __CUDA_ARCH__  // there they are registers
    wipe(t, sizeof t);
#endif
  }
  template <unsigned Rotation, class V, class S>
  GPUCTR_HD static void next_word(V& word, unsigned at, unsigned turn, const S& schedule) {
    word = (word + schedule.same(ready_delta(turn, at))).template rotl<Rotation>();
    schedule(at, word);
  }
  GPUCTR_HD static void expand(const std::uint8_t (&key)[kKeyBytes], Word (&rk)[kRoundKeyWords]) {
    expand_words(PlainKey<Word>{key}, PlainSchedule<Word>{rk});
  }

  // The index of the standard's RK[i][j], j = 0..5, in the stored schedule.
  GPUCTR_HD static constexpr unsigned key_index(unsigned i, unsigned j) {
    return kKeysPerRound * i + (KeyBits == 128 ? 0x131210u >> 4 * j & 0xf : j);
  }

  // One round on words whose names move by one each round, so that no word is copied: the
  // standard's X[j] of round i is x[(j + i) % 4].
  template <unsigned Turn, class V, class K>
  GPUCTR_HD static void round(V (&x)[4], const K& rk, unsigned i) {
    V &x0 = x[Turn % 4], &x1 = x[(Turn + 1) % 4];
    V &x2 = x[(Turn + 2) % 4], &x3 = x[(Turn + 3) % 4];
    x3 = rotl_here<29>((x2 ^ rk(key_index(i, 4))) + (x3 ^ rk(key_index(i, 5))));
    x2 = rotl_here<27>((x1 ^ rk(key_index(i, 2))) + (x2 ^ rk(key_index(i, 3))));
    x1 = rotl_here<9>((x0 ^ rk(key_index(i, 0))) + (x1 ^ rk(key_index(i, 1))));
  }

  template <class V, class K>
  GPUCTR_HD static void four_rounds(V (&x)[4], const K& rk, unsigned i) {
    round<0>(x, rk, i);
    round<1>(x, rk, i + 1);
    round<2>(x, rk, i + 2);
    round<3>(x, rk, i + 3);
  }
  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[4], const K& rk) {
    GPUCTR_ROUNDS
    for (unsigned i = 0; i < kRounds; i += 4) four_rounds(x, rk, i);
  }
  // The rounds in two parts.
  template <class V, class K>
  GPUCTR_HD static void first_rounds(V (&x)[4], const K& rk) {
    four_rounds(x, rk, 0);
  }
  template <class V, class K>
  GPUCTR_HD static void other_rounds(V (&x)[4], const K& rk) {
    GPUCTR_ROUNDS
    for (unsigned i = 4; i < kRounds; i += 4) four_rounds(x, rk, i);
  }

  template <unsigned Turn, class V, class K>
  GPUCTR_HD static void unround(V (&x)[4], const K& rk, unsigned i) {
    V &x0 = x[Turn % 4], &x1 = x[(Turn + 1) % 4];
    V &x2 = x[(Turn + 2) % 4], &x3 = x[(Turn + 3) % 4];
    x1 = (x1.template rotl<23>() - (x0 ^ rk(key_index(i, 0)))) ^ rk(key_index(i, 1));
    x2 = (x2.template rotl<5>() - (x1 ^ rk(key_index(i, 2)))) ^ rk(key_index(i, 3));
    x3 = (x3.template rotl<3>() - (x2 ^ rk(key_index(i, 4)))) ^ rk(key_index(i, 5));
  }

  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[4], const K& rk) {
    GPUCTR_DEVICE_ROUNDS
    for (unsigned i = kRounds; i != 0; i -= 4) {
      unround<3>(x, rk, i - 1);
      unround<2>(x, rk, i - 2);
      unround<1>(x, rk, i - 3);
      unround<0>(x, rk, i - 4);
    }
  }
};

namespace folder {
using lea = CipherList<Lea<128>, Lea<192>, Lea<256>>;
}

}  // namespace gpuctr

#endif
