// Erases secrets in a way that no optimiser removes.
#ifndef GPUCTR_KERNELS_BASE_WIPE_H
#define GPUCTR_KERNELS_BASE_WIPE_H

#include <cstddef>
#include <cstring>

#include "kernels/base/inline.h"

namespace gpuctr {

// Sets `size` bytes at `p` to zero. The empty assembly claims to read them, so the stores stay.
// std::memset is not used: with _FORTIFY_SOURCE=3 it may be a call. Then the caller's registers,
// which may hold keystream, are saved to the stack.
GPUCTR_INLINE void wipe(void* p, std::size_t size) {
  __builtin_memset(p, 0, size);
  __asm__ __volatile__("" : : "r"(p) : "memory");
}

// The stack sizes that the code wipes are bounds for measured compilers, with the flags of a
// release build. For all other compilers and flags the build sets a factor
// (kernels/cmake/Backends.cmake).
#ifndef GPUCTR_WIPE_FACTOR
#define GPUCTR_WIPE_FACTOR 1
#endif

// Each file has its own copy, because a backend's copy uses the backend's instructions.
template <std::size_t Size>
__attribute__((noinline)) static void wipe_from_here() {
  unsigned char below[GPUCTR_WIPE_FACTOR * Size];
  wipe(below, sizeof below);
}
// Zeroes Size bytes, times the factor, below the caller's frame. There the called functions had
// their locals, and the compiler saved or spilled registers. The called functions must not have
// been inlined.
template <std::size_t Size>
GPUCTR_INLINE void wipe_stack() {
  wipe_from_here<Size>();
  __asm__ __volatile__("");  // prevents a tail call, which would begin where the frame began
}

// Wipes an object at the end of its scope. Does nothing on a GPU, where the object is in registers.
template <class T>
class Wiped {
 public:
  GPUCTR_INLINE Wiped() = default;
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  GPUCTR_HD ~Wiped() {
#ifndef __CUDA_ARCH__
    wipe(&value, sizeof value);
#endif
  }
  T value;
};

}  // namespace gpuctr

#endif
