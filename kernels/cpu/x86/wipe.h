// Vector registers and stack of x86 set to zero, at the end of a call that held secrets in them.
#ifndef GPUCTR_KERNELS_CPU_X86_WIPE_H
#define GPUCTR_KERNELS_CPU_X86_WIPE_H

#include "kernels/base/inline.h"
#include "kernels/base/wipe.h"

namespace gpuctr::simd {

#define GPUCTR_XMM_0_15                                                                    \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

GPUCTR_INLINE void wipe_xmm() {
  __asm__ __volatile__(
      "pxor %%xmm0, %%xmm0\n\t"
      "pxor %%xmm1, %%xmm1\n\t"
      "pxor %%xmm2, %%xmm2\n\t"
      "pxor %%xmm3, %%xmm3\n\t"
      "pxor %%xmm4, %%xmm4\n\t"
      "pxor %%xmm5, %%xmm5\n\t"
      "pxor %%xmm6, %%xmm6\n\t"
      "pxor %%xmm7, %%xmm7\n\t"
      "pxor %%xmm8, %%xmm8\n\t"
      "pxor %%xmm9, %%xmm9\n\t"
      "pxor %%xmm10, %%xmm10\n\t"
      "pxor %%xmm11, %%xmm11\n\t"
      "pxor %%xmm12, %%xmm12\n\t"
      "pxor %%xmm13, %%xmm13\n\t"
      "pxor %%xmm14, %%xmm14\n\t"
      "pxor %%xmm15, %%xmm15\n\t"
      :
      :
      : GPUCTR_XMM_0_15);
}

// Zeroes Size bytes, a multiple of 64, times GPUCTR_WIPE_FACTOR, from the stack pointer down. Only
// for a function that has called others, and so keeps nothing there itself. A frame made by the
// compiler would begin with a gap.
template <unsigned Size>
GPUCTR_INLINE void wipe_below() {
  static_assert(Size % 64 == 0, "whole turns");
  unsigned turns_left;
  __asm__ __volatile__(
#if defined(__AVX512F__)
      "vpxor %%xmm0, %%xmm0, %%xmm0\n"
      "1:\tsub $64, %%rsp\n\t"
      "vmovdqu64 %%zmm0, (%%rsp)\n\t"
#elif defined(__AVX__)
      "vpxor %%xmm0, %%xmm0, %%xmm0\n"
      "1:\tsub $64, %%rsp\n\t"
      "vmovdqu %%ymm0, (%%rsp)\n\t"
      "vmovdqu %%ymm0, 32(%%rsp)\n\t"
#else
      "pxor %%xmm0, %%xmm0\n"
      "1:\tsub $64, %%rsp\n\t"
      "movdqu %%xmm0, (%%rsp)\n\t"
      "movdqu %%xmm0, 16(%%rsp)\n\t"
      "movdqu %%xmm0, 32(%%rsp)\n\t"
      "movdqu %%xmm0, 48(%%rsp)\n\t"
#endif
      "dec %%eax\n\t"
      "jnz 1b\n\t"
      "add %[size], %%rsp"
      : "=a"(turns_left)
      : "a"(GPUCTR_WIPE_FACTOR * Size / 64), [size] "i"(GPUCTR_WIPE_FACTOR * Size)
      : GPUCTR_XMM_0_15, "cc", "memory");
}

#if GPUCTR_WIPE_FACTOR > 1
// Every size takes the loop.
#elif defined(__AVX512F__)
// Without the loop, which a block of AES notices.
template <>
GPUCTR_INLINE void wipe_below<192>() {
  __asm__ __volatile__(
      "vpxor %%xmm0, %%xmm0, %%xmm0\n\t"
      "sub $192, %%rsp\n\t"
      "vmovdqu64 %%zmm0, (%%rsp)\n\t"
      "vmovdqu64 %%zmm0, 64(%%rsp)\n\t"
      "vmovdqu64 %%zmm0, 128(%%rsp)\n\t"
      "add $192, %%rsp"
      :
      :
      : GPUCTR_XMM_0_15, "cc", "memory");
}
#elif defined(__AVX__)
template <>
GPUCTR_INLINE void wipe_below<192>() {
  __asm__ __volatile__(
      "vpxor %%xmm0, %%xmm0, %%xmm0\n\t"
      "sub $192, %%rsp\n\t"
      "vmovdqu %%ymm0, (%%rsp)\n\t"
      "vmovdqu %%ymm0, 32(%%rsp)\n\t"
      "vmovdqu %%ymm0, 64(%%rsp)\n\t"
      "vmovdqu %%ymm0, 96(%%rsp)\n\t"
      "vmovdqu %%ymm0, 128(%%rsp)\n\t"
      "vmovdqu %%ymm0, 160(%%rsp)\n\t"
      "add $192, %%rsp"
      :
      :
      : GPUCTR_XMM_0_15, "cc", "memory");
}
#endif

#ifdef __AVX__
// A VEX instruction zeroes the rest of its register too. VZEROUPPER marks the upper halves as
// unused; with the others it takes 3 cycles on a Zen 4, where VZEROALL takes 9.
GPUCTR_INLINE void wipe_ymm() {
  __asm__ __volatile__(
      "vpxor %%xmm0, %%xmm0, %%xmm0\n\t"
      "vpxor %%xmm1, %%xmm1, %%xmm1\n\t"
      "vpxor %%xmm2, %%xmm2, %%xmm2\n\t"
      "vpxor %%xmm3, %%xmm3, %%xmm3\n\t"
      "vpxor %%xmm4, %%xmm4, %%xmm4\n\t"
      "vpxor %%xmm5, %%xmm5, %%xmm5\n\t"
      "vpxor %%xmm6, %%xmm6, %%xmm6\n\t"
      "vpxor %%xmm7, %%xmm7, %%xmm7\n\t"
      "vpxor %%xmm8, %%xmm8, %%xmm8\n\t"
      "vpxor %%xmm9, %%xmm9, %%xmm9\n\t"
      "vpxor %%xmm10, %%xmm10, %%xmm10\n\t"
      "vpxor %%xmm11, %%xmm11, %%xmm11\n\t"
      "vpxor %%xmm12, %%xmm12, %%xmm12\n\t"
      "vpxor %%xmm13, %%xmm13, %%xmm13\n\t"
      "vpxor %%xmm14, %%xmm14, %%xmm14\n\t"
      "vpxor %%xmm15, %%xmm15, %%xmm15\n\t"
      "vzeroupper"
      :
      :
      : GPUCTR_XMM_0_15);
}
#endif

#ifdef __AVX512F__
GPUCTR_INLINE void wipe_zmm() {
  __asm__ __volatile__(
      "vpxord %%xmm16, %%xmm16, %%xmm16\n\t"
      "vpxord %%xmm17, %%xmm17, %%xmm17\n\t"
      "vpxord %%xmm18, %%xmm18, %%xmm18\n\t"
      "vpxord %%xmm19, %%xmm19, %%xmm19\n\t"
      "vpxord %%xmm20, %%xmm20, %%xmm20\n\t"
      "vpxord %%xmm21, %%xmm21, %%xmm21\n\t"
      "vpxord %%xmm22, %%xmm22, %%xmm22\n\t"
      "vpxord %%xmm23, %%xmm23, %%xmm23\n\t"
      "vpxord %%xmm24, %%xmm24, %%xmm24\n\t"
      "vpxord %%xmm25, %%xmm25, %%xmm25\n\t"
      "vpxord %%xmm26, %%xmm26, %%xmm26\n\t"
      "vpxord %%xmm27, %%xmm27, %%xmm27\n\t"
      "vpxord %%xmm28, %%xmm28, %%xmm28\n\t"
      "vpxord %%xmm29, %%xmm29, %%xmm29\n\t"
      "vpxord %%xmm30, %%xmm30, %%xmm30\n\t"
      "vpxord %%xmm31, %%xmm31, %%xmm31\n\t"
      :
      :
      : "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
        "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
  wipe_ymm();
}
#endif

}  // namespace gpuctr::simd

#endif
