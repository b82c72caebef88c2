// SSSE3, for ciphers with S-boxes: an S-box is 8 look-ups of four bits (simd/box_tables.h).
#ifndef GPUCTR_KERNELS_CPU_X86_SSE_BOXES_H
#define GPUCTR_KERNELS_CPU_X86_SSE_BOXES_H

#include "kernels/cpu/simd/box_tables.h"
#include "kernels/cpu/x86/xmm.h"

namespace gpuctr {
namespace {

struct SseBoxVectors : simd::Xmm {
  static constexpr unsigned kRegisters = 16;
  static constexpr bool kCallsBoxes = true;
};

template <class C>
using SseBoxes = SseBoxVectors;
template <class C>
using SseBoxesNarrow = SseBoxVectors;

}  // namespace
}  // namespace gpuctr

#endif
