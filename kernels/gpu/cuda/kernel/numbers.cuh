// Random numbers from keystream, on the device: what a thread makes of a chunk, 16 random bytes.
// The arithmetic is that of kernels/random, so the bits are the CPU's.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_NUMBERS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_NUMBERS_CUH

#include <cstdint>
#include <cstring>

#include "kernels/random/integer.h"
#include "kernels/random/numbers.h"
#include "kernels/random/real.h"

namespace gpuctr {

// Normal or uniform numbers from a chunk.
template <bool kNormal, class F>
__device__ __forceinline__ void make_floats(const random::FloatParameters<F>& p, uint4 random,
                                            F (&x)[16 / sizeof(F)]) {
  constexpr unsigned kNumbers = 16 / sizeof(F);
  typename random::Real<F>::Bits words[kNumbers];
  std::memcpy(words, &random, sizeof words);
#pragma unroll
  for (unsigned k = 0; k < kNumbers; k += 2) {
    if constexpr (kNormal) {
      random::normal_pair<F>(words[k], words[k + 1], p.mean, p.stddev, &x[k], &x[k + 1]);
    } else {
      x[k] = p.uniform(words[k]);
      x[k + 1] = p.uniform(words[k + 1]);
    }
  }
}

// Two numbers as float16 or bfloat16, the first in the low half.
__device__ __forceinline__ std::uint32_t halves_of(bool brain, float first, float second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  std::uint32_t halves;
  if (brain) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(halves) : "f"(second), "f"(first));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(halves) : "f"(second), "f"(first));
  }
  return halves;
#else
  const auto half = [&](float x) -> std::uint32_t {
    return brain ? random::bfloat16_of(x) : random::float16_of(x);
  };
  return half(first) | half(second) << 16;
#endif
}

template <class T>
struct alignas(2 * sizeof(T)) NumberPair {
  T first, second;
};

// How chunks become numbers, for every distribution but uniform and normal float64. Made on the
// CPU.
struct NumberMaker {
  NumberMaker() = default;
  explicit NumberMaker(const Distribution& what)
      : output(what.output),
        type(what.type),
        number_bytes(static_cast<unsigned>(what.number_bytes())),
        chunk_bytes(static_cast<unsigned>(16 / what.word_bytes()) * number_bytes) {
    if (output == Output::kIntegers) {
      least = static_cast<std::uint64_t>(what.first);
      range = static_cast<std::uint64_t>(what.last) - least + 1;
    } else if (output == Output::kBernoulli) {
      const Bernoulli bernoulli(what);
      one = bernoulli.one;
      bound = bernoulli.bound;
      always = bernoulli.always;
    } else {
      floats = {what, limits_of(what)};
    }
  }
  static bool makes(const Distribution& what) {
    return what.type != NumberType::kFloat64 || what.output == Output::kBernoulli;
  }

  // The numbers of chunk q stand at out + q * step, aligned to chunk_bytes.
  template <unsigned kChunks>
  __device__ __forceinline__ void put(const uint4 (&chunk)[kChunks], std::uint8_t* out,
                                      unsigned step = 0) const {
    if (output == Output::kIntegers) {
      put_integers(chunk, out, step);
    } else if (output == Output::kBernoulli) {
      switch (number_bytes) {
        case 1:
          return put_bernoulli<std::uint8_t>(chunk, out, step);
        case 2:
          return put_bernoulli<std::uint16_t>(chunk, out, step);
        case 4:
          return put_bernoulli<std::uint32_t>(chunk, out, step);
        default:
          return put_bernoulli<std::uint64_t>(chunk, out, step);
      }
    } else if (output == Output::kNormal) {
      put_floats<true>(chunk, out, step);
    } else {
      put_floats<false>(chunk, out, step);
    }
  }

  Output output;
  NumberType type;
  unsigned number_bytes;
  unsigned chunk_bytes;  // of the numbers of a chunk

 private:
  // All chunks' numbers before the first store: their instructions mix.
  template <bool kNormal, unsigned kChunks>
  __device__ __forceinline__ void put_floats(const uint4 (&chunk)[kChunks], std::uint8_t* out,
                                             unsigned step) const {
    float x[kChunks][4];
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) make_floats<kNormal>(floats, chunk[q], x[q]);
    const bool brain = type == NumberType::kBfloat16;
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q, out += step) {
      if (type == NumberType::kFloat32) {
        *reinterpret_cast<float4*>(out) = {x[q][0], x[q][1], x[q][2], x[q][3]};
      } else {
        *reinterpret_cast<uint2*>(out) = {halves_of(brain, x[q][0], x[q][1]),
                                          halves_of(brain, x[q][2], x[q][3])};
      }
    }
  }

  __device__ __forceinline__ static std::uint64_t joined(std::uint32_t low, std::uint32_t high) {
    return low | std::uint64_t{high} << 32;
  }

  template <unsigned kChunks>
  __device__ __forceinline__ void put_integers(const uint4 (&chunk)[kChunks], std::uint8_t* out,
                                               unsigned step) const {
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q, out += step) {
      const uint4& c = chunk[q];
      const std::uint64_t x = least + random::below(range, joined(c.x, c.y), joined(c.z, c.w));
      if (number_bytes == 8) {
        *reinterpret_cast<std::uint64_t*>(out) = x;
      } else if (number_bytes == 4) {
        *reinterpret_cast<std::uint32_t*>(out) = static_cast<std::uint32_t>(x);
      } else {
        *out = static_cast<std::uint8_t>(x);
      }
    }
  }

  template <class T, unsigned kChunks>
  __device__ __forceinline__ void put_bernoulli(const uint4 (&chunk)[kChunks], std::uint8_t* out,
                                                unsigned step) const {
    const auto number = [&](std::uint64_t word) -> T {
      return always || word < bound ? static_cast<T>(one) : T{0};
    };
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q, out += step) {
      const uint4& c = chunk[q];
      *reinterpret_cast<NumberPair<T>*>(out) = {number(joined(c.x, c.y)), number(joined(c.z, c.w))};
    }
  }

  random::FloatParameters<float> floats = {};
  std::uint64_t least = 0, range = 0;  // integers: range 0 stands for 2^64
  std::uint64_t one = 0, bound = 0;    // Bernoulli's
  bool always = false;
};

// Uniform and normal float64.
struct DoubleMaker {
  explicit DoubleMaker(const Distribution& what) : floats(what, limits_of(what)) {}

  __device__ __forceinline__ void put(const uint4 (&chunk)[1], std::uint8_t* out) const {
    double x[2];
    if (floats.normal) {
      make_floats<true>(floats, chunk[0], x);
    } else {
      make_floats<false>(floats, chunk[0], x);
    }
    *reinterpret_cast<double2*>(out) = {x[0], x[1]};
  }

  static constexpr unsigned chunk_bytes = 16;
  random::FloatParameters<double> floats;
};

}  // namespace gpuctr

#endif
