// Stands in for kernels/base/wipe.h in the module that the zeroization test must catch: nothing is
// wiped.
#ifndef GPUCTR_KERNELS_BASE_WIPE_H
#define GPUCTR_KERNELS_BASE_WIPE_H

#include <cstddef>

namespace gpuctr {
inline namespace nowipe {  // other names than the real ones, which are linked in beside these

inline void wipe(void*, std::size_t) {}

template <std::size_t Size>
inline void wipe_stack() {}

template <class T>
class Wiped {
 public:
  Wiped() = default;
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  T value;
};

}  // namespace nowipe
}  // namespace gpuctr

#endif
