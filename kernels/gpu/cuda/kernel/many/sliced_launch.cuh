// The host part of sliced.cuh.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_SLICED_LAUNCH_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_SLICED_LAUNCH_CUH

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/gpu/cuda/kernel/many/sliced.cuh"

namespace gpuctr::many {

template <class C>
cudaError_t run_sliced(cudaStream_t stream, const ManyJob& job) {
  const std::uint64_t blocks = (sliced_lanes(job) + kSlicedThreads - 1) / kSlicedThreads;
  if (blocks == 0) return cudaSuccess;
  constexpr unsigned kShared = SlicedKeys<C>::kWords * kSlicedThreads * 4;
  sliced_kernel<C><<<static_cast<unsigned>(blocks), kSlicedThreads, kShared, stream>>>(job);
  return cudaGetLastError();
}

}  // namespace gpuctr::many

#endif
