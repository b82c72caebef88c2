// The frame of every call into the CUDA runtime: the right device, its context, and errors as
// DeviceStatus. The device, its context and the calling thread are shared with the program.
#ifndef GPUCTR_KERNELS_GPU_CUDA_CONTEXT_H
#define GPUCTR_KERNELS_GPU_CUDA_CONTEXT_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/layer.h"

namespace gpuctr::cuda {

// Converts a runtime error of a call for `device` (-1: no particular device) into a status. Clears
// the runtime's own record of the error, and records a lost device. Thread-safe.
DeviceStatus note(int device, cudaError_t error);

// While this object lives, its thread may make calls that are unsafe while another thread captures
// a graph; the capture stays valid. Needs no context and makes none.
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

// Distinguishes the contexts of a device: the number changes when the program resets the device.
// Always 0 if the driver cannot identify contexts.
using ContextNumber = std::uint64_t;

// Makes a device's primary context current for this thread, and finally restores the application's
// context: the thread may belong to the application, in the middle of its own CUDA work.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  // For calls that use objects made in `context`: kContextGone if `context` is not the device's
  // present context.
  DeviceScope(int device, ContextNumber context);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  DeviceStatus status() const { return status_; }
  ContextNumber context() const { return context_; }  // valid only if status is kOk

 private:
  const RelaxedCapture relaxed_;
  DeviceStatus status_;
  ContextNumber context_ = 0;
  void* before_ = nullptr;  // CUcontext
  bool restore_ = false;
};

// Pinned memory that outlives the context in which it is registered: DeviceScope registers it again
// in the next context. Called within a DeviceScope for `device`.
DeviceStatus pin(int device, std::size_t bytes, void** memory);
// Makes its own DeviceScope.
void unpin(void* memory);

}  // namespace gpuctr::cuda

#endif
