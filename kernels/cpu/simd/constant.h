// A public constant of a cipher in every lane of a vector. GCC 12 takes a constant through an
// integer register: two operations of the pipes that rotate on AVX2, one on AVX-512, for each round
// of CHAM. A broadcast of 32 bits from memory is a plain load, so small constants come from a table
// in another file, whose values no compiler sees. Below AVX2 they are vectors in memory anyway. On
// vectors of 16 bytes latency counts and not operations, and GCC would load every constant ahead of
// a loop, and spill them all.
#ifndef GPUCTR_KERNELS_CPU_SIMD_CONSTANT_H
#define GPUCTR_KERNELS_CPU_SIMD_CONSTANT_H

#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

struct ConstantWords {
  static constexpr std::uint64_t kCount = 256;
  std::uint32_t words[kCount];      // c
  std::uint32_t halfwords[kCount];  // c twice
};
extern const ConstantWords kConstantWords __attribute__((visibility("hidden")));

// c, which T can hold, in every T of N bytes.
template <class T, unsigned N>
GPUCTR_INLINE Vec<T, N> splat_constant(std::uint64_t c) {
#ifdef __AVX2__
  if constexpr (N > 16 && (sizeof(T) == 2 || sizeof(T) == 4)) {
    if (c < ConstantWords::kCount) {
      const auto& table = sizeof(T) == 2 ? kConstantWords.halfwords : kConstantWords.words;
      return as<Vec<T, N>>(splat<std::uint32_t, N>(table[c]));
    }
  }
#endif
  return splat<T, N>(static_cast<T>(c));
}

}  // namespace gpuctr::simd

#endif
