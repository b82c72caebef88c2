// What every call into the CUDA runtime needs around it: the right device, its context, and errors
// as DeviceStatus. The device, its context and the calling thread are shared with the program.
#ifndef GPUCTR_KERNELS_GPU_CUDA_CONTEXT_H
#define GPUCTR_KERNELS_GPU_CUDA_CONTEXT_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/layer.h"

namespace gpuctr::cuda {

// The status for a runtime error of a call for `device` (-1: for no device in particular). Clears
// the runtime's own record of it, and remembers a device that is lost. Thread-safe.
DeviceStatus note(int device, cudaError_t error);

// While it lives, this thread may make calls that are unsafe while another thread captures a graph,
// and they leave that capture valid. Needs no context and makes none.
class RelaxedCapture {
 public:
  RelaxedCapture();
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  int before_ = 0;  // CUstreamCaptureMode
  bool restore_ = false;
};

// Tells the contexts that a device has had from one another: another number after the program has
// reset the device. Always 0 where the driver can't tell.
using ContextNumber = std::uint64_t;

// Makes a device's primary context current for this thread, and at the end restores what the
// application had: the thread may be one of its own, in the middle of its own CUDA work.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  // For calls with what was made in `context`: kContextGone if that is not the device's present
  // one.
  DeviceScope(int device, ContextNumber context);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  DeviceStatus status() const { return status_; }
  ContextNumber context() const { return context_; }  // with status kOk

 private:
  const RelaxedCapture relaxed_;
  DeviceStatus status_;
  ContextNumber context_ = 0;
  void* before_ = nullptr;  // CUcontext
  bool restore_ = false;
};

// Pinned memory that outlives the context it is registered in: DeviceScope registers it again in
// the next one. Within a DeviceScope for `device`.
DeviceStatus pin(int device, std::size_t bytes, void** memory);
// Makes its own scope.
void unpin(void* memory);

}  // namespace gpuctr::cuda

#endif
