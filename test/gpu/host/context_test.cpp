// DeviceScope and pinned memory over a model of the CUDA runtime and driver, which needs no device:
// capture modes, contexts, resets, and memory that comes and goes.
#include "kernels/gpu/cuda/context.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace {

constexpr int kDevices = 3;

struct Allocation {
  unsigned long long id;
  int device;
  bool registered;
};

struct Model {
  unsigned contexts[kDevices] = {1, 1, 1};  // how often each was made
  std::map<std::uintptr_t, Allocation> memory;
  unsigned long long last_id = 0;
  int room = 1000;                  // allocations that are left
  int device = 0;                   // of the runtime's last cudaSetDevice
  cudaError_t error = cudaSuccess;  // of every cudaSetDevice
  bool gives_ids = true;
  unsigned registrations = 0;
};
Model g_model;
thread_local CUcontext g_current = nullptr;
thread_local CUstreamCaptureMode g_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

// A primary context has the same address all its life.
CUcontext primary(int device) {
  return reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(0x1000 + device));
}

void reset(int device) {
  ++g_model.contexts[device];
  for (auto it = g_model.memory.begin(); it != g_model.memory.end();) {
    if (it->second.device != device) {
      ++it;
      continue;
    }
    if (!it->second.registered) std::free(reinterpret_cast<void*>(it->first));
    it = g_model.memory.erase(it);
  }
}

CUresult get_current(CUcontext* context) {
  *context = g_current;
  return CUDA_SUCCESS;
}
CUresult set_current(CUcontext context) {
  g_current = context;
  return CUDA_SUCCESS;
}
CUresult exchange_mode(CUstreamCaptureMode* mode) {
  std::swap(*mode, g_mode);
  return CUDA_SUCCESS;
}
CUresult get_attribute(void* data, CUpointer_attribute attribute, CUdeviceptr at) {
  EXPECT_EQ(CU_POINTER_ATTRIBUTE_BUFFER_ID, attribute);
  const auto it = g_model.memory.find(static_cast<std::uintptr_t>(at));
  if (it == g_model.memory.end() || !g_model.gives_ids) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(data, &it->second.id, sizeof it->second.id);
  return CUDA_SUCCESS;
}

cudaError_t take(void* memory, bool registered) {
  EXPECT_EQ(CU_STREAM_CAPTURE_MODE_RELAXED, g_mode) << "a capture of another thread breaks";
  EXPECT_EQ(primary(g_model.device), g_current);
  if (g_model.room == 0) return cudaErrorMemoryAllocation;
  --g_model.room;
  g_model.memory[reinterpret_cast<std::uintptr_t>(memory)] = {++g_model.last_id, g_model.device,
                                                              registered};
  return cudaSuccess;
}

}  // namespace

extern "C" {
#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
#else
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* found) {
#endif
  *found = cudaDriverEntryPointSuccess;
  const std::map<std::string, void*> functions = {
      {"cuCtxGetCurrent", reinterpret_cast<void*>(get_current)},
      {"cuCtxSetCurrent", reinterpret_cast<void*>(set_current)},
      {"cuThreadExchangeStreamCaptureMode", reinterpret_cast<void*>(exchange_mode)},
      {"cuPointerGetAttribute", reinterpret_cast<void*>(get_attribute)}};
  *function = functions.at(name);
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
  if (g_model.error != cudaSuccess) return g_model.error;
  g_model.device = device;
  g_current = primary(device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int device) {
  *value = device == 2 ? 0 : 1;  // whether a host pointer to registered memory can be used
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::malloc(bytes);
  const cudaError_t error = take(*memory, false);
  if (error != cudaSuccess) std::free(*memory);
  return error;
}
cudaError_t cudaFreeHost(void* memory) {
  EXPECT_EQ(1u, g_model.memory.erase(reinterpret_cast<std::uintptr_t>(memory)));
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* memory, std::size_t, unsigned) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  if (g_model.memory.count(at) != 0) return cudaErrorHostMemoryAlreadyRegistered;
  ++g_model.registrations;
  return take(memory, true);
}
cudaError_t cudaHostUnregister(void* memory) {
  EXPECT_EQ(1u, g_model.memory.erase(reinterpret_cast<std::uintptr_t>(memory)));
  return cudaSuccess;
}
}

