// AES by the CPU's instructions for AES rounds, one block in each 16-byte lane. Counter mode, ECB
// and the steps of CTR_DRBG, for a cipher with aes_rounds (facts.h) on a backend M with M::Aes.
//
// M::Aes is a struct as in x86/aes.h. It has vectors of kBytes, key() with a round key in each
// lane, and the rounds of FIPS 197 5.1 (encrypt, encrypt_last) and 5.3.5 (decrypt, decrypt_last).
// M::Aes::Narrow has vectors of 16 bytes and unmix(), InvMixColumns.
//
// Bound: AESENC. With VAES of 64 bytes on a Zen 4 AES-128 takes 0.163 cycles a byte; the
// instructions take 0.156.
#ifndef GPUCTR_KERNELS_CPU_SIMD_AES_H
#define GPUCTR_KERNELS_CPU_SIMD_AES_H

#include "kernels/cpu/simd/aes_rounds.h"
#include "kernels/cpu/simd/few_blocks.h"

namespace gpuctr::simd {

// A counter block as two big-endian numbers.
struct BlockOfTwo {
  using Word = std::uint64_t;
  static constexpr unsigned kWords = 2;
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) { f.big_endian = true; });
};

// Counter blocks from `counter` on, XORed with the first round key, in pairs of vectors of Bytes.
// The top bit of the low numbers is inverted, so that a signed comparison finds the numbers that
// passed zero: SSE and AVX2 have only signed comparisons. The round key inverts the bit back.
template <unsigned Bytes>
struct AesCounters {
  using L = Layout<Bytes, BlockOfTwo>;
  using V = typename L::V;
  using Signed = Vec<std::int64_t, Bytes>;
  static constexpr std::uint64_t kTop = std::uint64_t{1} << 63;

  V first, high, change, key;

  GPUCTR_INLINE AesCounters(const Counter<BlockOfTwo>& counter, const std::uint8_t* first_key) {
    const std::uint64_t numbers[2] = {counter.limb[0], counter.limb[0] + 1};
    const std::uint64_t turned[2] = {__builtin_bswap64(numbers[0]), __builtin_bswap64(numbers[1])};
    first = splat<std::uint64_t, Bytes>(counter.limb[1] ^ kTop);
    high = splat<std::uint64_t, Bytes>(turned[0] ^ load<std::uint64_t>(first_key));
    change = splat<std::uint64_t, Bytes>(turned[0] ^ turned[1]);
    key = splat<std::uint64_t, Bytes>(load<std::uint64_t>(first_key + 8) ^ __builtin_bswap64(kTop));
  }
  GPUCTR_INLINE void pair(unsigned number, V (&bytes)[2]) const {
    const V low = first + (L::block_numbers() + splat<std::uint64_t, Bytes>(number * L::kBlocks));
    const V carried = as<V>(as<Signed>(first) > as<Signed>(low));
    const V words[2] = {high ^ (carried & change), L::swap_bytes(low) ^ key};
    L::Order::to_memory(words, bytes);
  }
};

// Part number `part` of a vector, of the size of Part.
template <bool High, class U, std::size_t... I>
GPUCTR_INLINE auto half_of(U v, std::index_sequence<I...>) {
  return __builtin_shufflevector(v, v, (High * sizeof...(I) + I)...);
}
template <class Part, class U>
GPUCTR_INLINE Part part_of(U v, unsigned part) {
  if constexpr (sizeof(U) == sizeof(Part)) {
    return as<Part>(v);
  } else {
    constexpr unsigned kHalf = sizeof(U) / sizeof(Part) / 2;
    using Longs = std::make_index_sequence<sizeof(U) / 16>;
    return part < kHalf ? part_of<Part>(half_of<false>(v, Longs{}), part)
                        : part_of<Part>(half_of<true>(v, Longs{}), part - kHalf);
  }
}

// Counter blocks of batches of G vectors, for many batches: three operations a vector, or two with
// operations of three inputs. The low bits of a block's number are its distance from the previous
// multiple of kBlocks. These bits are the same in each batch. So a block is `low` combined with
// that multiple, or with the next multiple if `second` is all ones.
template <class A, unsigned G>
struct AesBatches {
  using V = typename A::V;
  using NarrowV = typename A::Narrow::V;
  using U = Vec<std::uint64_t, A::kBytes>;
  using Count = Counter<BlockOfTwo>;
  static constexpr unsigned kBytes = G * A::kBytes;
  static constexpr unsigned kBlocks = kBytes / 16;
  static_assert((kBlocks & (kBlocks - 1)) == 0 && kBlocks <= 128, "low bits of the last byte");

