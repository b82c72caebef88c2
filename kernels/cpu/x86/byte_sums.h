// What the backends with AVX-512 share: sums of bytes, with a carry of a bit for each byte in a
// mask register, and the order of instructions.
#ifndef GPUCTR_KERNELS_CPU_X86_BYTE_SUMS_H
#define GPUCTR_KERNELS_CPU_X86_BYTE_SUMS_H

#include <immintrin.h>

#include "kernels/cpu/simd/word.h"

#ifndef GPUCTR_HOLD  // test/trust/msan_moves.h has it empty
#define GPUCTR_HOLD(v) __asm__ __volatile__("" : "+v"(v))
#endif

namespace gpuctr {
namespace {

struct ByteSums : simd::Portable<64> {
  using Carry = __mmask64;
  using V = simd::Vec<std::uint8_t, 64>;

  GPUCTR_INLINE static V add(V a, V b, Carry* carry) {
    const V sum = plus_one_where(*carry, a + b);
    *carry = top_bits((a & b) | ((a | b) & ~sum));
    return sum;
  }
  GPUCTR_INLINE static V shift_in(V v, V below) { return plus_one_where(top_bits(below), v + v); }

  // Volatile, so that GCC's scheduler keeps one behind the other.
  template <class Any>
  GPUCTR_INLINE static void hold(Any& v) {
    GPUCTR_HOLD(v);
  }

 private:
  GPUCTR_INLINE static Carry top_bits(V v) { return _mm512_movepi8_mask(simd::as<__m512i>(v)); }
  GPUCTR_INLINE static V plus_one_where(Carry carry, V v) {
    if (__builtin_constant_p(carry) && carry == 0) return v;
    const __m512i x = simd::as<__m512i>(v);
    return simd::as<V>(_mm512_mask_sub_epi8(x, carry, x, _mm512_set1_epi8(-1)));
  }
};

}  // namespace
}  // namespace gpuctr

#endif
