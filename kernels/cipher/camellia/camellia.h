// Camellia (RFC 3713, ISO/IEC 18033-3): 128-bit block, keys of 128, 192 and 256 bits. Words of 64
// bits are eight bytes, the first the most significant.
#ifndef GPUCTR_KERNELS_CIPHER_CAMELLIA_CAMELLIA_H
#define GPUCTR_KERNELS_CIPHER_CAMELLIA_CAMELLIA_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/camellia/boxes.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/key_words.h"

namespace gpuctr {

// The rounds, for every key size: groups of six with a layer of FL and its inverse between them.
// The schedule has the keys in the order of encryption: kw1 kw2, then in turn k of six rounds and
// ke of a layer. kw3 kw4 take the place of the keys of a last layer.
struct CamelliaRounds {
  using Word = std::uint8_t;
  static constexpr unsigned kWords = 16;
  static constexpr unsigned kRoundsAt = 272;  // after the longest schedule
  static constexpr unsigned kRoundKeyWords = kRoundsAt + 1;
  static constexpr unsigned kGroupBytes = 64;  // keys of six rounds and a layer

  // `groups`: measured on Zen 5, two groups are 1.3 times faster at decryption with GFNI and few
  // registers.
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.boxes = true;
    f.block_vector = true;
    f.vector_chain = true;
    f.groups = {1, 2, 1};
  });

  // to ^= F(from) of 2.4.1, with the round's eight key bytes from `at` on. P adds five or six of
  // the boxes' bytes; three of the last four bytes are in two sums each.
  template <class V, class K>
  GPUCTR_HD static void half_round(V* to, const V* from, const K& rk, unsigned at) {
    V t[8];
    for (unsigned i = 0; i < 8; ++i) t[i] = from[i] ^ rk(at + i);
    t[0] = t[0].template sub<CamelliaBox1>();
    t[1] = t[1].template sub<CamelliaBox2>();
    t[2] = t[2].template sub<CamelliaBox3>();
    t[3] = t[3].template sub<CamelliaBox4>();
    t[4] = t[4].template sub<CamelliaBox2>();
    t[5] = t[5].template sub<CamelliaBox3>();
    t[6] = t[6].template sub<CamelliaBox4>();
    t[7] = t[7].template sub<CamelliaBox1>();
    for (unsigned i = 0; i < 4; ++i) {
      const V three = t[4 + (i + 1) % 4] ^ t[4 + (i + 2) % 4] ^ t[4 + (i + 3) % 4];
      to[4 + i] = to[4 + i] ^ three ^ (t[i] ^ t[(i + 1) % 4]);
      to[i] = to[i] ^ three ^ (t[i] ^ t[(i + 2) % 4] ^ t[(i + 3) % 4]);
    }
  }

  // FL of 2.4.2 on the left half, with the layer's first eight key bytes from `at` on.
  template <class V, class K>
  GPUCTR_HD static void layer(V* x, const K& rk, unsigned at) {
    add_rotated(x, rk, at);
    for (unsigned i = 0; i < 4; ++i) x[i] = x[i] ^ (x[4 + i] | rk(at + 4 + i));
  }
  // FL's inverse, 2.4.3.
  template <class V, class K>
  GPUCTR_HD static void inverse_layer(V* x, const K& rk, unsigned at) {
    for (unsigned i = 0; i < 4; ++i) x[i] = x[i] ^ (x[4 + i] | rk(at + 4 + i));
    add_rotated(x, rk, at);
  }
  template <class V, class K>
  GPUCTR_HD static void add_rotated(V* x, const K& rk, unsigned at) {
    V y[4];
    for (unsigned i = 0; i < 4; ++i) y[i] = x[i] & rk(at + i);
    for (unsigned i = 0; i < 4; ++i) x[4 + i] = x[4 + i] ^ y[i].shift_in(y[(i + 1) % 4]);
  }

  template <class V, class K>
  GPUCTR_HD static void add_key(V (&x)[16], const K& rk, unsigned at) {
    for (unsigned i = 0; i < 16; ++i) x[i] = x[i] ^ rk(at + i);
  }

  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[16], const K& rk) {
    const unsigned end = rk.stored(kRoundsAt) / 6 * kGroupBytes;
    add_key(x, rk, 0);
    GPUCTR_ROUNDS
    for (unsigned at = 16; at < end; at += kGroupBytes) {
      GPUCTR_ROUNDS
      for (unsigned round = at; round < at + 48; round += 16) {
        half_round(x + 8, x, rk, round);
        half_round(x, x + 8, rk, round + 8);
      }
      if (at + 48 != end) {
        layer(x, rk, at + 48);
        inverse_layer(x + 8, rk, at + 56);
      }
    }
    swap_halves(x);
    add_key(x, rk, end);
  }

  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[16], const K& rk) {
    const unsigned end = rk.stored(kRoundsAt) / 6 * kGroupBytes;
    add_key(x, rk, end);
    GPUCTR_ROUNDS
    for (unsigned at = end; at != 0; at -= kGroupBytes) {
      GPUCTR_ROUNDS
      for (unsigned round = at; round > at - 48; round -= 16) {
        half_round(x + 8, x, rk, round - 8);
        half_round(x, x + 8, rk, round - 16);
      }
      if (at != kGroupBytes) {
        layer(x, rk, at - 56);
        inverse_layer(x + 8, rk, at - 64);
      }
    }
    swap_halves(x);
    add_key(x, rk, 0);
  }
};

