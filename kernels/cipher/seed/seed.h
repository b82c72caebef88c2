// SEED (TTAS.KO-12.0004/R1, RFC 4269): 128-bit block and key, 16 rounds. Words of 32 bits are four
// bytes, the first the most significant.
#ifndef GPUCTR_KERNELS_CIPHER_SEED_SEED_H
#define GPUCTR_KERNELS_CIPHER_SEED_SEED_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/box.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

// sum = a + b, numbers of N words, the most significant first. The compiler removes the unused last
// carry.
template <unsigned N, class V>
GPUCTR_INLINE void add_words(const V* a, const V* b, V* sum) {
  typename V::Carry carry = {};
  for (unsigned i = N; i-- != 0;) sum[i] = V::add(a[i], b[i], &carry);
}

// The S-boxes (RFC 4269 2.2, appendix A).
inline constexpr std::uint8_t kSeedTables[2][256] = {
    {
        0xa9, 0x85, 0xd6, 0xd3, 0x54, 0x1d, 0xac, 0x25, 0x5d, 0x43, 0x18, 0x1e, 0x51, 0xfc, 0xca,
        0x63, 0x28, 0x44, 0x20, 0x9d, 0xe0, 0xe2, 0xc8, 0x17, 0xa5, 0x8f, 0x03, 0x7b, 0xbb, 0x13,
        0xd2, 0xee, 0x70, 0x8c, 0x3f, 0xa8, 0x32, 0xdd, 0xf6, 0x74, 0xec, 0x95, 0x0b, 0x57, 0x5c,
        0x5b, 0xbd, 0x01, 0x24, 0x1c, 0x73, 0x98, 0x10, 0xcc, 0xf2, 0xd9, 0x2c, 0xe7, 0x72, 0x83,
        0x9b, 0xd1, 0x86, 0xc9, 0x60, 0x50, 0xa3, 0xeb, 0x0d, 0xb6, 0x9e, 0x4f, 0xb7, 0x5a, 0xc6,
        0x78, 0xa6, 0x12, 0xaf, 0xd5, 0x61, 0xc3, 0xb4, 0x41, 0x52, 0x7d, 0x8d, 0x08, 0x1f, 0x99,
        0x00, 0x19, 0x04, 0x53, 0xf7, 0xe1, 0xfd, 0x76, 0x2f, 0x27, 0xb0, 0x8b, 0x0e, 0xab, 0xa2,
        0x6e, 0x93, 0x4d, 0x69, 0x7c, 0x09, 0x0a, 0xbf, 0xef, 0xf3, 0xc5, 0x87, 0x14, 0xfe, 0x64,
        0xde, 0x2e, 0x4b, 0x1a, 0x06, 0x21, 0x6b, 0x66, 0x02, 0xf5, 0x92, 0x8a, 0x0c, 0xb3, 0x7e,
        0xd0, 0x7a, 0x47, 0x96, 0xe5, 0x26, 0x80, 0xad, 0xdf, 0xa1, 0x30, 0x37, 0xae, 0x36, 0x15,
        0x22, 0x38, 0xf4, 0xa7, 0x45, 0x4c, 0x81, 0xe9, 0x84, 0x97, 0x35, 0xcb, 0xce, 0x3c, 0x71,
        0x11, 0xc7, 0x89, 0x75, 0xfb, 0xda, 0xf8, 0x94, 0x59, 0x82, 0xc4, 0xff, 0x49, 0x39, 0x67,
        0xc0, 0xcf, 0xd7, 0xb8, 0x0f, 0x8e, 0x42, 0x23, 0x91, 0x6c, 0xdb, 0xa4, 0x34, 0xf1, 0x48,
        0xc2, 0x6f, 0x3d, 0x2d, 0x40, 0xbe, 0x3e, 0xbc, 0xc1, 0xaa, 0xba, 0x4e, 0x55, 0x3b, 0xdc,
        0x68, 0x7f, 0x9c, 0xd8, 0x4a, 0x56, 0x77, 0xa0, 0xed, 0x46, 0xb5, 0x2b, 0x65, 0xfa, 0xe3,
        0xb9, 0xb1, 0x9f, 0x5e, 0xf9, 0xe6, 0xb2, 0x31, 0xea, 0x6d, 0x5f, 0xe4, 0xf0, 0xcd, 0x88,
        0x16, 0x3a, 0x58, 0xd4, 0x62, 0x29, 0x07, 0x33, 0xe8, 0x1b, 0x05, 0x79, 0x90, 0x6a, 0x2a,
        0x9a,
    },
    {
        0x38, 0xe8, 0x2d, 0xa6, 0xcf, 0xde, 0xb3, 0xb8, 0xaf, 0x60, 0x55, 0xc7, 0x44, 0x6f, 0x6b,
        0x5b, 0xc3, 0x62, 0x33, 0xb5, 0x29, 0xa0, 0xe2, 0xa7, 0xd3, 0x91, 0x11, 0x06, 0x1c, 0xbc,
        0x36, 0x4b, 0xef, 0x88, 0x6c, 0xa8, 0x17, 0xc4, 0x16, 0xf4, 0xc2, 0x45, 0xe1, 0xd6, 0x3f,
        0x3d, 0x8e, 0x98, 0x28, 0x4e, 0xf6, 0x3e, 0xa5, 0xf9, 0x0d, 0xdf, 0xd8, 0x2b, 0x66, 0x7a,
        0x27, 0x2f, 0xf1, 0x72, 0x42, 0xd4, 0x41, 0xc0, 0x73, 0x67, 0xac, 0x8b, 0xf7, 0xad, 0x80,
        0x1f, 0xca, 0x2c, 0xaa, 0x34, 0xd2, 0x0b, 0xee, 0xe9, 0x5d, 0x94, 0x18, 0xf8, 0x57, 0xae,
        0x08, 0xc5, 0x13, 0xcd, 0x86, 0xb9, 0xff, 0x7d, 0xc1, 0x31, 0xf5, 0x8a, 0x6a, 0xb1, 0xd1,
        0x20, 0xd7, 0x02, 0x22, 0x04, 0x68, 0x71, 0x07, 0xdb, 0x9d, 0x99, 0x61, 0xbe, 0xe6, 0x59,
        0xdd, 0x51, 0x90, 0xdc, 0x9a, 0xa3, 0xab, 0xd0, 0x81, 0x0f, 0x47, 0x1a, 0xe3, 0xec, 0x8d,
        0xbf, 0x96, 0x7b, 0x5c, 0xa2, 0xa1, 0x63, 0x23, 0x4d, 0xc8, 0x9e, 0x9c, 0x3a, 0x0c, 0x2e,
        0xba, 0x6e, 0x9f, 0x5a, 0xf2, 0x92, 0xf3, 0x49, 0x78, 0xcc, 0x15, 0xfb, 0x70, 0x75, 0x7f,
        0x35, 0x10, 0x03, 0x64, 0x6d, 0xc6, 0x74, 0xd5, 0xb4, 0xea, 0x09, 0x76, 0x19, 0xfe, 0x40,
        0x12, 0xe0, 0xbd, 0x05, 0xfa, 0x01, 0xf0, 0x2a, 0x5e, 0xa9, 0x56, 0x43, 0x85, 0x14, 0x89,
        0x9b, 0xb0, 0xe5, 0x48, 0x79, 0x97, 0xfc, 0x1e, 0x82, 0x21, 0x8c, 0x1b, 0x5f, 0x77, 0x54,
        0xb2, 0x1d, 0x25, 0x4f, 0x00, 0x46, 0xed, 0x58, 0x52, 0xeb, 0x7e, 0xda, 0xc9, 0xfd, 0x30,
        0x95, 0x65, 0x3c, 0xb6, 0xe4, 0xbb, 0x7c, 0x0e, 0x50, 0x39, 0x26, 0x32, 0x84, 0x69, 0x93,
        0x37, 0xe7, 0x24, 0xa4, 0xcb, 0x53, 0x0a, 0x87, 0xd9, 0x4c, 0x83, 0x8f, 0xce, 0x3b, 0x4a,
        0xb7,
    }};

