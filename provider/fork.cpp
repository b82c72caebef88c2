#include "provider/fork.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

namespace gpuctr {
namespace {

using Number = std::atomic<std::uint64_t>;

Number numbers_given{0};  // inherited, so that a child's next is none that its parents had
Number without_page{0};
Number* marker = &without_page;  // 0: a fork has been
pthread_once_t watching = PTHREAD_ONCE_INIT;

// It runs where only async-signal-safe functions may be called, and does nothing else.
void in_child() { marker->store(0, std::memory_order_relaxed); }

void watch() {
#ifdef MADV_WIPEONFORK
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) {
    if (madvise(page, size, MADV_WIPEONFORK) == 0) {
      marker = static_cast<Number*>(page);  // never freed: the module stays loaded
    } else {
      munmap(page, size);
    }
  }
#endif
  pthread_atfork(nullptr, nullptr, in_child);
}

}  // namespace

std::uint64_t fork_generation() {
  pthread_once(&watching, watch);
  const std::uint64_t seen = marker->load(std::memory_order_relaxed);
  if (seen != 0) return seen;
  std::uint64_t expected = 0;
  const std::uint64_t mine = numbers_given.fetch_add(1, std::memory_order_relaxed) + 1;
  // Another thread of the same child may have been first: then its number holds.
  return marker->compare_exchange_strong(expected, mine, std::memory_order_relaxed) ? mine
                                                                                    : expected;
}

ProcessId current_process() {
  const std::uint64_t generation = fork_generation();
  return {generation, marker == &without_page ? getpid() : 0};
}

}  // namespace gpuctr