// A number of 128 bits, for the key schedule.
struct CamelliaWide {
  std::uint64_t high, low;
  GPUCTR_HD friend CamelliaWide operator^(CamelliaWide a, CamelliaWide b) {
    return {a.high ^ b.high, a.low ^ b.low};
  }
};

// The constants of 2.2.
GPUCTR_HD constexpr std::uint64_t camellia_sigma(unsigned i) {
  constexpr std::uint64_t kSigma[6] = {0xa09e667f3bcc908b, 0xb67ae8584caa73b2, 0xc6ef372fe94f82be,
                                       0x54ff53a5f1d36f1c, 0x10e527fade682d1d, 0xb05688c2b3e6c1fd};
  return kSigma[i];
}

// KA and KB of 2.2, on 64-bit numbers. block_vector.h has them in vectors.
template <class Boxes, bool = Boxes::kHasBlockVector>
struct CamelliaKeyRounds;
template <class Boxes>
struct CamelliaKeyRounds<Boxes, false> {
  GPUCTR_HD static CamelliaWide ka(CamelliaWide d, CamelliaWide kl) {
    return two_rounds(two_rounds(d, 0) ^ kl, 2);
  }
  GPUCTR_HD static CamelliaWide kb(CamelliaWide d) { return two_rounds(d, 4); }

 private:
  // With constant Sigma number `i` and the next one.
  GPUCTR_HD static CamelliaWide two_rounds(CamelliaWide d, unsigned i) {
    d.low ^= feistel(d.high ^ camellia_sigma(i));
    d.high ^= feistel(d.low ^ camellia_sigma(i + 1));
    return d;
  }
  // F; computes all boxes by SBOX1.
  GPUCTR_HD static std::uint64_t feistel(std::uint64_t x) {
    constexpr std::uint64_t kSecond = 0x00ff0000ff000000;  // the bytes that pass SBOX2
    constexpr std::uint64_t kThird = 0x0000ff0000ff0000, kFourth = 0x000000ff0000ff00;
    x = (x & ~kFourth) | (turned<1>(x) & kFourth);
    x = Boxes::template sub_bytes<CamelliaBox1>(x);
    x = (x & ~(kSecond | kThird)) | (turned<1>(x) & kSecond) | (turned<7>(x) & kThird);
    const auto left = static_cast<std::uint32_t>(x >> 32), right = static_cast<std::uint32_t>(x);
    const std::uint32_t three = rotl_word(right, 8) ^ rotl_word(right, 16) ^ rotl_word(right, 24);
    const std::uint32_t first = three ^ left ^ rotl_word(left, 16) ^ rotl_word(left, 24);
    return std::uint64_t{first} << 32 | (three ^ left ^ rotl_word(left, 8));
  }
  // Rotates each byte to the left.
  template <unsigned By>
  GPUCTR_HD static std::uint64_t turned(std::uint64_t x) {
    constexpr std::uint64_t kLow = 0x0101010101010101 * (0xff >> (8 - By));
    return (x << By & ~kLow) | (x >> (8 - By) & kLow);
  }
};

