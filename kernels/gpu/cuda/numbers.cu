// Kernels that make numbers from random bytes in device memory: for every distribution.
#include "kernels/gpu/cuda/kernel/numbers.cuh"
#include "kernels/random/integer.h"

namespace gpuctr {
namespace {

// A thread takes 16 random bytes.
struct Job {
  NumbersSink sink;
  const uint4* random;
};

constexpr unsigned kThreads = 256;

template <class F>
__global__ void __launch_bounds__(kThreads) floats_kernel(const __grid_constant__ Job job) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::uint64_t first = thread * (16 / sizeof(F));
  if (first < job.sink.count) make_floats<F>(job.sink, first, job.random[thread]);
}

__device__ __forceinline__ void store_integer(const NumbersSink& sink, std::uint64_t i,
                                              std::uint64_t x) {
  switch (sink.what.type) {
    case NumberType::kFloat64:
    case NumberType::kInt64:
      return store_number(sink, i, x);
    case NumberType::kFloat32:
    case NumberType::kInt32:
      return store_number(sink, i, static_cast<std::uint32_t>(x));
    case NumberType::kFloat16:
    case NumberType::kBfloat16:
      return store_number(sink, i, static_cast<std::uint16_t>(x));
    case NumberType::kUint8:
      return store_number(sink, i, static_cast<std::uint8_t>(x));
  }
}

__global__ void __launch_bounds__(kThreads)
    integers_kernel(const __grid_constant__ Job job, std::uint64_t first, std::uint64_t range) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= job.sink.count) return;
  const uint4 r = job.random[i];
  const std::uint64_t high = r.x | std::uint64_t{r.y} << 32, low = r.z | std::uint64_t{r.w} << 32;
  store_integer(job.sink, i, first + random::below(range, high, low));
}

// `one`, `bound`, `always`: those of Bernoulli.
__global__ void __launch_bounds__(kThreads)
    bernoulli_kernel(const __grid_constant__ Job job, std::uint64_t one, std::uint64_t bound,
                     bool always) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (2 * thread >= job.sink.count) return;
  const uint4 r = job.random[thread];
  const std::uint64_t a = r.x | std::uint64_t{r.y} << 32, b = r.z | std::uint64_t{r.w} << 32;
  store_integer(job.sink, 2 * thread, always || a < bound ? one : 0);
  store_integer(job.sink, 2 * thread + 1, always || b < bound ? one : 0);
}

}  // namespace

NumbersSink::NumbersSink(const Distribution& which, void* memory, std::size_t numbers)
    : what(which),
      limits(limits_of(which)),
      out(static_cast<std::uint8_t*>(memory)),
      count(numbers),
      aligned(reinterpret_cast<std::uintptr_t>(memory) % which.number_bytes() == 0) {}

cudaError_t cuda_numbers(cudaStream_t stream, const Distribution& what, const void* random,
                         void* out, std::size_t count) {
  const Job job = {{what, out, count}, static_cast<const uint4*>(random)};
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
