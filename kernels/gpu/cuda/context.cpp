#include "kernels/gpu/cuda/context.h"

#include <cuda.h>

#include <atomic>

namespace gpuctr::cuda {
namespace {

constexpr int kMaxCards = 64;
std::atomic<bool> g_lost[kMaxCards];

bool lost(int device) { return device >= 0 && device < kMaxCards && g_lost[device].load(); }

// Errors after which the runtime says that the process must give the context up.
GpuStatus status_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return GpuStatus::kOk;
    case cudaErrorNotReady:
      return GpuStatus::kNotReady;
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary:
    case cudaErrorSystemNotReady:
      return GpuStatus::kNoDriver;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorDevicesUnavailable:
      return GpuStatus::kNoDevice;
    case cudaErrorMemoryAllocation:
      return GpuStatus::kOutOfMemory;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidDeviceFunction:
      return GpuStatus::kUnsupported;
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
      return GpuStatus::kLaunch;
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorContextIsDestroyed:
    case cudaErrorCudartUnloading:
      return GpuStatus::kDeviceLost;
    default:
      return GpuStatus::kOther;
  }
}

// The driver's own current context, through the runtime's table of entry points: the module does
// not link to the driver. The runtime's cudaGetDevice can't tell a thread that has no context from
// one on card 0, and restoring the latter would make a context there.
template <class Function>
Function entry_point(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found) !=
          cudaSuccess ||
      found != cudaDriverEntryPointSuccess) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  return reinterpret_cast<Function>(function);
}

struct DriverApi {
  CUresult(CUDAAPI* get)(CUcontext*) =
      entry_point<CUresult(CUDAAPI*)(CUcontext*)>("cuCtxGetCurrent");
  CUresult(CUDAAPI* set)(CUcontext) = entry_point<CUresult(CUDAAPI*)(CUcontext)>("cuCtxSetCurrent");
};

const DriverApi& driver() {
  static const DriverApi api;
  return api;
}

}  // namespace

GpuStatus note(int device, cudaError_t error) {
  if (error == cudaSuccess) return GpuStatus::kOk;
  const GpuStatus status = status_of(error);
  if (status != GpuStatus::kNotReady) static_cast<void>(cudaGetLastError());
  if (status == GpuStatus::kDeviceLost && device >= 0 && device < kMaxCards) {
    g_lost[device].store(true);
  }
  return status;
}

DeviceScope::DeviceScope(int device) {
  if (lost(device)) {
    status_ = GpuStatus::kDeviceLost;
    return;
  }
  CUcontext before = nullptr;
  restore_ =
      driver().get != nullptr && driver().set != nullptr && driver().get(&before) == CUDA_SUCCESS;
  before_ = before;
  // A current context serves any card's pinned memory; without one, the first card's is made.
  status_ = device == kAny && before != nullptr
                ? GpuStatus::kOk
                : note(device, cudaSetDevice(device == kAny ? 0 : device));
}

DeviceScope::~DeviceScope() {
  if (restore_) static_cast<void>(driver().set(static_cast<CUcontext>(before_)));
}

}  // namespace gpuctr::cuda
