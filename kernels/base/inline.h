// Small functions that several backends share are forced into their callers: a backend's file is
// compiled for its own instruction set, and the linker keeps one copy of an inline function.
#ifndef GPUCTR_KERNELS_BASE_INLINE_H
#define GPUCTR_KERNELS_BASE_INLINE_H

#define GPUCTR_INLINE inline __attribute__((always_inline))

// The same for a function that CUDA kernels call too.
#ifdef __CUDACC__
#define GPUCTR_HD __host__ __device__ __forceinline__
#else
#define GPUCTR_HD GPUCTR_INLINE
#endif

#endif
