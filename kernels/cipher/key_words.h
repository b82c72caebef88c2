// Key schedules on words of a byte.
#ifndef GPUCTR_KERNELS_CIPHER_KEY_WORDS_H
#define GPUCTR_KERNELS_CIPHER_KEY_WORDS_H

#include "kernels/cipher/word.h"

namespace gpuctr {

// For words of bytes: key(i) is byte i of public constants.
template <class S>
struct ConstantBytes {
  const S& schedule;
  const std::uint8_t* bytes;
  GPUCTR_INLINE auto operator()(unsigned i) const { return schedule.same(bytes[i]); }
};

// Byte j of a number of 16 bytes in words of a byte, the most significant first, that is rotated to
// the left by By bits.
template <unsigned By, class V>
GPUCTR_INLINE V rotated_byte(const V* number, unsigned j) {
  constexpr unsigned kBytes = By / 8, kBits = By % 8;
  const V& byte = number[(j + kBytes) % 16];
  if constexpr (kBits == 0) {
    return byte;
  } else {
    const V low = V::constant((1u << kBits) - 1), high = V::constant(0x100 - (1u << kBits));
    return (byte.template rotl<kBits>() & high) |
           (number[(j + kBytes + 1) % 16].template rotl<kBits>() & low);
  }
}

}  // namespace gpuctr

#endif
