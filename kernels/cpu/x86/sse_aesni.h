// SSE4.2 with AES-NI, for ciphers with S-boxes; `sse` has the other ciphers.
#ifndef GPUCTR_KERNELS_CPU_X86_SSE_AESNI_H
#define GPUCTR_KERNELS_CPU_X86_SSE_AESNI_H

#include "kernels/cpu/x86/xmm.h"

namespace gpuctr {
namespace {

template <bool Layers>
struct SseAesNiVectors : simd::XmmBoxes<Layers> {
  static constexpr unsigned kRegisters = 16;
  using Lane = simd::XmmBoxes<Layers>;
  using Aes = simd::AesVectors<16>;
};

template <class C>
using SseAesNi = SseAesNiVectors<C::kFacts.box_layers>;
template <class C>
using SseAesNiNarrow = SseAesNi<C>;

}  // namespace
}  // namespace gpuctr

#endif
