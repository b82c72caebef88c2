// Erases secrets in a way that no optimiser removes.
#ifndef GPUCTR_KERNELS_BASE_WIPE_H
#define GPUCTR_KERNELS_BASE_WIPE_H

#include <cstddef>
#include <cstring>

#include "kernels/base/inline.h"

namespace gpuctr {

// Sets `size` bytes at `p` to zero. The empty assembly claims to read them, so the stores stay.
GPUCTR_INLINE void wipe(void* p, std::size_t size) {
  std::memset(p, 0, size);
  __asm__ __volatile__("" : : "r"(p) : "memory");
}

// Zeroes Size bytes below the frame of its caller, where functions that it called had theirs: their
// locals, and what the compiler spilled there or saved. Those must not have been inlined. Each file
// has a copy of its own, because a backend's is made of its instructions.
template <std::size_t Size>
__attribute__((noinline)) static void wipe_stack() {
  unsigned char below[Size];
  wipe(below, sizeof below);
}

// Wipes an object at the end of its scope.
template <class T>
class Wiped {
 public:
  GPUCTR_INLINE Wiped() = default;
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  GPUCTR_INLINE ~Wiped() { wipe(&value, sizeof value); }
  T value;
};

}  // namespace gpuctr

#endif
