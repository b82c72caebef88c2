// Kernels that make numbers from random bytes in device memory: for every distribution.
#include "kernels/gpu/cuda/kernel/numbers.cuh"

#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr {
inline namespace numbers_cuda {

struct Job {
  const uint4* random;
  std::uint8_t* out;
  std::uint64_t bytes;  // of the numbers
};

constexpr unsigned kThreads = 256;

// A thread takes a chunk. The last may have too many numbers, and out any address.
template <class Maker>
__global__ void __launch_bounds__(kThreads)
    numbers_kernel(const __grid_constant__ Job job, const __grid_constant__ Maker maker) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::uint64_t first = thread * maker.chunk_bytes;
  if (first >= job.bytes) return;
  const uint4 chunk[1] = {job.random[thread]};
  std::uint8_t* const out = job.out + first;
  if (first + maker.chunk_bytes <= job.bytes &&
      reinterpret_cast<std::uintptr_t>(out) % maker.chunk_bytes == 0) {
    maker.put(chunk, out);
    return;
  }
  alignas(16) std::uint8_t made[16];
  maker.put(chunk, made);
  for (unsigned i = 0; i < maker.chunk_bytes && first + i < job.bytes; ++i) out[i] = made[i];
}

template <class Maker>
cudaError_t launch(cudaStream_t stream, const Job& job, const Maker& maker) {
  const std::uint64_t threads = (job.bytes + maker.chunk_bytes - 1) / maker.chunk_bytes;
  const auto grid = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  numbers_kernel<<<grid, kThreads, 0, stream>>>(job, maker);
  return cudaGetLastError();
}

}  // namespace numbers_cuda

cudaError_t cuda_numbers(cudaStream_t stream, const Distribution& what, const void* random,
                         void* out, std::size_t count) {
  const Job job = {static_cast<const uint4*>(random), static_cast<std::uint8_t*>(out),
                   count * what.number_bytes()};
  return NumberMaker::makes(what) ? launch(stream, job, NumberMaker(what))
                                  : launch(stream, job, DoubleMaker(what));
}

}  // namespace gpuctr
