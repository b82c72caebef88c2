// What a SIMD backend offers for one cipher.
#ifndef GPUCTR_KERNELS_CPU_SIMD_OPS_H
#define GPUCTR_KERNELS_CPU_SIMD_OPS_H

#include "kernels/cpu/simd/aes.h"
#include "kernels/cpu/simd/cbc.h"
#include "kernels/cpu/simd/ccm.h"
#include "kernels/cpu/simd/des_words.h"
#include "kernels/cpu/simd/drbg.h"
#include "kernels/cpu/simd/gcm.h"
#include "kernels/cpu/simd/key_schedule.h"

namespace gpuctr::simd {

template <class M, class Narrow, class C>
constexpr CipherOps make_aes_ops() {
  using Core = typename CoreOf<C>::Type;
  CipherOps ops = {};
  ops.expand = KeySchedule<M, Narrow, C>::expand;
  ops.ctr = Aes<M, Core>::ctr;
  ops.encrypt = Aes<M, Core>::encrypt;
  ops.decrypt = Aes<M, Core>::decrypt;
  ops.cbc_encrypt = AesCbc<M, Core>::encrypt;
  ops.cbc_decrypt = AesCbc<M, Core>::decrypt;
  ops.ccm = AesCcm<M, Core>::crypt;
  if constexpr (HasHash<typename M::Aes>::value) {
    ops.gcm = AesGcm<M, Core>::crypt;
    ops.gcm_powers = AesGcm<M, Core>::kPowers;
  }
  ops.step = AesStep<M, C>::run;
  ops.chain = Chain<M, Narrow, C, AesStep<M, C>>::run;
  return ops;
}

template <class M, class Narrow, class C>
constexpr CipherOps make_word_ops() {
  using Core = typename CoreOf<C>::Type;
  CipherOps ops = {};
  ops.ctr = FewBlocks<M, Narrow, Core>::ctr;
  ops.encrypt = FewBlocks<M, Narrow, Core>::encrypt;
  if constexpr (KeySchedule<M, Narrow, C>::kServes) {
    ops.expand = KeySchedule<M, Narrow, C>::expand;
  }
  ops.decrypt = FewBlocks<M, Narrow, Core>::decrypt;
  if constexpr (Cbc<M, Narrow, Core>::kServes) ops.cbc_encrypt = Cbc<M, Narrow, Core>::encrypt;
  if constexpr (CbcDecryption<M, Narrow, Core>::kServes) {
    ops.cbc_decrypt = CbcDecryption<M, Narrow, Core>::decrypt;
  }
  if constexpr (C::kFacts.has_generator()) {
    ops.step = Step<M, Narrow, C>::run;
    ops.chain = Chain<M, Narrow, C, Step<M, Narrow, C>>::run;
    ops.requests = requests_or_none<M, Narrow, C>();
  }
  return ops;
}

// Narrow is the same backend with vectors of 16 bytes. DesForm: of a few blocks of DES.
template <class M, class Narrow, class C, template <class> class DesForm>
constexpr CipherOps make_ops() {
  if constexpr (C::kFacts.bit_sliced) {
    return make_des_ops<M, C, DesForm<C>>();
  } else if constexpr (kOnAes<M, C>) {
    return make_aes_ops<M, Narrow, C>();
  } else {
    return make_word_ops<M, Narrow, C>();
  }
}
template <class M, class Narrow, class C, template <class> class DesForm = DesWords>
constexpr CipherOps kOps = make_ops<M, Narrow, C, DesForm>();

}  // namespace gpuctr::simd

#endif
