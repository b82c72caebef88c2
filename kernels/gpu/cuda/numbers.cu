// Numbers of a distribution from random bytes: the arithmetic of kernels/random, so the bits are
// the CPU's.
#include "kernels/gpu/cuda/kernels.h"
#include "kernels/random/integer.h"
#include "kernels/random/real.h"

namespace gpuctr {
namespace {

using random::Real;

// A thread takes 16 random bytes.
struct Job {
  Distribution what;
  Limits limits;
  const uint4* random;
  std::uint8_t* out;
  std::uint64_t count;
  bool aligned;  // `out`, to the size of a number
};

constexpr unsigned kThreads = 256;

template <class T>
__device__ __forceinline__ void store(const Job& job, std::uint64_t i, T x) {
  if (i >= job.count) return;
  if (job.aligned) {
    reinterpret_cast<T*>(job.out)[i] = x;
  } else {
    std::memcpy(job.out + i * sizeof x, &x, sizeof x);
  }
}

template <class T, unsigned kNumbers>
__device__ __forceinline__ void store_all(const Job& job, std::uint64_t first,
                                          const T (&x)[kNumbers]) {
  // 8 or 16 bytes at a time, if they are all there.
  using Wide = std::conditional_t<sizeof x == 16, uint4, uint2>;
  if (first + kNumbers <= job.count &&
      reinterpret_cast<std::uintptr_t>(job.out) % sizeof(Wide) == 0) {
    Wide wide;
    std::memcpy(&wide, x, sizeof wide);
    *reinterpret_cast<Wide*>(job.out + first * sizeof(T)) = wide;
    return;
  }
#pragma unroll
  for (unsigned k = 0; k < kNumbers; ++k) store(job, first + k, x[k]);
}

template <class F>
__global__ void __launch_bounds__(kThreads) floats_kernel(const __grid_constant__ Job job) {
  using Bits = typename Real<F>::Bits;
  constexpr unsigned kNumbers = 16 / sizeof(F);
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::uint64_t first = thread * kNumbers;
  if (first >= job.count) return;
  const uint4 random = job.random[thread];
  Bits words[kNumbers];
  std::memcpy(words, &random, sizeof words);
  F x[kNumbers];
  if (job.what.output == Output::kNormal) {
    const auto mean = static_cast<F>(job.what.mean), stddev = static_cast<F>(job.what.stddev);
#pragma unroll
    for (unsigned k = 0; k < kNumbers; k += 2) {
      random::normal_pair<F>(words[k], words[k + 1], &x[k], &x[k + 1]);
      x[k] = mean + stddev * x[k];
      x[k + 1] = mean + stddev * x[k + 1];
    }
  } else {
    const random::Uniform<F> uniform(job.what, job.limits);
#pragma unroll
    for (unsigned k = 0; k < kNumbers; ++k) x[k] = uniform.of(words[k]);
  }
  if constexpr (sizeof(F) == 4) {
    if (job.what.type != NumberType::kFloat32) {
      const bool brain = job.what.type == NumberType::kBfloat16;
      std::uint16_t halves[kNumbers];
#pragma unroll
      for (unsigned k = 0; k < kNumbers; ++k) {
        halves[k] = brain ? random::bfloat16_of(x[k]) : random::float16_of(x[k]);
      }
      store_all(job, first, halves);
      return;
    }
  }
  store_all(job, first, x);
}

__device__ __forceinline__ void store_integer(const Job& job, std::uint64_t i, std::uint64_t x) {
  switch (job.what.type) {
    case NumberType::kFloat64:
    case NumberType::kInt64:
      return store(job, i, x);
    case NumberType::kFloat32:
    case NumberType::kInt32:
      return store(job, i, static_cast<std::uint32_t>(x));
    case NumberType::kFloat16:
    case NumberType::kBfloat16:
      return store(job, i, static_cast<std::uint16_t>(x));
    case NumberType::kUint8:
      return store(job, i, static_cast<std::uint8_t>(x));
  }
}

__global__ void __launch_bounds__(kThreads)
    integers_kernel(const __grid_constant__ Job job, std::uint64_t first, std::uint64_t range) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= job.count) return;
  const uint4 r = job.random[i];
  const std::uint64_t high = r.x | std::uint64_t{r.y} << 32, low = r.z | std::uint64_t{r.w} << 32;
  store_integer(job, i, first + random::below(range, high, low));
}

// `one`: the number 1 of the type. `bound`: p * 2^64, or `always`.
__global__ void __launch_bounds__(kThreads)
    bernoulli_kernel(const __grid_constant__ Job job, std::uint64_t one, std::uint64_t bound,
                     bool always) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (2 * thread >= job.count) return;
  const uint4 r = job.random[thread];
  const std::uint64_t a = r.x | std::uint64_t{r.y} << 32, b = r.z | std::uint64_t{r.w} << 32;
  store_integer(job, 2 * thread, always || a < bound ? one : 0);
  store_integer(job, 2 * thread + 1, always || b < bound ? one : 0);
}

}  // namespace

cudaError_t cuda_numbers(cudaStream_t stream, const Distribution& what, const void* random,
                         void* out, std::size_t count) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(out) % what.number_bytes() == 0;
  const Job job = {
      what,  limits_of(what), static_cast<const uint4*>(random), static_cast<std::uint8_t*>(out),
      count, aligned};
  const std::size_t threads = (count * what.word_bytes() + 15) / 16;
  const auto grid = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  switch (what.output) {
    case Output::kIntegers:
      integers_kernel<<<grid, kThreads, 0, stream>>>(
          job, static_cast<std::uint64_t>(what.first),
          static_cast<std::uint64_t>(what.last) - static_cast<std::uint64_t>(what.first) + 1);
      break;
    case Output::kBernoulli: {
      const Bernoulli bernoulli(what);
      bernoulli_kernel<<<grid, kThreads, 0, stream>>>(job, bernoulli.one, bernoulli.bound,
                                                      bernoulli.always);
      break;
    }
    case Output::kUniform:
    case Output::kNormal:
    case Output::kBytes:
      if (what.type == NumberType::kFloat64) {
        floats_kernel<double><<<grid, kThreads, 0, stream>>>(job);
      } else {
        floats_kernel<float><<<grid, kThreads, 0, stream>>>(job);
      }
      break;
  }
  return cudaGetLastError();
}

}  // namespace gpuctr
