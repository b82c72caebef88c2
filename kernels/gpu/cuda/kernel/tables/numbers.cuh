// Counter mode and random numbers in one kernel with tables: keystream goes from registers to
// numbers, and memory is only written.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_NUMBERS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_NUMBERS_CUH

#include "kernels/gpu/cuda/kernel/numbers.cuh"
#include "kernels/gpu/cuda/kernel/tables/launch.cuh"

namespace gpuctr::tables {

template <class R>
struct NumbersParameters : CtrParameters<R> {
  __device__ __forceinline__ unsigned chunk_bytes() const { return maker.chunk_bytes; }
  __device__ __forceinline__ void put(uint4 chunk, std::uint8_t* out) const {
    const uint4 one[1] = {chunk};
    maker.put(one, out);
  }

  NumberMaker maker;
};

// CudaOps::numbers.
template <class F>
cudaError_t numbers(cudaStream_t stream, const RoundKeys& keys, const std::uint8_t* counter,
                    const Distribution& what, void* out, std::size_t* count) {
  using Job = NumbersParameters<typename F::Rounds>;
  static_assert(sizeof(Job) <= kShortParameters);
  const std::size_t word = what.word_bytes();
  *count = *count * word < kWalkBytes ? 0 : *count - *count % (16 / word);
  if (*count == 0) return cudaSuccess;
  Device device = {};
  if (const cudaError_t error = device.ask()) return error;
  Wiped<Job> job;
  F::lay_out_keys(keys, job.value.keys);
  job.value.rounds = F::kRounds;
  job.value.in = nullptr;
  job.value.maker = NumberMaker(what);
  CounterRuns pieces(counter, kBlockBytes<F>, *count * word);
  for (CounterRun piece; pieces.next(&piece);) {
    job.value.counter = piece.counter;
    job.value.out =
        static_cast<std::uint8_t*>(out) + piece.offset / 16 * job.value.maker.chunk_bytes;
    job.value.bytes = piece.bytes;
    const unsigned shared = device.table_bytes + kFirstRowsBytes;
    const cudaError_t error =
        launch(walk_kernel<F, Job>, device.processors, shared, stream, job.value, true);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace gpuctr::tables

#endif
