// Counter mode and random numbers in one word-wise kernel: keystream goes from registers to
// numbers, and memory is only written. For numbers that take random words of 32 bits.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_NUMBERS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_NUMBERS_CUH

#include "kernels/gpu/cuda/kernel/numbers.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/wordwise.cuh"

namespace gpuctr::wordwise {

template <class F>
struct NumbersParameters {
  alignas(16) std::uint32_t keys[kKeyWords<F>];
  CounterOf<F> counter;
  NumbersSink sink;
  std::uint64_t first;  // the number that the counter's first word gives
  std::uint64_t bytes;  // of keystream
};

template <class F>
__global__ void __launch_bounds__(32 * kWarps, 1)
    numbers_kernel(const __grid_constant__ NumbersParameters<F> job) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t unit = std::uint64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (unit * kUnitBytes<F> >= job.bytes) return;
  uint4 chunk[F::kChunks];
  F::template chunks<false>(job.keys, job.counter,
                            static_cast<std::uint32_t>(unit) * kUnitCount<F> + lane, chunk);
#pragma unroll
  for (unsigned q = 0; q < F::kChunks; ++q) {
    const std::uint64_t first = job.first + unit * (kUnitBytes<F> / 4) + 4 * (lane + 32 * q);
    if (first < job.sink.count) make_floats<float>(job.sink, first, chunk[q]);
  }
}

// CudaOps::numbers.
template <class F>
cudaError_t numbers(cudaStream_t stream, const RoundKeys& keys, const std::uint8_t* counter,
                    const NumbersSink& sink) {
  static_assert(sizeof(NumbersParameters<F>) <= kShortParameters && kExchangeBytes<F> == 0);
  Wiped<NumbersParameters<F>> job;
  lay_out_keys<F>(keys, job.value.keys);
  job.value.sink = sink;
  CounterRuns pieces(counter, kBlockBytes<F>, (sink.count * 4 + 15) / 16 * 16);
  for (CounterRunOf<CounterOf<F>> piece; pieces.next(&piece);) {
    job.value.counter = piece.counter;
    job.value.first = piece.offset / 4;
    job.value.bytes = piece.bytes;
    const std::uint64_t a_block = kWarps * kUnitBytes<F>;
    const auto grid = static_cast<unsigned>((piece.bytes + a_block - 1) / a_block);
    numbers_kernel<F><<<grid, 32 * kWarps, 0, stream>>>(job.value);
    if (const cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}

}  // namespace gpuctr::wordwise

#endif
