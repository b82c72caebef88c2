// DES, and Triple DES with three and with two keys (FIPS 46-3; SP 800-67 keying options 1 and 2):
// 64-bit block, keys of 8, 24 and 16 bytes, 16 and 48 rounds. Parity bits are ignored, and weak
// keys are accepted.
//
// All are bit-sliced: a variable has one bit of each of many blocks, so permutations cost nothing
// and there are no table look-ups. kernels/cpu/simd/bitsliced.h transposes the blocks.
#ifndef GPUCTR_KERNELS_CIPHER_DES_H
#define GPUCTR_KERNELS_CIPHER_DES_H

#include <iterator>
#include <utility>

#include "kernels/base/wipe.h"
#include "kernels/cipher/des/boxes.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

// The sixteen rounds. A round key is 48 bytes; each byte is one bit of the standard's round key, as
// 0 or all ones.
struct DesRounds {
  static constexpr unsigned kKeyBits = 48;

  // The place of bit n, from 0, of the left half after the initial permutation. Its bit in the
  // block is 57 - 8 (n mod 8) + 2 (n / 8), most significant first; for the right half the bit
  // before that. Plane 8 i + j is bit j of byte i, least significant first.
  GPUCTR_HD static constexpr unsigned place(unsigned n) {
    return 8 * (7 - n % 8) + 6 - 2 * (n / 8);
  }
  static constexpr unsigned kRight = 1;  // from a plane of the left half to that of the right half

  // The standard's P: bit n of f is bit kP[n] - 1 of the boxes' output.
  static constexpr std::uint8_t kP[32] = {16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23,
                                          26, 5, 18, 31, 10, 2,  8,  24, 14, 32, 27,
                                          3,  9, 19, 13, 30, 6,  22, 11, 4,  25};
  static constexpr unsigned after_p(unsigned bit) {
    unsigned n = 0;
    while (kP[n] != bit + 1) ++n;
    return n;
  }

  template <class Box, class V, std::size_t... I>
  GPUCTR_HD static void gates(V* wires, std::index_sequence<I...>) {
    ((wires[6 + I] = V::template logic3<Box::kGates[I].map>(
          wires[Box::kGates[I].a], wires[Box::kGates[I].b], wires[Box::kGates[I].c])),
     ...);
  }

  // Box number B of f(from, key), XORed onto `to`.
  template <class Box, unsigned B, class V, class K>
  GPUCTR_HD static void box(V* to, const V* from, const K& rk, unsigned key) {
    constexpr std::size_t kCount = std::size(Box::kGates);
    V wires[6 + kCount];
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 6; ++i) {
      wires[i] = from[place((4 * B + i + 31) % 32)] ^ rk(key + 6 * B + i);
    }
    gates<Box>(wires, std::make_index_sequence<kCount>{});
    add<Box, B>(to, wires, std::make_index_sequence<4>{});
  }
  template <class Box, unsigned B, class V, std::size_t... I>
  GPUCTR_HD static void add(V* to, const V* wires, std::index_sequence<I...>) {
    ((to[place(after_p(4 * B + I))] = to[place(after_p(4 * B + I))] ^ wires[Box::kOut[I]]), ...);
  }

  // to ^= f(from, key)
  template <class V, class K>
  GPUCTR_HD static void round(V* to, const V* from, const K& rk, unsigned key) {
    box<DesBox1, 0>(to, from, rk, key);
    box<DesBox2, 1>(to, from, rk, key);
    box<DesBox3, 2>(to, from, rk, key);
    box<DesBox4, 3>(to, from, rk, key);
    box<DesBox5, 4>(to, from, rk, key);
    box<DesBox6, 5>(to, from, rk, key);
    box<DesBox7, 6>(to, from, rk, key);
    box<DesBox8, 7>(to, from, rk, key);
  }

  // Round keys one after another from the first on, or back from the last.
  template <bool Forward, class V, class K>
  GPUCTR_HD static void sixteen(V* left, V* right, const K& rk) {
    GPUCTR_ROUNDS
    for (unsigned i = 0; i < 16; i += 2) {
      round(left, right, rk, kKeyBits * (Forward ? i : 15 - i));
      round(right, left, rk, kKeyBits * (Forward ? i + 1 : 14 - i));
    }
  }
};

