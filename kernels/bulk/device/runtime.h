// The cards of a process and its ring of pinned memory: one of each, whatever the engines'
// settings.
#ifndef GPUCTR_KERNELS_BULK_DEVICE_RUNTIME_H
#define GPUCTR_KERNELS_BULK_DEVICE_RUNTIME_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "kernels/bulk/device/cards.h"
#include "kernels/bulk/device/memory.h"
#include "kernels/bulk/device/ring.h"

namespace gpuctr::bulk {

// Never destroyed. A forked child finds its parent's under another generation and makes its own.
class DeviceRuntime {
 public:
  // The one over this layer in this process, made where there is none; a layer of nullptr has no
  // cards. No configuration file sets `slot_bytes`: benchmarks and tests do, and have a runtime for
  // each size. Takes no lock. nullptr: no memory.
  static DeviceRuntime* get(const GpuLayer* layer, std::size_t slot_bytes);

  // The ring is to have so many bytes; the largest wish before it is allocated counts.
  void wish(std::size_t ring_bytes);

  // Starts the driver and the cards of `devices` (bit i: device i; 0: all) that have not been, and
  // makes the ring. kOk: there is at least one, and `*cards` are those of `devices`. Any thread.
  GpuStatus open(std::uint64_t devices, std::uint64_t* cards);

  const std::uint64_t generation;
  Cards cards;
  Ring ring;
  DeviceMemory device_memory;

 private:
  DeviceRuntime(const GpuLayer* layer, std::size_t slot_bytes);
  std::size_t slot_bytes_for(std::size_t ring_bytes) const;

  const GpuLayer* const layer_;
  const std::size_t slot_bytes_;  // 0: chosen from the size of the ring
  std::atomic<std::size_t> wish_{0};
  std::mutex opening_;
  bool has_ring_ = false;  // guarded by opening_
  DeviceRuntime* next_ = nullptr;
};

}  // namespace gpuctr::bulk

#endif
