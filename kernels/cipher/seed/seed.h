// SEED (TTAS.KO-12.0004/R1, RFC 4269): 128-bit block and key, 16 rounds. Words of 32 bits are four
// bytes, the first the most significant.
#ifndef GPUCTR_KERNELS_CIPHER_SEED_SEED_H
#define GPUCTR_KERNELS_CIPHER_SEED_SEED_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/bit_sliced.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/seed/block_vector.h"
#include "kernels/cipher/seed/boxes.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

struct Seed {
  using Word = std::uint8_t;
  static constexpr unsigned kWords = 16;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr unsigned kRounds = 16;
  static constexpr unsigned kRoundKeyWords = 8 * kRounds;
  static constexpr const char* kName = "SEED";
  // The identifiers are from RFC 4269, section 3, and for ECB from KISA's arc. OpenSSL has these
  // modes only in its legacy provider.
  static constexpr ModeNames kModeNames[] = {{"ECB", "1.2.410.200004.1.3"},
                                             {"CBC", "SEED:1.2.410.200004.1.4"},
                                             {"CFB", "SEED-CFB128:1.2.410.200004.1.5"},
                                             {"OFB", "SEED-OFB128:1.2.410.200004.1.6"},
                                             // RFC 4010 2.4.
                                             {"WRAP",
                                              "id-npki-app-cmsSeed-wrap:"
                                              "1.2.410.200004.7.1.1.1"}};

