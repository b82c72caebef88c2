#include "kernels/gpu/cuda/context.h"

#include <cuda.h>
#include <sys/mman.h>

#include <atomic>
#include <mutex>
#include <new>

namespace gpuctr::cuda {
namespace {

constexpr int kMaxDevices = 64;
std::atomic<bool> g_lost[kMaxDevices];

bool lost(int device) { return device >= 0 && device < kMaxDevices && g_lost[device].load(); }

// Errors after which, according to the runtime's documentation, the process must give the context
// up.
DeviceStatus status_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return DeviceStatus::kOk;
    case cudaErrorNotReady:
      return DeviceStatus::kNotReady;
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary:
    case cudaErrorSystemNotReady:
      return DeviceStatus::kNoDriver;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorDevicesUnavailable:
      return DeviceStatus::kNoDevice;
    case cudaErrorMemoryAllocation:
      return DeviceStatus::kOutOfMemory;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidDeviceFunction:
      return DeviceStatus::kUnsupported;
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
      return DeviceStatus::kLaunch;
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureMerge:
    case cudaErrorStreamCaptureUnmatched:
    case cudaErrorStreamCaptureUnjoined:
    case cudaErrorStreamCaptureIsolation:
    case cudaErrorStreamCaptureImplicit:
    case cudaErrorCapturedEvent:
    case cudaErrorStreamCaptureWrongThread:
      return DeviceStatus::kCapture;
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
      return DeviceStatus::kDeviceLost;
    default:
      return DeviceStatus::kOther;
  }
}

// Reads and sets the driver's current context through the runtime's table of entry points: the
// module does not link to the driver. The runtime's cudaGetDevice cannot distinguish a thread
// without a context from a thread on device 0. Restoring device 0 for a thread without a context
// would make a context there.
template <class Function>
Function entry_point(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
#else  // of the runtime's own version, 12.0 to 12.4, in which these functions have the same form
  const cudaError_t error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
  if (error != cudaSuccess || found != cudaDriverEntryPointSuccess) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  return reinterpret_cast<Function>(function);
}

struct DriverApi {
  CUresult(CUDAAPI* get)(CUcontext*) =
      entry_point<CUresult(CUDAAPI*)(CUcontext*)>("cuCtxGetCurrent");
  CUresult(CUDAAPI* set)(CUcontext) = entry_point<CUresult(CUDAAPI*)(CUcontext)>("cuCtxSetCurrent");
  CUresult(CUDAAPI* exchange)(CUstreamCaptureMode*) =
      entry_point<CUresult(CUDAAPI*)(CUstreamCaptureMode*)>("cuThreadExchangeStreamCaptureMode");
  CUresult(CUDAAPI* attribute)(void*, CUpointer_attribute, CUdeviceptr) =
      entry_point<CUresult(CUDAAPI*)(void*, CUpointer_attribute, CUdeviceptr)>(
          "cuPointerGetAttribute");
};

const DriverApi& driver() {
  static const DriverApi api;
  return api;
}

// The ID of an allocation; no other allocation of this process has had it. 0: the memory is gone.
unsigned long long buffer_id(const void* memory) {
  unsigned long long id = 0;
  const auto at = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(memory));
  const bool found = driver().attribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, at) == CUDA_SUCCESS;
  return found ? id : 0;
}

// A device's present context, identified by a small allocation in it (the marker). If the program
// resets the device, its context and all memory in it are destroyed. The address of a primary
// context stays the same after a reset, and perhaps its ID, so neither can identify it.
struct Context {
  std::atomic<ContextNumber> number{0};  // 0: none yet
  std::atomic<void*> marker{nullptr};
  std::atomic<unsigned long long> id{0};

  static constexpr unsigned long long kUnknown = ~0ull;  // the driver gives no IDs

  bool lives() const {
    const unsigned long long known = id.load(std::memory_order_acquire);
    if (known == kUnknown) return true;
    return known != 0 && buffer_id(marker.load(std::memory_order_relaxed)) == known;
  }
};

struct Pin {
  void* memory;
  std::size_t bytes;
  int device;
  bool registered;  // registered by pin(); else allocated by the runtime
  Pin* next;
};

Context g_contexts[kMaxDevices];
std::atomic<std::uint64_t> g_pin_devices{0};  // devices whose contexts have pinned memory
std::mutex g_mutex;
ContextNumber g_last_number = 0;  // guarded by g_mutex
Pin* g_pins = nullptr;            // guarded by g_mutex

cudaError_t register_pin(const Pin& pin) {
  return cudaHostRegister(pin.memory, pin.bytes, cudaHostRegisterPortable | cudaHostRegisterMapped);
}

// Requires that the device is current. Makes the marker, and registers the pinned memory of an
// earlier context in this one.
DeviceStatus open_context(int device) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  Context& context = g_contexts[device];
  if (context.lives()) return DeviceStatus::kOk;
  context.id.store(0, std::memory_order_relaxed);
  void* marker = nullptr;
  cudaError_t error = cudaHostAlloc(&marker, 64, cudaHostAllocPortable);
  if (error != cudaSuccess) return note(device, error);
  for (const Pin* pin = g_pins; pin != nullptr; pin = pin->next) {
    if (pin->device != device || !pin->registered || buffer_id(pin->memory) != 0) continue;
    error = register_pin(*pin);
    if (error == cudaSuccess || error == cudaErrorHostMemoryAlreadyRegistered) continue;
    static_cast<void>(cudaFreeHost(marker));
    return note(device, error);
  }
  context.number.store(++g_last_number, std::memory_order_relaxed);
  context.marker.store(marker, std::memory_order_relaxed);
  const unsigned long long id = buffer_id(marker);
  context.id.store(id != 0 ? id : Context::kUnknown, std::memory_order_release);
  static_cast<void>(cudaGetLastError());  // from memory that was already registered
  return DeviceStatus::kOk;
}

