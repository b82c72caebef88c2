// ARIA (KS X 1213, RFC 5794): 128-bit block of sixteen bytes, keys of 128, 192 and 256 bits.
#ifndef GPUCTR_KERNELS_CIPHER_ARIA_ARIA_H
#define GPUCTR_KERNELS_CIPHER_ARIA_ARIA_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/box.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/key_words.h"

namespace gpuctr {

// The second S-box and its inverse (RFC 5794 2.4.2); the first S-box is AES's.
// S2(x) = B x^247 + 0xe2 in AES's field (D. Kwon et al., New Block Cipher: ARIA, ICISC 2003).
struct AriaBox2Stated {
  static constexpr unsigned kPolynomial = 0x11b;
  static constexpr Affine kBefore = kIdentity;
  static constexpr Affine kB = {matrix_of_rows({"01011110", "00111101", "11010111", "10011101",  //
                                                "00101100", "10000001", "01011101", "11010011"}),
                                0xe2};
  static constexpr std::uint8_t at(unsigned x) { return kB(field::power(x, 247)); }
};
using AriaBox2 = Box<AriaBox2Stated>;
using AriaInverseBox2 = InverseBox<AriaBox2>;

// The rounds, for every key size.
struct AriaRounds {
  using Word = std::uint8_t;
  static constexpr unsigned kWords = 16;
  static constexpr unsigned kRoundsAt = 16 * 17;  // after the longest schedule
  static constexpr unsigned kRoundKeyWords = kRoundsAt + 1;
  // decryption_keys: GCC 12 keeps most of the state in memory if a key is added after the boxes.
  // With 16 registers ECB decryption by decrypt() took 1.25 times the time of encryption.
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.boxes = true;
    f.box_layers = true;
    f.block_vector = true;
    f.decryption_keys = true;
    f.affine_frame = 2816;
  });

  template <class K>
  GPUCTR_HD static unsigned box_layers(const K& rk) {
    return rk.stored(kRoundsAt);
  }

  // SL1 and SL2 of 2.4.2; each is the inverse of the other.
  template <unsigned Layer, class V>
  GPUCTR_HD static void substitute(V (&x)[16]) {
    constexpr unsigned kTurn = Layer == 1 ? 0 : 2;
    for (unsigned i = 0; i < 16; i += 4) {
      V& a = x[i + kTurn];
      V& b = x[i + kTurn + 1];
      V& c = x[i + (kTurn + 2) % 4];
      V& d = x[i + (kTurn + 3) % 4];
      a = a.template sub<AesBox>();
      b = b.template sub<AriaBox2>();
      c = c.template sub<AesInverseBox>();
      d = d.template sub<AriaInverseBox2>();
    }
  }

  // A of 2.4.3. Each byte of the result is the sum of seven bytes: one of four sums s, of four
  // bytes each, plus another set of four bytes, minus the byte that both contain.
  template <class V>
  GPUCTR_HD static void diffuse(V (&x)[16]) {
    const V s0 = x[3] ^ x[6] ^ x[8] ^ x[13];
    const V s1 = x[1] ^ x[4] ^ x[10] ^ x[15];
    const V s2 = x[2] ^ x[7] ^ x[9] ^ x[12];
    const V s3 = x[0] ^ x[5] ^ x[11] ^ x[14];
    add_others(x[3], x[4], x[9], x[14], s0, s1, s2, s3);
    add_others(x[2], x[5], x[8], x[15], s2, s3, s0, s1);
    add_others(x[1], x[6], x[11], x[12], s1, s0, s3, s2);
    add_others(x[0], x[7], x[10], x[13], s3, s2, s1, s0);
    const V y0 = x[3], y1 = x[2], y2 = x[1], y3 = x[0];
    const V y4 = x[5], y5 = x[4], y6 = x[7], y7 = x[6];
    const V y8 = x[10], y9 = x[11], y10 = x[8], y11 = x[9];
    const V y12 = x[12], y13 = x[13], y14 = x[14], y15 = x[15];
    x[0] = y0, x[1] = y1, x[2] = y2, x[3] = y3, x[4] = y4, x[5] = y5, x[6] = y6, x[7] = y7;
    x[8] = y8, x[9] = y9, x[10] = y10, x[11] = y11, x[12] = y12, x[13] = y13, x[14] = y14;
    x[15] = y15;
  }
  // Each of four bytes becomes the sum of the other three and of one more byte.
  template <class V>
  GPUCTR_HD static void add_others(V& a, V& b, V& c, V& d, const V& to_a, const V& to_b,
                                   const V& to_c, const V& to_d) {
    const V first = a ^ b, second = c ^ d, old_a = a, old_c = c;
    a = b ^ second ^ to_a;
    b = old_a ^ second ^ to_b;
    c = d ^ first ^ to_c;
    d = old_c ^ first ^ to_d;
  }

  template <class V, class K>
  GPUCTR_HD static void add_key(V (&x)[16], const K& rk, unsigned round) {
    const auto keys = keys_from(rk, 16 * round);
    for (unsigned i = 0; i < 16; ++i) x[i] = x[i] ^ keys(i);
  }

  // The rounds from an odd round on, in the order of encryption and in the order of decryption.
  template <class V, class K>
  GPUCTR_HD static void rounds_from(V (&x)[16], const K& rk, unsigned round) {
    const unsigned rounds = rk.stored(kRoundsAt);
    GPUCTR_ROUNDS
    for (; round + 1 < rounds; round += 2) {
      substitute<1>(x);
      diffuse(x);
      add_key(x, rk, round);
      substitute<2>(x);
      diffuse(x);
      add_key(x, rk, round + 1);
    }
    substitute<1>(x);
    diffuse(x);
    add_key(x, rk, rounds - 1);
    substitute<2>(x);
    add_key(x, rk, rounds);
  }
  template <class V, class K>
  GPUCTR_HD static void rounds_down_from(V (&x)[16], const K& rk, unsigned round) {
    GPUCTR_ROUNDS
    for (; round != 0; round -= 2) {
      diffuse(x);
      substitute<2>(x);
      add_key(x, rk, round);
      diffuse(x);
      substitute<1>(x);
      add_key(x, rk, round - 1);
    }
    diffuse(x);
    substitute<2>(x);
    add_key(x, rk, 0);
  }

  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[16], const K& rk) {
    add_key(x, rk, 0);
    rounds_from(x, rk, 1);
  }
  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[16], const K& rk) {
    const unsigned rounds = rk.stored(kRoundsAt);
    add_key(x, rk, rounds);
    substitute<1>(x);
    add_key(x, rk, rounds - 1);
    rounds_down_from(x, rk, rounds - 2);
  }
};

