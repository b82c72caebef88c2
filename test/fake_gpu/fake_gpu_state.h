// What the fake device knows: its memory, the faults set for it, and how often it was called.
#ifndef GPUCTR_TEST_BULK_FAKE_GPU_STATE_H
#define GPUCTR_TEST_BULK_FAKE_GPU_STATE_H

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "test/fake_gpu/fake_gpu.h"
#include "test/fake_gpu/fake_gpu_queue.h"

namespace gpuctr::test {

constexpr int kDevices = 8;

struct Memory {
  std::size_t bytes;
  int device;            // -1: pinned
  std::uint8_t* shadow;  // what the fake reads and writes
};

struct Fault {
  unsigned at = 0;  // call number
  unsigned times = 0;
  DeviceStatus status = DeviceStatus::kOk;
};

struct Fake {
  FakeOptions options;
  std::atomic<unsigned> calls[static_cast<int>(Call::kCount)] = {};
  std::atomic<unsigned> struck{0};
  std::atomic<unsigned> kernels[kDevices] = {};
  std::atomic<bool> lost[kDevices] = {};
  std::atomic<unsigned> contexts[kDevices] = {};  // how often each was reset
  std::atomic<bool> started{false};
  std::atomic<bool> gone{false};
  std::atomic<unsigned> queued{0};  // kernels and copies not done yet
  std::atomic<int> process{0};
  std::mutex mutex;
  Fault faults[static_cast<int>(Call::kCount)];  // guarded by mutex
  std::map<const std::uint8_t*, Memory> memory;  // guarded by mutex
  std::set<DeviceStream*> streams;               // guarded by mutex
};

inline std::atomic<Fake*> g_fake{nullptr};
inline Fake& fake() { return *g_fake.load(); }

// Counts the call and says how it is to end. device < 0: not of one device.
inline DeviceStatus enter(Call call, int device = -1) {
  Fake& f = fake();
  int nobody = 0;
  if (!f.process.compare_exchange_strong(nobody, getpid()) && nobody != getpid()) {
    _exit(kChildCalled);
  }
  if (f.gone && call != Call::kKernel) _exit(kCalledAfterExit);
  const std::lock_guard<std::mutex> lock(f.mutex);
  const unsigned n = f.calls[static_cast<int>(call)].fetch_add(1) + 1;
  if (device >= 0 && f.lost[device]) return DeviceStatus::kDeviceLost;
  const Fault& fault = f.faults[static_cast<int>(call)];
  if (fault.status == DeviceStatus::kOk || n < fault.at || n - fault.at >= fault.times) {
    return DeviceStatus::kOk;
  }
  f.struck.fetch_add(1);
  if (fault.status == DeviceStatus::kDeviceLost && device >= 0) f.lost[device] = true;
  return fault.status;
}

// The same for a call with a stream or an event.
template <class Handle>
DeviceStatus enter_on(Call call, const Handle& handle) {
  const DeviceStatus status = enter(call, handle.device);
  return handle.context == fake().contexts[handle.device] ? status : DeviceStatus::kContextGone;
}

inline void wait_for_queues() {
  while (fake().queued != 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

}  // namespace gpuctr::test

#endif
