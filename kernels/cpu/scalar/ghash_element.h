// Arithmetic of GHASH's field in integers, on any CPU: carry-less multiplication by integer
// multiplication of words with gaps that absorb the carries. The idea is BearSSL's
// (ghash_ctmul64.c). Constant time.
//
// GCM numbers bits from the left. A block, read as a big-endian number, is its polynomial with
// reversed coefficients. The product of two reversed polynomials is the reversed product, one place
// off. POLYVAL (RFC 8452, appendix A) corrects the shift once, in one factor, which is multiplied
// by x. Then
//
//   GHASH's product = a b x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1,
//
// for numbers whose bit i is the coefficient of x^i.
#ifndef GPUCTR_KERNELS_CPU_SCALAR_GHASH_ELEMENT_H
#define GPUCTR_KERNELS_CPU_SCALAR_GHASH_ELEMENT_H

#include <cstdint>

#include "kernels/base/counter.h"
#include "kernels/base/inline.h"

namespace gpuctr {
namespace {

using Word128 = unsigned __int128;

struct Element {
  std::uint64_t low;
  std::uint64_t high;
};

GPUCTR_INLINE Element load_element(const std::uint8_t* p) {
  std::uint64_t words[2];
  __builtin_memcpy(words, p, sizeof words);
  return {big_endian64(words[1]), big_endian64(words[0])};
}

GPUCTR_INLINE void store_element(std::uint8_t* p, Element e) {
  const std::uint64_t words[2] = {big_endian64(e.high), big_endian64(e.low)};
  __builtin_memcpy(p, words, sizeof words);
}

GPUCTR_INLINE std::uint64_t little_endian64(std::uint64_t x) {
  return __builtin_bswap64(big_endian64(x));
}

// The same of a block whose bytes are in reverse order: POLYVAL's blocks.
GPUCTR_INLINE Element load_reversed(const std::uint8_t* p) {
  std::uint64_t words[2];
  __builtin_memcpy(words, p, sizeof words);
  return {little_endian64(words[0]), little_endian64(words[1])};
}

GPUCTR_INLINE void store_reversed(std::uint8_t* p, Element e) {
  const std::uint64_t words[2] = {little_endian64(e.low), little_endian64(e.high)};
  __builtin_memcpy(p, words, sizeof words);
}

// The product of two polynomials. Take every fourth bit of `a` and every fourth bit of `b`. Every
// fourth bit of the integer product is the wanted sum modulo 2; the bits above it have room for
// sums up to 15. With 16 bits and 15 bits at most 15 pairs meet in one bit, so the top four bits of
// `b` are multiplied separately. No two of their products with every fourth bit of `a` meet.
GPUCTR_INLINE Word128 multiply_words(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kEveryFourth = 0x1111111111111111;
  constexpr std::uint64_t kTopFour = 0xf000000000000000;
  Word128 product = 0;
#pragma GCC unroll 4
  for (unsigned place = 0; place < 4; ++place) {
    Word128 sum = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned j = (place - i) % 4;
      sum ^= Word128{a & kEveryFourth << i} * (b & ~kTopFour & kEveryFourth << j);
    }
    product |= sum & (Word128{kEveryFourth} << 64 | kEveryFourth) << place;
  }
#pragma GCC unroll 4
  for (unsigned i = 0; i < 4; ++i) {
    product ^= Word128{a & kEveryFourth << i} * (b & kTopFour);
  }
  return product;
}

// Adds the multiple of the modulus that makes word[0] zero.
GPUCTR_INLINE void reduce_word(std::uint64_t* word) {
  const std::uint64_t w = word[0];
  word[1] ^= w << 63 ^ w << 62 ^ w << 57;
  word[2] ^= w ^ w >> 1 ^ w >> 2 ^ w >> 7;
}

// a b x^-128, by Karatsuba's three products.
GPUCTR_INLINE Element multiply(Element a, Element b) {
  const Word128 low = multiply_words(a.low, b.low);
  const Word128 high = multiply_words(a.high, b.high);
  const Word128 middle = multiply_words(a.low ^ a.high, b.low ^ b.high) ^ low ^ high;
  std::uint64_t word[4] = {
      static_cast<std::uint64_t>(low),
      static_cast<std::uint64_t>(low >> 64) ^ static_cast<std::uint64_t>(middle),
      static_cast<std::uint64_t>(high) ^ static_cast<std::uint64_t>(middle >> 64),
      static_cast<std::uint64_t>(high >> 64)};
  reduce_word(word);
  reduce_word(word + 1);
  return {word[2], word[3]};
}

// a x: the form of a factor of GHASH's product that multiply() takes as `a`.
GPUCTR_INLINE Element times_x(Element a) {
  const std::uint64_t carry = std::uint64_t{0} - (a.high >> 63);
  return {a.low << 1 ^ (carry & 1), (a.high << 1 | a.low >> 63) ^ (carry & 0xc200000000000000)};
}

}  // namespace
}  // namespace gpuctr

#endif
