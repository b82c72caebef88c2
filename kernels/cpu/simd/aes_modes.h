// CBC, CFB, OFB, CCM and XTS by AES instructions, and the table of functions for AES on such a
// backend.
#ifndef GPUCTR_KERNELS_CPU_SIMD_AES_MODES_H
#define GPUCTR_KERNELS_CPU_SIMD_AES_MODES_H

#include "kernels/cpu/simd/aes.h"
#include "kernels/cpu/simd/key_schedule.h"
#include "kernels/cpu/simd/xts_lanes.h"

namespace gpuctr::simd {

// The key schedule (FIPS 197 5.2) of a key of whole vectors, a vector of four words at a time. The
// words of a round are sums of words of an earlier round and one SubWord. AESENCLAST of a word in
// all columns is SubWord, because ShiftRows moves equal columns onto each other; it also adds the
// round constant.
template <class M, class Narrow, class C>
struct AesKeySchedule {
  using A = typename M::Aes::Narrow;
  using V = typename A::V;
  using Block = BlockVector<LaneOf<M, Narrow>>;
  static constexpr unsigned kVectors = C::kKeyBytes / 16;

  template <unsigned Rotated>
  struct LastWord {  // in all columns, after `Rotated` times RotWord
    GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) { return 12 + (i + Rotated) % 4; }
  };
  template <unsigned Words>
  struct Later {  // moved by so many words
    GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
      return i < 4 * Words ? kNoByte : static_cast<std::uint8_t>(i - 4 * Words);
    }
  };
  // Word i is the sum of the words up to i.
  GPUCTR_INLINE static Block sums(Block words) {
    const Block pairs = words ^ words.template moved<Later<1>>();
    return pairs ^ pairs.template moved<Later<2>>();
  }

  GPUCTR_INLINE static void expand(const std::uint8_t* key, typename C::Word* rk) {
    state_rounds(rk + C::kRoundsAt, C::kRounds);
    Block words[kVectors];
    GPUCTR_UNROLL
    for (unsigned i = 0; i < kVectors; ++i) {
      words[i] = Block::load(key + 16 * i);
      words[i].store(rk + 16 * i);
    }
    std::uint32_t round_constant = 1;
    GPUCTR_UNROLL
    for (unsigned i = kVectors; i <= C::kRounds; ++i) {
      Block& now = words[i % kVectors];
      const Block before = words[(i - 1) % kVectors];
      V sub_word;
      if (i % kVectors == 0) {
        sub_word = A::encrypt_last(before.template moved<LastWord<1>>().v,
                                   as<V>(splat<std::uint32_t, 16>(round_constant)));
        round_constant = field::times(round_constant, 2);
      } else {
        sub_word = A::encrypt_last(before.template moved<LastWord<0>>().v, V{});
      }
      now = sums(now) ^ Block { sub_word };
      now.store(rk + 16 * i);
    }
  }
};

enum class Chaining { kCbc, kCfb, kOfb };

// CBC, CFB and OFB. The chains keep a block in a register, XORed with the first round key, and in
// CBC with the next text. The last round makes these XORs: only the rounds are in sequence.
// Decryption runs like ECB, with the XOR in registers.
template <class M, class C>
struct AesChains {
  using OnCore = Aes<M, C>;
  using A = typename OnCore::A;
  using Narrow = typename OnCore::Narrow;
  using V = typename Narrow::V;

  template <Chaining kMode>
  GPUCTR_NOINLINE static void chained(const std::uint8_t* words, std::uint8_t* chain,
                                      const std::uint8_t* in, std::uint8_t* out,
                                      std::size_t blocks) {
    const AesKeys keys = OnCore::keys_of(words);
    const V first = keys.template end<Narrow>(0);
    const V both = first ^ keys.template end<Narrow>(keys.rounds);
    V x[1] = {load<V>(chain) ^ first};
    if (kMode == Chaining::kCbc && blocks != 0) x[0] ^= load<V>(in);
    for (; blocks != 0; --blocks, in += 16, out += 16) {
      aes_rounds_but_last<Narrow>(keys, x);
      V text = {};
      if (kMode != Chaining::kCbc) {
        text = load<V>(in);
      } else if (blocks != 1) {
        text = load<V>(in + 16);
      }
      x[0] = Narrow::encrypt_last(x[0], kMode == Chaining::kOfb ? both : both ^ text);
      store(out, kMode == Chaining::kCfb ? x[0] ^ first : x[0] ^ first ^ text);
    }
    store(chain, x[0] ^ first);
  }

