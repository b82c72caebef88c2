// DES as "A high speed implementation counter mode cryptography using hardware parallelism" runs it
// on a device: a thread a block, tables and round keys in memory. The document does not say which
// tables; in its favour these are S-boxes with P in them, 64 words each, and not the standard's
// permutations bit by bit. The interface is that of papers_shuffle.h.
#ifndef GPUCTR_TEST_BENCH_PAPERS_DES_H
#define GPUCTR_TEST_BENCH_PAPERS_DES_H

#include "kernels/cipher/des/checks.h"
#include "kernels/cipher/des/des.h"
#include "test/bench/gpu/papers_shuffle.h"

namespace gpuctr::papers {

struct DesByThread {
  using Cipher = Des;
  static constexpr unsigned kTextWords = 2;
  static constexpr unsigned kKeyWords =
      32;  // of each round those of boxes 7, 5, 3, 1 and 8, 6, 4, 2
  static constexpr unsigned kTableWords = 8 * 64;

  static void lay_out(const RoundKeys& keys, std::uint32_t* words, std::uint32_t* tables) {
    for (unsigned i = 0; i < kKeyWords; ++i) {
      words[i] = 0;
      for (unsigned byte = 0; byte < 4; ++byte) {
        const unsigned box = 6 - 2 * byte + i % 2;
        const std::uint8_t* const bits = keys.bytes + DesRounds::kKeyBits * (i / 2) + 6 * box;
        std::uint32_t six = 0;
        for (unsigned b = 0; b < 6; ++b) six = 2 * six + (bits[b] & 1);
        words[i] |= six << (8 * byte);
      }
    }
    for (unsigned i = 0; i < kTableWords; ++i) tables[i] = box_and_p(i / 64, i % 64);
  }

  // What box `box`, from 0, and then P make of six bits.
  static std::uint32_t box_and_p(unsigned box, unsigned six) {
    const unsigned four = kDesTables[box].at(six);
    std::uint32_t made = 0;
    for (unsigned i = 0; i < 4; ++i) {
      made |= std::uint32_t{four >> (3 - i) & 1} << (31 - DesRounds::after_p(4 * box + i));
    }
    return made;
  }

  // Bits of `mask` in b change places with those `by` above them in a.
  GPUCTR_HD static void exchange(std::uint32_t* a, std::uint32_t* b, unsigned by,
                                 std::uint32_t mask) {
    const std::uint32_t differ = (*a >> by ^ *b) & mask;
    *b ^= differ;
    *a ^= differ << by;
  }

  GPUCTR_HD static std::uint32_t f(const WordTables& look, std::uint32_t even, std::uint32_t odd,
                                   std::uint32_t x) {
    const std::uint32_t u = tables::rotl(x, 29) ^ even;  // box 7 in the lowest byte
    const std::uint32_t v = tables::rotl(x, 1) ^ odd;    // box 8
    std::uint32_t sum = 0;
    GPUCTR_UNROLL
    for (unsigned byte = 0; byte < 4; ++byte) {
      sum ^= look.words[64 * (6 - 2 * byte) + (u >> (8 * byte) & 63)];
      sum ^= look.words[64 * (7 - 2 * byte) + (v >> (8 * byte) & 63)];
    }
    return sum;
  }

  template <class Keys>
  GPUCTR_HD static void encrypt(const WordTables& look, const Keys& keys, std::uint32_t (&s)[2]) {
    std::uint32_t left = tables::turned(s[0]);
    std::uint32_t right = tables::turned(s[1]);
    exchange(&left, &right, 4, 0x0f0f0f0f);
    exchange(&left, &right, 16, 0x0000ffff);
    exchange(&right, &left, 2, 0x33333333);
    exchange(&right, &left, 8, 0x00ff00ff);
    exchange(&left, &right, 1, 0x55555555);
    GPUCTR_UNROLL
    for (unsigned r = 0; r < 16; r += 2) {
      left ^= f(look, keys[2 * r], keys[2 * r + 1], right);
      right ^= f(look, keys[2 * r + 2], keys[2 * r + 3], left);
    }
    exchange(&right, &left, 1, 0x55555555);
    exchange(&left, &right, 8, 0x00ff00ff);
    exchange(&left, &right, 2, 0x33333333);
    exchange(&right, &left, 16, 0x0000ffff);
    exchange(&right, &left, 4, 0x0f0f0f0f);
    s[0] = tables::turned(right);
    s[1] = tables::turned(left);
  }
};

}  // namespace gpuctr::papers

#endif
