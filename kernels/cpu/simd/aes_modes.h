// CBC, CFB, OFB and CCM by AES instructions, and the table of functions for AES on such a backend.
#ifndef GPUCTR_KERNELS_CPU_SIMD_AES_MODES_H
#define GPUCTR_KERNELS_CPU_SIMD_AES_MODES_H

#include "kernels/cpu/simd/aes.h"
#include "kernels/cpu/simd/key_schedule.h"

namespace gpuctr::simd {

// The key schedule (FIPS 197 5.2), four words at a time. The words of a round are sums of words of
// an earlier round and one SubWord. AESENCLAST of a word in all columns is SubWord, because
// ShiftRows moves equal columns onto each other; it also adds the other sums.
template <class M, class Narrow, class C>
struct AesKeySchedule {
  using A = typename M::Aes::Narrow;
  using V = typename A::V;
  using Block = BlockVector<LaneOf<M, Narrow>>;
  static constexpr unsigned kVectors = C::kKeyBytes / 16;

  template <unsigned Place, unsigned Rotated>
  struct Word {  // in all columns, after `Rotated` times RotWord
    GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
      return 4 * Place + (i + Rotated) % 4;
    }
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
  // SubWord of a word, and a round constant, in all columns. The sums need not wait for it.
  template <unsigned Place, unsigned Rotated>
  GPUCTR_INLINE static Block boxed(Block words, std::uint32_t constant) {
    const V word = words.template moved<Word<Place, Rotated>>().v;
    return {A::encrypt_last(word, as<V>(splat<std::uint32_t, 16>(constant)))};
  }

  // A key of six words: four in `a` and two in `b`. Two such rounds are three vectors.
  GPUCTR_INLINE static void step_six(Block& a, Block& b, std::uint32_t constant) {
    const Block box = boxed<1, 1>(b, constant);
    a = sums(a);
    b = b ^ b.template moved<Later<1>>() ^ a.template moved<Word<3, 0>>() ^ box;
    a = a ^ box;
  }
  GPUCTR_INLINE static void expand_six(const std::uint8_t* key, std::uint8_t* rk) {
    using U = Vec<std::uint64_t, 16>;
    Block a = Block::load(key), b = {as<V>(U{simd::load<std::uint64_t>(key + 16), 0})};
    a.store(rk);
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 4; ++i, rk += 48) {
      const U before = as<U>(b.v);
      step_six(a, b, 1u << 2 * i);
      store(rk + 16, __builtin_shufflevector(before, as<U>(a.v), 0, 2));
      store(rk + 32, __builtin_shufflevector(as<U>(a.v), as<U>(b.v), 1, 2));
      step_six(a, b, 2u << 2 * i);
      a.store(rk + 48);
    }
  }

  GPUCTR_INLINE static void expand_inline(const std::uint8_t* key, typename C::Word* rk) {
    state_rounds(rk + C::kRoundsAt, C::kRounds);
    if constexpr (C::kKeyBytes == 24) return expand_six(key, rk);
    Block words[kVectors];
    GPUCTR_UNROLL
    for (unsigned i = 0; i < kVectors; ++i) {
      words[i] = Block::load(key + 16 * i);
      words[i].store(rk + 16 * i);
    }
    std::uint32_t constant = 1;
    GPUCTR_UNROLL
    for (unsigned i = kVectors; i <= C::kRounds; ++i) {
      Block& now = words[i % kVectors];
      const Block before = words[(i - 1) % kVectors];
      if (i % kVectors == 0) {
        now = sums(now) ^ boxed<3, 1>(before, constant);
        constant = field::times(constant, 2);
      } else {
        now = sums(now) ^ boxed<3, 0>(before, 0);
      }
      now.store(rk + 16 * i);
    }
  }

  // Like CipherOps::expand.
  static void expand(const std::uint8_t* key, std::size_t, RoundKeys* out) {
    KeySchedule<M, Narrow, C>::expand_here(key, words_of<typename C::Word>(out));
    Aes<M, typename CoreOf<C>::Type>::wipe_after_few(32);  // two vectors are in the registers
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
      decrypt_groups<OnCore::kFewBytes>(keys_of<kMode>(words), before, data);
    }
    store(chain, before);
  }
  // Groups of at most Bytes, and then of fewer.
  template <std::size_t Bytes, class Keys>
  GPUCTR_INLINE static void decrypt_groups(const Keys& keys, V& before, AesData& data) {
    aes_chain_decrypt<A, Bytes / A::kBytes>(keys, before, data);
    aes_chain_decrypt_last<A>(keys, before, data);
  }
  template <class Keys>
  GPUCTR_INLINE static void decrypt_all(const Keys& keys, std::uint8_t* chain, AesData data) {
    V before = load<V>(chain);
    decrypt_groups<OnCore::kGroups * A::kBytes>(keys, before, data);
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
    const bool some = kMode == Chaining::kCfb || n <= OnCore::kBatchBytes;
    some ? decrypt_some<kMode>(words, chain, {in, out, n})
         : decrypt_many(words, chain, {in, out, n});
    OnCore::wipe_after_decryption(some);
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

template <class M, class Narrow, class C>
constexpr CipherOps aes_ops() {
  using Core = typename CoreOf<C>::Type;
  CipherOps ops = {};
  ops.expand = AesKeySchedule<M, Narrow, C>::expand;
  ops.ctr = Aes<M, Core>::ctr;
  ops.encrypt = Aes<M, Core>::encrypt;
  ops.decrypt = Aes<M, Core>::decrypt;
  ops.cbc_encrypt = AesChains<M, Core>::template encrypt<Chaining::kCbc>;
  ops.cbc_decrypt = AesChains<M, Core>::template decrypt<Chaining::kCbc>;
  ops.cfb_encrypt = AesChains<M, Core>::template encrypt<Chaining::kCfb>;
  ops.cfb_decrypt = AesChains<M, Core>::template decrypt<Chaining::kCfb>;
  ops.ofb = AesChains<M, Core>::template encrypt<Chaining::kOfb>;
  ops.ccm = AesCcm<M, Core>::crypt;
  ops.by_aes_instructions = true;  // GCM and XTS are in units of their own
  ops.step = AesStep<M, C>::run;
  ops.chain = Chain<M, Narrow, C, AesStep<M, C>>::run;
  return ops;
}

}  // namespace gpuctr::simd

#endif
