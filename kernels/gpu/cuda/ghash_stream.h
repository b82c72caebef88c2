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
  // Whether the device has the instruction for GHASH, and whether it makes this run of GCM in one
  // pass.
  bool suits(int device);
  bool suits_gcm(int device, const DeviceGcm& run);

  // Allocates the memory. After a failure it may be called again.
  cudaError_t prepare(cudaStream_t stream);
  void free();

  // Queues the hash of whole blocks on `stream`, which is the same in every call, and the wiping of
  // secrets. The new y goes to `sum` (16 bytes of pinned memory). behind_counter: the previous
  // kernel of the stream is counter mode. h and y, 16 bytes each, are host memory, copied before
  // the call returns.
  cudaError_t hash(cudaStream_t stream, const std::uint8_t* h, const std::uint8_t* y,
                   const void* in, std::size_t blocks, void* sum, bool behind_counter);

  // Like hash(), for a run of GCM in one pass by a cipher's kernel.
  cudaError_t gcm(cudaStream_t stream, CudaGcm kernel, const RoundKeys& keys, const DeviceGcm& run);

  // Waits until the last sum is written and all work queued before it is done. `done` is an event
  // queued after the sum. The device also writes a flag to memory, which the host usually sees
  // before the event.
  cudaError_t wait(cudaEvent_t done);

 private:
  enum class Form { kUnknown, kNone, kMma, kWgmma };

  bool takes_wgmma(const void* in, std::size_t blocks) const;
  HashPlace place(const HashPowers& powers, void* sum, bool behind_counter);

  Form form_ = Form::kUnknown;
  unsigned grid_ = 0;
  void* state_ = nullptr;                   // on the device
  volatile std::uint32_t* flag_ = nullptr;  // pinned
  std::uint32_t ticket_ = 0;                // value of flag_ once the last sum is written
};

}  // namespace gpuctr::cuda

#endif