template <unsigned KeyBits>
struct Camellia : CamelliaRounds {
  static_assert(KeyBits == 128 || KeyBits == 192 || KeyBits == 256, "Camellia's key sizes");
  using Core = CamelliaRounds;
  static constexpr std::size_t kKeyBytes = KeyBits / 8;
  static constexpr unsigned kRounds = KeyBits == 128 ? 18 : 24;
  static constexpr const char* kName = KeyBits == 128   ? "CAMELLIA-128"
                                       : KeyBits == 192 ? "CAMELLIA-192"
                                                        : "CAMELLIA-256";
  // The identifiers are from RFC 3657 for CBC, and otherwise from NTT's arc, as in OpenSSL's
  // objects.txt.
  static constexpr ModeNames kModeNames[8] = {
      {"ECB", KeyBits == 128   ? "0.3.4401.5.3.1.9.1"
              : KeyBits == 192 ? "0.3.4401.5.3.1.9.21"
                               : "0.3.4401.5.3.1.9.41"},
      {"CBC", KeyBits == 128   ? "CAMELLIA128:1.2.392.200011.61.1.1.1.2"
              : KeyBits == 192 ? "CAMELLIA192:1.2.392.200011.61.1.1.1.3"
                               : "CAMELLIA256:1.2.392.200011.61.1.1.1.4"},
      {"OFB", KeyBits == 128   ? "0.3.4401.5.3.1.9.3"
              : KeyBits == 192 ? "0.3.4401.5.3.1.9.23"
                               : "0.3.4401.5.3.1.9.43"},
      {"CFB", KeyBits == 128   ? "0.3.4401.5.3.1.9.4"
              : KeyBits == 192 ? "0.3.4401.5.3.1.9.24"
                               : "0.3.4401.5.3.1.9.44"},
      {"CTR", KeyBits == 128   ? "0.3.4401.5.3.1.9.9"
              : KeyBits == 192 ? "0.3.4401.5.3.1.9.29"
                               : "0.3.4401.5.3.1.9.49"},
      {"GCM", KeyBits == 128   ? "0.3.4401.5.3.1.9.6"
              : KeyBits == 192 ? "0.3.4401.5.3.1.9.26"
                               : "0.3.4401.5.3.1.9.46"},
      {"CCM", KeyBits == 128   ? "0.3.4401.5.3.1.9.7"
              : KeyBits == 192 ? "0.3.4401.5.3.1.9.27"
                               : "0.3.4401.5.3.1.9.47"},
      // RFC 3657 3.2.
      {"WRAP", KeyBits == 128   ? "id-camellia128-wrap:1.2.392.200011.61.1.1.3.2"
               : KeyBits == 192 ? "id-camellia192-wrap:1.2.392.200011.61.1.1.3.3"
                                : "id-camellia256-wrap:1.2.392.200011.61.1.1.3.4"}};
  static constexpr CipherFacts kFacts = facts(
      [](CipherFacts& f) {
        f.shares_rounds = true;
        f.in_openssl = true;
        f.mode_names = kModeNames;
      },
      CamelliaRounds::kFacts);

  // Writes the high half of `of` rotated to the left by `by` bits.
  GPUCTR_HD static void put_high(const CamelliaWide& of, unsigned by, Word* out) {
    by %= 128;
    const std::uint64_t high = by < 64 ? of.high : of.low, low = by < 64 ? of.low : of.high;
    by %= 64;
    store_be(out, by == 0 ? high : high << by | low >> (64 - by));
  }

  template <class Boxes = BitSlicedBoxes>
  GPUCTR_HD static void expand(const std::uint8_t (&key)[kKeyBytes], Word (&rk)[kRoundKeyWords]) {
    Wiped<CamelliaWide[4]> made;
    CamelliaWide &kl = made.value[0], &kr = made.value[1], &ka = made.value[2], &kb = made.value[3];
    kl = {load_be<std::uint64_t>(key), load_be<std::uint64_t>(key + 8)};
    kr = {0, 0};
    if (KeyBits > 128) kr.high = load_be<std::uint64_t>(key + 16);
    if (KeyBits > 128)
      kr.low = KeyBits == 192 ? ~kr.high : load_be<std::uint64_t>(key + kKeyBytes - 8);
    ka = CamelliaKeyRounds<Boxes>::ka(kl ^ kr, kl);
    state_rounds(rk + kRoundsAt, kRounds);
    if (KeyBits == 128) {
      lay_out(kl, ka, ToBytes{rk});
    } else {
      kb = CamelliaKeyRounds<Boxes>::kb(ka ^ kr);
      lay_out(kl, kr, ka, kb, ToBytes{rk});
    }
  }

