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
  random::FloatParameters<float> floats;
  std::uint8_t* out;
  std::uint64_t units;
};

// Whole units, for float32, float16 and bfloat16.
template <class F>
__global__ void __launch_bounds__(32 * kWarps, 1)
    numbers_kernel(const __grid_constant__ NumbersParameters<F> job) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t unit = std::uint64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (unit >= job.units) return;
  uint4 chunk[F::kChunks];
  F::template chunks<false>(job.keys, job.counter,
                            static_cast<std::uint32_t>(unit) * kUnitCount<F> + lane, chunk);
  const std::uint64_t first = unit * (kUnitBytes<F> / 16) + lane;  // in fours of numbers
#pragma unroll
  for (unsigned q = 0; q < F::kChunks; ++q) {
    float x[4];
    make_floats(job.floats, chunk[q], x);
    if (job.floats.type == NumberType::kFloat32) {
      reinterpret_cast<float4*>(job.out)[first + 32 * q] = {x[0], x[1], x[2], x[3]};
    } else {
      reinterpret_cast<uint2*>(job.out)[first + 32 * q] = halves_of(job.floats.type, x);
    }
  }
}

// CudaOps::numbers.
template <class F>
cudaError_t numbers(cudaStream_t stream, const RoundKeys& keys, const std::uint8_t* counter,
                    const Distribution& what, void* out, std::size_t* count) {
  static_assert(sizeof(NumbersParameters<F>) <= kShortParameters && kExchangeBytes<F> == 0);
  constexpr std::size_t kNumbers = kUnitBytes<F> / 4;
  *count -= *count % kNumbers;
  Wiped<NumbersParameters<RoundsOf<F>>> job;
  lay_out_keys<F>(keys, job.value.keys);
  job.value.floats = {what, limits_of(what)};
  CounterRuns pieces(counter, kBlockBytes<F>, *count * 4);
  for (CounterRunOf<CounterOf<F>> piece; pieces.next(&piece);) {
    if (piece.bytes % kUnitBytes<F> != 0) {  // a counter's low word passes zero within a unit
      *count = piece.offset / 4;
      return cudaSuccess;
    }
    job.value.counter = piece.counter;
    job.value.out = static_cast<std::uint8_t*>(out) + piece.offset / 4 * what.number_bytes();
    job.value.units = piece.bytes / kUnitBytes<F>;
    const auto grid = static_cast<unsigned>((job.value.units + kWarps - 1) / kWarps);
    numbers_kernel<RoundsOf<F>><<<grid, 32 * kWarps, 0, stream>>>(job.value);
    if (const cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}

}  // namespace gpuctr::wordwise

#endif
