// Takes the place of kernels/cpu/x86/wipe.h in emulated units: counts the calls.
#ifndef GPUCTR_KERNELS_CPU_X86_WIPE_H
#define GPUCTR_KERNELS_CPU_X86_WIPE_H

#include "kernels/base/wipe.h"
#include "kernels/cpu/simd/vec.h"
#include "test/kernels/emulated/wipes.h"

namespace gpuctr::simd {

template <unsigned Size>
GPUCTR_INLINE void wipe_below() {
  static_assert(Size % 64 == 0, "whole turns");
  ++emulated::wipes.stack;
}
GPUCTR_INLINE void wipe_vector_registers() { ++emulated::wipes.registers; }

template <unsigned Bytes>
struct X86 : Portable<Bytes> {
  template <unsigned Size>
  GPUCTR_INLINE static void wipe_below() {
    simd::wipe_below<Size>();
  }
  GPUCTR_INLINE static void wipe_registers() { wipe_vector_registers(); }
  GPUCTR_INLINE static void wipe_low_registers() { wipe_vector_registers(); }
};

}  // namespace gpuctr::simd

#endif
