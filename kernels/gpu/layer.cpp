// The part of the device layer that every build has.
#include "kernels/gpu/layer.h"

namespace gpuctr {

const char* device_status_text(DeviceStatus status) {
  switch (status) {
    case DeviceStatus::kOk:
      return "ok";
    case DeviceStatus::kNotReady:
      return "not ready";
    case DeviceStatus::kNoDriver:
      return "no usable driver";
    case DeviceStatus::kNoDevice:
      return "no usable device";
    case DeviceStatus::kOutOfMemory:
      return "out of memory";
    case DeviceStatus::kLaunch:
      return "launch failed";
    case DeviceStatus::kDeviceLost:
      return "device lost";
    case DeviceStatus::kUnsupported:
      return "not supported by this build";
    case DeviceStatus::kCapture:
      return "graph capture";
    case DeviceStatus::kContextGone:
      return "device reset by the program";
    case DeviceStatus::kOther:
      break;
  }
  return "unknown error";
}

#ifndef GPUCTR_HAVE_CUDA  // else kernels/gpu/cuda/layer.cpp has it
const DeviceLayer* cuda_layer() { return nullptr; }
#endif

}  // namespace gpuctr
