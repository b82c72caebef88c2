// The counter block of CTR mode: one big-endian integer of the cipher's block size (SP 800-38A
// B.1).
#ifndef GPUCTR_KERNELS_BASE_COUNTER_H
#define GPUCTR_KERNELS_BASE_COUNTER_H

#include <cstddef>
#include <cstdint>

#include "kernels/base/inline.h"

namespace gpuctr {

// Converts between a number and the bytes of a big-endian number.
GPUCTR_INLINE std::uint64_t big_endian64(std::uint64_t x) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return __builtin_bswap64(x);
#else
  return x;
#endif
}

// Copies a block of `size` bytes, a multiple of 8. For small messages a call of memcpy is
// measurably slower.
GPUCTR_INLINE void copy_block(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
  for (std::size_t at = 0; at != size; at += sizeof(std::uint64_t)) {
    __builtin_memcpy(to + at, from + at, sizeof(std::uint64_t));
  }
}

// Adds `blocks` to the big-endian counter of `size` bytes (a multiple of 8) at `counter`, modulo
// 2^(8 size). Constant time in the counter's value, which CTR_DRBG keeps secret. The carry is
// arithmetic, because compilers turn a comparison into a branch (trust.constant_time).
GPUCTR_INLINE void counter_add(std::uint8_t* counter, std::size_t size, std::uint64_t blocks) {
  for (std::size_t at = size; at != 0;) {
    std::uint64_t digit;
    at -= sizeof digit;
    __builtin_memcpy(&digit, counter + at, sizeof digit);
    digit = big_endian64(digit);
    const std::uint64_t sum = digit + blocks;
    blocks = ((digit & blocks) | ((digit | blocks) & ~sum)) >> 63;
    const std::uint64_t stored = big_endian64(sum);
    __builtin_memcpy(counter + at, &stored, sizeof stored);
  }
}

}  // namespace gpuctr

#endif
