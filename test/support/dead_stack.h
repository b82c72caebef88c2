// What a call leaves on the stack below it.
#ifndef GPUCTR_TEST_SUPPORT_DEAD_STACK_H
#define GPUCTR_TEST_SUPPORT_DEAD_STACK_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gpuctr::test {

constexpr std::size_t kDeadStack = 16384;
// The working memory of a set of lanes is on the stack.
constexpr std::size_t kDeadStackOfMany = std::size_t{128} << 10;

// The stack below this function is what a call beside it uses: nullptr fills it before that call,
// and `out` gets a copy of kBytes after it. One function for both, so that its array lies in the
// same place.
template <std::size_t kBytes = kDeadStack>
__attribute__((noinline)) void look_at_stack(std::uint8_t* out) {
  std::uint8_t below[kBytes];
  __asm__ volatile("" : : "r"(below) : "memory");  // as if it had been written
  if (out != nullptr) {
    std::memcpy(out, below, sizeof below);
  } else {
    std::memset(below, 0xee, sizeof below);
  }
  __asm__ volatile("" : : "r"(below) : "memory");
}

// A call under test saves its caller's registers on its stack: after this the same ones each time.
#if defined(__x86_64__)
#define GPUCTR_CLEAR_SAVED_REGISTERS()                                      \
  __asm__ volatile(                                                         \
      "xorl %%ebx, %%ebx\n\txorl %%r12d, %%r12d\n\txorl %%r13d, %%r13d\n\t" \
      "xorl %%r14d, %%r14d\n\txorl %%r15d, %%r15d"                          \
      :                                                                     \
      :                                                                     \
      : "rbx", "r12", "r13", "r14", "r15", "cc")
#endif

inline std::size_t bytes_that_differ(const std::uint8_t* a, const std::uint8_t* b) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < kDeadStack; ++i) n += a[i] != b[i] ? 1 : 0;
  return n;
}

}  // namespace gpuctr::test

#endif