// The boxes are affine maps of the powers x^247 and x^251, which are linear maps of 1 / x.
template <unsigned Number>
struct SeedTable {
  static constexpr unsigned kPolynomial = 0x163;
  static constexpr Affine kBefore = kIdentity;
  static constexpr std::uint8_t at(unsigned x) { return kSeedTables[Number][x]; }
};
using SeedBox1 = Box<SeedTable<0>>;
using SeedBox2 = Box<SeedTable<1>>;

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

  // The key schedule, 2.3. No key depends on another, so all boxes are looked up at once: bytes 0
  // and 2 of a word (from the right) in one array, 1 and 3 in the other.
  template <class Boxes = BitSlicedBoxes>
  GPUCTR_HD static void expand(const std::uint8_t (&key)[kKeyBytes], Word (&rk)[kRoundKeyWords]) {
    constexpr std::uint64_t kEven = 0x00ff00ff00ff00ff;
    Wiped<std::uint64_t[kRounds]> inputs;  // inputs of G, two for each round
    to_inputs(key, inputs.value);
    Wiped<std::uint64_t[2][kRounds / 2]> boxed;
    GPUCTR_DEVICE_UNROLL
    for (unsigned i = 0; i < kRounds / 2; ++i) {
      const std::uint64_t a = inputs.value[2 * i], b = inputs.value[2 * i + 1];
      boxed.value[0][i] = (a & kEven) | (b & kEven) << 8;
      boxed.value[1][i] = (a >> 8 & kEven) | (b & ~kEven);
    }
    Boxes::template sub_bytes<SeedBox1>(boxed.value[0]);
    Boxes::template sub_bytes<SeedBox2>(boxed.value[1]);
    GPUCTR_DEVICE_UNROLL
    for (unsigned i = 0; i < kRounds / 2; ++i) {
      const std::uint64_t first = boxed.value[0][i], second = boxed.value[1][i];
      store_mixed(rk + 16 * i, (first & kEven) | (second & kEven) << 8);
      store_mixed(rk + 16 * i + 8, (first >> 8 & kEven) | (second & ~kEven));
    }
  }
  GPUCTR_HD static void to_inputs(const std::uint8_t* key, std::uint64_t* inputs) {
    Wiped<std::uint64_t[2]> halves;
    std::uint64_t& ab = halves.value[0];
    std::uint64_t& cd = halves.value[1];
    ab = load_be<std::uint64_t>(key);
    cd = load_be<std::uint64_t>(key + 8);
    std::uint32_t constant = 0x9e3779b9;
    GPUCTR_DEVICE_UNROLL
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
  GPUCTR_HD static void store_mixed(Word* rk, std::uint64_t y) {
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
