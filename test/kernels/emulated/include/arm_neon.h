// Takes the place of the compiler's header in emulated units: every CPU runs them.
#include "test/kernels/emulated/neon.h"
