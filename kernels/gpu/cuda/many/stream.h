// Batches of messages in one stream: memory for what the steps hand to each other, and the order of
// the steps.
#ifndef GPUCTR_KERNELS_GPU_CUDA_MANY_STREAM_H
#define GPUCTR_KERNELS_GPU_CUDA_MANY_STREAM_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/cuda/many/job.h"
#include "kernels/gpu/cuda/scratch.h"
#include "kernels/gpu/layer.h"

namespace gpuctr::cuda {

// One thread at a time; the device must be current.
class ManyStream {
 public:
  static bool takes(const CipherSpec& cipher, const DeviceMessages& batch);

  DeviceStatus run(int device, cudaStream_t stream, ScratchPool* pool, const CipherSpec& cipher,
                   const CudaMany& kernels, const DeviceMessages& batch);

  // Frees everything. The stream's work must be done.
  void free();

 private:
  struct Batch;

  cudaError_t prepare(std::size_t messages);
  cudaError_t run_steps(cudaStream_t stream, const Batch& batch, ManyJob job);
  cudaError_t text(cudaStream_t stream, const Batch& batch, ManyJob job, ManyStep step);
  cudaError_t gcm(cudaStream_t stream, const Batch& batch, ManyJob job);
  cudaError_t hash(cudaStream_t stream, const Batch& batch, const ManyJob& whole,
                   const std::uint8_t* text);
  cudaError_t ccm(cudaStream_t stream, const Batch& batch, ManyJob job);

  // Three blocks of 16 bytes a message: counters or IVs, hash keys, masks. The last two are secret,
  // and each batch wipes them.
  uint4* work_ = nullptr;
  std::size_t messages_ = 0;
  unsigned warps_ = 0;  // that the device runs at a time
  unsigned processors_ = 0;
  bool has_matrices_ = false;  // of bits, on tensor cores
};

}  // namespace gpuctr::cuda

#endif
