// Which process this is. libcrypto does nothing for a generator at fork: without an answer here
// parent and child would give the same random bytes.
#ifndef GPUCTR_PROVIDER_FORK_H
#define GPUCTR_PROVIDER_FORK_H

#include <sys/types.h>

#include <cstdint>

namespace gpuctr {

// Equal for two calls exactly when no fork lies between them. The generation counts forks made by
// the C library; the process ID sees those that a program makes by a bare system call.
struct ProcessId {
  std::uint64_t generation;
  pid_t pid;

  bool operator==(const ProcessId& other) const {
    return generation == other.generation && pid == other.pid;
  }
  bool operator!=(const ProcessId& other) const { return !(*this == other); }
};

// Watches forks from the first call on. Any thread. Costs one system call.
ProcessId current_process();

// The generation alone, without the system call.
std::uint64_t fork_generation();

}  // namespace gpuctr

#endif
