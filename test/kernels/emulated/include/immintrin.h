// Takes the place of the compiler's header in emulated units: every CPU runs them.
#include "test/kernels/emulated/avx2.h"
#include "test/kernels/emulated/avx512.h"
#include "test/kernels/emulated/sse.h"
