// Fork detection: the only place that decides whether a fork has happened.
#ifndef GPUCTR_KERNELS_BASE_FORK_DETECTION_H
#define GPUCTR_KERNELS_BASE_FORK_DETECTION_H

#include <atomic>
#include <cstdint>

namespace gpuctr {

namespace fork_detection {
// Points to the generation, in a page that the kernel clears in every child. Zero before the first
// call, and before the first call in a child. Always zero if the kernel cannot clear pages.
extern std::atomic<const std::atomic<std::uint64_t>*> page;
std::uint64_t find_out();
}  // namespace fork_detection

// The generation of this process. Never 0. A child's generation differs from those of all its
// ancestors, whether the C library or the bare system call made the fork. Any thread; takes no
// lock. On Linux 4.14 or later (MADV_WIPEONFORK) a call takes two loads and no system call. On
// older kernels a call takes one system call, to compare process IDs.
inline std::uint64_t fork_generation() {
  const std::uint64_t seen =
      fork_detection::page.load(std::memory_order_acquire)->load(std::memory_order_relaxed);
  return seen != 0 ? seen : fork_detection::find_out();
}

}  // namespace gpuctr

#endif
