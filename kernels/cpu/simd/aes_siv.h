// GCM-SIV's counter mode (RFC 8452 4) by AES instructions. The counter, the first four bytes of a
// block, grows by one addition a vector.
#ifndef GPUCTR_KERNELS_CPU_SIMD_AES_SIV_H
#define GPUCTR_KERNELS_CPU_SIMD_AES_SIV_H

#include "kernels/cpu/base/siv_ctr.h"
#include "kernels/cpu/simd/aes.h"

namespace gpuctr::simd {

// `block`: the next counter block.
template <class M, class C>
struct AesSivCtr {
  using A = typename Aes<M, C>::A;
  using Narrow = typename A::Narrow;
  template <unsigned First, unsigned Step>  // a number in the first word of each block
  struct Numbers {
    GPUCTR_INLINE static constexpr std::uint32_t at(std::size_t i) {
      return i % 4 == 0 ? First + Step * static_cast<std::uint32_t>(i / 4) : 0;
    }
  };
  template <class B, unsigned G>
  GPUCTR_INLINE static void make(const AesKeys& keys, typename Narrow::V& block,
                                 typename B::V (&x)[G]) {
    constexpr unsigned kPerVector = B::kBytes / 16;
    auto next = as<Vec<std::uint32_t, B::kBytes>>(B::key(block)) +
                table<std::uint32_t, B::kBytes, Numbers<0, 1>>();
    block = as<typename Narrow::V>(as<Vec<std::uint32_t, 16>>(block) +
                                   table<std::uint32_t, 16, Numbers<G * kPerVector, 0>>());
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      x[g] = as<typename B::V>(next) ^ keys.template end<B>(0);
      next += table<std::uint32_t, B::kBytes, Numbers<kPerVector, 0>>();
    }
    aes_rounds_but_last<B, G>(keys, x);
  }
  template <class B, unsigned G>
  GPUCTR_INLINE static void run(const AesKeys& keys, typename Narrow::V& block, AesData& data) {
    while (data.n >= G * B::kBytes) {
      typename B::V x[G];
      make<B>(keys, block, x);
      const typename B::V last = keys.template end<B>(keys.rounds);
      GPUCTR_UNROLL
      for (unsigned g = 0; g < G; ++g) {
        const typename B::V key = last ^ load<typename B::V>(data.in + g * B::kBytes);
        store(data.out + g * B::kBytes, B::encrypt_last(x[g], key));
      }
      data.step(G * B::kBytes);
    }
  }
  GPUCTR_NOINLINE static void all(const std::uint8_t* words, const std::uint8_t* at,
                                  const AesData& whole) {
    const AesKeys keys = Aes<M, C>::keys_of(words);
    AesData data = whole;
    typename Narrow::V x[1], block = load<typename Narrow::V>(at);
    run<A, 8>(keys, block, data);
    run<A, 2>(keys, block, data);
    run<Narrow, 4>(keys, block, data);
    run<Narrow, 1>(keys, block, data);
    if (data.n == 0) return;
    make<Narrow>(keys, block, x);
    x[0] = Narrow::encrypt_last(x[0], keys.template end<Narrow>(keys.rounds));
    write_part(x[0], data.in, data.out, data.n);
  }
  static void crypt(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
                    std::uint8_t* out, std::size_t n) {
    all(words_of<std::uint8_t>(keys), counter, {in, out, n});
    BatchOperations<M, C>::wipe_stack();
    M::wipe_registers();
  }
  static constexpr SivCtr kUnit = crypt;
};

}  // namespace gpuctr::simd

#endif
