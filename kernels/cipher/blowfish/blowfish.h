// Blowfish (B. Schneier, Fast Software Encryption 1993); OpenSSL's name is BF. 64-bit block of two
// big-endian words, keys of 32 to 448 bits, 16 rounds. Its S-boxes, 4 KB of round keys, are made
// from the key. A CPU without VPERMI2B looks them up in memory: there Blowfish is not constant
// time.
#ifndef GPUCTR_KERNELS_CIPHER_BLOWFISH_H
#define GPUCTR_KERNELS_CIPHER_BLOWFISH_H

#include "kernels/cipher/blowfish/boxes.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/interleaved.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

struct Blowfish {
  using Word = std::uint32_t;
  static constexpr unsigned kWords = 2;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr unsigned kRounds = 16;
  static constexpr unsigned kBoxesAt = kRounds + 2;  // after P
  static constexpr unsigned kRoundKeyWords = kBoxesAt + 4 * 256;
  static constexpr const char* kName = "BF";
  static constexpr ModeNames kModeNames[] = {{"CBC", "BF:BLOWFISH:1.3.6.1.4.1.3029.1.2"}};
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.mode_names = kModeNames;
    f.legacy = true;
    f.big_endian = true;
    f.least_key_bytes = 4;
    f.most_key_bytes = 56;
    f.tables = true;
  });

  // P is XORed with the key's bytes, repeated as often as needed. Then each pair of words of P and
  // of the boxes is the encryption of the pair before it. `work` encrypts with the current P and
  // boxes.
  template <class Work>
  GPUCTR_INLINE static void expand_by(const Work& work, const std::uint8_t* key, std::size_t bytes,
                                      Word* rk) {
    std::size_t at = 0;
    for (unsigned i = 0; i < kRoundKeyWords; ++i) {
      rk[i] = kPi[i];
      if (i >= kBoxesAt) continue;
      Word word = 0;
      for (unsigned b = 0; b < 4; ++b, at = at + 1 == bytes ? 0 : at + 1)
        word = word << 8 | key[at];
      rk[i] ^= word;
    }
    work.begin();
    Word left = 0, right = 0;
    for (unsigned i = 0; i < kRoundKeyWords; i += 2) {
      work.encrypt(left, right);
      rk[i] = left;
      rk[i + 1] = right;
      if (i < kBoxesAt) continue;
      const unsigned entry = i - kBoxesAt;
      work.changed(entry / 256, entry % 256, left);
      work.changed(entry / 256, entry % 256 + 1, right);
    }
  }
  struct PlainWork {
    const Word* rk;
    void begin() const {}
    void changed(unsigned, unsigned, Word) const {}
    void encrypt(Word& left, Word& right) const {
      Interleaved<Word, 1> x[2] = {{{left}}, {{right}}};
      Blowfish::encrypt(x, InterleavedKeys<Word, 1>{rk});
      left = x[0].v[0];
      right = x[1].v[0];
    }
  };
  static void expand(const std::uint8_t* key, std::size_t bytes, Word (&rk)[kRoundKeyWords]) {
    expand_by(PlainWork{rk}, key, bytes, rk);
  }

  GPUCTR_INLINE static const Word* table(const Word* rk, unsigned i) {
    return rk + kBoxesAt + 256 * i;
  }

  template <class V, class K>
  GPUCTR_INLINE static void round(V& to, const V& from, const K& rk, unsigned i) {
    const auto& at = from.bytes();
    const V a = at.template entry<3>(rk.template table<Blowfish>(0));
    const V b = at.template entry<2>(rk.template table<Blowfish>(1));
    const V c = at.template entry<1>(rk.template table<Blowfish>(2));
    const V d = at.template entry<0>(rk.template table<Blowfish>(3));
    to = (to ^ rk(i)).early() ^ (((a + b) ^ c) + d);
  }

  template <class V, class K>
  GPUCTR_INLINE static void encrypt(V (&x)[2], const K& rk) {
    x[0] = x[0] ^ rk(0);
    GPUCTR_ROUNDS
    for (unsigned i = 1; i <= kRounds; i += 2) {
      round(x[1], x[0], rk, i);
      round(x[0], x[1], rk, i + 1);
    }
    const V left = x[1] ^ rk(kRounds + 1);
    x[1] = x[0];
    x[0] = left;
  }
  template <class V, class K>
  GPUCTR_INLINE static void decrypt(V (&x)[2], const K& rk) {
    x[0] = x[0] ^ rk(kRounds + 1);
    GPUCTR_ROUNDS
    for (unsigned i = kRounds; i != 0; i -= 2) {
      round(x[1], x[0], rk, i);
      round(x[0], x[1], rk, i - 1);
    }
    const V left = x[1] ^ rk(0);
    x[1] = x[0];
    x[0] = left;
  }
};

namespace folder {
using blowfish = CipherList<Blowfish>;
}

}  // namespace gpuctr

#endif
