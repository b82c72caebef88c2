// The counter block of CTR mode: one big-endian integer of the cipher's block size (SP 800-38A
// B.1).
#ifndef GPUCTR_KERNELS_COUNTER_H
#define GPUCTR_KERNELS_COUNTER_H

#include <cstddef>
#include <cstdint>

#include "kernels/inline.h"

namespace gpuctr {

// Adds `blocks` to the big-endian counter of `size` bytes at `counter`, modulo 2^(8 size).
// Constant time in the counter's value, which need not be secret.
GPUCTR_INLINE void counter_add(std::uint8_t* counter, std::size_t size, std::uint64_t blocks) {
  unsigned carry = 0;
  for (std::size_t i = size; i-- != 0;) {
    const unsigned sum = counter[i] + static_cast<unsigned>(blocks & 0xff) + carry;
    counter[i] = static_cast<std::uint8_t>(sum);
    carry = sum >> 8;
    blocks >>= 8;
  }
}

}  // namespace gpuctr

#endif
