// GCM's text and whole messages by instructions for AES rounds and carry-less multiplication.
//
// The other ciphers have no such function. They keep all vector pipes of the CPU busy, so GHASH
// costs the same in one loop and in two (kernels/cpu/README.md).
#ifndef GPUCTR_KERNELS_CPU_X86_AES_GCM_H
#define GPUCTR_KERNELS_CPU_X86_AES_GCM_H

#include "kernels/cpu/base/gcm_text.h"
#include "kernels/cpu/x86/aes_gcm_registers.h"

namespace gpuctr::simd {

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

// A long text without AVX-512: counter mode and GHASH in one loop, over batches in memory. In
// decryption a batch is hashed during its own rounds. In encryption a batch is hashed two batches
// later: if it is hashed sooner, CPUs wait for stores that cross two cache lines.
template <class M, class C>
struct AesGcm {
  using OnCore = Aes<M, C>;
  using Count = typename OnCore::Count;
  using Batches = typename OnCore::Batches;
  using H = typename M::Aes::Hash;
  static_assert(Batches::kBytes == 16 * H::kTogether, "a batch has a reduction");

  static constexpr unsigned kBehind = 2;
  static_assert(OnCore::kManyBatches > kBehind);
  static constexpr std::size_t kFirstBytes = kBehind * Batches::kBytes;

  // kSmall: as AesGcmFew::small(), in the registers that wipe_after_few() clears.
  template <bool kEncrypts, bool kSmall = false>
  GPUCTR_NOINLINE static void few(const std::uint8_t* words, const GhashKey& hash_key,
                                  std::uint8_t* y, const GcmText& text) {
    AesGcmFew<M, kEncrypts> f{OnCore::keys_of(words),
                              H::load_block(text.counter),
                              H::load_block(y),
                              nullptr,
                              {text.in, text.out, 16 * text.blocks}};
    if (text.mask != nullptr) store(text.mask, f.block());
    if (text.before != nullptr || text.blocks != 0) {
      kSmall ? f.small(hash_key, text.before) : f.all(hash_key, text.before);
    }
    if (text.after != nullptr) store(text.after, f.block());
    H::store_block(y, f.y);
  }

  GPUCTR_NOINLINE static void many(const std::uint8_t* words, bool encrypts,
                                   const GhashKey& hash_key, std::uint8_t* y, const GcmText& text) {
    const auto some = encrypts ? few<true> : few<false>;
    const std::size_t rest = text.blocks % H::kTogether;
    Count counter = Count::from(text.counter).plus(text.mask != nullptr);
    if (text.mask != nullptr || text.before != nullptr) {
      some(words, hash_key, y,
           {text.counter, text.mask, text.before, text.in, text.out, 0, nullptr});
    }
    AesData data{text.in, text.out, 16 * (text.blocks - rest)};
    HashBesideAes<H> hash{H::powers(hash_key), H::load_block(y), encrypts ? data.out : data.in};
    if (encrypts) {
      OnCore::many(words, counter, data.in, data.out, kFirstBytes);
      counter = counter.plus(kFirstBytes / 16);
      data.step(kFirstBytes);
    }
    Batches::run_many(OnCore::keys_of(words), counter, data, hash);
    GPUCTR_ROUNDS
    for (unsigned left = encrypts ? kBehind : 0; left != 0; --left) {
      hash.y = H::hash_together(hash.powers, hash.y, hash.in);
      hash.in += Batches::kBytes;
    }
    H::store_block(y, hash.y);
    if (rest == 0 && text.after == nullptr) return;
    std::uint8_t block[16];
    counter.plus(data.n / 16).to(block);
    some(words, hash_key, y,
         {block, nullptr, nullptr, data.in + data.n, data.out + data.n, rest, text.after});
  }

  // The frame of many(), and of a function that it calls.
  GPUCTR_NOINLINE static void wipe_stack() { M::template wipe_below<kGcmFrame + 256>(); }

