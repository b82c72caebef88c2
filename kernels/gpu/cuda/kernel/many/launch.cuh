// The host part of the kernels for many messages (kernels.cuh).
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_LAUNCH_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_LAUNCH_CUH

#include <algorithm>

#include <cstdint>

#include "kernels/gpu/cuda/kernel/many/tables.cuh"
#include "kernels/gpu/cuda/kernel/many/wordwise.cuh"

namespace gpuctr::many {

// The launch. `L::kPersistent`: a thread block makes tables first, so there is one for a
// multiprocessor.
struct Limits {
  unsigned processors;
  unsigned shared;  // of a thread block, most
  unsigned all;     // of a multiprocessor

  cudaError_t ask() {
    int device = 0;
    int value[3] = {};
    cudaError_t error = cudaGetDevice(&device);
    const cudaDeviceAttr asked[3] = {cudaDevAttrMultiProcessorCount,
                                     cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                     cudaDevAttrMaxSharedMemoryPerMultiprocessor};
    for (unsigned i = 0; i < 3 && error == cudaSuccess; ++i)
      error = cudaDeviceGetAttribute(&value[i], asked[i], device);
    processors = static_cast<unsigned>(value[0]);
    shared = static_cast<unsigned>(value[1]), all = static_cast<unsigned>(value[2]);
    return error;
  }
};

template <class L, ManySteps kSteps>
cudaError_t launch(cudaStream_t stream, ManyStep step, const ManyJob& job) {
  const auto kernel = messages_kernel<L, kSteps>;
  Limits limits = {};
  if (const cudaError_t error = limits.ask()) return error;
  const unsigned tables = L::table_bytes(limits.shared);
  const unsigned of_warp = job.row != nullptr ? 0 : job.tile * L::row_words(job) * 4;
  const unsigned fixed = tables + (job.row != nullptr ? L::key_words(job) * 4 : 0);
  // Two thread blocks a multiprocessor, where no tables are to be made.
  const unsigned most =
      L::kPersistent ? limits.shared : std::min(limits.shared, limits.all / 2 - 1024);
  unsigned warps = L::kThreads / 32;
  if (of_warp != 0) warps = std::min(warps, (most - fixed) / of_warp);
  if (warps == 0 && of_warp != 0)
    warps = std::min(L::kThreads / 32, (limits.shared - fixed) / of_warp);
  if (warps == 0) return cudaErrorInvalidConfiguration;
  const unsigned shared = fixed + warps * of_warp;
  cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(shared));
  if (error != cudaSuccess) return error;
  const std::uint64_t tiles = (std::uint64_t{job.pieces} + job.tile - 1) / job.tile;
  std::uint64_t grid = (tiles + warps - 1) / warps;
  if (L::kPersistent) grid = std::min<std::uint64_t>(grid, limits.processors);
  kernel<<<static_cast<unsigned>(grid), 32 * warps, shared, stream>>>(job, step);
  return cudaGetLastError();
}

template <class L>
cudaError_t run(cudaStream_t stream, ManyStep step, const ManyJob& job) {
  if constexpr (L::kPersistent) {
    return launch<L, ManySteps::kAll>(stream, step, job);
  } else {
    if constexpr (L::kMakesKeys) {
      if (step == ManyStep::kCtr && job.row == nullptr && job.longest <= 16 * L::kChunks) {
        const unsigned grid = (job.pieces + L::kThreads - 1) / L::kThreads;
        short_kernel<L><<<grid, L::kThreads, 0, stream>>>(job);
        return cudaGetLastError();
      }
    }
    switch (step) {
      case ManyStep::kCtr:
        return launch<L, ManySteps::kCtr>(stream, step, job);
      case ManyStep::kCbcDecrypt:
        return launch<L, ManySteps::kCbcDecrypt>(stream, step, job);
      default:
        return launch<L, ManySteps::kChains>(stream, step, job);
    }
  }
}

template <class L>
cudaError_t run_with_sliced(cudaStream_t stream, ManyStep step, const ManyJob& job) {
  switch (step) {
    case ManyStep::kCtr:
      return cuda::sliced_ctr<typename L::Cipher>(stream, job);
    case ManyStep::kCbcDecrypt:
      return launch<L, ManySteps::kCbcDecrypt>(stream, step, job);
    default:
      return launch<L, ManySteps::kChains>(stream, step, job);
  }
}

// Only for forms whose keys are in the layout of spread_keys.
template <class F>
void lay_out_words(const RoundKeys& keys, ManyStep, std::uint32_t* row) {
  KeysOf<F>::lay_out(keys, row);
}
template <class F, class L = WordLanes<F>>
constexpr cuda::CudaMany kWordMany = {(KeysOf<F>::kWords * 4 + 15) / 16 * 16, lay_out_words<F>,
                                      run<L>};
template <class F, class L = WordLanes<F>>
constexpr cuda::CudaMany kSlicedMany = {(KeysOf<F>::kWords * 4 + 15) / 16 * 16, lay_out_words<F>,
                                        run_with_sliced<L>};

template <class F, class Inverse>
void lay_out_tables(const RoundKeys& keys, ManyStep step, std::uint32_t* row) {
  if (step == ManyStep::kCbcDecrypt) {
    Inverse::lay_out_keys(keys, row);
  } else {
    F::lay_out_keys(keys, row);
  }
}
// Key: a TableKey; L: the TableLanes of all key sizes.
template <class Key, class L>
constexpr cuda::CudaMany kTableMany = {(Key::Form::kKeyWords * 4 + 15) / 16 * 16,
                                       lay_out_tables<typename Key::Form, typename Key::Inverse>,
                                       run<L>};

}  // namespace gpuctr::many

#endif
