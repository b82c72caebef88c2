// SSE4.2 with AES-NI, for ciphers with S-boxes; `sse` has the others.
#ifndef GPUCTR_KERNELS_CPU_X86_SSE_AESNI_H
#define GPUCTR_KERNELS_CPU_X86_SSE_AESNI_H

#include "kernels/cpu/simd/ops.h"
#include "kernels/cpu/x86/aes.h"
#include "kernels/cpu/x86/aesni.h"
#include "kernels/cpu/x86/wipe.h"

namespace gpuctr {
namespace {

template <bool Layers>
struct SseAesNi : simd::XmmBoxes<Layers> {
  static constexpr unsigned kRegisters = 16;
  using InOne = simd::XmmBoxes<Layers>;
  using Aes = simd::AesVectors<16>;
  template <unsigned Size>
  GPUCTR_INLINE static void wipe_below() {
    simd::wipe_below<Size>();
  }
  GPUCTR_INLINE static void wipe_registers() { simd::wipe_xmm(); }
};

template <class C, class M = SseAesNi<C::kFacts.box_layers>>
constexpr CipherOps kOps = simd::kOps<M, M, C>;

}  // namespace

}  // namespace gpuctr

#endif
