#include "kernels/base/fork_detection.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gpuctr::fork_detection {
namespace {

using Number = std::atomic<std::uint64_t>;

const Number nothing{0};
Number numbers_given{0};  // inherited, so a child's next number is new
Number* cleared = nullptr;
// If there is no such page: this is the number, and below is the process ID that got the number.
Number without_page{0};
pthread_once_t watching = PTHREAD_ONCE_INIT;

// It runs where only async-signal-safe functions may be called, and does nothing else.
void in_child() {
  if (cleared != nullptr) cleared->store(0, std::memory_order_relaxed);
  without_page.store(0, std::memory_order_relaxed);
}

void watch() {
#ifdef MADV_WIPEONFORK
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) {
    if (madvise(memory, size, MADV_WIPEONFORK) == 0) {
      cleared = static_cast<Number*>(memory);  // never freed: the module stays loaded
    } else {
      munmap(memory, size);
    }
  }
#endif
  pthread_atfork(nullptr, nullptr, in_child);
  if (cleared != nullptr) page.store(cleared, std::memory_order_release);
}

// Stores `value` if the number still equals `seen`. Otherwise another thread of this process was
// first, and its number is returned.
std::uint64_t give(Number* number, std::uint64_t seen, std::uint64_t value) {
  return number->compare_exchange_strong(seen, value, std::memory_order_relaxed) ? value : seen;
}

}  // namespace

std::atomic<const Number*> page{&nothing};

std::uint64_t find_out() {
  pthread_once(&watching, watch);
  const auto next = [] { return numbers_given.fetch_add(1, std::memory_order_relaxed) + 1; };
  if (cleared != nullptr) {
    const std::uint64_t seen = cleared->load(std::memory_order_relaxed);
    return seen != 0 ? seen : give(cleared, 0, next());
  }
  const auto process = static_cast<std::uint32_t>(getpid());
  const std::uint64_t seen = without_page.load(std::memory_order_relaxed);
  if (seen != 0 && static_cast<std::uint32_t>(seen) == process) return seen;
  return give(&without_page, seen, next() << 32 | process);
}

}  // namespace gpuctr::fork_detection
