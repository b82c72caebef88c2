// HIGHT (TTAS.KO-12.0040/R1, ISO/IEC 18033-3): 64-bit block of eight bytes, 128-bit key, 32 rounds.
// Byte i of the key is MK[i] and byte i of the block is P[i], C[i], as in KISA's code.
#ifndef GPUCTR_KERNELS_CIPHER_HIGHT_H
#define GPUCTR_KERNELS_CIPHER_HIGHT_H

#include "kernels/cipher/facts.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

// delta[i] is seven bits of the sequence s with s[i+6] = s[i+2] ^ s[i-1], from s[6..0] = 1011010.
// Eight deltas make a word, the first lowest.
struct HightDeltas {
  std::uint64_t words[16] = {};
  constexpr HightDeltas() {
    std::uint64_t delta = 0x5a;
    for (unsigned i = 0; i < 128; ++i) {
      words[i / 8] |= delta << (8 * (i % 8));
      delta = (delta >> 1) | (((delta ^ (delta >> 3)) & 1) << 6);
    }
  }
};
// With internal linkage: the linker keeps one copy of a shared symbol, and backends must not share
// a copy.
template <class S>
static constexpr HightDeltas kHightDeltas = {};

struct Hight {
  using Word = std::uint8_t;
  static constexpr unsigned kWords = 8;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr unsigned kRounds = 32;
  static constexpr unsigned kWhitening = 4 * kRounds;  // WK[0..7] follow SK[0..127]
  static constexpr unsigned kRoundKeyWords = kWhitening + 8;
  static constexpr const char* kName = "HIGHT";

