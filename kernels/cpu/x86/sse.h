// SSSE3: vectors of 16 bytes. PSHUFB rotates by whole bytes and looks up in tables of 16 bytes.
#ifndef GPUCTR_KERNELS_CPU_X86_SSE_H
#define GPUCTR_KERNELS_CPU_X86_SSE_H

#include <immintrin.h>

#include "kernels/cpu/x86/wipe.h"

namespace gpuctr {
namespace {

struct SseVectors : simd::X86<16> {
  static constexpr unsigned kRegisters = 16;
  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(_mm_shuffle_epi8(simd::as<__m128i>(table), simd::as<__m128i>(index)));
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(const V& word, V key) {
    using Sums = simd::RotationSums<SseVectors, V>;
    return Sums::template look_up<A, B, C>(Sums::read_then_spill(word), key);
  }
};

template <class C>
using Sse = SseVectors;
template <class C>
using SseNarrow = SseVectors;

}  // namespace
}  // namespace gpuctr

#endif
