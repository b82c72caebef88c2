// Memory for the keys of batches: filled on the host and copied to the device. The stream wipes
// both sides as soon as the batch is done.
#ifndef GPUCTR_KERNELS_GPU_CUDA_SCRATCH_H
#define GPUCTR_KERNELS_GPU_CUDA_SCRATCH_H

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kernels/gpu/cuda/context.h"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr::cuda {

struct Scratch {
  void* host;  // pinned
  void* device;
  std::size_t bytes;
  cudaEvent_t copied;   // recorded when the host side is on the device
  cudaEvent_t cleared;  // recorded when the host side is wiped
  cudaEvent_t done;     // recorded after the last batch and the wiping of the device's side
};

// A few Scratch of one stream, so that the copy for one batch overlaps the kernel of the previous
// batch. One thread at a time; the device must be current.
class ScratchPool {
 public:
  // Returns a Scratch of at least `bytes`; waits for the oldest if all are in use.
  DeviceStatus take(int device, std::size_t bytes, Scratch** scratch);

  // Copies `bytes` of the host side to the device, then queues launch() and the wiping.
  template <class Launch>
  DeviceStatus use(Scratch* scratch, int device, cudaStream_t stream, std::size_t bytes,
                   Launch launch) {
    cudaError_t error = upload(scratch, stream, bytes);
    if (error == cudaSuccess) error = launch();
    return note(device, finish(scratch, stream, bytes, error));
  }

  // Frees everything. The stream's work must be done.
  void free(int device);

 private:
  static constexpr unsigned kCount = 3;

  cudaError_t upload(Scratch* scratch, cudaStream_t stream, std::size_t bytes);
  static cudaError_t finish(Scratch* scratch, cudaStream_t stream, std::size_t bytes,
                            cudaError_t error);
  static cudaError_t grow(Scratch* scratch, std::size_t bytes);
  static void release(Scratch* scratch);

  Scratch all_[kCount] = {};
  unsigned next_ = 0;
  cudaStream_t upload_ = nullptr;
};

}  // namespace gpuctr::cuda

#endif
