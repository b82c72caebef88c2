// RC2 (RFC 2268): 64-bit block of four little-endian words of 16 bits, keys of 1 to 128 bytes with
// 1 to 1024 effective bits, 18 rounds. OpenSSL has three ciphers, which differ in the usual length
// of a key and its usual effective bits.
//
// Two of the rounds add a word of the key that data selects. Here every such step reads all 64
// words, so that no address depends on data: RC2 is constant time on every backend.
#ifndef GPUCTR_KERNELS_CIPHER_RC2_H
#define GPUCTR_KERNELS_CIPHER_RC2_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/rc2/pi_table.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

template <class T>
GPUCTR_HD PlainWord<T> operator&(PlainWord<T> a, PlainWord<T> b) {
  return {static_cast<T>(a.v & b.v)};
}

struct Rc2Rounds {
  using Word = std::uint16_t;
  static constexpr unsigned kWords = 4;
  static constexpr unsigned kRounds = 18;
  static constexpr unsigned kKeyWords = 64;
  // Three selectors for each eighth of the key's words, after these words.
  static constexpr unsigned kSelectorsAt = kKeyWords;
  static constexpr unsigned kEighths = 8;
  static constexpr unsigned kRoundKeyWords = kKeyWords + 3 * kEighths;
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.legacy = true;
    f.least_key_bytes = 1;
    f.most_key_bytes = 128;
    f.groups = {1, 1, 2};
  });

  // b if `bits` is all ones, a if it is zero.
  template <class V>
  GPUCTR_HD static V chosen(const V& bits, const V& a, const V& b) {
    return a ^ (bits & (a ^ b));
  }

  // The key's word number at mod 64. `mask`: each of the six low bits of `at`, as 0 or all ones.
  template <class V, class K>
  GPUCTR_HD static V key_word(const V& at, const K& rk) {
    const V one = V::constant(1), none = V::constant(0);
    const V mask[6] = {none - (at & one),
                       none - (at.template rotl<15>() & one),
                       none - (at.template rotl<14>() & one),
                       none - (at.template rotl<13>() & one),
                       none - (at.template rotl<12>() & one),
                       none - (at.template rotl<11>() & one)};
    V found = none;
    GPUCTR_ROUNDS
    for (unsigned i = 0; i < kEighths; ++i) {
      const unsigned w = 8 * i, s = kSelectorsAt + 3 * i;
      const V a =
          chosen(mask[1], chosen(mask[0], rk(w), rk(w + 1)), chosen(mask[0], rk(w + 2), rk(w + 3)));
      const V b = chosen(mask[1], chosen(mask[0], rk(w + 4), rk(w + 5)),
                         chosen(mask[0], rk(w + 6), rk(w + 7)));
      const V here = (mask[3] ^ rk(s)) & (mask[4] ^ rk(s + 1)) & (mask[5] ^ rk(s + 2));
      found = found ^ (here & chosen(mask[2], a, b));
    }
    return found;
  }

  // Section 3.1: what a mixing round adds to word i besides the key.
  template <unsigned I, class V>
  GPUCTR_HD static V mixed(const V (&x)[4]) {
    return chosen(x[(I + 3) % 4], x[(I + 1) % 4], x[(I + 2) % 4]);
  }

  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[4], const K& rk) {
    GPUCTR_ROUNDS
    for (unsigned j = 0; j < kKeyWords; j += 4) {
      x[0] = (x[0] + rk(j) + mixed<0>(x)).template rotl<1>();
      x[1] = (x[1] + rk(j + 1) + mixed<1>(x)).template rotl<2>();
      x[2] = (x[2] + rk(j + 2) + mixed<2>(x)).template rotl<3>();
      x[3] = (x[3] + rk(j + 3) + mixed<3>(x)).template rotl<5>();
      if (j != 16 && j != 40) continue;  // after five mixing rounds, and after six more
      x[0] = x[0] + key_word(x[3], rk);
      x[1] = x[1] + key_word(x[0], rk);
      x[2] = x[2] + key_word(x[1], rk);
      x[3] = x[3] + key_word(x[2], rk);
    }
  }
  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[4], const K& rk) {
    GPUCTR_ROUNDS
    for (unsigned j = kKeyWords; j != 0; j -= 4) {
      x[3] = x[3].template rotl<11>() - rk(j - 1) - mixed<3>(x);
      x[2] = x[2].template rotl<13>() - rk(j - 2) - mixed<2>(x);
      x[1] = x[1].template rotl<14>() - rk(j - 3) - mixed<1>(x);
      x[0] = x[0].template rotl<15>() - rk(j - 4) - mixed<0>(x);
      if (j != 24 && j != 48) continue;
      x[3] = x[3] - key_word(x[2], rk);
      x[2] = x[2] - key_word(x[1], rk);
      x[1] = x[1] - key_word(x[0], rk);
      x[0] = x[0] - key_word(x[3], rk);
    }
  }

  // Looks a byte up in PITABLE by reading all of it, eight entries at a time.
  struct WholeTable {
    struct Eights {
      std::uint64_t of[32] = {};
      constexpr Eights() {
        for (unsigned i = 256; i-- != 0;) of[i / 8] = of[i / 8] << 8 | kRc2Pi[i];
      }
    };
    static constexpr std::uint8_t at(unsigned index) {
      constexpr Eights kEights;
      constexpr std::uint64_t kOnes = 0x0101010101010101, kLow = 0x7f * kOnes;
      std::uint64_t found = 0, numbers = 0x0706050403020100;
      GPUCTR_ROUNDS
      for (unsigned i = 0; i < 32; ++i, numbers += 8 * kOnes) {
        const std::uint64_t other = numbers ^ (index * kOnes);
        const std::uint64_t same = ~((((other & kLow) + kLow) | other) >> 7) & kOnes;
        found |= kEights.of[i] & (same * 0xff);
      }
      found |= found >> 32;
      found |= found >> 16;
      return static_cast<std::uint8_t>(found | found >> 8);
    }
  };

  // Section 2. `bits`: the effective key bits, T1.
  template <class Table>
  static void expand_by(const std::uint8_t* key, std::size_t bytes, unsigned bits,
                        Word (&rk)[kRoundKeyWords]) {
    Wiped<std::uint8_t[128]> wiped;
    std::uint8_t(&l)[128] = wiped.value;
    for (unsigned i = 0; i < 128; ++i) {
      l[i] = i < bytes ? key[i] : Table::at((l[i - 1] + l[i - bytes]) & 0xff);
    }
    const unsigned t8 = (bits + 7) / 8;
    l[128 - t8] = Table::at(l[128 - t8] & (0xff >> (8 * t8 - bits)));
    for (unsigned i = 128 - t8; i-- != 0;) l[i] = Table::at(l[i + 1] ^ l[i + t8]);
    for (unsigned i = 0; i < kKeyWords; ++i) {
      rk[i] = static_cast<Word>(l[2 * i] | l[2 * i + 1] << 8);
    }
    for (unsigned i = 0; i < 3 * kEighths; ++i) {
      rk[kSelectorsAt + i] = static_cast<Word>((i / 3 >> i % 3 & 1) - 1);
    }
  }
};

