// The devices of a process, its ring of pinned memory and its jobs in device memory. A process has
// one of each, whatever its engines' settings.
#ifndef GPUCTR_KERNELS_BULK_DEVICE_RUNTIME_H
#define GPUCTR_KERNELS_BULK_DEVICE_RUNTIME_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "kernels/bulk/device/devices.h"
#include "kernels/bulk/device/memory.h"
#include "kernels/bulk/device/ring.h"

namespace gpuctr::bulk {

// Never destroyed. A forked child finds its parent's runtime under another generation and makes its
// own.
class DeviceRuntime {
 public:
  // The runtime of this process for this layer; made at the first call. A layer of nullptr has no
  // devices. No configuration file sets `slot_bytes`: only benchmarks and tests do, and each size
  // has its own runtime. Takes no lock. nullptr: no memory.
  static DeviceRuntime* get(const DeviceLayer* layer, std::size_t slot_bytes);

  // Requests a ring of this many bytes. The largest request before the ring is allocated counts.
  void request_ring(std::size_t bytes);

  // Starts the driver and the devices of `ordinals` (bit i: ordinal i; 0: all) that are not started
  // yet, and makes the ring. kOk: there is at least one device; `*set` is the set of them. Any
  // thread.
  DeviceStatus open(std::uint64_t ordinals, std::uint64_t* set);

  const std::uint64_t generation;
  Devices devices;
  Ring ring;
  DeviceMemory device_memory;

 private:
  DeviceRuntime(const DeviceLayer* layer, std::size_t slot_bytes);
  std::size_t slot_bytes_for(std::size_t ring_bytes) const;

  const DeviceLayer* const layer_;
  const std::size_t slot_bytes_;           // 0: chosen from the size of the ring
  std::atomic<std::size_t> requested_{0};  // bytes of the ring
  std::mutex opening_;
  bool has_ring_ = false;  // guarded by opening_
  DeviceRuntime* next_ = nullptr;
};

}  // namespace gpuctr::bulk

#endif
