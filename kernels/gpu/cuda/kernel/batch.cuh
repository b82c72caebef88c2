// Functions that every kernel for batches uses on a CudaBatch.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BATCH_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BATCH_CUH

#include <cstdint>

#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr {

// The run that contains a unit: the last run with first_unit <= unit.
inline __device__ unsigned find_run(const CudaBatch& batch, std::uint32_t unit) {
  if (batch.even != 0) return unit / batch.even;
  unsigned low = 0;
  unsigned high = batch.count;
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (batch.runs[middle].first_unit <= unit ? low : high) = middle;
  }
  return low;
}

}  // namespace gpuctr

#endif
