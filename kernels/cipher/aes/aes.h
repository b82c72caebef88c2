// AES (FIPS 197): 128-bit block of sixteen bytes, keys of 128, 192 and 256 bits. Byte 4 c + r is
// row r of column c.
#ifndef GPUCTR_KERNELS_CIPHER_AES_AES_H
#define GPUCTR_KERNELS_CIPHER_AES_AES_H

#include "kernels/cipher/box.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

// The rounds, for every key size.
struct AesRounds {
  using Word = std::uint8_t;
  static constexpr unsigned kWords = 16;
  static constexpr unsigned kRoundsAt = 16 * 15;  // after the longest schedule
  static constexpr unsigned kRoundKeyWords = kRoundsAt + 1;
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.boxes = true;
    f.aes_rounds = true;
  });

  template <class V, class K>
  GPUCTR_HD static void add_round_key(V (&x)[16], const K& rk, unsigned round) {
    for (unsigned i = 0; i < 16; ++i) x[i] = x[i] ^ rk(16 * round + i);
  }

  // SubBytes and ShiftRows: row r moves r columns to the left.
  template <class V>
  GPUCTR_HD static void sub_shift(V (&x)[16]) {
    V y[16];
    for (unsigned i = 0; i < 16; ++i) y[i] = x[(i + 4 * (i % 4)) % 16].template sub<AesBox>();
    for (unsigned i = 0; i < 16; ++i) x[i] = y[i];
  }
  template <class V>
  GPUCTR_HD static void unsub_unshift(V (&x)[16]) {
    V y[16];
    for (unsigned i = 0; i < 16; ++i) {
      y[i] = x[(i + 12 * (i % 4)) % 16].template sub<AesInverseBox>();
    }
    for (unsigned i = 0; i < 16; ++i) x[i] = y[i];
  }

  // 5.1.3: each byte becomes 2 a + 3 b + c + d = a + (a + b + c + d) + 2 (a + b), where a is the
  // byte and b, c, d are the bytes below it.
  template <class V>
  GPUCTR_HD static void mix_column(V* a) {
    const V first = a[0];
    const V sum = a[0] ^ a[1] ^ a[2] ^ a[3];
    for (unsigned r = 0; r < 4; ++r) {
      const V pair = a[r] ^ (r == 3 ? first : a[r + 1]);
      a[r] = a[r] ^ sum ^ pair.template linear<Times<2>>();
    }
  }
  // 5.3.3: the inverse's factors 14, 11, 13, 9 are 2, 3, 1, 1 times 5, 0, 4, 0.
  template <class V>
  GPUCTR_HD static void unmix_column(V* a) {
    const V even = (a[0] ^ a[2]).template linear<Times<4>>();
    const V odd = (a[1] ^ a[3]).template linear<Times<4>>();
    for (unsigned r = 0; r < 4; ++r) a[r] = a[r] ^ (r % 2 == 0 ? even : odd);
    mix_column(a);
  }

  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[16], const K& rk) {
    const unsigned rounds = rk.stored(kRoundsAt);
    add_round_key(x, rk, 0);
    GPUCTR_ROUNDS
    for (unsigned round = 1; round < rounds; ++round) {
      sub_shift(x);
      for (unsigned c = 0; c < 4; ++c) mix_column(x + 4 * c);
      add_round_key(x, rk, round);
    }
    sub_shift(x);
    add_round_key(x, rk, rounds);
  }

  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[16], const K& rk) {
    const unsigned rounds = rk.stored(kRoundsAt);
    add_round_key(x, rk, rounds);
    GPUCTR_ROUNDS
    for (unsigned round = rounds - 1; round != 0; --round) {
      unsub_unshift(x);
      add_round_key(x, rk, round);
      for (unsigned c = 0; c < 4; ++c) unmix_column(x + 4 * c);
    }
    unsub_unshift(x);
    add_round_key(x, rk, 0);
  }
};

