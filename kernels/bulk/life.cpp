#include "kernels/bulk/life.h"

#include <time.h>

#include <cstdint>
#include <cstdlib>

#include "kernels/base/fork_detection.h"

namespace gpuctr::bulk {
namespace {

std::atomic<bool> g_registered{false};
// Generation of the process that began with cards, this one or an ancestor; 0: none did.
std::atomic<std::uint64_t> g_cards{0};
std::atomic<bool> g_leaving{false};
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

// Whether the cards that were begun with are an ancestor's.
bool orphan() {
  const std::uint64_t with_cards = g_cards.load(std::memory_order_relaxed);
  return with_cards != 0 && with_cards != fork_generation();
}

// Lets layer calls of other threads end before the driver goes away below them. Two seconds bound
// it, for a driver that hangs; starting one takes 0.3 s.
void at_exit() {
  if (orphan()) return;
  g_leaving.store(true);
  for (int i = 0; i < 2000 && anyone_inside(); ++i) {
    const timespec millisecond{0, 1000000};
    nanosleep(&millisecond, nullptr);
  }
}

}  // namespace

void life_begin_threads() {
  // Two threads may both register; the handler does no harm twice, and no lock is there to inherit.
  // A child has its parent's handlers.
  if (g_registered.load(std::memory_order_acquire)) return;
  std::atexit(at_exit);
  g_registered.store(true, std::memory_order_release);
}

void life_begin_cards() {
  life_begin_threads();
  std::uint64_t nobody = 0;
  g_cards.compare_exchange_strong(nobody, fork_generation());
}

void life_after_start() { std::atexit(at_exit); }

bool life_may_use_cards() { return !orphan() && !g_leaving.load(std::memory_order_relaxed); }

bool life_leaving() { return g_leaving.load(); }

CardSection::CardSection() {
  if (orphan()) return;
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