// Ensures that the present context of a device is known. If the driver cannot identify contexts,
// all count as the same.
DeviceStatus check_context(int device) {
  if (driver().attribute == nullptr || g_contexts[device].lives()) return DeviceStatus::kOk;
  return open_context(device);
}

// Memory for one device may be pinned in another device's context. The memory of a lost device
// stays as it is.
DeviceStatus check_pins(int device) {
  std::uint64_t others = g_pin_devices.load(std::memory_order_relaxed);
  if (device < 64) others &= ~(std::uint64_t{1} << device);
  DeviceStatus status = DeviceStatus::kOk;
  for (int d = 0; others != 0 && status == DeviceStatus::kOk; ++d, others >>= 1) {
    if ((others & 1) == 0 || driver().attribute == nullptr) continue;
    if (lost(d) || g_contexts[d].lives()) continue;
    status = note(d, cudaSetDevice(d));
    if (status == DeviceStatus::kOk) status = open_context(d);
    const DeviceStatus back = note(device, cudaSetDevice(device));
    if (status == DeviceStatus::kOk || status == DeviceStatus::kDeviceLost) status = back;
  }
  return status;
}

}  // namespace

DeviceStatus note(int device, cudaError_t error) {
  if (error == cudaSuccess) return DeviceStatus::kOk;
  const DeviceStatus status = status_of(error);
  if (status != DeviceStatus::kNotReady) static_cast<void>(cudaGetLastError());
  if (status == DeviceStatus::kDeviceLost && device >= 0 && device < kMaxDevices) {
    g_lost[device].store(true);
  }
  return status;
}

RelaxedCapture::RelaxedCapture() {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  restore_ = driver().exchange != nullptr && driver().exchange(&mode) == CUDA_SUCCESS;
  before_ = mode;
}

RelaxedCapture::~RelaxedCapture() {
  auto mode = static_cast<CUstreamCaptureMode>(before_);
  if (restore_) static_cast<void>(driver().exchange(&mode));
}

DeviceScope::DeviceScope(int device) {
  if (device < 0 || device >= kMaxDevices) {
    status_ = DeviceStatus::kNoDevice;
    return;
  }
  if (lost(device)) {
    status_ = DeviceStatus::kDeviceLost;
    return;
  }
  CUcontext before = nullptr;
  restore_ =
      driver().get != nullptr && driver().set != nullptr && driver().get(&before) == CUDA_SUCCESS;
  before_ = before;
  status_ = note(device, cudaSetDevice(device));
  if (status_ == DeviceStatus::kOk) status_ = check_context(device);
  if (status_ == DeviceStatus::kOk) status_ = check_pins(device);
  context_ = g_contexts[device].number.load(std::memory_order_relaxed);
}

DeviceScope::DeviceScope(int device, ContextNumber context) : DeviceScope(device) {
  if (status_ == DeviceStatus::kOk && context_ != context) status_ = DeviceStatus::kContextGone;
}

DeviceScope::~DeviceScope() {
  if (restore_) static_cast<void>(driver().set(static_cast<CUcontext>(before_)));
}

DeviceStatus pin(int device, std::size_t bytes, void** memory) {
  int same_address = 0;
  cudaError_t error =
      cudaDeviceGetAttribute(&same_address, cudaDevAttrCanUseHostPointerForRegisteredMem, device);
  if (error != cudaSuccess) return note(device, error);
  Pin* const pin = new (std::nothrow) Pin{nullptr, bytes, device, same_address != 0, nullptr};
  if (pin == nullptr) return DeviceStatus::kOutOfMemory;
  const std::lock_guard<std::mutex> lock(g_mutex);
  if (pin->registered) {
    pin->memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pin->memory == MAP_FAILED) {
      delete pin;
      return DeviceStatus::kOutOfMemory;
    }
    static_cast<void>(madvise(pin->memory, bytes, MADV_HUGEPAGE));
    static_cast<void>(madvise(pin->memory, bytes, MADV_DONTFORK));
    error = register_pin(*pin);
    if (error != cudaSuccess) munmap(pin->memory, bytes);
  } else {
    error = cudaHostAlloc(&pin->memory, bytes, cudaHostAllocPortable);
  }
  if (error != cudaSuccess) {
    delete pin;
    return note(device, error);
  }
  pin->next = g_pins;
  g_pins = pin;
  if (pin->registered && device < 64) g_pin_devices.fetch_or(std::uint64_t{1} << device);
  *memory = pin->memory;
  return DeviceStatus::kOk;
}

void unpin(void* memory) {
  Pin* pin = nullptr;
  {
    const std::lock_guard<std::mutex> lock(g_mutex);
    for (Pin** at = &g_pins; *at != nullptr && pin == nullptr; at = &(*at)->next) {
      if ((*at)->memory != memory) continue;
      pin = *at;
      *at = pin->next;
      break;
    }
  }
  if (pin == nullptr) return;
  // A lost device may still be writing, so its memory is not freed.
  const DeviceScope scope(pin->device);
  if (scope.status() == DeviceStatus::kOk) {
    if (!pin->registered) {
      static_cast<void>(note(pin->device, cudaFreeHost(memory)));
    } else if (note(pin->device, cudaHostUnregister(memory)) == DeviceStatus::kOk) {
      munmap(memory, pin->bytes);
    }
  }
  delete pin;
}

}  // namespace gpuctr::cuda
