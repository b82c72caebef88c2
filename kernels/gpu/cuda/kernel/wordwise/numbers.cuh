// Counter mode and random numbers in one word-wise kernel: keystream goes from registers to
// numbers, and memory is only written.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_NUMBERS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_NUMBERS_CUH

#include "kernels/gpu/cuda/kernel/numbers.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/wordwise.cuh"

namespace gpuctr::wordwise {

template <class F>
struct NumbersParameters {
  alignas(16) std::uint32_t keys[kKeyWords<F>];
  CounterOf<F> counter;
  NumberMaker maker;
  std::uint8_t* out;
  std::uint64_t units;
};

// Whole units.
template <class F>
__global__ void __launch_bounds__(32 * kWarps, 1)
    numbers_kernel(const __grid_constant__ NumbersParameters<F> job) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t unit = std::uint64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (unit >= job.units) return;
  uint4 chunk[F::kChunks];
  F::template chunks<false>(job.keys, job.counter,
                            static_cast<std::uint32_t>(unit) * kUnitCount<F> + lane, chunk);
  const unsigned each = job.maker.chunk_bytes;
  job.maker.put(chunk, job.out + (unit * (kUnitBytes<F> / 16) + lane) * each, 32 * each);
}

// CudaOps::numbers.
template <class F>
cudaError_t numbers(cudaStream_t stream, const RoundKeys& keys, const std::uint8_t* counter,
                    const Distribution& what, void* out, std::size_t* count) {
  static_assert(sizeof(NumbersParameters<F>) <= kShortParameters && kExchangeBytes<F> == 0);
  const std::size_t word = what.word_bytes();
  *count -= *count % (kUnitBytes<F> / word);
  Wiped<NumbersParameters<RoundsOf<F>>> job;
  lay_out_keys<F>(keys, job.value.keys);
  job.value.maker = NumberMaker(what);
  CounterRuns pieces(counter, kBlockBytes<F>, *count * word);
  for (CounterRunOf<CounterOf<F>> piece; pieces.next(&piece);) {
    if (piece.bytes % kUnitBytes<F> != 0) {  // a counter's low word passes zero within a unit
      *count = piece.offset / word;
      return cudaSuccess;
    }
    job.value.counter = piece.counter;
    job.value.out =
        static_cast<std::uint8_t*>(out) + piece.offset / 16 * job.value.maker.chunk_bytes;
    job.value.units = piece.bytes / kUnitBytes<F>;
    const auto grid = static_cast<unsigned>((job.value.units + kWarps - 1) / kWarps);
    numbers_kernel<RoundsOf<F>><<<grid, 32 * kWarps, 0, stream>>>(job.value);
    if (const cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}

}  // namespace gpuctr::wordwise

#endif
