#include "kernels/bulk/life.h"

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cstdlib>

namespace gpuctr::bulk {
namespace {

std::atomic<bool> g_registered{false};
std::atomic<bool> g_threads{false};
std::atomic<bool> g_cards{false};
std::atomic<bool> g_orphan{false};
std::atomic<bool> g_leaving{false};
std::atomic<unsigned> g_generation{0};
std::atomic<unsigned> g_sections{0};

// Only flags: a child of a threaded process may do little more (POSIX, fork).
void in_child() {
  if (!g_threads.load(std::memory_order_relaxed)) return;
  g_generation.fetch_add(1, std::memory_order_relaxed);
  if (g_cards.load(std::memory_order_relaxed)) g_orphan.store(true, std::memory_order_relaxed);
  g_sections.store(0, std::memory_order_relaxed);
}

// Lets layer calls of other threads end before the driver goes away below them. Two seconds bound
// it, for a driver that hangs; starting one takes 0.3 s.
void at_exit() {
  if (g_orphan.load()) return;
  g_leaving.store(true);
  for (int i = 0; i < 2000 && g_sections.load() != 0; ++i) {
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

CardSection::CardSection() : entered_(false) {
  if (g_orphan.load()) return;
  // Either this sees g_leaving, or at_exit sees the count: both are sequentially consistent.
  g_sections.fetch_add(1);
  if (g_leaving.load()) {
    g_sections.fetch_sub(1);
    return;
  }
  entered_ = true;
}

CardSection::~CardSection() {
  if (entered_) g_sections.fetch_sub(1);
}

}  // namespace gpuctr::bulk
