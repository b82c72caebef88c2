// Zeroes the vector registers and the stack of x86 at the end of a call that held secrets in them.
#ifndef GPUCTR_KERNELS_CPU_X86_WIPE_H
#define GPUCTR_KERNELS_CPU_X86_WIPE_H

#include "kernels/base/wipe.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

// clang-format off
#define GPUCTR_0_15(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) \
  DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define GPUCTR_16_31(DO) DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) \
  DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31)
#define GPUCTR_PXOR(i) "pxor %%xmm" #i ", %%xmm" #i "\n\t"
#define GPUCTR_VPXOR(i) "vpxor %%xmm" #i ", %%xmm" #i ", %%xmm" #i "\n\t"
#define GPUCTR_VPXORD(i) "vpxord %%xmm" #i ", %%xmm" #i ", %%xmm" #i "\n\t"
#define GPUCTR_XMM(i) "xmm" #i,
// clang-format on

GPUCTR_INLINE void wipe_xmm() {
  __asm__ __volatile__(GPUCTR_0_15(GPUCTR_PXOR) : : : GPUCTR_0_15(GPUCTR_XMM) "cc");
}

#ifdef __AVX__
#define GPUCTR_ZERO "vpxor %%xmm0, %%xmm0, %%xmm0\n"
#define GPUCTR_STORE(at) "vmovdqu %%xmm0, " #at "(%%rsp)\n\t"
#else
#define GPUCTR_ZERO "pxor %%xmm0, %%xmm0\n"
#define GPUCTR_STORE(at) "movdqu %%xmm0, " #at "(%%rsp)\n\t"
#endif
// 64 bytes of the red zone: aligned, or by the widest stores, which may cross lines of the cache.
#define GPUCTR_STORE_64 GPUCTR_STORE(-16) GPUCTR_STORE(-32) GPUCTR_STORE(-48) GPUCTR_STORE(-64)
#if defined(__AVX512F__)
#define GPUCTR_WIDEST "vmovdqu64 %%zmm0, -64(%%rsp)\n\t"
#elif defined(__AVX__)
#define GPUCTR_WIDEST "vmovdqu %%ymm0, -32(%%rsp)\n\tvmovdqu %%ymm0, -64(%%rsp)\n\t"
#else
#define GPUCTR_WIDEST GPUCTR_STORE_64
#endif

// Zeroes Size bytes, a multiple of 64, times GPUCTR_WIPE_FACTOR, from the stack pointer down. Only
// for a function that has called others, and so keeps no data there itself. A compiler-made frame
// would begin with a gap.
template <unsigned Size>
GPUCTR_INLINE void wipe_below() {
  static_assert(Size % 64 == 0, "whole turns");
  unsigned turns = GPUCTR_WIPE_FACTOR * Size / 64;
  if (turns == 1) {  // a loop would measurably slow one block of AES
    __asm__ __volatile__(GPUCTR_ZERO GPUCTR_STORE_64 : : : "xmm0", "memory");
    return;
  }
  __asm__ __volatile__(GPUCTR_ZERO "1:\t" GPUCTR_WIDEST
                                   "sub $64, %%rsp\n\t"
                                   "dec %%eax\n\t"
                                   "jnz 1b\n\t"
                                   "add %[size], %%rsp"
                       : "+a"(turns)
                       : [size] "i"(GPUCTR_WIPE_FACTOR * Size)
                       : "xmm0", "cc", "memory");
}

#ifdef __AVX__
// A VEX instruction also zeroes the rest of its register. VZEROUPPER marks the upper halves as
// unused. Together with the other instructions it takes 3 cycles on a Zen 4; VZEROALL takes 9.
GPUCTR_INLINE void wipe_ymm() {
  __asm__ __volatile__(GPUCTR_0_15(GPUCTR_VPXOR) "vzeroupper" : : : GPUCTR_0_15(GPUCTR_XMM) "cc");
}
#endif

#ifdef __AVX512F__
GPUCTR_INLINE void wipe_zmm() {
  __asm__ __volatile__(GPUCTR_16_31(GPUCTR_VPXORD) : : : GPUCTR_16_31(GPUCTR_XMM) "cc");
  wipe_ymm();
}
#endif

// All vector registers of the file's instruction set.
GPUCTR_INLINE void wipe_vector_registers() {
#if defined(__AVX512F__)
  wipe_zmm();
#elif defined(__AVX__)
  wipe_ymm();
#else
  wipe_xmm();
#endif
}

// The common part of all x86 backends.
template <unsigned Bytes>
struct X86 : Portable<Bytes> {
  template <unsigned Size>
  GPUCTR_INLINE static void wipe_below() {
    simd::wipe_below<Size>();
  }
  GPUCTR_INLINE static void wipe_registers() { wipe_vector_registers(); }
  // The first 16, after a function that has used no other.
#ifdef __AVX__
  GPUCTR_INLINE static void wipe_low_registers() { wipe_ymm(); }
#if GPUCTR_WIPE_FACTOR <= 2 && (defined(__clang__) || __GNUC__ <= 14)  // GCC 16 uses others
  static constexpr bool kFewInLowRegisters = true;
#endif
#endif
};

}  // namespace gpuctr::simd

#endif