// A block of the key schedule, 2.2, as single bytes. block_vector.h has it in one vector.
template <class Boxes, bool = Boxes::kHasBlockVector>
struct AriaKeyBlock;
template <class Boxes>
struct AriaKeyBlock<Boxes, false> {
  struct Byte {
    std::uint8_t v;
    GPUCTR_INLINE friend Byte operator^(Byte a, Byte b) {
      return {static_cast<std::uint8_t>(a.v ^ b.v)};
    }
  };
  Byte x[16];

  GPUCTR_INLINE void load(const std::uint8_t* p) {
    for (unsigned i = 0; i < 16; ++i) x[i].v = p[i];
  }
  // Becomes FO (Layer 1) or FE (2) of 2.4.1 of `in` and `constant`, XORed with `with`.
  template <unsigned Layer>
  GPUCTR_INLINE void function(const AriaKeyBlock& in, const std::uint8_t (&constant)[16],
                              const AriaKeyBlock& with) {
    constexpr unsigned kTurn = Layer == 1 ? 0 : 2;
    for (unsigned i = 0; i < 16; ++i) x[i] = in.x[i] ^ Byte { constant[i] };
    sub_every_fourth<AesBox>(x + kTurn);
    sub_every_fourth<AriaBox2>(x + kTurn + 1);
    sub_every_fourth<AesInverseBox>(x + (kTurn + 2) % 4);
    sub_every_fourth<AriaInverseBox2>(x + (kTurn + 3) % 4);
    AriaRounds::diffuse(x);
    for (unsigned i = 0; i < 16; ++i) x[i] = x[i] ^ with.x[i];
  }
  // Writes a ^ (b rotated to the right by `by` bits); 64 does not divide `by`.
  GPUCTR_INLINE static void rotate_xor(const AriaKeyBlock& a, const AriaKeyBlock& b, unsigned by,
                                       std::uint8_t* out) {
    const std::uint64_t high = b.half(by / 64), low = b.half(1 - by / 64);
    by %= 64;
    store_be(out, a.half(0) ^ (high >> by | low << (64 - by)));
    store_be(out + 8, a.half(1) ^ (low >> by | high << (64 - by)));
  }

