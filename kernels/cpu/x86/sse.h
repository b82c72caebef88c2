// SSSE3: vectors of 16 bytes. PSHUFB rotates by whole bytes and looks up HIGHT's F0 and F1.
#ifndef GPUCTR_KERNELS_CPU_X86_SSE_H
#define GPUCTR_KERNELS_CPU_X86_SSE_H

#include <immintrin.h>

#include "kernels/cpu/simd/ops.h"
#include "kernels/cpu/x86/wipe.h"
#include "kernels/cpu/x86/xmm.h"

namespace gpuctr {
namespace {

struct Sse : simd::Xmm {
  static constexpr unsigned kRegisters = 16;
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(const V& word, V key) {
    return simd::rot_xor_by_tables<Sse, A, B, C>(simd::read_then_spill(word), key);
  }
  template <unsigned Size>
  GPUCTR_INLINE static void wipe_below() {
    simd::wipe_below<Size>();
  }
  GPUCTR_INLINE static void wipe_registers() { simd::wipe_xmm(); }
};

template <class C>
constexpr CipherOps kOps = simd::kOps<Sse, Sse, C>;

}  // namespace

}  // namespace gpuctr

#endif
