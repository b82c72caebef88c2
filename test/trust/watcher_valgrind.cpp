#include <valgrind/memcheck.h>

#include <cstdint>

#include "test/trust/watcher.h"

namespace gpuctr::watcher {

const char* const kAbsent = "valgrind does not offer it";

bool only_here(const char*) { return true; }

bool present() { return RUNNING_ON_VALGRIND != 0; }

const bool kFollowsProducts = true;

void hide(void* p, std::size_t size) { VALGRIND_MAKE_MEM_UNDEFINED(p, size); }

std::size_t hidden(const void* p, std::size_t size) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    std::uint8_t bits = 0;
    VALGRIND_GET_VBITS(static_cast<const std::uint8_t*>(p) + i, &bits, 1);
    if (bits != 0) ++count;
  }
  return count;
}

unsigned long leaks(const std::function<void()>& work, bool) {
  const unsigned long before = VALGRIND_COUNT_ERRORS;
  work();
  return VALGRIND_COUNT_ERRORS - before;
}

}  // namespace gpuctr::watcher
