// Counter mode and random numbers in one kernel with tables: keystream goes from registers to
// numbers, and memory is only written. For numbers that take random words of 32 bits.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_NUMBERS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_NUMBERS_CUH

#include "kernels/gpu/cuda/kernel/numbers.cuh"
#include "kernels/gpu/cuda/kernel/tables/launch.cuh"

namespace gpuctr::tables {

// float32, or float16 and bfloat16.
template <class R, bool kHalves>
struct NumbersParameters : CtrParameters<R> {
  static constexpr unsigned kOutBytes = kHalves ? 8 : 16;

  __device__ __forceinline__ void put(uint4 chunk, std::uint8_t* out) const {
    float x[4];
    make_floats(floats, chunk, x);
    if constexpr (kHalves) {
      *reinterpret_cast<uint2*>(out) = halves_of(floats.type, x);
    } else {
      *reinterpret_cast<float4*>(out) = {x[0], x[1], x[2], x[3]};
    }
  }

  random::FloatParameters<float> floats;
};

template <class F, bool kHalves>
cudaError_t launch_numbers(cudaStream_t stream, const RoundKeys& keys, const std::uint8_t* counter,
                           const Distribution& what, void* out, std::size_t count) {
  using Job = NumbersParameters<typename F::Rounds, kHalves>;
  static_assert(sizeof(Job) <= kShortParameters);
  Device device = {};
  if (const cudaError_t error = device.ask()) return error;
  Wiped<Job> job;
  F::lay_out_keys(keys, job.value.keys);
  job.value.rounds = F::kRounds;
  job.value.in = nullptr;
  job.value.floats = {what, limits_of(what)};
  CounterRuns pieces(counter, kBlockBytes<F>, count * 4);
  for (CounterRun piece; pieces.next(&piece);) {
    job.value.counter = piece.counter;
    job.value.out = static_cast<std::uint8_t*>(out) + piece.offset / 16 * Job::kOutBytes;
    job.value.bytes = piece.bytes;
    const unsigned shared = device.table_bytes + kFirstRowsBytes;
    const cudaError_t error =
        launch(walk_kernel<F, Job>, device.processors, shared, stream, job.value, true);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

// CudaOps::numbers.
template <class F>
cudaError_t numbers(cudaStream_t stream, const RoundKeys& keys, const std::uint8_t* counter,
                    const Distribution& what, void* out, std::size_t* count) {
  *count = *count * 4 < kWalkBytes ? 0 : *count / 4 * 4;
  if (*count == 0) return cudaSuccess;
  const auto launch_of =
      what.type == NumberType::kFloat32 ? launch_numbers<F, false> : launch_numbers<F, true>;
  return launch_of(stream, keys, counter, what, out, *count);
}

}  // namespace gpuctr::tables

#endif