  // The number of the first counter block of an IV of 12 bytes.
  GPUCTR_INLINE static clmul::Block first_number(const std::uint8_t* iv) {
    constexpr std::uint64_t kOne = std::uint64_t{1} << 56;
    return clmul::reverse(
        clmul::Block{load<std::uint64_t>(iv), load<std::uint32_t>(iv + 8) | kOne});
  }
  template <bool kEncrypts>
  GPUCTR_NOINLINE static void short_message(const std::uint8_t* words, const GhashKey& hash_key,
                                            const ManyText& text) {
    using Few = AesGcmFew<M, kEncrypts>;
    Few f{OnCore::keys_of(words), first_number(text.iv), {}, nullptr, {text.in, text.out, text.n}};
    const auto mask = f.block();
    const auto y = f.last_blocks(hash_key, text.aad, text.aad_bytes, text);
    store(text.tag, clmul::reverse(y) ^ as<clmul::Block>(mask));
  }
  // All but the last blocks by runs of whole blocks.
  template <bool kEncrypts>
  GPUCTR_NOINLINE static void long_message(const std::uint8_t* words, const GhashKey& hash_key,
                                           const ManyText& text) {
    using Few = AesGcmFew<M, kEncrypts>;
    constexpr std::size_t kReduction = 16 * H::kTogether;
    Few f{OnCore::keys_of(words), first_number(text.iv), {}, nullptr, {text.in, text.out, text.n}};
    for (std::size_t at = 0, n = 0; at != text.aad_bytes; at += n) {
      n = text.aad_bytes - at < kReduction ? text.aad_bytes - at : kReduction;
      f.powers = H::powers(hash_key, (n + 15) / 16);
      f.wide = {};
      f.narrow = {};
      f.add_aad(text.aad + at, n);
      f.end_reduction();
    }
    const auto mask = f.block();
    std::size_t whole = text.n / kReduction * kReduction;
    if (text.n - whole > kReduction - 16) whole = text.n / 16 * 16;
    if constexpr (kBatchesInRegisters) {  // 30 ns less than by a call
      f.data.n = whole;
      if (whole != 0) f.all(hash_key, nullptr);
    } else {
      std::uint8_t y[16], counter[16];
      H::store_block(y, f.y);
      H::store_block(counter, f.counter);
      run(words, kEncrypts, hash_key, y,
          {counter, nullptr, nullptr, text.in, text.out, whole / 16, nullptr});
      f.y = H::load_block(y);
      f.skip(whole / 16);
      f.data.step(whole);
    }
    f.data.n = text.n - whole;
    store(text.tag,
          clmul::reverse(f.last_blocks(hash_key, nullptr, 0, text)) ^ as<clmul::Block>(mask));
  }
  static void message(const RoundKeys& keys, bool encrypts, const GhashKey& hash_key,
                      const ManyText& text) {
    const auto* const words = words_of<std::uint8_t>(keys);
    const std::size_t blocks = (text.n + 15) / 16 + (text.aad_bytes + 15) / 16 + 1;
    const bool is_long = blocks > H::kTogether;
    const auto sealed = is_long ? long_message<true> : short_message<true>;
    const auto opened = is_long ? long_message<false> : short_message<false>;
    (encrypts ? sealed : opened)(words, hash_key, text);
  }

  // Leaves secrets on the stack and in registers. Returns whether many() ran.
  GPUCTR_INLINE static bool run(const std::uint8_t* words, bool encrypts, const GhashKey& hash_key,
                                std::uint8_t* y, const GcmText& text) {
    if constexpr (!kBatchesInRegisters) {
      if (text.blocks >= OnCore::kManyBatches * H::kTogether) {
        many(words, encrypts, hash_key, y, text);
        return true;
      }
    }
    (encrypts ? few<true> : few<false>)(words, hash_key, y, text);
    return false;
  }
  static void crypt(const RoundKeys& keys, bool encrypts, const GhashKey& hash_key, std::uint8_t* y,
                    const GcmText& text) {
    const auto* const words = words_of<std::uint8_t>(keys);
    if (text.blocks <= 4 || (H::kPerVector == 4 && text.blocks == 8)) {
      (encrypts ? few<true, true> : few<false, true>)(words, hash_key, y, text);
      return OnCore::wipe_after_few(16 * text.blocks);
    }
    run(words, encrypts, hash_key, y, text) ? wipe_stack() : OnCore::wipe_few_stack();
    M::wipe_registers();
  }
  static constexpr GcmUnit kUnit = {crypt, message, H::kTogether};
};

}  // namespace gpuctr::simd

#endif
