// Tells a process from its parent: the one answer to whether a fork has happened.
#ifndef GPUCTR_KERNELS_BASE_FORK_DETECTION_H
#define GPUCTR_KERNELS_BASE_FORK_DETECTION_H

#include <atomic>
#include <cstdint>

namespace gpuctr {

namespace fork_detection {
// Holds the generation, in a page that the kernel clears in every child. Zero before the first
// call, in a child's first, and for ever where the kernel cannot clear pages.
extern std::atomic<const std::atomic<std::uint64_t>*> page;
std::uint64_t find_out();
}  // namespace fork_detection

// Never 0, and in a child none that its ancestors had, whether the C library forked or the bare
// system call did. Any thread; takes no lock. Two loads and no system call on Linux 4.14 or later
// (MADV_WIPEONFORK); one system call on older kernels, which compares process IDs.
inline std::uint64_t fork_generation() {
  const std::uint64_t seen =
      fork_detection::page.load(std::memory_order_acquire)->load(std::memory_order_relaxed);
  return seen != 0 ? seen : fork_detection::find_out();
}

}  // namespace gpuctr

#endif
