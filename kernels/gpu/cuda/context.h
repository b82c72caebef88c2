// What every call into the CUDA runtime needs around it: the right card, and errors as GpuStatus.
#ifndef GPUCTR_KERNELS_GPU_CUDA_CONTEXT_H
#define GPUCTR_KERNELS_GPU_CUDA_CONTEXT_H

#include <cuda_runtime_api.h>

#include "kernels/gpu/layer.h"

namespace gpuctr::cuda {

// The status for a runtime error of a call for `device` (-1: for no card in particular). Clears the
// runtime's own record of it, and remembers a card that is lost. Thread-safe.
GpuStatus note(int device, cudaError_t error);

// Makes a card current for this thread, and at the end restores what the application had: the
// thread may be one of its own, in the middle of its own CUDA work.
class DeviceScope {
 public:
  static constexpr int kAny = -1;  // some card whose context exists or may be made

  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  GpuStatus status() const { return status_; }

 private:
  GpuStatus status_;
  void* before_ = nullptr;  // CUcontext
  bool restore_ = false;
};

}  // namespace gpuctr::cuda

#endif
