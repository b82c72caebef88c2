// Erases secrets in a way that no optimiser removes.
#ifndef GPUCTR_KERNELS_BASE_WIPE_H
#define GPUCTR_KERNELS_BASE_WIPE_H

#include <cstddef>
#include <cstring>

#include "kernels/base/inline.h"

namespace gpuctr {

// Sets `size` bytes at `p` to zero. The empty assembly claims to read them, so the stores stay. Not
// std::memset: with _FORTIFY_SOURCE=3 that may be a call, and what the caller has in registers,
// such as keystream, goes to its stack meanwhile.
GPUCTR_INLINE void wipe(void* p, std::size_t size) {
  __builtin_memset(p, 0, size);
  __asm__ __volatile__("" : : "r"(p) : "memory");
}

// The sizes of stack that code wipes are bounds of measured compilers, with the flags of a release
// build. The build sets a factor for all others (kernels/cmake/Backends.cmake).
#ifndef GPUCTR_WIPE_FACTOR
#define GPUCTR_WIPE_FACTOR 1
#endif

// Zeroes Size bytes, times the factor, below the frame of its caller, where functions that it
// called had theirs: their locals, and what the compiler spilled there or saved. Those must not
// have been inlined. Each file has a copy of its own, because a backend's is made of its
// instructions.
template <std::size_t Size>
__attribute__((noinline)) static void wipe_stack() {
  unsigned char below[GPUCTR_WIPE_FACTOR * Size];
  wipe(below, sizeof below);
}

// Wipes an object at the end of its scope; on a GPU, where the object is in registers, it does not.
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