  V low[G];
  V second[G];

  struct Number {
    GPUCTR_INLINE static constexpr std::uint64_t at(std::size_t i) { return i / 2; }
  };
  struct LowBits {  // of the second half of a block
    GPUCTR_INLINE static constexpr std::uint64_t at(std::size_t i) {
      return i % 2 == 0 ? 0 : kBlocks - 1;
    }
  };
  GPUCTR_INLINE explicit AesBatches(std::uint64_t place) {
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      const U number = table<std::uint64_t, A::kBytes, Number>() +
                       splat<std::uint64_t, A::kBytes>(place + g * (A::kBytes / 16));
      low[g] = as<V>((number & table<std::uint64_t, A::kBytes, LowBits>()) << 56);
      second[g] = as<V>(U{} - number / splat<std::uint64_t, A::kBytes>(kBlocks));
    }
  }

  // A counter block XORed with the first round key.
  GPUCTR_INLINE static NarrowV keyed(const AesKeys& keys, const Count& counter) {
    const Vec<std::uint64_t, 16> block = {__builtin_bswap64(counter.limb[0]),
                                          __builtin_bswap64(counter.limb[1])};
    return as<NarrowV>(block) ^ keys.template end<typename A::Narrow>(0);
  }
  // The batch between the counter blocks `here` and `next`, which are successive multiples.
  GPUCTR_INLINE void make(NarrowV here, NarrowV next, V (&x)[G]) const {
    const V first = A::key(here);
    const V change = A::key(here ^ next);
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) x[g] = (first ^ (change & second[g])) ^ low[g];
  }
};

// No work alongside the rounds of each batch. GCM's companion hashes there (aes_modes.h).
struct NoCompanion {
  GPUCTR_INLINE const AesKeys& begin(const AesKeys& keys) const { return keys; }
  GPUCTR_INLINE void end() const {}
};

// Counter mode of G vectors of blocks on a backend with vectors of up to MaxBytes.
template <unsigned MaxBytes, class A, unsigned G>
struct AesCtr {
  using V = typename A::V;
  using Count = Counter<BlockOfTwo>;
  static constexpr unsigned kBytes = G * A::kBytes;

  GPUCTR_INLINE static void make(const AesKeys& keys, const Count& counter, V (&x)[G]) {
    if constexpr (kBytes == 16) {
      const Vec<std::uint64_t, 16> block = {__builtin_bswap64(counter.limb[0]),
                                            __builtin_bswap64(counter.limb[1])};
      x[0] = as<V>(block) ^ keys.template end<A>(0);
    } else {
      constexpr unsigned kMade = kBytes / 2 < MaxBytes ? kBytes / 2 : MaxBytes;  // of one vector
      constexpr unsigned kParts = kMade / A::kBytes;
      using Maker = AesCounters<kMade>;
      const Maker maker(counter, keys.bytes);
      GPUCTR_UNROLL
      for (unsigned pair = 0; pair < kBytes / kMade / 2; ++pair) {
        typename Maker::V bytes[2];
        maker.pair(pair, bytes);
        GPUCTR_UNROLL
        for (unsigned k = 0; k < 2 * kParts; ++k) {
          x[2 * kParts * pair + k] = part_of<V>(bytes[k / kParts], k % kParts);
        }
      }
    }
  }

  // Advances the counter by the blocks of these vectors. The carry is arithmetic on a sum that is
  // opaque to the compiler. Otherwise GCC 12 turns a comparison into a branch here, and CTR_DRBG's
  // V is secret.
  GPUCTR_INLINE static void advance(Count& counter) {
    std::uint64_t sum = counter.limb[1] + kBytes / 16;
    __asm__("" : "+r"(sum));
    std::uint64_t low = ~sum;
    __asm__("" : "+r"(low));  // else GCC 12 uses KANDN here, between registers far apart
    counter.limb[0] += (counter.limb[1] & low) >> 63;
    counter.limb[1] = sum;
  }