template <unsigned KeyBits>
struct Aes : AesRounds {
  static_assert(KeyBits == 128 || KeyBits == 192 || KeyBits == 256, "AES's key sizes");
  using Core = AesRounds;
  static constexpr std::size_t kKeyBytes = KeyBits / 8;
  static constexpr unsigned kRounds = KeyBits / 32 + 6;
  static constexpr const char* kName = KeyBits == 128   ? "AES-128"
                                       : KeyBits == 192 ? "AES-192"
                                                        : "AES-256";
  // NIST's Computer Security Objects Register: aes, 2.16.840.1.101.3.4.1.
  static constexpr ModeNames kModeNames[11] = {
      // nvcc needs the number
      {"ECB", KeyBits == 128   ? "2.16.840.1.101.3.4.1.1"
              : KeyBits == 192 ? "2.16.840.1.101.3.4.1.21"
                               : "2.16.840.1.101.3.4.1.41"},
      {"CBC", KeyBits == 128   ? "AES128:2.16.840.1.101.3.4.1.2"
              : KeyBits == 192 ? "AES192:2.16.840.1.101.3.4.1.22"
                               : "AES256:2.16.840.1.101.3.4.1.42"},
      {"OFB", KeyBits == 128   ? "2.16.840.1.101.3.4.1.3"
              : KeyBits == 192 ? "2.16.840.1.101.3.4.1.23"
                               : "2.16.840.1.101.3.4.1.43"},
      {"CFB", KeyBits == 128   ? "2.16.840.1.101.3.4.1.4"
              : KeyBits == 192 ? "2.16.840.1.101.3.4.1.24"
                               : "2.16.840.1.101.3.4.1.44"},
      {"GCM", KeyBits == 128   ? "id-aes128-GCM:2.16.840.1.101.3.4.1.6"
              : KeyBits == 192 ? "id-aes192-GCM:2.16.840.1.101.3.4.1.26"
                               : "id-aes256-GCM:2.16.840.1.101.3.4.1.46"},
      {"CCM", KeyBits == 128   ? "id-aes128-CCM:2.16.840.1.101.3.4.1.7"
              : KeyBits == 192 ? "id-aes192-CCM:2.16.840.1.101.3.4.1.27"
                               : "id-aes256-CCM:2.16.840.1.101.3.4.1.47"},
      {"WRAP", KeyBits == 128   ? "id-aes128-wrap:AES128-WRAP:2.16.840.1.101.3.4.1.5"
               : KeyBits == 192 ? "id-aes192-wrap:AES192-WRAP:2.16.840.1.101.3.4.1.25"
                                : "id-aes256-wrap:AES256-WRAP:2.16.840.1.101.3.4.1.45"},
      {"WRAP-PAD", KeyBits == 128   ? "id-aes128-wrap-pad:AES128-WRAP-PAD:2.16.840.1.101.3.4.1.8"
                   : KeyBits == 192 ? "id-aes192-wrap-pad:AES192-WRAP-PAD:2.16.840.1.101.3.4.1.28"
                                    : "id-aes256-wrap-pad:AES256-WRAP-PAD:2.16.840.1.101.3.4.1.48"},
      {"WRAP-INV", KeyBits == 128   ? "AES128-WRAP-INV"
                   : KeyBits == 192 ? "AES192-WRAP-INV"
                                    : "AES256-WRAP-INV"},
      {"WRAP-PAD-INV", KeyBits == 128   ? "AES128-WRAP-PAD-INV"
                       : KeyBits == 192 ? "AES192-WRAP-PAD-INV"
                                        : "AES256-WRAP-PAD-INV"},
      // IEEE 1619, 1.3.111.2.1619.0.1. The mode takes no keys of 192 bits.
      {"XTS", KeyBits == 128 ? "1.3.111.2.1619.0.1.1" : "1.3.111.2.1619.0.1.2"}};
  static constexpr CipherFacts kFacts = facts(
      [](CipherFacts& f) {
        f.shares_rounds = true;
        f.in_openssl = true;
        f.mode_names = kModeNames;
      },
      AesRounds::kFacts);

  // 5.2, on words of four bytes with byte 0 lowest. The last kKeyWords words stay in registers,
  // because each word depends on the word before it.
  template <class Boxes = BitSlicedBoxes>
  GPUCTR_HD static void expand(const std::uint8_t (&key)[kKeyBytes], Word (&rk)[kRoundKeyWords]) {
    constexpr unsigned kKeyWords = KeyBits / 32;
    constexpr unsigned kAll = 4 * (kRounds + 1);
    unsigned round_constant = 1;
    state_rounds(rk + kRoundsAt, kRounds);
    std::uint32_t w[kKeyWords];
    GPUCTR_UNROLL
    for (unsigned j = 0; j < kKeyWords; ++j) {
      w[j] = load_le<std::uint32_t>(key + 4 * j);
      store_le(rk + 4 * j, w[j]);
    }
    GPUCTR_KEEP_LOOP
    for (unsigned i = kKeyWords; i < kAll; i += kKeyWords) {
      w[0] ^= sub_word<Boxes>(rotl_word(w[kKeyWords - 1], 24)) ^ round_constant;
      round_constant = field::times(round_constant, 2);
      store_le(rk + 4 * i, w[0]);
      GPUCTR_UNROLL
      for (unsigned j = 1; j < kKeyWords; ++j) {
        if (j == 4 && i + j == kAll) break;  // for longer keys the last words are not round keys
        w[j] ^= kKeyWords > 6 && j == 4 ? sub_word<Boxes>(w[j - 1]) : w[j - 1];
        store_le(rk + 4 * (i + j), w[j]);
      }
    }
  }
  template <class Boxes>
  GPUCTR_HD static std::uint32_t sub_word(std::uint32_t x) {
    return static_cast<std::uint32_t>(Boxes::template sub_bytes<AesBox>(x));
  }
};

namespace folder {
using aes = CipherList<Aes<128>, Aes<192>, Aes<256>>;
}

}  // namespace gpuctr

#endif
