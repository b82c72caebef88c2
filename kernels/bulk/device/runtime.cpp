#include "kernels/bulk/device/runtime.h"

#include <algorithm>
#include <new>

#include "kernels/bulk/base/process_state.h"

namespace gpuctr::bulk {
namespace {

std::atomic<DeviceRuntime*> g_first{nullptr};

}  // namespace

DeviceRuntime::DeviceRuntime(const GpuLayer* layer, std::size_t slot_bytes)
    : generation(process_generation()), layer_(layer), slot_bytes_(slot_bytes) {
  if (layer != nullptr) device_memory.open(*layer);
}

DeviceRuntime* DeviceRuntime::get(const GpuLayer* layer, std::size_t slot_bytes) {
  DeviceRuntime* head = g_first.load(std::memory_order_acquire);
  DeviceRuntime* fresh = nullptr;
  for (;;) {
    std::size_t wish = 0;
    for (DeviceRuntime* r = head; r != nullptr; r = r->next_) {
      if (r->layer_ != layer || r->slot_bytes_ != slot_bytes) continue;
      if (r->generation == process_generation()) {
        delete fresh;
        return r;
      }
      // The engines of a child are those that its parent had.
      wish = std::max(wish, r->wish_.load(std::memory_order_relaxed));
    }
    if (fresh == nullptr) fresh = new (std::nothrow) DeviceRuntime(layer, slot_bytes);
    if (fresh == nullptr) return nullptr;
    fresh->wish(wish);
    fresh->next_ = head;
    if (g_first.compare_exchange_strong(head, fresh, std::memory_order_acq_rel)) return fresh;
  }
}

void DeviceRuntime::wish(std::size_t ring_bytes) {
  std::size_t now = wish_.load(std::memory_order_relaxed);
  while (now < ring_bytes &&
         !wish_.compare_exchange_weak(now, ring_bytes, std::memory_order_relaxed)) {
  }
}

std::size_t DeviceRuntime::slot_bytes_for(std::size_t ring_bytes) const {
  if (slot_bytes_ != 0) return std::max<std::size_t>(slot_bytes_ / 4096 * 4096, 4096);
  // 128 slots by default: two windows each for 64 contexts. Above 1 MiB nothing is gained, a card
  // needs some 20 us for that much and a launch 5.
  return std::clamp<std::size_t>(ring_bytes / 128 / 4096 * 4096, 64u << 10, 1u << 20);
}

GpuStatus DeviceRuntime::open(std::uint64_t devices, std::uint64_t* places) {
  const std::lock_guard<std::mutex> lock(opening_);
  const unsigned before = cards.count();
  GpuStatus status = cards.open(*layer_, devices, places);
  if (before == 0 || cards.count() != before) process_started_cards();
  if (status != GpuStatus::kOk) return status;
  if (!has_ring_) {
    const std::size_t bytes = wish_.load(std::memory_order_relaxed);
    status = ring.open(*layer_, &cards, bytes, slot_bytes_for(bytes));
    has_ring_ = status == GpuStatus::kOk;
  } else if (cards.count() != before) {
    ring.spread();
  }
  return status;
}

}  // namespace gpuctr::bulk
