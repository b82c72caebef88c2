// Erasing secrets so that no optimiser removes it.
#ifndef GPUCTR_KERNELS_WIPE_H
#define GPUCTR_KERNELS_WIPE_H

#include <cstddef>
#include <cstring>

#include "kernels/inline.h"

namespace gpuctr {

// Sets `size` bytes at `p` to zero. The empty assembly claims to read them, so the stores stay.
GPUCTR_INLINE void wipe(void* p, std::size_t size) {
  std::memset(p, 0, size);
  __asm__ __volatile__("" : : "r"(p) : "memory");
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