  template <Chaining kMode>
  static void encrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                      std::uint8_t* out, std::size_t blocks) {
    chained<kMode>(words_of<std::uint8_t>(keys), chain, in, out, blocks);
    OnCore::wipe_after_few(16);  // one block is in the registers
  }

  template <Chaining kMode>
  GPUCTR_INLINE static auto keys_of(const std::uint8_t* words) {
    if constexpr (kMode == Chaining::kCfb) {
      return OnCore::keys_of(words);
    } else {
      return OnCore::inverse_keys_of(words);
    }
  }
  // Not with an AesData, which would be copied to the stack in pieces and read as a whole.
  template <Chaining kMode>
  GPUCTR_NOINLINE static void decrypt_few(const std::uint8_t* words, std::uint8_t* chain,
                                          const std::uint8_t* in, std::uint8_t* out,
                                          std::size_t n) {
    AesData data{in, out, n};
    V before = load<V>(chain);
    if (n == 16) {
      aes_chain_decrypt<Narrow, 1>(keys_of<kMode>(words), before, data);
    } else {
      aes_chain_decrypt<Narrow, 8>(keys_of<kMode>(words), before, data);
    }
    store(chain, before);
  }
  template <class Keys>
  GPUCTR_INLINE static void decrypt_all(const Keys& keys, std::uint8_t* chain, AesData data) {
    V before = load<V>(chain);
    aes_chain_decrypt<A, OnCore::kGroups>(keys, before, data);
    aes_chain_decrypt<Narrow, A::kBytes / 16>(keys, before, data);
    store(chain, before);
  }
  template <Chaining kMode>
  GPUCTR_NOINLINE static void decrypt_some(const std::uint8_t* words, std::uint8_t* chain,
                                           const AesData& data) {
    decrypt_all(keys_of<kMode>(words), chain, data);
  }
  GPUCTR_NOINLINE static void decrypt_many(const std::uint8_t* words, std::uint8_t* chain,
                                           const AesData& data) {
    const typename OnCore::PreparedKeys prepared(words);
    decrypt_all(prepared.keys(), chain, data);
  }

  template <Chaining kMode>
  static void decrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                      std::uint8_t* out, std::size_t blocks) {
    const auto* const words = words_of<std::uint8_t>(keys);
    const std::size_t n = 16 * blocks;
    if (n <= OnCore::kFewBytes) {
      decrypt_few<kMode>(words, chain, in, out, n);
      return OnCore::wipe_after_few(n);
    }
    if (kMode == Chaining::kCfb || n <= OnCore::kBatchBytes) {
      decrypt_some<kMode>(words, chain, {in, out, n});
    } else {
      decrypt_many(words, chain, {in, out, n});
    }
    OnCore::wipe_after(n, kMode == Chaining::kCfb ? SIZE_MAX : 0);
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

// Whether M::Aes has Hash, GHASH's arithmetic in vectors of the same size (x86/ghash_vectors.h):
// the file's options include carry-less multiplication.
template <class A, class = void>
struct HasHash : std::false_type {};
template <class A>
struct HasHash<A, std::void_t<typename A::Hash>> : std::true_type {};

// XTS's whole blocks. The masks of a batch are in registers where there are 32, else in memory;
// each is used, then multiplied for the next batch while the CPU makes the rounds of the present
// one. AESENCLAST adds the mask with the last round key.
template <class M, class C>
struct AesXts {
  using OnCore = Aes<M, C>;
  using A = typename OnCore::A;
  using Narrow = typename OnCore::Narrow;
  static constexpr unsigned kVectors = 8;
  static constexpr unsigned kBatch = kVectors * A::kBytes;
  static constexpr bool kInRegisters = A::kBytes == 64;  // the masks of a batch: there are 32
  // From so many bytes on it pays to prepare the keys of decryption.
  static constexpr std::size_t kPrepared = kInRegisters ? 2 * kBatch : kBatch;
  template <class On>
  using Lanes = Vec<std::uint64_t, On::kBytes>;

  // mask_of(g): the mask of vector g.
  template <class On, unsigned G, class Keys, class MaskOf>
  GPUCTR_INLINE static void vectors(const Keys& keys, const MaskOf& mask_of, AesData& data) {
    typename On::V x[G];
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      x[g] = load<typename On::V>(data.in + g * On::kBytes) ^ mask_of(g) ^ keys.template end<On>(0);
    }
    aes_rounds_but_last<On, G>(keys, x);
    const auto last = keys.template end<On>(keys.rounds);
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      const auto key = last ^ mask_of(g);
      store(data.out + g * On::kBytes,
            Keys::kEncrypt ? On::encrypt_last(x[g], key) : On::decrypt_last(x[g], key));
    }
    data.step(G * On::kBytes);
  }
  // The masks in memory from `masks` on.
  template <class On>
  GPUCTR_INLINE static auto stored(const std::uint8_t* masks) {
    return [masks](unsigned g) { return load<typename On::V>(masks + g * On::kBytes); };
  }
  // Fewer than a batch. Returns the end of the masks that were used.
  template <unsigned G, class Keys>
  GPUCTR_INLINE static const std::uint8_t* rest(const Keys& keys, const std::uint8_t* masks,
                                                AesData& data) {
    if (data.n >= G * A::kBytes) {
      vectors<A, G>(keys, stored<A>(masks), data);
      masks += G * A::kBytes;
    }
    if constexpr (G > 1) {
      return rest<G / 2>(keys, masks, data);
    } else {
      for (; data.n != 0; masks += 16) vectors<Narrow, 1>(keys, stored<Narrow>(masks), data);
      return masks;
    }
  }

  // The masks of the first vectors, as many as there are data. Eight masks by shifts, the others
  // from these by whole bytes: shifts take the port of AESENC.
  template <unsigned Vector, bool Stores>
  GPUCTR_INLINE static void first_masks(Lanes<A> mask, std::uint8_t* masks,
                                        typename A::V (&made)[kVectors], std::size_t n) {
    if constexpr (Vector < kVectors) {
      constexpr unsigned kShifted = 128 / A::kBytes;
      if (Stores && n <= Vector * A::kBytes) return;
      if constexpr (Vector < kShifted) {
        made[Vector] = as<typename A::V>(xts_lanes<A::kBytes / 16 * Vector>(mask));
      } else {
        made[Vector] = A::template mask_times<Vector / kShifted>(made[Vector % kShifted]);
      }
      if (Stores) store(masks + A::kBytes * Vector, made[Vector]);
      first_masks<Vector + 1, Stores>(mask, masks, made, n);
    }
  }
  GPUCTR_INLINE static void next_masks(std::uint8_t* masks) {
    GPUCTR_UNROLL
    for (unsigned g = 0; g < kVectors; ++g) {
      const auto used = load<typename A::V>(masks + g * A::kBytes);
      store(masks + g * A::kBytes, A::template mask_times<A::kBytes / 16>(used));
    }
  }

  // All whole batches, with their masks in registers. Then the masks of the rest are in memory, or
  // without a rest the last mask.
  template <class Keys>
  GPUCTR_INLINE static void batches(const Keys& keys, Lanes<A> mask, std::uint8_t* masks,
                                    AesData& data) {
    typename A::V made[kVectors];
    const auto advance = [&made] {
      GPUCTR_UNROLL
      for (unsigned g = 0; g < kVectors; ++g) {
        made[g] = A::template mask_times<A::kBytes / 16>(made[g]);
      }
    };
    first_masks<0, false>(mask, masks, made, data.n);
    for (;;) {
      vectors<A, kVectors>(
          keys, [&made](unsigned g) { return made[g]; }, data);
      if (data.n < kBatch) break;
      advance();
    }
    if (data.n == 0) return store(masks + kBatch - A::kBytes, made[kVectors - 1]);
    advance();
    GPUCTR_UNROLL
    for (unsigned g = 0; g < kVectors; ++g) store(masks + g * A::kBytes, made[g]);
  }

  template <class Keys>
  GPUCTR_INLINE static void all(const Keys& keys, std::uint8_t* mask, std::uint8_t* masks,
                                AesData data) {
    const auto first = as<Lanes<A>>(A::key(load<typename Narrow::V>(mask)));
    const std::uint8_t* used = masks + kBatch;
    if (kInRegisters && data.n >= kBatch) {
      if constexpr (kInRegisters) batches(keys, first, masks, data);
    } else {
      typename A::V made[kVectors];
      first_masks<0, true>(first, masks, made, data.n);
      if constexpr (!kInRegisters && !std::is_same_v<Keys, AesInverseKeys>) {
        while (data.n >= kBatch) {
          vectors<A, kVectors>(keys, stored<A>(masks), data);
          if (data.n != 0) next_masks(masks);
        }
      }
    }
    if (data.n != 0) used = rest<kVectors / 2>(keys, masks, data);
    store(mask, xts_lanes<1>(load<Lanes<Narrow>>(used - 16)));
  }
  GPUCTR_NOINLINE static void encrypt(const std::uint8_t* words, std::uint8_t* mask,
                                      std::uint8_t* masks, const AesData& data) {
    all(OnCore::keys_of(words), mask, masks, data);
  }
  GPUCTR_NOINLINE static void decrypt(const std::uint8_t* words, std::uint8_t* mask,
                                      std::uint8_t* masks, const AesData& data) {
    const typename OnCore::PreparedKeys prepared(words);
    all(prepared.keys(), mask, masks, data);
  }
  // Fewer than kPrepared bytes.
  GPUCTR_NOINLINE static void decrypt_some(const std::uint8_t* words, std::uint8_t* mask,
                                           std::uint8_t* masks, const AesData& data) {
    all(OnCore::inverse_keys_of(words), mask, masks, data);
  }

  static void crypt(const RoundKeys& keys, bool encrypts, std::uint8_t* mask,
                    const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) {
    alignas(64) std::uint8_t masks[kBatch];
    const std::size_t n = 16 * blocks;
    const auto function = encrypts ? encrypt : n < kPrepared ? decrypt_some : decrypt;
    function(words_of<std::uint8_t>(keys), mask, masks, {in, out, n});
    const std::size_t used = n < kBatch ? n + A::kBytes - 1 : kBatch;
    wipe_vectors<A>(masks, used / A::kBytes * A::kBytes);
    // With GCC 12 encrypt() has no frame, and decrypt() one of 320 bytes (wipe_test).
    M::template wipe_below<384 + kMoreSpills>();
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
  ops.cbc_encrypt = AesChains<M, Core>::template encrypt<Chaining::kCbc>;
  ops.cbc_decrypt = AesChains<M, Core>::template decrypt<Chaining::kCbc>;
  ops.cfb_encrypt = AesChains<M, Core>::template encrypt<Chaining::kCfb>;
  ops.cfb_decrypt = AesChains<M, Core>::template decrypt<Chaining::kCfb>;
  ops.ofb = AesChains<M, Core>::template encrypt<Chaining::kOfb>;
  ops.ccm = AesCcm<M, Core>::crypt;
  if constexpr (HasHash<typename M::Aes>::value) {
    ops.gcm_powers = M::Aes::Hash::kTogether;  // the function is in a unit of its own
    ops.xts = AesXts<M, Core>::crypt;
  }
  ops.step = AesStep<M, C>::run;
  ops.chain = Chain<M, Narrow, C, AesStep<M, C>>::run;
  return ops;
}

}  // namespace gpuctr::simd

#endif
