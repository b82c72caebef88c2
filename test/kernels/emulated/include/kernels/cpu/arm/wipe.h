// Takes the place of kernels/cpu/arm/wipe.h in emulated units: counts the calls.
#ifndef GPUCTR_KERNELS_CPU_ARM_WIPE_H
#define GPUCTR_KERNELS_CPU_ARM_WIPE_H

#include "kernels/cpu/simd/vec.h"
#include "test/kernels/emulated/wipes.h"

namespace gpuctr::simd {

GPUCTR_INLINE void wipe_vector_registers() { ++emulated::wipes.registers; }

}  // namespace gpuctr::simd

#endif
