// The engine's counters: how many bytes each backend made, and why a device was not used. Any
// thread.
#ifndef GPUCTR_KERNELS_BULK_BASE_STATS_H
#define GPUCTR_KERNELS_BULK_BASE_STATS_H

#include <atomic>
#include <cstdint>

#include "kernels/gpu/layer.h"

namespace gpuctr {

// Totals since the engine was made. A forked child starts from its parent's totals.
struct BulkStats {
  // Keystream and whole blocks made by the CPU, including keystream kept for later small updates.
  std::uint64_t cpu_bytes;
  std::uint64_t device_bytes;    // made by devices
  std::uint64_t device_windows;  // read-ahead windows started
  std::uint64_t fallbacks;       // pieces of work meant for a device that the CPU did instead
  DeviceStatus last_status;      // of the last fallback; kOk: none so far
  const char* last_where;        // "start", "launch", ...: static; "" when none
};

namespace bulk {

// Counters whose common path shares no cache line: each thread adds to the shard that its stack
// address selects.
class Counters {
 public:
  void cpu(std::uint64_t bytes) { shard().cpu.fetch_add(bytes, std::memory_order_relaxed); }
  void gpu(std::uint64_t bytes) { shard().gpu.fetch_add(bytes, std::memory_order_relaxed); }
  void window() { windows_.fetch_add(1, std::memory_order_relaxed); }
  // True for the first fallback of this engine.
  bool fallback(DeviceStatus status, const char* where) {
    last_status_.store(status, std::memory_order_relaxed);
    last_where_.store(where, std::memory_order_relaxed);
    return fallbacks_.fetch_add(1, std::memory_order_relaxed) == 0;
  }
  BulkStats read() const {
    BulkStats s{};
    for (const Shard& shard : shards_) {
      s.cpu_bytes += shard.cpu.load(std::memory_order_relaxed);
      s.device_bytes += shard.gpu.load(std::memory_order_relaxed);
    }
    s.device_windows = windows_.load(std::memory_order_relaxed);
    s.fallbacks = fallbacks_.load(std::memory_order_relaxed);
    s.last_status = last_status_.load(std::memory_order_relaxed);
    s.last_where = last_where_.load(std::memory_order_relaxed);
    return s;
  }

 private:
  static constexpr unsigned kShards = 8;
  struct alignas(64) Shard {
    std::atomic<std::uint64_t> cpu{0};
    std::atomic<std::uint64_t> gpu{0};
  };
  // Stacks lie 8 MiB apart by default, so the stack address distinguishes threads at no cost.
  Shard& shard() {
    const char here = 0;
    return shards_[(reinterpret_cast<std::uintptr_t>(&here) >> 23) % kShards];
  }

  Shard shards_[kShards];
  std::atomic<std::uint64_t> windows_{0};
  std::atomic<std::uint64_t> fallbacks_{0};
  std::atomic<DeviceStatus> last_status_{DeviceStatus::kOk};
  std::atomic<const char*> last_where_{""};
};

// Where parts of the engine report: its counters, and, once, its user's callback.
struct Report {
  Counters counters;
  void (*note)(void* argument, const char* text) = nullptr;
  void* note_argument = nullptr;

  void fallback(DeviceStatus status, const char* where);
};

}  // namespace bulk
}  // namespace gpuctr

#endif
