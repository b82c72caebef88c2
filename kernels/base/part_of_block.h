// A block of 16 bytes in two words, and parts of it, without a call. A block that is loaded as one
// is stored as one: a CPU waits when a load covers two stores. The number of bytes is public.
#ifndef GPUCTR_KERNELS_BASE_PART_OF_BLOCK_H
#define GPUCTR_KERNELS_BASE_PART_OF_BLOCK_H

#include <cstddef>
#include <cstdint>

#include "kernels/base/inline.h"

namespace gpuctr {

// The bytes of a block in the order of memory.
typedef std::uint64_t BlockWords __attribute__((vector_size(16)));

// n bytes at `p`, at most 8, followed by zeros.
GPUCTR_INLINE std::uint64_t load_some(const std::uint8_t* p, std::size_t n) {
  if (n >= 4) {
    std::uint32_t first, last;
    __builtin_memcpy(&first, p, sizeof first);
    __builtin_memcpy(&last, p + n - 4, sizeof last);
    return first | std::uint64_t{last} << (8 * (n - 4));
  }
  if (n == 0) return 0;
  return p[0] | std::uint64_t{p[n / 2]} << (8 * (n / 2)) | std::uint64_t{p[n - 1]} << (8 * (n - 1));
}
GPUCTR_INLINE void store_some(std::uint8_t* p, std::size_t n, std::uint64_t word) {
  if (n >= 4) {
    const auto first = static_cast<std::uint32_t>(word);
    const auto last = static_cast<std::uint32_t>(word >> (8 * (n - 4)));
    __builtin_memcpy(p, &first, sizeof first);
    __builtin_memcpy(p + n - 4, &last, sizeof last);
  } else if (n != 0) {
    p[0] = static_cast<std::uint8_t>(word);
    p[n / 2] = static_cast<std::uint8_t>(word >> (8 * (n / 2)));
    p[n - 1] = static_cast<std::uint8_t>(word >> (8 * (n - 1)));
  }
}

// n bytes at `p`, at most 16, followed by zeros.
GPUCTR_INLINE BlockWords load_part(const std::uint8_t* p, std::size_t n) {
  if (n <= 8) return BlockWords{load_some(p, n), 0};
  std::uint64_t low, high;
  __builtin_memcpy(&low, p, sizeof low);
  __builtin_memcpy(&high, p + n - 8, sizeof high);
  return BlockWords{low, high >> (8 * (16 - n))};
}
// The first n bytes of `block`, 1 to 15.
GPUCTR_INLINE void store_part(std::uint8_t* p, std::size_t n, BlockWords block) {
  if (n <= 8) return store_some(p, n, block[0]);
  const std::uint64_t low = block[0], high = block[1];
  __builtin_memcpy(p, &low, sizeof low);
  store_some(p + 8, n - 8, high);
}
// Ones in the first n bytes, 0 to 15.
GPUCTR_INLINE BlockWords first_bytes_mask(std::size_t n) {
  const std::uint64_t ones = ~std::uint64_t{0};
  if (n < 8) return BlockWords{~(ones << (8 * n)), 0};
  return BlockWords{ones, ~(ones << (8 * (n - 8)))};
}
GPUCTR_INLINE BlockWords load_block(const std::uint8_t* p) {
  BlockWords block;
  __builtin_memcpy(&block, p, sizeof block);
  return block;
}
GPUCTR_INLINE void store_block(std::uint8_t* p, BlockWords block) {
  __builtin_memcpy(p, &block, sizeof block);
}

}  // namespace gpuctr

#endif
