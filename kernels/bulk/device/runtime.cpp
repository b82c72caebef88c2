#include "kernels/bulk/device/runtime.h"

#include <algorithm>
#include <new>

#include "kernels/bulk/base/process_state.h"

namespace gpuctr::bulk {
namespace {

std::atomic<DeviceRuntime*> g_first{nullptr};

}  // namespace

DeviceRuntime::DeviceRuntime(const DeviceLayer* layer, std::size_t slot_bytes)
    : generation(process_generation()), layer_(layer), slot_bytes_(slot_bytes) {
  if (layer != nullptr) device_memory.open(*layer);
}

DeviceRuntime* DeviceRuntime::get(const DeviceLayer* layer, std::size_t slot_bytes) {
  DeviceRuntime* head = g_first.load(std::memory_order_acquire);
  DeviceRuntime* fresh = nullptr;
  for (;;) {
    std::size_t requested = 0;
    for (DeviceRuntime* r = head; r != nullptr; r = r->next_) {
      if (r->layer_ != layer || r->slot_bytes_ != slot_bytes) continue;
      if (r->generation == process_generation()) {
        delete fresh;
        return r;
      }
      // The engines of a child are its parent's, so the child keeps the parent's requested size.
      requested = std::max(requested, r->requested_.load(std::memory_order_relaxed));
    }
    if (fresh == nullptr) fresh = new (std::nothrow) DeviceRuntime(layer, slot_bytes);
    if (fresh == nullptr) return nullptr;
    fresh->request_ring(requested);
    fresh->next_ = head;
    if (g_first.compare_exchange_strong(head, fresh, std::memory_order_acq_rel)) return fresh;
  }
}

void DeviceRuntime::request_ring(std::size_t bytes) {
  std::size_t now = requested_.load(std::memory_order_relaxed);
  while (now < bytes && !requested_.compare_exchange_weak(now, bytes, std::memory_order_relaxed)) {
  }
}

std::size_t DeviceRuntime::slot_bytes_for(std::size_t ring_bytes) const {
  if (slot_bytes_ != 0) return std::max<std::size_t>(slot_bytes_ / 4096 * 4096, 4096);
  // By default 128 slots: two windows each for 64 contexts. Slots above 1 MiB bring no gain: a
  // device takes some 20 us for 1 MiB, and a launch takes 5.
  return std::clamp<std::size_t>(ring_bytes / 128 / 4096 * 4096, 64u << 10, 1u << 20);
}

DeviceStatus DeviceRuntime::open(std::uint64_t ordinals, std::uint64_t* set) {
  const std::lock_guard<std::mutex> lock(opening_);
  const unsigned before = devices.count();
  DeviceStatus status = devices.open(*layer_, ordinals, set);
  if (before == 0 || devices.count() != before) process_started_devices();
  if (status != DeviceStatus::kOk) return status;
  if (!has_ring_) {
    const std::size_t bytes = requested_.load(std::memory_order_relaxed);
    status = ring.open(*layer_, &devices, bytes, slot_bytes_for(bytes));
    has_ring_ = status == DeviceStatus::kOk;
  } else if (devices.count() != before) {
    ring.spread();
  }
  return status;
}

}  // namespace gpuctr::bulk