template <unsigned KeyBits>
struct Rc2 : Rc2Rounds {
  using Core = Rc2Rounds;
  static constexpr std::size_t kKeyBytes = KeyBits / 8;
  static constexpr unsigned kEffectiveBits = KeyBits;
  static constexpr const char* kName = KeyBits == 40 ? "RC2-40" : KeyBits == 64 ? "RC2-64" : "RC2";
  static constexpr ModeNames kModeNames[] = {{"CBC", KeyBits == 40   ? "RC2-40"
                                                     : KeyBits == 64 ? "RC2-64"
                                                                     : "RC2:RC2-128:"
                                                                       "1.2.840.113549.3.2"}};
  static constexpr CipherFacts kFacts = facts(
      [](CipherFacts& f) {
        f.mode_names = kModeNames;
        f.shares_rounds = true;
      },
      Rc2Rounds::kFacts);

  static void expand(const std::uint8_t* key, std::size_t bytes, unsigned bits,
                     Word (&rk)[kRoundKeyWords]) {
    expand_by<WholeTable>(key, bytes, bits, rk);
  }
  static void expand(const std::uint8_t* key, std::size_t bytes, Word (&rk)[kRoundKeyWords]) {
    expand(key, bytes, kEffectiveBits, rk);
  }
};

namespace folder {
using rc2 = CipherList<Rc2<128>, Rc2<64>, Rc2<40>>;
}

}  // namespace gpuctr

#endif
