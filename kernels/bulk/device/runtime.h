// The devices of a process, its ring of pinned memory and its jobs in device memory: one of each,
// whatever the engines' settings.
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

// Never destroyed. A forked child finds its parent's under another generation and makes its own.
class DeviceRuntime {
 public:
  // The one over this layer in this process, made where there is none; a layer of nullptr has no
  // devices. No configuration file sets `slot_bytes`: benchmarks and tests do, and have a runtime
  // for each size. Takes no lock. nullptr: no memory.
  static DeviceRuntime* get(const DeviceLayer* layer, std::size_t slot_bytes);

  // Requests a ring of so many bytes. The largest request before the ring is allocated counts.
  void request_ring(std::size_t bytes);

  // Starts the driver and those devices of `ordinals` (bit i: ordinal i; 0: all) that have not been
  // started, and makes the ring. kOk: there is at least one; `*set` is the set of them. Any thread.
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
