#include "provider/fork.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace gpuctr {
namespace {

std::atomic<std::uint64_t> generation{1};
pthread_once_t watching = PTHREAD_ONCE_INIT;

// The handler does nothing else: it runs where only async-signal-safe functions may be called.
void in_child() { generation.fetch_add(1, std::memory_order_relaxed); }

void watch() { pthread_atfork(nullptr, nullptr, in_child); }

}  // namespace

std::uint64_t fork_generation() {
  pthread_once(&watching, watch);
  return generation.load(std::memory_order_relaxed);
}

ProcessId current_process() { return {fork_generation(), getpid()}; }

}  // namespace gpuctr
