// Which process this is. libcrypto does nothing for a generator at fork: without an answer here
// parent and child would give the same random bytes.
#ifndef GPUCTR_PROVIDER_FORK_H
#define GPUCTR_PROVIDER_FORK_H

#include <sys/types.h>

#include <cstdint>

namespace gpuctr {

// Never 0, and another number in each process that a fork makes of this one. Any thread. Costs a
// few nanoseconds and no system call: a page that the kernel clears in every child holds the number
// (MADV_WIPEONFORK, Linux 4.14). Where the kernel cannot do that, only forks made through the C
// library are seen.
std::uint64_t fork_generation();

// Equal for two calls exactly when no fork lies between them.
struct ProcessId {
  std::uint64_t generation;
  pid_t pid;  // asked for only where the kernel cannot clear pages; 0 elsewhere

  bool operator==(const ProcessId& other) const {
    return generation == other.generation && pid == other.pid;
  }
  bool operator!=(const ProcessId& other) const { return !(*this == other); }
};

ProcessId current_process();

}  // namespace gpuctr

#endif
