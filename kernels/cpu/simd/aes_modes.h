// CBC, CCM and GCM by AES instructions, and the table of functions for AES on such a backend.
#ifndef GPUCTR_KERNELS_CPU_SIMD_AES_MODES_H
#define GPUCTR_KERNELS_CPU_SIMD_AES_MODES_H

#include "kernels/cpu/base/ghash_ops.h"
#include "kernels/cpu/simd/aes.h"
#include "kernels/cpu/simd/key_schedule.h"

namespace gpuctr::simd {

// CBC. Encryption keeps the chain in a register. Decryption runs like ECB, with the XOR in
// registers.
template <class M, class C>
struct AesCbc {
  using OnCore = Aes<M, C>;
  using A = typename OnCore::A;
  using Narrow = typename OnCore::Narrow;
  using V = typename Narrow::V;

  GPUCTR_NOINLINE static void chained(const std::uint8_t* words, std::uint8_t* chain,
                                      const std::uint8_t* in, std::uint8_t* out,
                                      std::size_t blocks) {
    const AesKeys keys = OnCore::keys_of(words);
    V x[1] = {load<V>(chain)};
    for (; blocks != 0; --blocks, in += 16, out += 16) {
      x[0] ^= load<V>(in) ^ keys.template end<Narrow>(0);
      aes_rounds<Narrow>(keys, x);
      store(out, x[0]);
    }
    store(chain, x[0]);
  }

  static void encrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                      std::uint8_t* out, std::size_t blocks) {
    chained(words_of<std::uint8_t>(keys), chain, in, out, blocks);
    OnCore::wipe_after_few(16);  // one block is in the registers
  }

  GPUCTR_NOINLINE static void decrypt_few(const std::uint8_t* words, std::uint8_t* chain,
                                          const std::uint8_t* in, std::uint8_t* out,
                                          std::size_t n) {
    const AesInverseKeys keys = OnCore::inverse_keys_of(words);
    AesData data{in, out, n};
    V before = load<V>(chain);
    if (n == 16) {
      aes_cbc_decrypt<Narrow, 1>(keys, before, data);
    } else {
      aes_cbc_decrypt<Narrow, 8>(keys, before, data);
    }
    store(chain, before);
  }
  template <class Keys>
  GPUCTR_INLINE static void decrypt_all(const Keys& keys, std::uint8_t* chain, AesData data) {
    V before = load<V>(chain);
    aes_cbc_decrypt<A, OnCore::kGroups>(keys, before, data);
    aes_cbc_decrypt<Narrow, A::kBytes / 16>(keys, before, data);
    store(chain, before);
  }
  GPUCTR_NOINLINE static void decrypt_some(const std::uint8_t* words, std::uint8_t* chain,
                                           const AesData& data) {
    decrypt_all(OnCore::inverse_keys_of(words), chain, data);
  }
  GPUCTR_NOINLINE static void decrypt_many(const std::uint8_t* words, std::uint8_t* chain,
                                           const AesData& data) {
    const typename OnCore::PreparedKeys prepared(words);
    decrypt_all(prepared.keys(), chain, data);
  }

  static void decrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                      std::uint8_t* out, std::size_t blocks) {
    const auto* const words = words_of<std::uint8_t>(keys);
    const std::size_t n = 16 * blocks;
    if (n <= OnCore::kFewBytes) {
      decrypt_few(words, chain, in, out, n);
      return OnCore::wipe_after_few(n);
    }
    n <= OnCore::kBatchBytes ? decrypt_some(words, chain, {in, out, n})
                             : decrypt_many(words, chain, {in, out, n});
    OnCore::wipe_after(n);
  }
};

// CCM's text by instructions for AES rounds: counter mode and the CBC-MAC of a block side by side
// in registers. The chain of the MAC determines the time, and hides the time of counter mode.
template <class M, class C>
struct AesCcm {
  using OnCore = Aes<M, C>;
  using Narrow = typename OnCore::Narrow;
  using V = typename Narrow::V;
  using Ctr = AesCtr<M::kBytes, Narrow, 1>;
  using Count = typename OnCore::Count;

  // The MAC always includes the first round key, so that the XOR of a block is outside the chain
  // too.
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
    (encrypts ? run<true> : run<false>)(words_of<std::uint8_t>(keys), Count::from(counter), mac, in,
                                        out, blocks);
    OnCore::wipe_after_few(32);  // two blocks are in the registers
  }
};

