// A stream's memory for GHASH, made at its first use.
#ifndef GPUCTR_KERNELS_GPU_CUDA_GHASH_STREAM_H
#define GPUCTR_KERNELS_GPU_CUDA_GHASH_STREAM_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/cuda/ghash.h"
#include "kernels/gpu/cuda/kernels.h"
#include "kernels/gpu/layer.h"

namespace gpuctr::cuda {

// One thread at a time; the device must be current in every call.
class GhashStream {
 public:
  // Whether the device has an instruction for it, and whether it makes this run of GCM in one pass.
  bool suits(int device);
  bool suits_gcm(int device, const DeviceGcm& run);

  // Memory. After a failure it can be called again.
  cudaError_t prepare(cudaStream_t stream);
  void free();

  // Queues on `stream`, always the same one, the hash of whole blocks, y behind them in `sum` (16
  // bytes of pinned memory), and the wiping of what is secret. behind_counter: the kernel before it
  // is of counter mode. h and y, 16 bytes each, are host memory, copied before the call returns.
  cudaError_t hash(cudaStream_t stream, const std::uint8_t* h, const std::uint8_t* y,
                   const void* in, std::size_t blocks, void* sum, bool behind_counter);

  // The same of a run of GCM in one pass, by a cipher's kernel.
  cudaError_t gcm(cudaStream_t stream, CudaGcm kernel, const RoundKeys& keys, const DeviceGcm& run);

  // Waits until the sum that was asked for last is there, and all that was queued before it is
  // done. `done` is an event behind it. Sooner than the event: the device says so in memory.
  cudaError_t wait(cudaEvent_t done);

 private:
  enum class Form { kUnknown, kNone, kMma, kWgmma };

  bool takes_wgmma(const void* in, std::size_t blocks) const;
  HashPlace place(const HashPowers& powers, void* sum, bool behind_counter);

  Form form_ = Form::kUnknown;
  unsigned grid_ = 0;
  void* state_ = nullptr;                   // on the device
  volatile std::uint32_t* flag_ = nullptr;  // pinned
  std::uint32_t ticket_ = 0;                // what flag_ becomes with the last sum
};

}  // namespace gpuctr::cuda

#endif
