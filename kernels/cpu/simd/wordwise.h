// The functions of a SIMD backend for a cipher of additions, rotations, XORs and products, with one
// vector for each word of the block (word.h). This file has the steps of CTR_DRBG. Each step needs
// a few blocks before the next step can begin; these blocks go through one narrow vector.
#ifndef GPUCTR_KERNELS_CPU_SIMD_WORDWISE_H
#define GPUCTR_KERNELS_CPU_SIMD_WORDWISE_H

#include "kernels/cpu/simd/few_blocks.h"

namespace gpuctr::simd {

// A step, or several requests, together with a batch of output: drbg_batch.h.
template <class M, class Narrow, class C>
struct StepWithBatch;
template <class M, class Narrow, class C>
struct Requests;

template <class M, class Narrow, class C>
struct Step {
  static_assert(Narrow::kBytes == 16, "the narrowest vectors");
  using Word = typename C::Word;
  using L = Layout<16, C>;
  using Small = Words<Narrow, Word, 1>;
  // The rounds; several key sizes share them.
  using Core = typename CoreOf<C>::Type;
  using OnCore = FewBlocks<M, Narrow, Core>;
  static constexpr bool kShared = !std::is_same_v<Core, C>;
  using Count = Counter<Core>;
  using Wide = Batch<M, Core, kGroupsOf<M, C>>;
  static constexpr unsigned kSeedBytes = kSeedBlocks<C> * L::kBlock;
  // The number of narrow batches for the seed blocks: one, except for words of 64 bits.
  static constexpr unsigned kSeedBatches = (kSeedBlocks<C> + L::kBlocks - 1) / L::kBlocks;
  static constexpr bool kWithBatch = L::kBlock == 8 && M::kStepWithBatch;

  // The first `size` bytes of a narrow batch.
  GPUCTR_INLINE static void write(const Small (&x)[C::kWords], std::uint8_t* seed, unsigned size) {
    typename L::V bytes[C::kWords];
    L::group_to_memory(x, 0, bytes);
    for (unsigned k = 0; 16 * k < size; ++k) {
      __builtin_memcpy(seed + 16 * k, &bytes[k], size - 16 * k < 16 ? size - 16 * k : 16);
    }
  }

  GPUCTR_INLINE static void seed_blocks_inline(const Word* keys, Count counter,
                                               std::uint8_t* seed) {
    GPUCTR_UNROLL
    for (unsigned batch = 0; batch < kSeedBatches; ++batch) {
      const unsigned done = batch * L::kGroupBytes;
      const unsigned size = kSeedBytes - done < L::kGroupBytes ? kSeedBytes - done : L::kGroupBytes;
      const Count first = counter.plus(batch * L::kBlocks);
      if constexpr (kShared) {
        alignas(16) std::uint8_t bytes[L::kGroupBytes];
        OnCore::few_blocks(keys, first, nullptr, bytes, sizeof bytes);
        copy_bytes(seed + done, bytes, size);
        wipe_vectors<Narrow>(bytes, sizeof bytes);
      } else {
        Small x[C::kWords];
        CounterWords<16, Core, 1>::make(first, x);
        encrypt_words<C>(x, StoredKeys<Narrow, Word>{keys});
        write(x, seed + done, size);
      }
    }
  }
  GPUCTR_NOINLINE static void seed_blocks(const Word* keys, Count counter, std::uint8_t* seed) {
    seed_blocks_inline(keys, counter, seed);
  }

  // A short output, as TLS requests it, and the seed blocks after it, in one narrow batch.
  GPUCTR_INLINE static void together(const Word* keys, Count counter, std::uint8_t* out,
                                     std::size_t n, std::size_t blocks, std::uint8_t* seed) {
    alignas(16) std::uint8_t bytes[L::kGroupBytes];
    OnCore::few_blocks(keys, counter, nullptr, bytes, sizeof bytes);
    copy_bytes(out, bytes, n);
    copy_bytes(seed, bytes + blocks * L::kBlock, kSeedBytes);
    wipe_vectors<Narrow>(bytes, sizeof bytes);
  }

  static void run(const RoundKeys& keys, const std::uint8_t* block, std::uint8_t* out,
                  std::size_t n, std::uint8_t* seed) {
    if constexpr (kWithBatch) {
      if (n != 0 && n % Wide::kBytes == 0) {
        StepWithBatch<M, Narrow, C>::batches(keys, block, out, n, seed);
        M::wipe_registers();
        return;
      }
    }
    const std::size_t blocks = (n + L::kBlock - 1) / L::kBlock;
    if (n != 0 && blocks + kSeedBlocks<C> <= L::kBlocks) {
      together(words_of<Word>(keys), Count::from(block), out, n, blocks, seed);
    } else {
      if (n != 0) OnCore::ctr(keys, block, nullptr, out, n);
      // The counter is read here, because this frame is not wiped.
      seed_blocks(words_of<Word>(keys), Count::from(block).plus(blocks), seed);
    }
    OnCore::template wipe_blocks_stack<512>();
    M::wipe_registers();
  }
};

// Narrow is the same backend with vectors of 16 bytes.
template <class M, class Narrow, class C>
constexpr CipherOps wordwise_ops() {
  using Core = typename CoreOf<C>::Type;
  CipherOps ops = {};
  if constexpr (kRowSchedule<M, C>) ops.expand = KeySchedule<M, Narrow, C>::expand;
  ops.ctr = FewBlocks<M, Narrow, Core>::ctr;
  ops.encrypt = FewBlocks<M, Narrow, Core>::encrypt;
  ops.decrypt = FewBlocks<M, Narrow, Core>::decrypt;
  if constexpr (FewBlocks<M, Narrow, Core>::kChains) {
    ops.cbc_encrypt = FewBlocks<M, Narrow, Core>::cbc_encrypt;
  }
  if constexpr (BlockBytes<Core>::kValue <= 16) {
    using Many = typename FewBlocks<M, Narrow, Core>::Many;
    ops.xex = Many::xex;
    ops.xex_batch[false] = Many::template kXexBatch<false>;
    ops.xex_batch[true] = Many::template kXexBatch<true>;
  }
  if constexpr (C::kFacts.has_generator()) {
    ops.step = Step<M, Narrow, C>::run;
    ops.chain = Chain<M, Narrow, C, Step<M, Narrow, C>>::run;
    if constexpr (Step<M, Narrow, C>::kWithBatch) ops.requests = Requests<M, Narrow, C>::run;
  }
  return ops;
}

}  // namespace gpuctr::simd

#endif
