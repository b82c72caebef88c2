// IDEA (X. Lai, On the Design and Security of Block Ciphers, 1992; the names are those of ISO/IEC
// 9979/0002): 64-bit block of four big-endian words of 16 bits, 128-bit key, 8 rounds and a half.
#ifndef GPUCTR_KERNELS_CIPHER_IDEA_H
#define GPUCTR_KERNELS_CIPHER_IDEA_H

#include "kernels/cipher/facts.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

// Without a branch: 2^16 is -1, so the product is its low half minus its high half, plus 1 if that
// is below 0. The halves are equal only if a factor is 0, which stands for -1.
template <>
struct PlainProduct<std::uint16_t> {
  GPUCTR_HD static PlainWord<std::uint16_t> of(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t both = x * y, low = both & 0xffff, high = both >> 16;
    const std::uint32_t below = (low - high) >> 31;
    const std::uint32_t zero = ((low ^ high) - 1) >> 31;
    return {static_cast<std::uint16_t>(low - high + below + zero - ((0 - zero) & (x + y)))};
  }
};

struct Idea {
  using Word = std::uint16_t;
  static constexpr unsigned kWords = 4;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr unsigned kRounds = 8;
  static constexpr unsigned kSubkeys = 6 * kRounds + 4;
  static constexpr unsigned kRoundKeyWords = 2 * kSubkeys;  // the decryption subkeys come second
  static constexpr const char* kName = "IDEA";
  // The identifier is from the registration of Ascom, who owned the cipher, as in OpenSSL's list of
  // objects.
  static constexpr ModeNames kModeNames[] = {
      {"CBC", "IDEA:1.3.6.1.4.1.188.7.1.1.2"}, {"CFB", "IDEA-CFB64"}, {"OFB", "IDEA-OFB64"}};
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.mode_names = kModeNames;
    f.legacy = true;
    f.big_endian = true;
    f.rotations = false;
    f.scalar_blocks = 4;
  });

  // 1 / x modulo 2^16 + 1, where 0 stands for 2^16: x to the power of 2^16 - 1, for every x.
  static Word inverse(Word x) {
    PlainWord<Word> power = {x};
    for (unsigned i = 0; i < 15; ++i) power = power.product(power).product({x});
    return power.v;
  }

  GPUCTR_INLINE static void expand(const std::uint8_t (&key)[kKeyBytes],
                                   Word (&rk)[kRoundKeyWords]) {
    for (unsigned i = 0; i < 8; ++i) rk[i] = load_be<Word>(key + 2 * i);
    // The next eight words are the key rotated to the left by 25 bits.
    for (unsigned i = 8; i < kSubkeys; ++i) {
      const Word* const before = rk + (i & ~7u) - 8;
      rk[i] = static_cast<Word>(before[(i + 1) % 8] << 9 | before[(i + 2) % 8] >> 7);
    }
    // Decryption is encryption with the inverse subkeys, those of the last round first. The middle
    // words of a block are swapped in all rounds except the last half round.
    Word* const back = rk + kSubkeys;
    for (unsigned r = 0; r <= kRounds; ++r) {
      const Word* const from = rk + 6 * (kRounds - r);
      const bool is_end = r == 0 || r == kRounds;
      back[6 * r] = inverse(from[0]);
      back[6 * r + 1] = static_cast<Word>(0 - from[is_end ? 1 : 2]);
      back[6 * r + 2] = static_cast<Word>(0 - from[is_end ? 2 : 1]);
      back[6 * r + 3] = inverse(from[3]);
      if (r == kRounds) break;
      back[6 * r + 4] = from[-2];
      back[6 * r + 5] = from[-1];
    }
  }

  // Uses the subkeys from number `first` on.
  template <class V, class K>
  GPUCTR_HD static void run(V (&x)[4], const K& rk, unsigned first) {
    GPUCTR_ROUNDS
    for (unsigned i = first; i < first + 6 * kRounds; i += 6) {
      const V a = x[0].product(rk(i));
      const V b = x[1] + rk(i + 1);
      const V c = x[2] + rk(i + 2);
      const V d = x[3].product(rk(i + 3));
      const V s = (a ^ c).product(rk(i + 4));
      const V t = (s + (b ^ d)).product(rk(i + 5));
      const V u = s + t;
      x[0] = a ^ t;
      x[1] = c ^ t;
      x[2] = b ^ u;
      x[3] = d ^ u;
    }
    const unsigned i = first + 6 * kRounds;
    const V c = x[1];
    x[0] = x[0].product(rk(i));
    x[1] = x[2] + rk(i + 1);
    x[2] = c + rk(i + 2);
    x[3] = x[3].product(rk(i + 3));
  }

  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[4], const K& rk) {
    run(x, rk, 0);
  }
  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[4], const K& rk) {
    run(x, rk, kSubkeys);
  }
};

namespace folder {
using idea = CipherList<Idea>;
}

}  // namespace gpuctr

#endif
