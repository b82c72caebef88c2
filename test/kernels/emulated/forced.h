// Comes before each emulated unit. The compiler makes code for any x86-64, so that its own vector
// operations need no instruction set. Only intrinsics would, and they are models.
#ifndef GPUCTR_TEST_KERNELS_EMULATED_FORCED_H
#define GPUCTR_TEST_KERNELS_EMULATED_FORCED_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "test/kernels/emulated/first.h"
#include "test/kernels/emulated/lanes.h"

// Barriers with an operand in a vector register. Assembly that does something is __volatile__.
#define __asm__(...)
#define GPUCTR_HOLD(v) static_cast<void>(v)
#define __builtin_shufflevector(a, b, ...) ::gpuctr::emulated::shuffle<__VA_ARGS__>(a, b)

#endif
