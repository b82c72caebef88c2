// Multiplication by a fixed element of GHASH's field (SP 800-38D 6.3) as a matrix of bits: the
// arithmetic of kernel/ghash/matrices.cuh. No CUDA header.
#ifndef GPUCTR_KERNELS_GPU_CUDA_GHASH_COLUMNS_H
#define GPUCTR_KERNELS_GPU_CUDA_GHASH_COLUMNS_H

#include <cstdint>

#include "kernels/cipher/word.h"

namespace gpuctr::cuda {

// The 32 rows p, p x, ..., p x^31 of an element p. In this form a column is 32 neighbouring bits of
// a pair of words.
//
// Without reduction the coefficient of x^n in p x^i is the coefficient of x^(n - i) in p: a column
// is a window of p's bits. A coefficient with n of 128 or more counts for n - 128, n - 127, n - 126
// and n - 121, because x^128 = 1 + x + x^2 + x^7. The reduction adds to a few low bits of p, and to
// 32 bits below them. Only columns from x^7 on have all four terms: those of 1, of x, and of x^2 to
// x^6 have pairs of their own.
struct alignas(16) HashRows {
  static constexpr unsigned kPairs = 7;
  std::uint32_t pair[kPairs][2];  // the lower bits first
  std::uint32_t unused[2];

  // The coefficient of x^(32 w + b) is bit b of p[w].
  GPUCTR_HD void make(const std::uint32_t (&p)[4]) {
    std::uint32_t below = p[3];
    std::uint32_t first = p[0];
    put(0, below, first);
    below ^= p[3] << 1 | p[2] >> 31;
    first ^= p[3] >> 31;
    put(1, below, first);
    below ^= p[3] << 2 | p[2] >> 30;
    first ^= p[3] >> 30;
    put(2, below, first);
    below ^= p[3] << 7 | p[2] >> 25;
    first ^= p[3] >> 25;
    put(3, below, first);
    put(4, first, p[1]);
    put(5, p[1], p[2]);
    put(6, p[2], p[3]);
    unused[0] = unused[1] = 0;
  }
  // The pair that contains the column of x^(32 word + column).
  GPUCTR_HD static unsigned pair_of(unsigned word, unsigned column) {
    if (word != 0) return 3 + word;
    return column < 2 ? column : column < 7 ? 2 : 3;
  }

 private:
  GPUCTR_HD void put(unsigned i, std::uint32_t low, std::uint32_t high) {
    pair[i][0] = low, pair[i][1] = high;
  }
};

// The column of x^(32 w + column) of a pair. Bit i of the column belongs to the row p x^k with k =
// 8 (i / 8) + 7 - i % 8: the order in which GCM numbers the bits of bytes.
GPUCTR_HD std::uint32_t hash_column(std::uint32_t low, std::uint32_t high, unsigned column) {
#ifdef __CUDA_ARCH__
  return __byte_perm(__funnelshift_rc(low, high, column + 1), 0, 0x0123);
#else
  return __builtin_bswap32(
      static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> (column + 1)));
#endif
}

}  // namespace gpuctr::cuda

#endif
