// What a SIMD backend offers for one cipher.
#ifndef GPUCTR_KERNELS_CPU_SIMD_OPS_H
#define GPUCTR_KERNELS_CPU_SIMD_OPS_H

#include "kernels/cpu/simd/aes.h"
#include "kernels/cpu/simd/drbg.h"

namespace gpuctr::simd {

// Narrow is the same backend with vectors of 16 bytes.
template <class M, class Narrow, class C>
constexpr CipherOps make_ops() {
  using Core = typename CoreOf<C>::Type;
  CipherOps ops = {};
  if constexpr (kOnAes<M, C>) {
    ops.ctr = Aes<M, Core>::ctr;
    ops.encrypt = Aes<M, Core>::encrypt;
    ops.decrypt = Aes<M, Core>::decrypt;
    ops.step = AesStep<M, C>::run;
    ops.chain = Chain<M, C, AesStep<M, C>>::run;
    return ops;
  }
  ops.ctr = FewBlocks<M, Narrow, Core>::ctr;
  ops.encrypt = Verbs<M, Core>::encrypt;
  ops.decrypt = Verbs<M, Core>::decrypt;
  if constexpr (HasGenerator<C>::value) {
    ops.step = Step<M, Narrow, C>::run;
    ops.chain = Chain<M, C, Step<M, Narrow, C>>::run;
    ops.requests = requests_or_none<M, Narrow, C>();
  }
  return ops;
}
template <class M, class Narrow, class C>
constexpr CipherOps kOps = make_ops<M, Narrow, C>();

}  // namespace gpuctr::simd

#endif