 private:
  GPUCTR_INLINE std::uint64_t half(unsigned i) const { return load_be<std::uint64_t>(&x[8 * i].v); }
  template <class Box>
  GPUCTR_INLINE static void sub_every_fourth(Byte* x) {
    std::uint64_t bytes = 0;
    for (unsigned i = 0; i < 4; ++i) bytes |= std::uint64_t{x[4 * i].v} << (8 * i);
    bytes = Boxes::template sub_bytes<Box>(bytes);
    for (unsigned i = 0; i < 4; ++i) x[4 * i].v = static_cast<std::uint8_t>(bytes >> (8 * i));
  }
};

template <unsigned KeyBits>
struct Aria : AriaRounds {
  static_assert(KeyBits == 128 || KeyBits == 192 || KeyBits == 256, "ARIA's key sizes");
  using Core = AriaRounds;
  static constexpr std::size_t kKeyBytes = KeyBits / 8;
  static constexpr unsigned kRounds = KeyBits / 32 + 8;
  static constexpr const char* kName = KeyBits == 128   ? "ARIA-128"
                                       : KeyBits == 192 ? "ARIA-192"
                                                        : "ARIA-256";
  // RFC 5794, appendix B.
  static constexpr ModeNames kModeNames[] = {
      {"ECB", KeyBits == 128   ? "1.2.410.200046.1.1.1"
              : KeyBits == 192 ? "1.2.410.200046.1.1.6"
                               : "1.2.410.200046.1.1.11"},
      {"CBC", KeyBits == 128   ? "ARIA128:1.2.410.200046.1.1.2"
              : KeyBits == 192 ? "ARIA192:1.2.410.200046.1.1.7"
                               : "ARIA256:1.2.410.200046.1.1.12"},
      {"CFB", KeyBits == 128   ? "1.2.410.200046.1.1.3"
              : KeyBits == 192 ? "1.2.410.200046.1.1.8"
                               : "1.2.410.200046.1.1.13"},
      {"OFB", KeyBits == 128   ? "1.2.410.200046.1.1.4"
              : KeyBits == 192 ? "1.2.410.200046.1.1.9"
                               : "1.2.410.200046.1.1.14"},
      {"CTR", KeyBits == 128   ? "1.2.410.200046.1.1.5"
              : KeyBits == 192 ? "1.2.410.200046.1.1.10"
                               : "1.2.410.200046.1.1.15"},
      {"GCM", KeyBits == 128   ? "1.2.410.200046.1.1.34"
              : KeyBits == 192 ? "1.2.410.200046.1.1.35"
                               : "1.2.410.200046.1.1.36"},
      {"CCM", KeyBits == 128   ? "1.2.410.200046.1.1.37"
              : KeyBits == 192 ? "1.2.410.200046.1.1.38"
                               : "1.2.410.200046.1.1.39"},
      // RFC 5794 appendix B.
      {"WRAP", KeyBits == 128   ? "id-aria128-kw:1.2.410.200046.1.1.40"
               : KeyBits == 192 ? "id-aria192-kw:1.2.410.200046.1.1.41"
                                : "id-aria256-kw:1.2.410.200046.1.1.42"},
      {"WRAP-PAD", KeyBits == 128   ? "id-aria128-kwp:1.2.410.200046.1.1.43"
                   : KeyBits == 192 ? "id-aria192-kwp:1.2.410.200046.1.1.44"
                                    : "id-aria256-kwp:1.2.410.200046.1.1.45"}};
  static constexpr CipherFacts kFacts = facts(
      [](CipherFacts& f) {
        f.shares_rounds = true;
        f.in_openssl = true;
        f.mode_names = kModeNames;
      },
      AriaRounds::kFacts);