  // 2.2's tables of subkeys, two 64-bit subkeys at a time.
  template <unsigned By>
  struct Left {  // rotated to the left
    static constexpr unsigned kBits = By % 128;
  };
  template <class N, class P>
  GPUCTR_HD static void lay_out(const N& kl, const N& ka, const P& to) {
    to.both(kl, Left<0>{}, 0);
    to.both(ka, Left<0>{}, 16);
    to.both(kl, Left<15>{}, 32);
    to.both(ka, Left<15>{}, 48);
    to.both(ka, Left<30>{}, 64);
    to.both(kl, Left<45>{}, 80);
    to.high(ka, Left<45>{}, 96);
    to.high(kl, Left<60 + 64>{}, 104);
    to.both(ka, Left<60>{}, 112);
    to.both(kl, Left<77>{}, 128);
    to.both(kl, Left<94>{}, 144);
    to.both(ka, Left<94>{}, 160);
    to.both(kl, Left<111>{}, 176);
    to.both(ka, Left<111>{}, 192);
  }
  template <class N, class P>
  GPUCTR_HD static void lay_out(const N& kl, const N& kr, const N& ka, const N& kb, const P& to) {
    to.both(kl, Left<0>{}, 0);
    to.both(kb, Left<0>{}, 16);
    to.both(kr, Left<15>{}, 32);
    to.both(ka, Left<15>{}, 48);
    to.both(kr, Left<30>{}, 64);
    to.both(kb, Left<30>{}, 80);
    to.both(kl, Left<45>{}, 96);
    to.both(ka, Left<45>{}, 112);
    to.both(kl, Left<60>{}, 128);
    to.both(kr, Left<60>{}, 144);
    to.both(kb, Left<60>{}, 160);
    to.both(kl, Left<77>{}, 176);
    to.both(ka, Left<77>{}, 192);
    to.both(kr, Left<94>{}, 208);
    to.both(ka, Left<94>{}, 224);
    to.both(kl, Left<111>{}, 240);
    to.both(kb, Left<111>{}, 256);
  }
  struct ToBytes {
    Word* rk;
    template <class By>
    GPUCTR_HD void high(const CamelliaWide& of, By, unsigned at) const {
      put_high(of, By::kBits, rk + at);
    }
    template <class By>
    GPUCTR_HD void both(const CamelliaWide& of, By, unsigned at) const {
      put_high(of, By::kBits, rk + at);
      put_high(of, By::kBits + 64, rk + at + 8);
    }
  };

  // The same on words, which are bytes.
  template <class V>
  struct WideWords {
    V bytes[16];
  };
  template <class S>
  struct ToWords {
    const S& schedule;
    template <class N, class By>
    GPUCTR_HD void high(const N& of, By, unsigned at) const {
      for (unsigned j = 0; j < 8; ++j) schedule(at + j, rotated_byte<By::kBits>(of.bytes, j));
    }
    template <class N, class By>
    GPUCTR_HD void both(const N& of, By, unsigned at) const {
      for (unsigned j = 0; j < 16; ++j) schedule(at + j, rotated_byte<By::kBits>(of.bytes, j));
    }
  };
  template <class V>
  GPUCTR_HD static void add_to(WideWords<V>& a, const WideWords<V>& b) {
    for (unsigned i = 0; i < 16; ++i) a.bytes[i] = a.bytes[i] ^ b.bytes[i];
  }
  template <class V, class S>
  GPUCTR_HD static void two_rounds_words(WideWords<V>& d, unsigned i, const S& schedule) {
    std::uint8_t sigma[16];
    store_be(sigma, camellia_sigma(i));
    store_be(sigma + 8, camellia_sigma(i + 1));
    const ConstantBytes<S> keys{schedule, sigma};
    CamelliaRounds::half_round(d.bytes + 8, d.bytes, keys, 0);
    CamelliaRounds::half_round(d.bytes, d.bytes + 8, keys, 8);
  }
  template <class K, class S>
  GPUCTR_HD static void expand_words(const K& key, const S& schedule) {
    using V = decltype(schedule.same(0));
    WideWords<V> kl, kr, ka, kb;
    for (unsigned i = 0; i < 16; ++i) {
      kl.bytes[i] = key(i);
      kr.bytes[i] = KeyBits == 128             ? schedule.same(0)
                    : KeyBits == 192 && i >= 8 ? kr.bytes[i - 8] ^ schedule.same(0xff)
                                               : V(key((16 + i) % kKeyBytes));
    }
    ka = kl;
    add_to(ka, kr);
    two_rounds_words(ka, 0, schedule);
    add_to(ka, kl);
    two_rounds_words(ka, 2, schedule);
    schedule(kRoundsAt, schedule.same(kRounds));
    const ToWords<S> to{schedule};
    if constexpr (KeyBits == 128) {
      lay_out(kl, ka, to);
    } else {
      kb = ka;
      add_to(kb, kr);
      two_rounds_words(kb, 4, schedule);
      lay_out(kl, kr, ka, kb, to);
    }
  }
};

namespace folder {
using camellia = CipherList<Camellia<128>, Camellia<192>, Camellia<256>>;
}

}  // namespace gpuctr

#endif
