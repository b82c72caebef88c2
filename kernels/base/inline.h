// Forces small functions that several backends share to be inlined. Each backend's file is compiled
// for its own instruction set, but the linker keeps only one copy of an inline function.
#ifndef GPUCTR_KERNELS_BASE_INLINE_H
#define GPUCTR_KERNELS_BASE_INLINE_H

#define GPUCTR_INLINE inline __attribute__((always_inline))
#define GPUCTR_NOINLINE __attribute__((noinline))

// The same, for functions that CUDA kernels also call.
#ifdef __CUDACC__
#define GPUCTR_HD __host__ __device__ __forceinline__
#else
#define GPUCTR_HD GPUCTR_INLINE
#endif

#endif