namespace gpuctr::cuda {
namespace {

bool is_registered(const void* memory, int device) {
  const auto it = g_model.memory.find(reinterpret_cast<std::uintptr_t>(memory));
  return it != g_model.memory.end() && it->second.device == device;
}

// Each test in turn: contexts that the layer has found stay known to it.
class Context : public testing::Test {
 protected:
  void SetUp() override {
    g_model.room = 1000;
    g_model.error = cudaSuccess;
    g_model.gives_ids = true;
    g_current = nullptr;
  }
};

TEST_F(Context, ModeAndContextAreRestored) {
  const auto own = reinterpret_cast<CUcontext>(std::uintptr_t{0x77});
  for (const CUcontext before : {CUcontext{nullptr}, own, primary(1)}) {
    g_current = before;
    g_mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    {
      const DeviceScope scope(0);
      EXPECT_EQ(DeviceStatus::kOk, scope.status());
      EXPECT_EQ(CU_STREAM_CAPTURE_MODE_RELAXED, g_mode);
      EXPECT_EQ(primary(0), g_current);
    }
    EXPECT_EQ(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, g_mode);
    EXPECT_EQ(before, g_current);
  }
  g_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
}

TEST_F(Context, ResetGivesAnotherNumber) {
  const ContextNumber first = DeviceScope(0).context();
  EXPECT_NE(0u, first);
  EXPECT_EQ(first, DeviceScope(0).context());
  EXPECT_EQ(DeviceStatus::kOk, DeviceScope(0, first).status());
  const ContextNumber other = DeviceScope(1).context();
  reset(0);
  EXPECT_EQ(DeviceStatus::kContextGone, DeviceScope(0, first).status());
  EXPECT_NE(first, DeviceScope(0).context());
  EXPECT_EQ(other, DeviceScope(1).context());
}

TEST_F(Context, PinnedMemoryOutlivesItsContext) {
  void* memory = nullptr;
  {
    const DeviceScope scope(0);
    ASSERT_EQ(DeviceStatus::kOk, pin(0, 1 << 20, &memory));
  }
  std::memset(memory, 0x5a, 1 << 20);
  EXPECT_TRUE(is_registered(memory, 0));
  for (const int next : {0, 1}) {  // the other device's calls bring it back too
    reset(0);
    EXPECT_FALSE(is_registered(memory, 0));
    const CUcontext before = g_current;
    EXPECT_EQ(DeviceStatus::kOk, DeviceScope(next).status());
    EXPECT_EQ(before, g_current);
    EXPECT_TRUE(is_registered(memory, 0));
    EXPECT_EQ(0x5a, static_cast<unsigned char*>(memory)[4097]);
  }
  const unsigned registrations = g_model.registrations;
  EXPECT_EQ(DeviceStatus::kOk, DeviceScope(0).status());
  EXPECT_EQ(registrations, g_model.registrations);
  unpin(memory);
  EXPECT_FALSE(is_registered(memory, 0));
  reset(0);
  EXPECT_EQ(DeviceStatus::kOk, DeviceScope(0).status());
  EXPECT_EQ(registrations, g_model.registrations);
}

TEST_F(Context, NoMemoryPasses) {
  void* memory = nullptr;
  {
    const DeviceScope scope(0);
    ASSERT_EQ(DeviceStatus::kOk, pin(0, 4096, &memory));
  }
  for (const int room : {0, 1}) {  // not for the marker; for it, but not for the pinned memory
    reset(0);
    g_model.room = room;
    EXPECT_EQ(DeviceStatus::kOutOfMemory, DeviceScope(0).status());
  }
  g_model.room = 1000;
  EXPECT_EQ(DeviceStatus::kOk, DeviceScope(0).status());
  EXPECT_TRUE(is_registered(memory, 0));
  unpin(memory);
  g_model.room = 0;
  const DeviceScope scope(0);
  EXPECT_EQ(DeviceStatus::kOutOfMemory, pin(0, 4096, &memory));
}

TEST_F(Context, CaptureErrorsPass) {
  for (int error = cudaErrorStreamCaptureUnsupported; error <= cudaErrorStreamCaptureWrongThread;
       ++error) {
    const DeviceStatus status = note(0, static_cast<cudaError_t>(error));
    EXPECT_EQ(DeviceStatus::kCapture, status) << error;
    EXPECT_TRUE(device_status_passes(status));
  }
  EXPECT_EQ(DeviceStatus::kOk, DeviceScope(0).status());
}

// Where a device cannot use a host pointer to registered memory, CUDA allocates it.
TEST_F(Context, MemoryOfTheRuntime) {
  void* memory = nullptr;
  {
    const DeviceScope scope(2);
    ASSERT_EQ(DeviceStatus::kOk, pin(2, 4096, &memory));
  }
  EXPECT_TRUE(is_registered(memory, 2));
  unpin(memory);
  EXPECT_FALSE(is_registered(memory, 2));
}

TEST_F(Context, UnknownDeviceIsNone) {
  EXPECT_EQ(DeviceStatus::kNoDevice, DeviceScope(-1).status());
  EXPECT_EQ(DeviceStatus::kNoDevice, DeviceScope(1000).status());
}

// The last two change the layer's view of device 1 for good.
TEST_F(Context, WithoutIdsAllContextsAreOne) {
  reset(1);
  g_model.gives_ids = false;
  const ContextNumber number = DeviceScope(1).context();
  const std::size_t allocations = g_model.memory.size();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(number, DeviceScope(1).context());
  EXPECT_EQ(allocations, g_model.memory.size());
}

TEST_F(Context, LostDeviceIsNeverCalled) {
  EXPECT_EQ(DeviceStatus::kDeviceLost, note(1, cudaErrorIllegalAddress));
  g_current = nullptr;
  EXPECT_EQ(DeviceStatus::kDeviceLost, DeviceScope(1).status());
  EXPECT_EQ(nullptr, g_current);
  EXPECT_EQ(DeviceStatus::kOk, DeviceScope(0).status());
}

}  // namespace
}  // namespace gpuctr::cuda
