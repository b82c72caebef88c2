// Toy ciphers of every shape that a definition may have: words of 8 to 64 bits in either order of
// bytes, blocks of 8 to 128 bytes. And toys with the S-boxes of every cipher.
#ifndef GPUCTR_TEST_KERNELS_SHAPES_H
#define GPUCTR_TEST_KERNELS_SHAPES_H

#include "kernels/cipher/aria/aria.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/registry.h"
#include "kernels/cipher/word.h"

namespace gpuctr::test {

// Bytes of a toy's schedule: what the RoundKeys of any build have room for.
constexpr std::size_t kToyScheduleBytes = kMaxScheduleBytes < 128 ? kMaxScheduleBytes / 8 * 8 : 128;

// Nothing of the block is where it was, and every word meets every other.
template <class T, unsigned Count, bool IsBigEndian>
struct Toy {
  using Word = T;
  static constexpr unsigned kWords = Count;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr unsigned kRounds = 3;
  static constexpr unsigned kRoundKeyWords = kToyScheduleBytes / sizeof(T);
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.generator = false;
    f.big_endian = IsBigEndian;
  });

  static constexpr std::uint64_t constant(unsigned i) { return 0x9e3779b97f4a7c15 * (i + 1); }

  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[Count], const K& rk) {
    for (unsigned r = 0; r < kRounds; ++r) {
      for (unsigned i = 0; i < Count; ++i) {
        V& next = x[(i + 1) % Count];
        x[i] = (x[i] + next).template rotl<3>() ^ rk((r * Count + i) % kRoundKeyWords);
        next = next.template rotl<5>() + V::constant(constant(i));
      }
    }
  }
  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[Count], const K& rk) {
    constexpr unsigned kBits = 8 * sizeof(T);
    for (unsigned r = kRounds; r-- != 0;) {
      for (unsigned i = Count; i-- != 0;) {
        V& next = x[(i + 1) % Count];
        next = (next - V::constant(constant(i))).template rotl<kBits - 5>();
        x[i] = (x[i] ^ rk((r * Count + i) % kRoundKeyWords)).template rotl<kBits - 3>() - next;
      }
    }
  }
};

template <class T, unsigned Count>
using Little = Toy<T, Count, false>;
template <class T, unsigned Count>
using Big = Toy<T, Count, true>;
using ArxToys =
    CipherList<Little<std::uint8_t, 8>, Little<std::uint8_t, 16>, Little<std::uint8_t, 32>,
               Little<std::uint16_t, 4>, Big<std::uint16_t, 4>, Big<std::uint16_t, 8>,
               Little<std::uint16_t, 16>, Little<std::uint32_t, 2>, Big<std::uint32_t, 2>,
               Little<std::uint32_t, 4>, Big<std::uint32_t, 4>, Big<std::uint32_t, 8>,
               Little<std::uint32_t, 16>, Little<std::uint32_t, 32>, Little<std::uint64_t, 2>,
               Big<std::uint64_t, 2>, Little<std::uint64_t, 4>, Big<std::uint64_t, 4>,
               Little<std::uint64_t, 8>, Little<std::uint64_t, 16>>;

struct BoxFacts {
  using Word = std::uint8_t;
  static constexpr unsigned kWords = 16;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr unsigned kRoundKeyWords = kToyScheduleBytes;
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.generator = false;
    f.boxes = true;
  });
};

// A Feistel network: in each round one half of the words passes the box, and the other does not.
template <class Box>
struct FeistelToy : BoxFacts {
  static constexpr unsigned kRounds = 3;

  template <class V, class K>
  GPUCTR_HD static void round(V (&x)[16], const K& rk, unsigned r) {
    for (unsigned i = 0; i < 8; ++i) {
      V& to = x[r % 2 == 0 ? 8 + i : i];
      to = to ^ (x[r % 2 == 0 ? i : 8 + i] ^ rk((8 * r + i) % kRoundKeyWords)).template sub<Box>();
    }
  }
  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[16], const K& rk) {
    for (unsigned r = 0; r < kRounds; ++r) round(x, rk, r);
  }
  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[16], const K& rk) {
    for (unsigned r = kRounds; r-- != 0;) round(x, rk, r);
  }
};

// Layers of boxes of both kinds, which all words pass.
template <unsigned Layers>
struct LayerToy : BoxFacts {
  static constexpr unsigned kRounds = Layers;
  static constexpr CipherFacts kFacts =
      facts([](CipherFacts& f) { f.box_layers = true; }, BoxFacts::kFacts);

  template <class K>
  GPUCTR_HD static unsigned box_layers(const K&) {
    return Layers;
  }
  template <class V>
  GPUCTR_HD static void boxes(V (&x)[16], bool inverses_first) {
    for (unsigned i = 0; i < 16; ++i) {
      const bool inverse = (i % 2 == 0) == inverses_first;
      x[i] = inverse ? x[i].template sub<AesInverseBox>() : x[i].template sub<AesBox>();
    }
  }
  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[16], const K& rk) {
    for (unsigned r = 0; r < Layers; ++r) {
      boxes(x, r % 2 == 0);
      for (unsigned i = 0; i < 16; ++i)
        x[i] = x[i] ^ x[(i + 1) % 16] ^ rk((16 * r + i) % kRoundKeyWords);
    }
  }
  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[16], const K& rk) {
    for (unsigned r = Layers; r-- != 0;) {
      for (unsigned i = 16; i-- != 0;)
        x[i] = x[i] ^ x[(i + 1) % 16] ^ rk((16 * r + i) % kRoundKeyWords);
      boxes(x, r % 2 != 0);
    }
  }
};

// Maps before and after the inverse, neither of which goes with AES's box or its inverse.
struct OtherBox {
  static constexpr Affine kIn = {0x186450c737d6bdc9, 0x2c};
  static constexpr Affine kOut = {0xeafcb7c3c273c66f, 0xe2};
  static constexpr std::uint8_t at(unsigned x) { return kOut(field::inverse(kIn(x))); }
};

using BoxToys = CipherList<FeistelToy<AesBox>, FeistelToy<AesInverseBox>, FeistelToy<AriaBox2>,
                           FeistelToy<AriaInverseBox2>, FeistelToy<OtherBox>, LayerToy<1>,
                           LayerToy<2>, LayerToy<3>, LayerToy<4>>;
using Toys = Joined<ArxToys, BoxToys>::Type;

}  // namespace gpuctr::test

#endif
