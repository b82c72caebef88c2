#include "kernels/bulk/life.h"

#include <pthread.h>
#include <time.h>

#include <cstdint>
#include <cstdlib>

namespace gpuctr::bulk {
namespace {

std::atomic<bool> g_registered{false};
std::atomic<bool> g_threads{false};
std::atomic<bool> g_cards{false};
std::atomic<bool> g_orphan{false};
std::atomic<bool> g_leaving{false};
std::atomic<unsigned> g_generation{0};
// Threads inside a CardSection, in shards so that threads do not pull one line to and fro.
constexpr unsigned kShards = 8;
struct alignas(64) Shard {
  std::atomic<unsigned> inside{0};
};
Shard g_sections[kShards];

// Stacks lie 8 MiB apart by default, so this tells threads from one another for nothing.
std::atomic<unsigned>& my_section() {
  const char here = 0;
  return g_sections[(reinterpret_cast<std::uintptr_t>(&here) >> 23) % kShards].inside;
}

bool anyone_inside() {
  unsigned n = 0;
  for (const Shard& shard : g_sections) n += shard.inside.load();
  return n != 0;
}

// Only flags: a child of a threaded process may do little more (POSIX, fork).
void in_child() {
  if (!g_threads.load(std::memory_order_relaxed)) return;
  g_generation.fetch_add(1, std::memory_order_relaxed);
  if (g_cards.load(std::memory_order_relaxed)) g_orphan.store(true, std::memory_order_relaxed);
  for (Shard& shard : g_sections) shard.inside.store(0, std::memory_order_relaxed);
}

// Lets layer calls of other threads end before the driver goes away below them. Two seconds bound
// it, for a driver that hangs; starting one takes 0.3 s.
void at_exit() {
  if (g_orphan.load()) return;
  g_leaving.store(true);
  for (int i = 0; i < 2000 && anyone_inside(); ++i) {
    const timespec millisecond{0, 1000000};
    nanosleep(&millisecond, nullptr);
  }
}

}  // namespace

void life_begin_threads() {
  // Two threads may both register; the handlers do no harm twice, and no lock is there to inherit.
  if (!g_registered.load(std::memory_order_acquire)) {
    pthread_atfork(nullptr, nullptr, in_child);
    std::atexit(at_exit);
    g_registered.store(true, std::memory_order_release);
  }
  g_threads.store(true);
}

void life_begin_cards() {
  life_begin_threads();
  g_cards.store(true);
}

void life_after_start() { std::atexit(at_exit); }

unsigned life_generation() { return g_generation.load(std::memory_order_relaxed); }

bool life_may_use_cards() {
  return !g_orphan.load(std::memory_order_relaxed) && !g_leaving.load(std::memory_order_relaxed);
}

bool life_leaving() { return g_leaving.load(); }

CardSection::CardSection() {
  if (g_orphan.load(std::memory_order_relaxed)) return;
  std::atomic<unsigned>& mine = my_section();
  // Either this sees g_leaving, or at_exit sees the count: both are sequentially consistent.
  mine.fetch_add(1);
  if (g_leaving.load()) {
    mine.fetch_sub(1);
    return;
  }
  entered_ = &mine;
}

CardSection::~CardSection() {
  if (entered_ != nullptr) entered_->fetch_sub(1);
}

}  // namespace gpuctr::bulk
