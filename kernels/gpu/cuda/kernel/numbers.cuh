// Random numbers from keystream, on the device: what a thread does with 16 random bytes. The
// arithmetic is that of kernels/random, so the bits are the CPU's.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_NUMBERS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_NUMBERS_CUH

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/gpu/cuda/kernels.h"
#include "kernels/random/real.h"

namespace gpuctr {

template <class T>
__device__ __forceinline__ void store_number(const NumbersSink& sink, std::uint64_t i, T x) {
  if (i >= sink.count) return;
  if (sink.aligned) {
    reinterpret_cast<T*>(sink.out)[i] = x;
  } else {
    std::memcpy(sink.out + i * sizeof x, &x, sizeof x);
  }
}

// Stores 8 or 16 bytes at once if all numbers are wanted and the memory is aligned.
template <class T, unsigned kNumbers>
__device__ __forceinline__ void store_numbers(const NumbersSink& sink, std::uint64_t first,
                                              const T (&x)[kNumbers]) {
  using Wide = std::conditional_t<sizeof x == 16, uint4, uint2>;
  if (first + kNumbers <= sink.count &&
      reinterpret_cast<std::uintptr_t>(sink.out) % sizeof(Wide) == 0) {
    Wide wide;
    std::memcpy(&wide, x, sizeof wide);
    *reinterpret_cast<Wide*>(sink.out + first * sizeof(T)) = wide;
    return;
  }
#pragma unroll
  for (unsigned k = 0; k < kNumbers; ++k) store_number(sink, first + k, x[k]);
}

// Uniform or normal numbers from 16 random bytes.
template <class F>
__device__ __forceinline__ void make_floats(const random::FloatParameters<F>& p, uint4 random,
                                            F (&x)[16 / sizeof(F)]) {
  constexpr unsigned kNumbers = 16 / sizeof(F);
  typename random::Real<F>::Bits words[kNumbers];
  std::memcpy(words, &random, sizeof words);
  if (p.normal) {
#pragma unroll
    for (unsigned k = 0; k < kNumbers; k += 2) {
      random::normal_pair<F>(words[k], words[k + 1], p.mean, p.stddev, &x[k], &x[k + 1]);
    }
  } else {
#pragma unroll
    for (unsigned k = 0; k < kNumbers; ++k) x[k] = p.uniform(words[k]);
  }
}

// Four numbers as float16 or bfloat16.
__device__ __forceinline__ uint2 halves_of(NumberType type, const float (&x)[4]) {
  const bool brain = type == NumberType::kBfloat16;
  std::uint16_t halves[4];
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    halves[k] = brain ? random::bfloat16_of(x[k]) : random::float16_of(x[k]);
  }
  uint2 packed;
  std::memcpy(&packed, halves, sizeof packed);
  return packed;
}

// Stores them as numbers of the type; `first`: the number of the first.
template <class F>
__device__ __forceinline__ void store_floats(NumberType type, const NumbersSink& sink,
                                             std::uint64_t first, const F (&x)[16 / sizeof(F)]) {
  if constexpr (sizeof(F) == 4) {
    if (type != NumberType::kFloat32) {
      const uint2 packed = halves_of(type, x);
      std::uint16_t halves[4];
      std::memcpy(halves, &packed, sizeof halves);
      store_numbers(sink, first, halves);
      return;
    }
  }
  store_numbers(sink, first, x);
}

}  // namespace gpuctr

#endif
