#include "kernels/bulk/base/process_state.h"

#include <time.h>

#include <cstdint>
#include <cstdlib>

#include "kernels/base/fork_detection.h"

namespace gpuctr::bulk {

std::atomic<std::uint64_t> first_generation_with_devices{0};

namespace {

std::atomic<bool> g_registered{false};
std::atomic<std::uint64_t> g_threads{0};  // as first_generation_with_devices
std::atomic<bool> g_leaving{false};
// Number of threads inside a DeviceSection, in shards, so that threads do not share one cache line.
constexpr unsigned kShards = 8;
struct alignas(64) Shard {
  std::atomic<unsigned> inside{0};
};
Shard g_sections[kShards];

// Stacks lie 8 MiB apart by default, so the stack address distinguishes threads at no cost.
std::atomic<unsigned>& my_section() {
  const char here = 0;
  return g_sections[(reinterpret_cast<std::uintptr_t>(&here) >> 23) % kShards].inside;
}

bool anyone_inside() {
  unsigned n = 0;
  for (const Shard& shard : g_sections) n += shard.inside.load();
  return n != 0;
}

void mark(std::atomic<std::uint64_t>* first) {
  std::uint64_t nobody = 0;
  first->compare_exchange_strong(nobody, fork_generation());
}

// Whether the first process was an ancestor of this process.
bool inherited(const std::atomic<std::uint64_t>& first) {
  const std::uint64_t generation = first.load(std::memory_order_relaxed);
  return generation != 0 && generation != fork_generation();
}

bool orphan() { return inherited(first_generation_with_devices); }

// Waits until the layer calls of other threads have returned, because exit takes the driver down.
// The wait is at most two seconds, in case a driver hangs; starting a driver takes 0.3 s.
void at_exit() {
  if (orphan()) return;
  g_leaving.store(true);
  for (int i = 0; i < 2000 && anyone_inside(); ++i) {
    const timespec millisecond{0, 1000000};
    nanosleep(&millisecond, nullptr);
  }
}

}  // namespace

void process_has_threads() {
  // Two threads may both register the handler: it may run twice without harm, and there is no lock
  // that a child could inherit. A child has its parent's handlers.
  if (!g_registered.load(std::memory_order_acquire)) {
    std::atexit(at_exit);
    g_registered.store(true, std::memory_order_release);
  }
  mark(&g_threads);
}

void process_has_devices() {
  process_has_threads();
  mark(&first_generation_with_devices);
}

void process_started_devices() { std::atexit(at_exit); }

std::uint64_t process_generation() { return inherited(g_threads) ? fork_generation() : 0; }

bool process_may_use_devices() { return !orphan() && !g_leaving.load(std::memory_order_relaxed); }

bool process_is_exiting() { return g_leaving.load(); }

DeviceSection::DeviceSection() {
  if (orphan()) return;
  std::atomic<unsigned>& mine = my_section();
  // Either this thread sees g_leaving, or at_exit() sees the count: both accesses are sequentially
  // consistent.
  mine.fetch_add(1);
  if (g_leaving.load()) {
    mine.fetch_sub(1);
    return;
  }
  entered_ = &mine;
}

DeviceSection::~DeviceSection() {
  if (entered_ != nullptr) entered_->fetch_sub(1);
}

}  // namespace gpuctr::bulk
