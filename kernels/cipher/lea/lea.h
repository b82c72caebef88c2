// LEA (TTAK.KO-12.0223, ISO/IEC 29192-2:2019): 128-bit block, four little-endian 32-bit words.
#ifndef GPUCTR_KERNELS_CIPHER_LEA_H
#define GPUCTR_KERNELS_CIPHER_LEA_H

#include <utility>

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
  static constexpr unsigned kKeyWords = KeyBits / 32;
  static constexpr unsigned kRotations[6] = {1, 3, 6, 11, 13, 17};  // of a round's new words
  static constexpr const char* kName = KeyBits == 128   ? "LEA-128"
                                       : KeyBits == 192 ? "LEA-192"
                                                        : "LEA-256";

  // In a round of decryption each word depends on the word before it (kernels/cpu/README.md).
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.hoists_first_rounds = true;
    f.row_schedule = true;
    f.decryption_groups = {3, 3, 7};
  });

  // delta[i mod (key words)], rotated for word j of a round; at = kKeysPerRound (the round) + j.
  GPUCTR_HD static constexpr Word delta(unsigned i, unsigned at) {
    constexpr Word kDelta[8] = {0xc3efe9db, 0x44626b02, 0x79e27c8a, 0x78df30ec,
                                0x715ea49e, 0xc785da0a, 0xe04ef22a, 0xe5c40957};
    return rotl_word(kDelta[i % kKeyWords], at / kKeysPerRound + at % kKeysPerRound);
  }
  struct Deltas {
    // With a key of six words a vector of eight reads two words more.
    Word words[kRoundKeyWords + 2] = {};
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
        next_words(t, i, turn, schedule, std::make_index_sequence<kKeysPerRound>{});
      }
    }
#ifndef __CUDA_ARCH__  // there they are registers
    wipe(t, sizeof t);
#endif
  }
  template <class V, class S, std::size_t... J>
  GPUCTR_HD static void next_words(V (&t)[kKeyWords], unsigned i, unsigned turn, const S& schedule,
                                   std::index_sequence<J...>) {
    const unsigned first = kKeysPerRound * turn, at = kKeysPerRound * i + first;
    (next_word<kRotations[J]>(t[(first + J) % kKeyWords], at + J, turn, schedule), ...);
  }
  template <unsigned Rotation, class V, class S>
  GPUCTR_HD static void next_word(V& word, unsigned at, unsigned turn, const S& schedule) {
    word = (word + schedule.same(ready_delta(turn, at))).template rotl<Rotation>();
    schedule(at, word);
  }
  GPUCTR_HD static void expand(const std::uint8_t (&key)[kKeyBytes], Word (&rk)[kRoundKeyWords]) {
    expand_words(PlainKey<Word>{key}, PlainSchedule<Word>{rk});
  }

#ifndef __CUDACC__  // which counts the words of such vectors wrongly
  // The same by vectors of a backend M, of four words for a key of four, else of eight. Each word
  // is made of the word kKeyWords before it, so a vector makes kKeyWords words at once.
  template <class M>
  static void expand_rows(const std::uint8_t* key, Word* rk) {
    rows<M>(key, rk, std::make_index_sequence<(KeyBits == 128 ? 4 : 8)>{});
  }
  template <class M, std::size_t... I>
  GPUCTR_INLINE static void rows(const std::uint8_t* key, Word* rk, std::index_sequence<I...>) {
    typedef Word Four __attribute__((vector_size(16)));
    Four low, high;
    __builtin_memcpy(&low, key, sizeof low);
    __builtin_memcpy(&high, key + kKeyBytes - sizeof high, sizeof high);
    auto row = __builtin_shufflevector(low, high, (I < 4 ? I : (I + 8 - kKeyWords) % 8)...);
    constexpr unsigned kTurn = KeyBits == 192 ? 4 : 3;
    for (unsigned at = 0; at < kRoundKeyWords;) {
      GPUCTR_UNROLL
      for (unsigned turn = 0; turn < kTurn; ++turn, at += kKeyWords) {
        decltype(row) turns = {kRotations[(turn * kKeyWords + I) % kKeysPerRound]...}, deltas;
        __builtin_memcpy(&deltas, kDeltasOf<Lea>.words + at, sizeof deltas);
        row = M::rotl_each(row + deltas, turns);
        if constexpr (KeyBits == 192) {  // else GCC copies 24 bytes through the stack
          const auto first = __builtin_shufflevector(row, row, 0, 1, 2, 3);
          const auto rest = __builtin_shufflevector(row, row, 4, 5);
          __builtin_memcpy(rk + at, &first, sizeof first);
          __builtin_memcpy(rk + at + 4, &rest, sizeof rest);
        } else {
          __builtin_memcpy(rk + at, &row, sizeof row);
        }
      }
    }
  }
#endif

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
