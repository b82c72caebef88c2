// A word of each of Count independent blocks in integer registers. For ciphers with tables, where
// the address of a look-up depends on key and data, and for ciphers with products.
#ifndef GPUCTR_KERNELS_CIPHER_INTERLEAVED_H
#define GPUCTR_KERNELS_CIPHER_INTERLEAVED_H

#include "kernels/cipher/word.h"

namespace gpuctr {

template <class T, unsigned Count>
struct Interleaved {
  T v[Count];

  template <class Combine>
  GPUCTR_INLINE static Interleaved each(Combine combine) {
    Interleaved made;
    GPUCTR_UNROLL
    for (unsigned i = 0; i < Count; ++i) made.v[i] = static_cast<T>(combine(i));
    return made;
  }
  GPUCTR_INLINE friend Interleaved operator+(const Interleaved& a, const Interleaved& b) {
    return each([&](unsigned i) { return a.v[i] + b.v[i]; });
  }
  GPUCTR_INLINE friend Interleaved operator-(const Interleaved& a, const Interleaved& b) {
    return each([&](unsigned i) { return a.v[i] - b.v[i]; });
  }
  GPUCTR_INLINE friend Interleaved operator^(const Interleaved& a, const Interleaved& b) {
    return each([&](unsigned i) { return a.v[i] ^ b.v[i]; });
  }
  // The same value, computed before later operands are combined with it. GCC combines later
  // operands with the last operand first, which costs a chain of single blocks one more cycle a
  // round.
  GPUCTR_INLINE Interleaved early() const {
    Interleaved made = *this;
    if constexpr (Count == 1) __asm__("" : "+r"(made.v[0]));
    return made;
  }
  // With 2^16 in place of 0 the product has at most 33 bits. 2^16 is -1, so the result is the low
  // 16 bits minus the other bits, or one less if that is below 0. No branch, no address.
  GPUCTR_INLINE Interleaved product(const Interleaved& y) const {
    static_assert(sizeof(T) == 2, "words of 16 bits");
    return each([&](unsigned i) {
      const std::uint64_t a = static_cast<T>(v[i] - 1),
                          b = std::uint64_t{static_cast<T>(y.v[i] - 1)} + 1;
      const std::uint64_t both = a * b + b;
      const std::uint64_t less = (both & 0xffff) - (both >> 16);
      return less + (less >> 63);
    });
  }
  // Rotation to the left by `bits`, less than the word size; the same for all blocks.
  GPUCTR_INLINE Interleaved turned(unsigned bits) const {
    return each([&](unsigned i) { return rotl_word(v[i], bits); });
  }
  GPUCTR_INLINE const Interleaved& bytes() const { return *this; }
  // The entry, in a table of 256, for byte Byte of the word; byte 0 is the least significant.
  template <unsigned Byte>
  GPUCTR_INLINE Interleaved entry(const T* table) const {
    return each([&](unsigned i) { return table[v[i] >> (8 * Byte) & 0xff]; });
  }
};

template <class T, unsigned Count>
struct InterleavedKeys {
  const T* words;
  GPUCTR_INLINE Interleaved<T, Count> operator()(unsigned i) const {
    return Interleaved<T, Count>::each([&](unsigned) { return words[i]; });
  }
  GPUCTR_INLINE T stored(unsigned i) const { return words[i]; }
  // Table i of cipher C.
  template <class C>
  GPUCTR_INLINE const T* table(unsigned i) const {
    return C::table(words, i);
  }
};

}  // namespace gpuctr

#endif