  // Only whole vectors of the data.
  GPUCTR_INLINE static void run(const AesKeys& keys, Count& counter, AesData& data) {
    while (data.n >= kBytes) {
      V x[G];
      make(keys, counter, x);
      advance(counter);
      aes_rounds<A, G>(keys, x);
      GPUCTR_UNROLL
      for (unsigned g = 0; g < G; ++g) {
        if (data.in != nullptr) x[g] ^= load<V>(data.in + g * A::kBytes);
        store(data.out + g * A::kBytes, x[g]);
      }
      data.step(kBytes);
    }
    if constexpr (G > 2) AesCtr<MaxBytes, A, G / 2>::run(keys, counter, data);
  }

  // Counter mode of many whole batches. The data are XORed with the last round key, because
  // AESENCLAST adds its key operand anyway.
  template <class Companion>
  GPUCTR_INLINE static void run_many(const AesKeys& keys, Count counter, AesData data,
                                     Companion& companion) {
    using Batches = AesBatches<A, G>;
    const std::uint64_t place = counter.limb[1] % Batches::kBlocks;
    const Batches batches(place);
    counter.limb[1] -= place;
    auto here = Batches::keyed(keys, counter);
    while (data.n >= kBytes) {
      advance(counter);
      const auto next = Batches::keyed(keys, counter);
      V x[G];
      batches.make(here, next, x);
      here = next;
      aes_rounds_but_last<A, G>(companion.begin(keys), x);
      companion.end();
      const V last = keys.template end<A>(keys.rounds);
      GPUCTR_UNROLL
      for (unsigned g = 0; g < G; ++g) {
        const V key = data.in != nullptr ? last ^ load<V>(data.in + g * A::kBytes) : last;
        store(data.out + g * A::kBytes, A::encrypt_last(x[g], key));
      }
      data.step(kBytes);
    }
  }

  // The last bytes, at most G vectors of 16.
  GPUCTR_INLINE static void end(const AesKeys& keys, const Count& counter, const AesData& data) {
    V x[G];
    make(keys, counter, x);
    end(keys, x, data);
  }
  GPUCTR_INLINE static void end(const AesKeys& keys, V (&x)[G], AesData data) {
    aes_rounds<A, G>(keys, x);
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      if (data.n < 16) {
        if (data.n != 0) write_part(x[g], data.in, data.out, data.n);
        return;
      }
      if (data.in != nullptr) x[g] ^= load<V>(data.in);
      store(data.out, x[g]);
      data.step(16);
    }
  }
};

template <class M, class C>
struct Aes {
  using A = typename M::Aes;
  using Narrow = typename A::Narrow;
  using Count = Counter<BlockOfTwo>;
  // More hide no more latency, and are slower where they are the only batch (Zen 4).
  static constexpr unsigned kGroups = 8;
  static constexpr std::size_t kFewBytes = 8 * 16;  // in vectors of one block
  static constexpr std::size_t kBatchBytes = M::kRegisters / 2 * A::kBytes;
  // From this many batches on, run_many() saves more time than its tables cost (Zen 4).
  static constexpr std::size_t kManyBatches = 4;
  static_assert(2 * A::kBytes <= kFewBytes, "what long messages leave is few");

  GPUCTR_INLINE static AesKeys keys_of(const std::uint8_t* words) {
    return {words, words[C::kRoundsAt]};
  }

