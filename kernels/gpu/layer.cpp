// The part of the seam that every build has.
#include "kernels/gpu/layer.h"

namespace gpuctr {

const char* gpu_status_text(GpuStatus status) {
  switch (status) {
    case GpuStatus::kOk:
      return "ok";
    case GpuStatus::kNotReady:
      return "not ready";
    case GpuStatus::kNoDriver:
      return "no usable driver";
    case GpuStatus::kNoDevice:
      return "no usable device";
    case GpuStatus::kOutOfMemory:
      return "out of memory";
    case GpuStatus::kLaunch:
      return "launch failed";
    case GpuStatus::kDeviceLost:
      return "device lost";
    case GpuStatus::kUnsupported:
      return "not supported by this build";
    case GpuStatus::kCapture:
      return "graph capture";
    case GpuStatus::kContextGone:
      return "device reset by the program";
    case GpuStatus::kOther:
      break;
  }
  return "unknown error";
}

#ifndef GPUCTR_HAVE_CUDA  // else kernels/gpu/cuda/layer.cpp has it
const GpuLayer* gpu_cuda_layer() { return nullptr; }
#endif

}  // namespace gpuctr
