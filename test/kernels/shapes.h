// Toy ciphers of every shape that a definition may have: words of 8 to 64 bits in either order of
// bytes, blocks of 8 to 128 bytes.
#ifndef GPUCTR_TEST_KERNELS_SHAPES_H
#define GPUCTR_TEST_KERNELS_SHAPES_H

#include "kernels/cipher/facts.h"
#include "kernels/cipher/word.h"

namespace gpuctr::test {

// Nothing of the block is where it was, and every word meets every other.
template <class T, unsigned Count, bool IsBigEndian>
struct Toy {
  using Word = T;
  static constexpr unsigned kWords = Count;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr unsigned kRounds = 3;
  static constexpr unsigned kRoundKeyWords = 128 / sizeof(T);  // which any build has room for
  static constexpr bool kBigEndian = IsBigEndian;
  static constexpr bool kGenerator = false;

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
using Toys = CipherList<Little<std::uint8_t, 8>, Little<std::uint8_t, 16>, Little<std::uint8_t, 32>,
                        Little<std::uint16_t, 4>, Big<std::uint16_t, 4>, Big<std::uint16_t, 8>,
                        Little<std::uint16_t, 16>, Little<std::uint32_t, 2>, Big<std::uint32_t, 2>,
                        Little<std::uint32_t, 4>, Big<std::uint32_t, 4>, Big<std::uint32_t, 8>,
                        Little<std::uint32_t, 16>, Little<std::uint32_t, 32>,
                        Little<std::uint64_t, 2>, Big<std::uint64_t, 2>, Little<std::uint64_t, 4>,
                        Big<std::uint64_t, 4>, Little<std::uint64_t, 8>, Little<std::uint64_t, 16>>;

}  // namespace gpuctr::test

#endif