  GPUCTR_INLINE static void few_inline(const AesKeys& keys, const Count& counter,
                                       const AesData& data) {
    if (data.n <= 16) return AesCtr<M::kBytes, Narrow, 1>::end(keys, counter, data);
    if (data.n <= 32) return AesCtr<M::kBytes, Narrow, 2>::end(keys, counter, data);
    if (data.n <= 64) return AesCtr<M::kBytes, Narrow, 4>::end(keys, counter, data);
    AesCtr<M::kBytes, Narrow, 8>::end(keys, counter, data);
  }
  GPUCTR_NOINLINE static void few(const std::uint8_t* words, Count counter, const std::uint8_t* in,
                                  std::uint8_t* out, std::size_t n) {
    few_inline(keys_of(words), counter, {in, out, n});
  }
  GPUCTR_NOINLINE static void many(const std::uint8_t* words, Count counter, const std::uint8_t* in,
                                   std::uint8_t* out, std::size_t n) {
    const AesKeys keys = keys_of(words);
    AesData data{in, out, n};
    AesCtr<M::kBytes, A, kGroups>::run(keys, counter, data);
    if (data.n != 0) few_inline(keys, counter, data);
  }
  GPUCTR_INLINE static void few_or_many(const std::uint8_t* words, const Count& counter,
                                        const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    n <= kFewBytes ? few(words, counter, in, out, n) : many(words, counter, in, out, n);
  }
  using Batches = AesCtr<M::kBytes, A, 8>;
  GPUCTR_NOINLINE static void batches(const std::uint8_t* words, Count counter,
                                      const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    const std::size_t rest = n % Batches::kBytes, done = n - rest;
    NoCompanion none;
    Batches::run_many(keys_of(words), counter, {in, out, done}, none);
    if (rest == 0) return;
    if (in != nullptr) in += done;
    few_or_many(words, counter.plus(done / 16), in, out + done, rest);
  }
  // Called by the caller of those functions, and so over the same stack. wipe_few_stack() covers
  // the frames of few(), many(), encrypt_few(), encrypt_many(), decrypt_few(), and those of CCM, of
  // chains and of CFB. GCC 12's largest has 80 bytes (wipe_test). BatchOperations::wipe_stack()
  // covers every frame.
  GPUCTR_INLINE static void wipe_few_stack() { M::template wipe_below<192 + kMoreSpills>(); }
  // From `most` bytes on the function has a larger frame.
  GPUCTR_INLINE static void wipe_after(std::size_t n, std::size_t most = kFewBytes + 1) {
    if (n < most) {
      wipe_few_stack();
    } else {
      BatchOperations<M, C>::wipe_stack();
    }
    M::wipe_registers();
  }
  // The same for decrypt_some(), whose frame has no vectors, or decrypt_many().
  GPUCTR_INLINE static void wipe_after_decryption(bool some) {
    some ? wipe_few_stack() : M::template wipe_below<kAesKeysFrame>();
    M::wipe_registers();
  }
  // As wipe_after(), where the function may have few blocks: half of the wiping's time. A part of a
  // block is on the stack (write_part()), below an alignment.
  GPUCTR_INLINE static void wipe_after_few(std::size_t n, std::size_t most = kFewBytes + 1) {
    if constexpr (M::kFewInLowRegisters) {
      if (n <= 4 * 16) {
        n % 16 == 0 ? M::template wipe_below<64>() : wipe_few_stack();
        return M::wipe_low_registers();
      }
    }
    wipe_after(n, most);
  }

  // At most a block. A vector loads the counter block in one piece.
  GPUCTR_NOINLINE static void one(const std::uint8_t* words, const std::uint8_t* block,
                                  const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    const AesKeys keys = keys_of(words);
    typename Narrow::V x[1] = {load<typename Narrow::V>(block) ^ keys.template end<Narrow>(0)};
    AesCtr<M::kBytes, Narrow, 1>::end(keys, x, {in, out, n});
  }
  GPUCTR_INLINE static void any(const std::uint8_t* words, const Count& counter,
                                const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    if (n >= kManyBatches * Batches::kBytes) return batches(words, counter, in, out, n);
    few_or_many(words, counter, in, out, n);
  }

  static void ctr(const RoundKeys& keys, const std::uint8_t* block, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    const auto* const words = words_of<std::uint8_t>(keys);
    n <= 16 ? one(words, block, in, out, n) : any(words, Count::from(block), in, out, n);
    wipe_after_few(n, kManyBatches * Batches::kBytes);
  }

