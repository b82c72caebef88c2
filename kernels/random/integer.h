// Integers from random words, on CPU and GPU.
#ifndef GPUCTR_KERNELS_RANDOM_INTEGER_H
#define GPUCTR_KERNELS_RANDOM_INTEGER_H

#include <cstdint>

#include "kernels/base/inline.h"

namespace gpuctr::random {

GPUCTR_HD std::uint64_t high_product(std::uint64_t x, std::uint64_t y) {
#ifdef __CUDA_ARCH__
  return __umul64hi(x, y);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{x} * y >> 64);
#endif
}

// The word `high` * 2^64 + `low`, uniform below 2^128, taken to 0 <= x < range: word * range /
// 2^128. range 0 stands for 2^64. No x is more likely than another by more than 2^-128, so the bias
// of a number is below range / 2^128 <= 2^-64.
GPUCTR_HD std::uint64_t below(std::uint64_t range, std::uint64_t high, std::uint64_t low) {
  if (range == 0) return high;
  const std::uint64_t middle = high * range;
  const std::uint64_t carry = middle + high_product(low, range) < middle ? 1 : 0;
  return high_product(high, range) + carry;
}

}  // namespace gpuctr::random

#endif
