// NEON, for ciphers with S-boxes: an S-box is 8 look-ups of four bits (simd/box_tables.h).
#ifndef GPUCTR_KERNELS_CPU_ARM_NEON_BOXES_H
#define GPUCTR_KERNELS_CPU_ARM_NEON_BOXES_H

#include "kernels/cpu/arm/neon.h"
#include "kernels/cpu/simd/box_tables.h"

namespace gpuctr {
namespace {

template <class C>
using NeonBoxes = NeonVectors;
template <class C>
using NeonBoxesNarrow = NeonVectors;

}  // namespace
}  // namespace gpuctr

#endif
