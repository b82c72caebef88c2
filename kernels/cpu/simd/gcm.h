// GCM's text by instructions for AES's rounds: counter mode and GHASH of the ciphertext in one
// loop, so that the CPU multiplies while it encrypts. Where the text is decrypted, a batch is
// hashed during its own rounds. Where it is encrypted, a batch is hashed during the rounds of the
// second one after it: sooner, CPUs wait for stores that cross two lines of the cache.
//
// M::Aes::Hash is GHASH's arithmetic in vectors of the same size (x86/ghash_vectors.h), where the
// file's options have carry-less multiplication.
//
// The other ciphers have no such loop: theirs keep all vector pipes of the CPU busy, and what GHASH
// adds to that is the same in one loop and in two (kernels/cpu/README.md).
#ifndef GPUCTR_KERNELS_CPU_SIMD_GCM_H
#define GPUCTR_KERNELS_CPU_SIMD_GCM_H

#include "kernels/cpu/simd/aes.h"

namespace gpuctr::simd {

template <class A, class = void>
struct HasHash : std::false_type {};
template <class A>
struct HasHash<A, std::void_t<typename A::Hash>> : std::true_type {};

// GHASH of a batch of as many blocks as share a reduction, a turn of it in each round.
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

  // `hashed` is the batch that is hashed first.
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

  // run() has a frame of up to 768 bytes (Backends.cmake), 256 more than any other of AES.
  GPUCTR_NOINLINE static void wipe_stack() { M::template wipe_below<kFrameBytes<M, C> + 512>(); }

  static std::size_t crypt(const RoundKeys& keys, bool encrypts, const std::uint8_t* block,
                           const GhashKey& hash_key, std::uint8_t* y, const std::uint8_t* in,
                           std::uint8_t* out, std::size_t blocks) {
    const auto* const words = keys.words<std::uint8_t>();
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

}  // namespace gpuctr::simd

#endif
