// CCM's text by instructions for AES's rounds: counter mode and the CBC-MAC of a block side by side
// in registers. The MAC's chain is what takes the time, and hides the other.
#ifndef GPUCTR_KERNELS_CPU_SIMD_CCM_H
#define GPUCTR_KERNELS_CPU_SIMD_CCM_H

#include "kernels/cpu/simd/aes.h"

namespace gpuctr::simd {

template <class M, class C>
struct AesCcm {
  using OnCore = Aes<M, C>;
  using Narrow = typename OnCore::Narrow;
  using V = typename Narrow::V;
  using Ctr = AesCtr<M::kBytes, Narrow, 1>;
  using Count = typename OnCore::Count;

  // The MAC has the first round key added throughout, so that a block's XOR is off the chain too.
  template <bool kEncrypts>
  GPUCTR_NOINLINE static void run(const std::uint8_t* words, Count counter, std::uint8_t* mac,
                                  const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) {
    const AesKeys keys = OnCore::keys_of(words);
    const V first = keys.template end<Narrow>(0);
    V running = load<V>(mac) ^ first;
    for (; blocks != 0; --blocks, in += 16, out += 16) {
      V block[1];
      Ctr::make(keys, counter, block);
      Ctr::advance(counter);
      V x[2] = {block[0], running};
      aes_rounds_but_last<Narrow>(keys, x);
      const V last = keys.template end<Narrow>(keys.rounds);
      const V given = load<V>(in);
      const V made = Narrow::encrypt_last(x[0], last ^ given);
      store(out, made);
      running = Narrow::encrypt_last(x[1], last ^ first ^ (kEncrypts ? given : made));
    }
    store(mac, running ^ first);
  }

  static void crypt(const RoundKeys& keys, bool encrypts, const std::uint8_t* counter,
                    std::uint8_t* mac, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t blocks) {
    (encrypts ? run<true> : run<false>)(keys.words<std::uint8_t>(), Count::from(counter), mac, in,
                                        out, blocks);
    OnCore::wipe_after_few(32);  // of which two are in the registers
  }
};

}  // namespace gpuctr::simd

#endif