// GCM's text by instructions for AES rounds: counter mode and GHASH of the ciphertext in one loop,
// so that the CPU multiplies while it encrypts. In decryption a batch is hashed during its own
// rounds. In encryption a batch is hashed two batches later: if it is hashed sooner, CPUs wait for
// stores that cross two cache lines.
//
// M::Aes::Hash is GHASH's arithmetic in vectors of the same size (x86/ghash_vectors.h), if the
// file's options include carry-less multiplication.
//
// The other ciphers have no such loop. They keep all vector pipes of the CPU busy, so GHASH costs
// the same in one loop and in two (kernels/cpu/README.md).
template <class A, class = void>
struct HasHash : std::false_type {};
template <class A>
struct HasHash<A, std::void_t<typename A::Hash>> : std::true_type {};

// GHASH of a batch, with as many blocks as share a reduction; each round does one turn of it.
template <class H>
struct HashBesideAes {
  const std::uint8_t* powers;
  typename H::Block y;
  const std::uint8_t* in;  // the batch
  typename H::Sum sum = {};

  struct Keys : AesKeys {
    HashBesideAes* hash;

    template <class A>
    GPUCTR_INLINE typename A::V inner(unsigned round) const {
      if (round <= H::kVectors) H::add(hash->sum, hash->powers, hash->y, hash->in, round);
      return AesKeys::inner<A>(round);
    }
  };
  GPUCTR_INLINE Keys begin(const AesKeys& keys) {
    sum = {};
    return {keys, this};
  }
  GPUCTR_INLINE void end() {
    y = H::reduced(sum);
    in += H::kVectors * H::kBytes;
  }
};

template <class M, class C>
struct AesGcm {
  using OnCore = Aes<M, C>;
  using Count = typename OnCore::Count;
  using Batches = typename OnCore::Batches;
  using H = typename M::Aes::Hash;
  static constexpr unsigned kPowers = H::kTogether;
  static_assert(Batches::kBytes == 16 * H::kTogether, "a batch has a reduction");
  static_assert(OnCore::kManyBatches > 2, "more than are hashed behind");

  static constexpr unsigned kBehind = 2;
  static constexpr std::size_t kFirstBytes = kBehind * Batches::kBytes;

  // `hashed` is the batch to hash first.
  GPUCTR_NOINLINE static void run(const std::uint8_t* words, bool encrypts, Count counter,
                                  const GhashKey& hash_key, std::uint8_t* y, const AesData& data,
                                  const std::uint8_t* hashed) {
    HashBesideAes<H> hash{H::powers(hash_key), H::load_block(y), hashed};
    Batches::run_many(OnCore::keys_of(words), counter, data, hash);
    GPUCTR_ROUNDS
    for (unsigned left = encrypts ? kBehind : 0; left != 0; --left) {
      hash.y = H::hash_together(hash.powers, hash.y, hash.in);
      hash.in += Batches::kBytes;
    }
    H::store_block(y, hash.y);
  }

  // The frame of run() has up to 768 bytes (Backends.cmake), 256 more than any other AES function.
  GPUCTR_NOINLINE static void wipe_stack() { M::template wipe_below<kFrameBytes<M, C> + 512>(); }

  static std::size_t crypt(const RoundKeys& keys, bool encrypts, const std::uint8_t* block,
                           const GhashKey& hash_key, std::uint8_t* y, const std::uint8_t* in,
                           std::uint8_t* out, std::size_t blocks) {
    const auto* const words = words_of<std::uint8_t>(keys);
    const std::size_t n = 16 * blocks / Batches::kBytes * Batches::kBytes;
    if (n < OnCore::kManyBatches * Batches::kBytes) return 0;
    Count counter = Count::from(block);
    AesData data{in, out, n};
    if (encrypts) {
      OnCore::many(words, counter, in, out, kFirstBytes);
      counter = counter.plus(kFirstBytes / 16);
      data.step(kFirstBytes);
    }
    run(words, encrypts, counter, hash_key, y, data, encrypts ? out : in);
    wipe_stack();
    M::wipe_registers();
    return n / 16;
  }
};

// GCM-SIV's counter mode (CipherOps::siv_ctr). `block`: the next counter block.
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
  GPUCTR_NOINLINE static void all(const AesKeys keys, const std::uint8_t* at, AesData data) {
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
    all(Aes<M, C>::keys_of(words_of<std::uint8_t>(keys)), counter, {in, out, n});
    BatchOperations<M, C>::wipe_stack();
    M::wipe_registers();
  }
};

template <class M, class Narrow, class C>
constexpr CipherOps aes_ops() {
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
  ops.siv_ctr = AesSivCtr<M, Core>::crypt;
  ops.step = AesStep<M, C>::run;
  ops.chain = Chain<M, Narrow, C, AesStep<M, C>>::run;
  return ops;
}

}  // namespace gpuctr::simd

#endif
