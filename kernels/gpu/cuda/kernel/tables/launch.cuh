// The host part of the kernels for ciphers with table look-ups; tables.cuh and tables64.cuh have
// the device part.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_LAUNCH_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_LAUNCH_CUH

#include <algorithm>

#include <cstddef>
#include <cstdint>

#include "kernels/base/wipe.h"
#include "kernels/gpu/cuda/kernel/tables/mixed.cuh"
#include "kernels/gpu/cuda/kernel/tables/tables.cuh"
#include "kernels/gpu/cuda/kernel/tables/tables64.cuh"

namespace gpuctr::tables {

// Properties of the current device.
struct Device {
  unsigned processors;
  unsigned table_bytes;  // upper bound for a kernel's tables on this device

  cudaError_t ask() {
    int device = 0;
    int most = 0;
    int count = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
      error = cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
      error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    processors = static_cast<unsigned>(count);
    table_bytes = most >= 160 * 1024 ? 4 * kTableBytes : kTableBytes;
    return error;
  }
};

// early: the kernel calls begin_behind_other_kernel().
template <class Kernel, class Argument>
cudaError_t launch(Kernel kernel, unsigned grid, unsigned shared, cudaStream_t stream,
                   const Argument& argument, bool early = false) {
  return launch_early(kernel, grid, kThreads, shared, stream, early, argument);
}

// Jobs of at least this size use walk_kernel: in a shorter job the run of each multiprocessor is
// too short.
constexpr std::size_t kWalkBytes = std::size_t{4} << 20;
// Jobs without data of at least this size use mixed_kernel, where there is one. With data it is
// slower.
constexpr std::size_t kMixedBytes = std::size_t{32} << 20;

// Whether the present device has mixed_kernel: only code for sm_90a moves registers between warps.
inline bool mixes() {
  int device = 0;
  int major = 0;
  return kBuiltForSm90a && cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
         major == 9;
}

template <class F>
cudaError_t launch_piece(cudaStream_t stream, const Device& device,
                         CtrParameters<typename F::Rounds>* job) {
  const auto bits =
      reinterpret_cast<std::uintptr_t>(job->in) | reinterpret_cast<std::uintptr_t>(job->out);
  if (job->bytes < kWalkBytes || bits % kBlockBytes<F> != 0) {
    const std::uint64_t blocks = (job->bytes + kWarps * kUnitBytes - 1) / (kWarps * kUnitBytes);
    const auto grid = static_cast<unsigned>(std::min<std::uint64_t>(blocks, device.processors));
    return launch(job_kernel<typename F::Rounds>, grid, device.table_bytes + kWarps * kTileBytes,
                  stream, *job);
  }
  const unsigned shared = device.table_bytes + kFirstRowsBytes;
  if constexpr (HasBitSliced<F>::value) {
    if (job->in == nullptr && job->bytes >= kMixedBytes && mixes()) {
      return launch_early(mixed_kernel<F>, device.processors, kMixedThreads,
                          device.table_bytes + sizeof(MixedMemory), stream, true, *job);
    }
  }
  if constexpr (kBlockBytes<F> == 16) {
    return launch(walk_kernel<F>, device.processors, shared, stream, *job, true);
  } else {
    const auto kernel = job->in == nullptr ? walk64_kernel<F, false> : walk64_kernel<F, true>;
    return launch(kernel, device.processors, shared, stream, *job);
  }
}

template <class F>
cudaError_t ctr(cudaStream_t stream, const RoundKeys& keys, const std::uint8_t* counter,
                const void* in, void* out, std::size_t bytes) {
  Device device = {};
  if (const cudaError_t error = device.ask()) return error;
  static_assert(is_scrubbed(sizeof(CtrParameters<typename F::Rounds>), F::kKeyWords * 4));
  Wiped<CtrParameters<typename F::Rounds>> job;
  F::lay_out_keys(keys, job.value.keys);
  job.value.rounds = F::kRounds;
  CounterRuns pieces(counter, kBlockBytes<F>, bytes);
  for (CounterRun piece; pieces.next(&piece);) {
    job.value.counter = piece.counter;
    job.value.in = in == nullptr ? nullptr : static_cast<const std::uint8_t*>(in) + piece.offset;
    job.value.out = static_cast<std::uint8_t*>(out) + piece.offset;
    job.value.bytes = piece.bytes;
    if (const cudaError_t error = launch_piece<F>(stream, device, &job.value)) return error;
  }
  return cudaSuccess;
}

template <class F>
cudaError_t batch(cudaStream_t stream, const CudaBatch& b) {
  if (b.units == 0) return cudaSuccess;
  Device device = {};
  if (const cudaError_t error = device.ask()) return error;
  const unsigned grid = std::min((b.units + kWarps - 1) / kWarps, device.processors);
  return launch(batch_kernel<typename F::Rounds>, grid, device.table_bytes + kWarps * kTileBytes,
                stream, Batch{b, F::kRounds, F::kKeyWords});
}

template <class F>
void lay_out_keys(const RoundKeys& keys, void* out) {
  F::lay_out_keys(keys, static_cast<std::uint32_t*>(out));
}

// Uses the rounds of F, the form for the longest key, with round keys in the layout of Keys.
template <class F, class Keys>
cudaError_t blocks(cudaStream_t stream, const RoundKeys& keys, const BlockSpan& span) {
  static_assert(is_scrubbed(sizeof(BlockParameters<F>), Keys::kKeyWords * 4));
  Device device = {};
  if (const cudaError_t error = device.ask()) return error;
  Wiped<BlockParameters<F>> job;
  static_assert(Keys::kKeyWords <= F::kKeyWords);
  Keys::lay_out_keys(keys, job.value.keys);
  job.value.rounds = Keys::kRounds;
  job.value.span = span;
  const std::uint64_t blocks = (span.bytes + kWarps * kUnitBytes - 1) / (kWarps * kUnitBytes);
  const auto grid = static_cast<unsigned>(std::min<std::uint64_t>(blocks, device.processors));
  const bool transforms = span.chained || span.feedback || span.masks != nullptr;
  const auto kernel = transforms ? block_kernel<F, true> : block_kernel<F, false>;
  return launch(kernel, grid, device.table_bytes + kWarps * kRowBytes, stream, job.value);
}

// Decryption uses the rounds and the keys of Inverse. Ciphers with blocks of 64 bits have no
// generator, and generators send most batches. So their few batches are sent to the device one
// segment after another.
template <class F, class Inverse>
constexpr CudaOps make_ops() {
  CudaOps ops = {};
  ops.ctr = ctr<F>;
  if constexpr (kBlockBytes<F> == 16) {
    ops.batch = batch<F>;
    ops.unit_bytes = kUnitBytes;
    ops.key_bytes = F::kKeyWords * std::size_t{4};
    ops.lay_out_keys = lay_out_keys<F>;
  }
  ops.encrypt = blocks<typename F::Rounds, F>;
  ops.decrypt = blocks<typename Inverse::Rounds, Inverse>;
  return ops;
}
template <class F, class Inverse>
constexpr CudaOps kOps = make_ops<F, Inverse>();

}  // namespace gpuctr::tables

#endif