// Passes: DES and its inverse alternate; each pass has its own key.
template <unsigned Passes>
struct DesOf {
  using Word = std::uint8_t;
  using BitSliced = DesRounds;
  static constexpr unsigned kWords = 8;
  static constexpr unsigned kPasses = Passes;
  static constexpr std::size_t kKeyBytes = 8 * Passes;
  static constexpr unsigned kRounds = 16 * Passes;
  static constexpr unsigned kPassBytes = 16 * DesRounds::kKeyBits;
  static constexpr unsigned kRoundKeyWords = Passes * kPassBytes;
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.legacy = true;
    f.bit_sliced = true;
  });

  // PC-1 and PC-2. PC-1: the key bits of the halves C and D. PC-2: the bits of C and D in a round
  // key. All numbers start at 1.
  static constexpr std::uint8_t kPc1[56] = {57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18,
                                            10, 2,  59, 51, 43, 35, 27, 19, 11, 3,  60, 52, 44, 36,
                                            63, 55, 47, 39, 31, 23, 15, 7,  62, 54, 46, 38, 30, 22,
                                            14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4};
  static constexpr std::uint8_t kPc2[48] = {14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10,
                                            23, 19, 12, 4,  26, 8,  16, 7,  27, 20, 13, 2,
                                            41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48,
                                            44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};

  // By how much C and D are rotated before the round key of round r is taken.
  static constexpr unsigned rotation(unsigned r) { return r < 2 || r == 8 || r == 15 ? 1 : 2; }
  // Where the round key of round r is stored in its pass. The second pass is the inverse.
  static constexpr unsigned stored_round(unsigned pass, unsigned r) {
    return pass == 1 ? 15 - r : r;
  }

  // For each bit of the sixteen round keys, its bit in the key, from 0.
  struct Sources {
    std::uint8_t bit[kPassBytes];
  };
  static constexpr Sources sources() {
    Sources s = {};
    unsigned shift = 0;
    for (unsigned r = 0; r < 16; ++r) {
      shift += rotation(r);
      for (unsigned i = 0; i < DesRounds::kKeyBits; ++i) {
        const unsigned from = kPc2[i] - 1u;
        const unsigned half = from < 28 ? 0 : 28;
        s.bit[DesRounds::kKeyBits * r + i] =
            static_cast<std::uint8_t>(kPc1[half + (from - half + shift) % 28] - 1);
      }
    }
    return s;
  }
  static constexpr Sources kSources = sources();

  // With fewer keys than passes the first ones come again.
  template <std::size_t N>
  GPUCTR_INLINE static void expand(const std::uint8_t (&key)[N], Word (&rk)[kRoundKeyWords]) {
    Word bits[64];
    for (unsigned pass = 0; pass < Passes; ++pass) {
      for (unsigned i = 0; i < 64; ++i) {
        bits[i] = static_cast<Word>(0 - (key[(8 * pass + i / 8) % N] >> (7 - i % 8) & 1));
      }
      for (unsigned r = 0; r < 16; ++r) {
        Word* const to = rk + pass * kPassBytes + DesRounds::kKeyBits * stored_round(pass, r);
        const std::uint8_t* const from = kSources.bit + DesRounds::kKeyBits * r;
        for (unsigned i = 0; i < DesRounds::kKeyBits; ++i) to[i] = bits[from[i]];
      }
    }
    wipe(bits, sizeof bits);
  }
};

struct Des : DesOf<1> {
  static constexpr const char* kName = "DES";
  // The identifiers are OIW's, as in OpenSSL.
  static constexpr ModeNames kModeNames[] = {{"ECB", "1.3.14.3.2.6"},
                                             {"CBC", "DES:1.3.14.3.2.7"},
                                             {"OFB", "1.3.14.3.2.8"},
                                             {"CFB", "1.3.14.3.2.9"}};
  static constexpr CipherFacts kFacts =
      facts([](CipherFacts& f) { f.mode_names = kModeNames; }, DesOf::kFacts);
};
struct DesEde3 : DesOf<3> {
  static constexpr const char* kName = "DES-EDE3";
  static constexpr ModeNames kModeNames[] = {{"ECB", "DES-EDE3"},
                                             {"CBC", "DES3:1.2.840.113549.3.7"},
                                             {"WRAP",
                                              "id-smime-alg-CMS3DESwrap:"
                                              "1.2.840.113549.1.9.16.3.6"}};
  static constexpr CipherFacts kFacts = facts(
      [](CipherFacts& f) {
        f.mode_names = kModeNames;
        f.strength_bits = 112;  // SP 800-57
        f.in_openssl = true;
      },
      DesOf::kFacts);
};
// The first key is the third key too.
struct DesEde : DesOf<3> {
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr const char* kName = "DES-EDE";
  static constexpr ModeNames kModeNames[] = {{"ECB", "DES-EDE:1.3.14.3.2.17"}};
  static constexpr CipherFacts kFacts = facts(
      [](CipherFacts& f) {
        f.mode_names = kModeNames;
        f.strength_bits = 80;  // SP 800-57
        f.in_openssl = true;
      },
      DesOf::kFacts);
};

namespace folder {
using des = CipherList<Des, DesEde3, DesEde>;
}

}  // namespace gpuctr

#endif
