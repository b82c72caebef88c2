// What a SIMD backend offers for one cipher.
#ifndef GPUCTR_KERNELS_CPU_SIMD_OPS_H
#define GPUCTR_KERNELS_CPU_SIMD_OPS_H

#include "kernels/cpu/simd/drbg.h"

namespace gpuctr::simd {

// Narrow is the same backend with vectors of 16 bytes.
template <class M, class Narrow, class C, class Core = typename CoreOf<C>::Type>
constexpr CipherOps kOps = {Short<M, Narrow, Core>::ctr, Engine<M, Core>::encrypt,
                            Engine<M, Core>::decrypt,    Step<M, Narrow, C>::run,
                            Chain<M, Narrow, C>::run,    kRequests<M, Narrow, C>};

}  // namespace gpuctr::simd

#endif