  // Groups of at most Bytes, and then of fewer.
  template <std::size_t Bytes, class Keys>
  GPUCTR_INLINE static void groups(const Keys& keys, AesData data) {
    aes_blocks<A, Bytes / A::kBytes>(keys, data);
    aes_last_blocks<A>(keys, data);
  }
  template <class Keys>
  GPUCTR_INLINE static void blocks(const Keys& keys, const AesData& data) {
    groups<kGroups * A::kBytes>(keys, data);
  }
  // Most calls with few blocks have one block.
  template <class Keys>
  GPUCTR_INLINE static void few_blocks(const Keys& keys, AesData data) {
    if (data.n == 16) return aes_blocks<Narrow, 1>(keys, data);
    groups<kFewBytes>(keys, data);
  }
  GPUCTR_NOINLINE static void encrypt_few(const std::uint8_t* words, const std::uint8_t* in,
                                          std::uint8_t* out, std::size_t n) {
    few_blocks(keys_of(words), {in, out, n});
  }
  GPUCTR_NOINLINE static void encrypt_many(const std::uint8_t* words, const AesData& data) {
    blocks(keys_of(words), data);
  }
  GPUCTR_INLINE static AesInverseKeys inverse_keys_of(const std::uint8_t* words) {
    return {words, words[C::kRoundsAt]};
  }
  GPUCTR_NOINLINE static void decrypt_few(const std::uint8_t* words, const std::uint8_t* in,
                                          std::uint8_t* out, std::size_t n) {
    few_blocks(inverse_keys_of(words), {in, out, n});
  }
  // At most a batch.
  GPUCTR_NOINLINE static void decrypt_some(const std::uint8_t* words, const AesData& data) {
    blocks(inverse_keys_of(words), data);
  }
  GPUCTR_NOINLINE static void decrypt_many(const std::uint8_t* words, const AesData& data) {
    const PreparedKeys prepared(words);
    blocks(prepared.keys(), data);
  }

  // The round keys of decryption, for many blocks.
  class PreparedKeys {
   public:
    GPUCTR_INLINE explicit PreparedKeys(const std::uint8_t* words) : rounds_(words[C::kRoundsAt]) {
      const AesInverseKeys inverse = inverse_keys_of(words);
      store(bytes_, inverse.template end<Narrow>(0));
      for (unsigned round = 1; round < rounds_; ++round) {
        store(bytes_ + 16 * round, inverse.template inner<Narrow>(round));
      }
      store(bytes_ + 16 * rounds_, inverse.template end<Narrow>(rounds_));
    }
    PreparedKeys(const PreparedKeys&) = delete;
    PreparedKeys& operator=(const PreparedKeys&) = delete;
    GPUCTR_INLINE ~PreparedKeys() { wipe_vectors<Narrow>(bytes_, sizeof bytes_); }
    GPUCTR_INLINE AesPreparedKeys keys() const { return {{bytes_, rounds_}}; }

   private:
    alignas(16) std::uint8_t bytes_[16 * 15];
    unsigned rounds_;
  };

  static void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    const auto* const words = words_of<std::uint8_t>(keys);
    const std::size_t n = 16 * blocks;
    if (n <= kFewBytes) {
      encrypt_few(words, in, out, n);
      return wipe_after_few(n);
    }
    encrypt_many(words, {in, out, n});
    wipe_after(n, SIZE_MAX);
  }
  static void decrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    const auto* const words = words_of<std::uint8_t>(keys);
    const std::size_t n = 16 * blocks;
    if (n <= kFewBytes) {
      decrypt_few(words, in, out, n);
      return wipe_after_few(n);
    }
    n <= kBatchBytes ? decrypt_some(words, {in, out, n}) : decrypt_many(words, {in, out, n});
    wipe_after_decryption(n <= kBatchBytes);
  }
};

// Like Step of wordwise.h.
template <class M, class C>
struct AesStep {
  using Core = typename CoreOf<C>::Type;
  using OnCore = Aes<M, Core>;
  using Count = typename OnCore::Count;
  using L = Layout<16, Core>;
  static constexpr unsigned kSeedBytes = kSeedBlocks<C> * L::kBlock;

  GPUCTR_INLINE static void seed_blocks_inline(const std::uint8_t* words, const Count& counter,
                                               std::uint8_t* seed) {
    OnCore::few_inline(OnCore::keys_of(words), counter, {nullptr, seed, kSeedBytes});
  }
  GPUCTR_NOINLINE static void seed_blocks(const std::uint8_t* words, Count counter,
                                          std::uint8_t* seed) {
    seed_blocks_inline(words, counter, seed);
  }

  static void run(const RoundKeys& keys, const std::uint8_t* block, std::uint8_t* out,
                  std::size_t n, std::uint8_t* seed) {
    const auto* const words = words_of<std::uint8_t>(keys);
    // V is read once for each call. GCC 16 keeps values that live across a call in this frame,
    // which is not wiped.
    if (n != 0) OnCore::any(words, Count::from(block), nullptr, out, n);
    seed_blocks(words, Count::from(block).plus((n + 15) / 16), seed);
    OnCore::wipe_after(n, OnCore::kManyBatches * OnCore::Batches::kBytes);
  }
};

}  // namespace gpuctr::simd

#endif
