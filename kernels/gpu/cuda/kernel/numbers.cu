// Kernels that make numbers from random bytes in device memory: for every distribution.
#include "kernels/gpu/cuda/kernel/numbers.cuh"
#include "kernels/random/integer.h"

namespace gpuctr {
inline namespace numbers_cuda {

// A thread takes 16 random bytes.
struct Job {
  NumbersSink sink;
  const uint4* random;
};

constexpr unsigned kThreads = 256;

template <class F>
__global__ void __launch_bounds__(kThreads)
    floats_kernel(const __grid_constant__ Job job,
                  const __grid_constant__ random::FloatParameters<F> floats) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::uint64_t first = thread * (16 / sizeof(F));
  if (first >= job.sink.count) return;
  F x[16 / sizeof(F)];
  make_floats(floats, job.random[thread], x);
  store_floats(floats.type, job.sink, first, x);
}

__device__ __forceinline__ void store_integer(const NumbersSink& sink, NumberType type,
                                              std::uint64_t i, std::uint64_t x) {
  switch (type) {
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
    integers_kernel(const __grid_constant__ Job job, NumberType type, std::uint64_t first,
                    std::uint64_t range) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= job.sink.count) return;
  const uint4 r = job.random[i];
  const std::uint64_t high = r.x | std::uint64_t{r.y} << 32, low = r.z | std::uint64_t{r.w} << 32;
  store_integer(job.sink, type, i, first + random::below(range, high, low));
}

// `one`, `bound`, `always`: those of Bernoulli.
__global__ void __launch_bounds__(kThreads)
    bernoulli_kernel(const __grid_constant__ Job job, NumberType type, std::uint64_t one,
                     std::uint64_t bound, bool always) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (2 * thread >= job.sink.count) return;
  const uint4 r = job.random[thread];
  const std::uint64_t a = r.x | std::uint64_t{r.y} << 32, b = r.z | std::uint64_t{r.w} << 32;
  store_integer(job.sink, type, 2 * thread, always || a < bound ? one : 0);
  store_integer(job.sink, type, 2 * thread + 1, always || b < bound ? one : 0);
}

}  // namespace numbers_cuda

NumbersSink numbers_sink(const Distribution& what, void* out, std::size_t count) {
  return {static_cast<std::uint8_t*>(out), count,
          reinterpret_cast<std::uintptr_t>(out) % what.number_bytes() == 0};
}

template <class F>
void launch_floats(cudaStream_t stream, const Distribution& what, unsigned grid, const Job& job) {
  floats_kernel<F>
      <<<grid, kThreads, 0, stream>>>(job, random::FloatParameters<F>(what, limits_of(what)));
}

cudaError_t cuda_numbers(cudaStream_t stream, const Distribution& what, const void* random,
                         void* out, std::size_t count) {
  const Job job = {numbers_sink(what, out, count), static_cast<const uint4*>(random)};
  const std::size_t threads = (count * what.word_bytes() + 15) / 16;
  const auto grid = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  switch (what.output) {
    case Output::kIntegers:
      integers_kernel<<<grid, kThreads, 0, stream>>>(
          job, what.type, static_cast<std::uint64_t>(what.first),
          static_cast<std::uint64_t>(what.last) - static_cast<std::uint64_t>(what.first) + 1);
      break;
    case Output::kBernoulli: {
      const Bernoulli bernoulli(what);
      bernoulli_kernel<<<grid, kThreads, 0, stream>>>(job, what.type, bernoulli.one,
                                                      bernoulli.bound, bernoulli.always);
      break;
    }
    case Output::kUniform:
    case Output::kNormal:
    case Output::kBytes:
      if (what.type == NumberType::kFloat64) {
        launch_floats<double>(stream, what, grid, job);
      } else {
        launch_floats<float>(stream, what, grid, job);
      }
      break;
  }
  return cudaGetLastError();
}

}  // namespace gpuctr