  // Three sums and three layers of boxes in sequence are a long chain: measured on Zen 5, two
  // groups make 1.6 to 1.9 times the rate of one. A third group with GFNI and 16 registers made 1.2
  // times or 0.7 times that rate, depending on the addresses of code and data.
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.mode_names = kModeNames;
    f.boxes = true;
    f.block_vector = true;
    f.groups = {2, 2, 2};
  });

  // G of 2.2. In each byte two bits of every box are dropped: the masks m0 to m3.
  template <class V>
  GPUCTR_HD static void mix(V (&x)[4]) {
    const V y[4] = {x[3].template sub<SeedBox1>(), x[2].template sub<SeedBox2>(),
                    x[1].template sub<SeedBox1>(), x[0].template sub<SeedBox2>()};
    const V mask[4] = {V::constant(0xfc), V::constant(0xf3), V::constant(0xcf), V::constant(0x3f)};
    for (unsigned i = 0; i < 4; ++i) {
      x[3 - i] = (y[0] & mask[i]) ^ (y[1] & mask[(i + 1) % 4]) ^ (y[2] & mask[(i + 2) % 4]) ^
                 (y[3] & mask[(i + 3) % 4]);
    }
  }

  // left ^= F(right) of 2.1, with the round's eight key bytes from `at` on.
  template <class V, class K>
  GPUCTR_HD static void half_round(V* left, const V* right, const K& rk, unsigned at) {
    V c[4], t[4], u[4];
    for (unsigned i = 0; i < 4; ++i) {
      c[i] = right[i] ^ rk(at + i);
      t[i] = c[i] ^ right[4 + i] ^ rk(at + 4 + i);
    }
    mix(t);
    add_words<4>(t, c, u);
    mix(u);
    add_words<4>(t, u, t);
    mix(t);
    for (unsigned i = 0; i < 4; ++i) left[4 + i] = left[4 + i] ^ t[i];
    add_words<4>(t, u, u);
    for (unsigned i = 0; i < 4; ++i) left[i] = left[i] ^ u[i];
  }

  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[16], const K& rk) {
    GPUCTR_ROUNDS
    for (unsigned round = 0; round < kRounds; round += 2) {
      half_round(x, x + 8, rk, 8 * round);
      half_round(x + 8, x, rk, 8 * round + 8);
    }
    // The last round does not swap the halves.
    swap_halves(x);
  }

  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[16], const K& rk) {
    GPUCTR_ROUNDS
    for (unsigned round = kRounds; round != 0; round -= 2) {
      half_round(x, x + 8, rk, 8 * round - 8);
      half_round(x + 8, x, rk, 8 * round - 16);
    }
    swap_halves(x);
  }

  template <class R, class K>
  GPUCTR_INLINE static R encrypt_vector(R x, const K& keys) {
    return seed_vector::run<8>(x, keys, 0);
  }
  template <class R, class K>
  GPUCTR_INLINE static R decrypt_vector(R x, const K& keys) {
    return seed_vector::run<-8>(x, keys, 8 * kRounds - 8);
  }

  // The key schedule, 2.3. No key depends on another, so all boxes are looked up at once: bytes 0
  // and 2 of a word (from the right) in one array, 1 and 3 in the other.
  template <class Boxes = BitSlicedBoxes>
  GPUCTR_INLINE static void expand(const std::uint8_t (&key)[kKeyBytes],
                                   Word (&rk)[kRoundKeyWords]) {
    constexpr std::uint64_t kEven = 0x00ff00ff00ff00ff;
    Wiped<std::uint64_t[kRounds]> inputs;  // inputs of G, two for each round
    to_inputs(key, inputs.value);
    Wiped<std::uint64_t[2][kRounds / 2]> boxed;
    for (unsigned i = 0; i < kRounds / 2; ++i) {
      const std::uint64_t a = inputs.value[2 * i], b = inputs.value[2 * i + 1];
      boxed.value[0][i] = (a & kEven) | (b & kEven) << 8;
      boxed.value[1][i] = (a >> 8 & kEven) | (b & ~kEven);
    }
    Boxes::template sub_bytes<SeedBox1>(boxed.value[0]);
    Boxes::template sub_bytes<SeedBox2>(boxed.value[1]);
    for (unsigned i = 0; i < kRounds / 2; ++i) {
      const std::uint64_t first = boxed.value[0][i], second = boxed.value[1][i];
      store_mixed(rk + 16 * i, (first & kEven) | (second & kEven) << 8);
      store_mixed(rk + 16 * i + 8, (first >> 8 & kEven) | (second & ~kEven));
    }
  }
  GPUCTR_INLINE static void to_inputs(const std::uint8_t* key, std::uint64_t* inputs) {
    Wiped<std::uint64_t[2]> halves;
    std::uint64_t& ab = halves.value[0];
    std::uint64_t& cd = halves.value[1];
    ab = load_be<std::uint64_t>(key);
    cd = load_be<std::uint64_t>(key + 8);
    std::uint32_t constant = 0x9e3779b9;
    for (unsigned round = 0; round < kRounds; ++round) {
      const auto a = static_cast<std::uint32_t>(ab >> 32), b = static_cast<std::uint32_t>(ab);
      const auto c = static_cast<std::uint32_t>(cd >> 32), d = static_cast<std::uint32_t>(cd);
      inputs[round] = std::uint64_t{a + c - constant} << 32 | (b - d + constant);
      if (round % 2 == 0) {
        ab = rotl_word(ab, 56);
      } else {
        cd = rotl_word(cd, 8);
      }
      constant = rotl_word(constant, 1);
    }
  }
  // The rest of G after the boxes, whose bytes are y, for two words.
  GPUCTR_INLINE static void store_mixed(Word* rk, std::uint64_t y) {
    for (unsigned i = 0; i < 2; ++i) {
      const auto word = static_cast<std::uint32_t>(y >> (32 - 32 * i));
      store_be(rk + 4 * i, (word & 0xcffccffc) ^ (rotl_word(word, 24) & 0x3ff33ff3) ^
                               (rotl_word(word, 16) & 0xfccffccf) ^
                               (rotl_word(word, 8) & 0xf33ff33f));
    }
  }

  // The same on words, which are bytes.
  template <class V, class S>
  GPUCTR_INLINE static void add_constant(V (&x)[4], std::uint32_t c, const S& schedule) {
    V constant[4];
    for (unsigned i = 0; i < 4; ++i) {
      constant[i] = schedule.same(static_cast<Word>(c >> (24 - 8 * i)));
    }
    add_words<4>(x, constant, x);
  }
  template <class K, class S>
  GPUCTR_INLINE static void expand_words(const K& key, const S& schedule) {
    using V = decltype(schedule.same(0));
    V ab[8], cd[8];
    for (unsigned i = 0; i < 8; ++i) {
      ab[i] = key(i);
      cd[i] = key(8 + i);
    }
    std::uint32_t constant = 0x9e3779b9;
    for (unsigned round = 0; round < kRounds; ++round) {
      V first[4], second[4];
      add_words<4>(ab, cd, first);
      add_constant(first, 0 - constant, schedule);
      for (unsigned i = 0; i < 4; ++i) second[i] = cd[4 + i] ^ schedule.same(0xff);
      add_words<4>(ab + 4, second, second);  // - d is the complement of d, plus 1
      add_constant(second, constant + 1, schedule);
      mix(first);
      mix(second);
      for (unsigned i = 0; i < 4; ++i) {
        schedule(8 * round + i, first[i]);
        schedule(8 * round + 4 + i, second[i]);
      }
      rotate_bytes(round % 2 == 0 ? ab : cd, round % 2 == 0 ? 7 : 1);
      constant = rotl_word(constant, 1);
    }
  }
  // To the left by `by` bytes.
  template <class V>
  GPUCTR_INLINE static void rotate_bytes(V* x, unsigned by) {
    V moved[8];
    for (unsigned i = 0; i < 8; ++i) moved[i] = x[(i + by) % 8];
    for (unsigned i = 0; i < 8; ++i) x[i] = moved[i];
  }
};

namespace folder {
using seed = CipherList<Seed>;
}

}  // namespace gpuctr

#endif