  // The key schedule, 2.2.
  static constexpr std::uint8_t kConstants[3][16] = {
      // CK1, CK2, CK3 of 2.2
      {0x51, 0x7c, 0xc1, 0xb7, 0x27, 0x22, 0x0a, 0x94, 0xfe, 0x13, 0xab, 0xe8, 0xfa, 0x9a, 0x6e,
       0xe0},
      {0x6d, 0xb1, 0x4a, 0xcc, 0x9e, 0x21, 0xc8, 0x20, 0xff, 0x28, 0xb1, 0xd5, 0xef, 0x5d, 0xe2,
       0xb0},
      {0xdb, 0x92, 0x37, 0x1d, 0x21, 0x26, 0xe9, 0x70, 0x03, 0x24, 0x97, 0x75, 0x04, 0xe8, 0xc9,
       0x0e}};
  template <class Boxes = BitSlicedBoxes>
  GPUCTR_INLINE static void expand(const std::uint8_t (&key)[kKeyBytes],
                                   Word (&rk)[kRoundKeyWords]) {
    constexpr unsigned kFirst = (KeyBits - 128) / 64;  // the key size rotates their order
    constexpr unsigned kRotations[5] = {19, 31, 128 - 61, 128 - 31, 128 - 19};
    Wiped<std::uint8_t[16]> rest;  // of the key, with zeros
    for (unsigned i = 0; i < 16; ++i) rest.value[i] = 16 + i < kKeyBytes ? key[16 + i] : 0;
    Wiped<AriaKeyBlock<Boxes>[5]> blocks;
    AriaKeyBlock<Boxes>(&w)[5] = blocks.value;  // W0 to W3 and KR
    w[0].load(key);
    w[4].load(rest.value);
    w[1].template function<1>(w[0], kConstants[kFirst % 3], w[4]);
    w[2].template function<2>(w[1], kConstants[(kFirst + 1) % 3], w[0]);
    w[3].template function<1>(w[2], kConstants[(kFirst + 2) % 3], w[1]);
    rk[kRoundsAt] = kRounds;
    GPUCTR_UNROLL
    for (unsigned i = 0; i <= kRounds; ++i) {
      // In each group of four, the fourth rotates W0 and XORs it onto W3.
      w[0].rotate_xor(w[i % 4], w[(i + 1) % 4], kRotations[i / 4], rk + 16 * i);
    }
  }

  // The same on words.
  template <unsigned Layer, class V, class S>
  GPUCTR_INLINE static void function_words(const V* in, unsigned c, const V* with,
                                           const S& schedule, V* out) {
    V x[16];
    for (unsigned i = 0; i < 16; ++i) x[i] = in[i] ^ schedule.same(kConstants[c % 3][i]);
    AriaRounds::substitute<Layer>(x);
    AriaRounds::diffuse(x);
    for (unsigned i = 0; i < 16; ++i) out[i] = x[i] ^ with[i];
  }
  template <unsigned Right, class V, class S>
  GPUCTR_INLINE static void put_words(const V* a, const V* b, unsigned at, const S& schedule) {
    for (unsigned j = 0; j < 16; ++j) schedule(at + j, a[j] ^ rotated_byte<128 - Right>(b, j));
  }
  template <class K, class S>
  GPUCTR_INLINE static void expand_words(const K& key, const S& schedule) {
    constexpr unsigned kFirst = (KeyBits - 128) / 64;
    using V = decltype(schedule.same(0));
    V w[4][16], right[16];
    for (unsigned i = 0; i < 16; ++i) w[0][i] = key(i);
    for (unsigned i = 0; i < 16; ++i) {
      right[i] = i + 16 < kKeyBytes ? V(key((i + 16) % kKeyBytes)) : schedule.same(0);
    }
    function_words<1>(w[0], kFirst, right, schedule, w[1]);
    function_words<2>(w[1], kFirst + 1, w[0], schedule, w[2]);
    function_words<1>(w[2], kFirst + 2, w[1], schedule, w[3]);
    for (unsigned i = 0; i < 4; ++i) {
      const V *const a = w[i], *const b = w[(i + 1) % 4];
      put_words<19>(a, b, 16 * i, schedule);
      put_words<31>(a, b, 16 * i + 64, schedule);
      put_words<128 - 61>(a, b, 16 * i + 128, schedule);
      if (i + 12 <= kRounds) put_words<128 - 31>(a, b, 16 * i + 192, schedule);
      if (i + 16 <= kRounds) put_words<128 - 19>(a, b, 16 * i + 256, schedule);
    }
    schedule(kRoundsAt, schedule.same(kRounds));
  }
};

namespace folder {
using aria = CipherList<Aria<128>, Aria<192>, Aria<256>>;
}

}  // namespace gpuctr

#endif