  // With 16 registers more words wait in memory than the default allows (kernels/cpu/README.md).
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.alias = "HIGHT-128";
    f.rotation_sums = true;
    f.groups = {2, 3, 2};
  });

  // Eight sums modulo 2^8.
  GPUCTR_HD static std::uint64_t add_bytes(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kTop = 0x8080808080808080;
    return ((a & ~kTop) + (b & ~kTop)) ^ ((a ^ b) & kTop);
  }

  GPUCTR_HD static void expand(const std::uint8_t (&key)[kKeyBytes], Word (&rk)[kRoundKeyWords]) {
    constexpr HightDeltas kDeltas;
    const std::uint64_t halves[2] = {load_le<std::uint64_t>(key), load_le<std::uint64_t>(key + 8)};
    // SK[16 i + j] = MK[(j - i) mod 8 + (j & 8)] + delta[16 i + j].
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 8; ++i) {
      GPUCTR_UNROLL
      for (unsigned half = 0; half < 2; ++half) {
        const std::uint64_t moved = rotl_word(halves[half], 8 * i);
        store_le(rk + 16 * i + 8 * half, add_bytes(moved, kDeltas.words[2 * i + half]));
      }
    }
    for (unsigned i = 0; i < 8; ++i) rk[kWhitening + i] = key[(i + 12) % 16];
  }

  // Round key i is this byte of the key, plus delta[i] below kWhitening.
  GPUCTR_HD static constexpr unsigned key_byte(unsigned i) {
    return i < kWhitening ? ((i % 8 - i / 16) & 7) + (i & 8) : (i - kWhitening + 12) % 16;
  }

  // The same on words: expand() makes eight bytes of one key at a time.
  template <class K, class S>
  GPUCTR_INLINE static void expand_words(const K& key, const S& schedule) {
    for (unsigned i = 0; i < kWhitening; ++i) {
      const auto delta = static_cast<Word>(kHightDeltas<S>.words[i / 8] >> (8 * (i % 8)));
      schedule(i, key(key_byte(i)) + schedule.same(delta));
    }
    for (unsigned i = kWhitening; i < kRoundKeyWords; ++i) schedule(i, key(key_byte(i)));
  }

  template <class V>
  GPUCTR_HD static auto f0(const V& x) {
    return x.template rot_xor<1, 2, 7>();
  }
  template <class V>
  GPUCTR_HD static auto f1(const V& x) {
    return x.template rot_xor<3, 4, 6>();
  }

  // The standard's byte j of round i is x[(j - i) mod 8]: names move, bytes stay.
  template <unsigned Turn, class V, class K>
  GPUCTR_HD static void round(V (&x)[8], const K& rk, unsigned i) {
    constexpr unsigned b = 8 - Turn;
    x[(b + 1) & 7] = x[(b + 1) & 7] + (f1(x[b & 7]) ^ rk(4 * i));
    x[(b + 3) & 7] = x[(b + 3) & 7] ^ (f0(x[(b + 2) & 7]) + rk(4 * i + 1));
    x[(b + 5) & 7] = x[(b + 5) & 7] + (f1(x[(b + 4) & 7]) ^ rk(4 * i + 2));
    x[(b + 7) & 7] = x[(b + 7) & 7] ^ (f0(x[(b + 6) & 7]) + rk(4 * i + 3));
  }

  template <unsigned Turn, class V, class K>
  GPUCTR_HD static void unround(V (&x)[8], const K& rk, unsigned i) {
    constexpr unsigned b = 8 - Turn;
    x[(b + 1) & 7] = x[(b + 1) & 7] - (f1(x[b & 7]) ^ rk(4 * i));
    x[(b + 3) & 7] = x[(b + 3) & 7] ^ (f0(x[(b + 2) & 7]) + rk(4 * i + 1));
    x[(b + 5) & 7] = x[(b + 5) & 7] - (f1(x[(b + 4) & 7]) ^ rk(4 * i + 2));
    x[(b + 7) & 7] = x[(b + 7) & 7] ^ (f0(x[(b + 6) & 7]) + rk(4 * i + 3));
  }

  template <class V>
  GPUCTR_HD static void turn_left(V (&x)[8]) {
    const V first = x[0];
    for (unsigned j = 0; j < 7; ++j) x[j] = x[j + 1];
    x[7] = first;
  }
  template <class V>
  GPUCTR_HD static void turn_right(V (&x)[8]) {
    const V last = x[7];
    for (unsigned j = 7; j != 0; --j) x[j] = x[j - 1];
    x[0] = last;
  }

  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[8], const K& rk) {
    x[0] = x[0] + rk(kWhitening);
    x[2] = x[2] ^ rk(kWhitening + 1);
    x[4] = x[4] + rk(kWhitening + 2);
    x[6] = x[6] ^ rk(kWhitening + 3);
    GPUCTR_ROUNDS
    for (unsigned i = 0; i < kRounds; i += 8) {
      round<0>(x, rk, i);
      round<1>(x, rk, i + 1);
      round<2>(x, rk, i + 2);
      round<3>(x, rk, i + 3);
      round<4>(x, rk, i + 4);
      round<5>(x, rk, i + 5);
      round<6>(x, rk, i + 6);
      round<7>(x, rk, i + 7);
    }
    turn_left(x);  // the last round does not move the bytes
    x[0] = x[0] + rk(kWhitening + 4);
    x[2] = x[2] ^ rk(kWhitening + 5);
    x[4] = x[4] + rk(kWhitening + 6);
    x[6] = x[6] ^ rk(kWhitening + 7);
  }

  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[8], const K& rk) {
    x[0] = x[0] - rk(kWhitening + 4);
    x[2] = x[2] ^ rk(kWhitening + 5);
    x[4] = x[4] - rk(kWhitening + 6);
    x[6] = x[6] ^ rk(kWhitening + 7);
    turn_right(x);
    GPUCTR_ROUNDS
    for (unsigned i = kRounds; i != 0; i -= 8) {
      unround<7>(x, rk, i - 1);
      unround<6>(x, rk, i - 2);
      unround<5>(x, rk, i - 3);
      unround<4>(x, rk, i - 4);
      unround<3>(x, rk, i - 5);
      unround<2>(x, rk, i - 6);
      unround<1>(x, rk, i - 7);
      unround<0>(x, rk, i - 8);
    }
    x[0] = x[0] - rk(kWhitening);
    x[2] = x[2] ^ rk(kWhitening + 1);
    x[4] = x[4] - rk(kWhitening + 2);
    x[6] = x[6] ^ rk(kWhitening + 3);
  }
};

namespace folder {
using hight = CipherList<Hight>;
}

}  // namespace gpuctr

#endif
