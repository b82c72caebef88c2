// A few blocks: a message whose time is the latency of one block, and CBC encryption and the chain
// of CTR_DRBG, where each waits for the one before. No batches, and little stack to wipe.
//
// One block is computed in integer registers, where a rotation takes one cycle instead of two.
// With S-boxes one block is computed in one vector (block_vector.h). Interleaved blocks use one
// vector for each word. So does HIGHT, whose F0 and F1 are look-ups in vectors.
#ifndef GPUCTR_KERNELS_CPU_SIMD_FEW_BLOCKS_H
#define GPUCTR_KERNELS_CPU_SIMD_FEW_BLOCKS_H

#include "kernels/cpu/simd/batch.h"

namespace gpuctr::simd {

// Stored round keys, for one narrow vector.
template <class Narrow, class T>
struct StoredKeys {
  const T* words;

  GPUCTR_INLINE Words<Narrow, T, 1> operator()(unsigned i) const {
    return Words<Narrow, T, 1>::all(splat<T, 16>(words[i]));
  }
  GPUCTR_INLINE T stored(unsigned i) const { return words[i]; }
};

// One block of cipher C in one vector: boxes.h.
template <class M, class Narrow, class C>
struct VectorBlocks;

// Narrow is backend M with vectors of 16 bytes.
template <class M, class Narrow, class C>
struct FewBlocks {
  static_assert(Narrow::kBytes == 16, "the narrowest vectors");
  using Word = typename C::Word;
  using L = Layout<16, C>;
  using V = typename L::V;
  using Small = Words<Narrow, Word, 1>;
  using Count = Counter<C>;
  using Many = BatchOperations<M, RoundsFor<M, C>>;
  using OneVector = VectorBlocks<M, Narrow, C>;
  static constexpr bool kIntegers = sizeof(Word) > 1;  // one block is computed in integers
  static constexpr bool kBlockVector = C::kFacts.block_vector;
  static constexpr bool kBig = C::kFacts.big_endian;

  GPUCTR_INLINE static Word word_at(const std::uint8_t* block, unsigned j) {
    return load_word<Word, kBig>(block + sizeof(Word) * j);
  }
  // A block in integer registers. hold() keeps each word there: compilers would put the words into
  // vectors.
  struct Integers {
    PlainWord<Word> x[C::kWords];

    GPUCTR_INLINE void hold(unsigned j) { __asm__("" : "+r"(x[j].v)); }
    GPUCTR_INLINE void set(unsigned j, Word word) {
      x[j].v = word;
      hold(j);
    }
    GPUCTR_INLINE void put(unsigned j, std::uint8_t* block) const {
      store_word<kBig>(block + sizeof(Word) * j, x[j].v);
    }
    GPUCTR_INLINE void store(std::uint8_t* block) {
      for (unsigned j = 0; j < C::kWords; ++j) {
        hold(j);
        put(j, block);
      }
    }
  };

  GPUCTR_NOINLINE static void one_block(const Word* keys, Count counter, const std::uint8_t* in,
                                        std::uint8_t* out, std::size_t n) {
    Integers block;
    for (unsigned j = 0; j < C::kWords; ++j) block.set(j, counter.word(j));
    C::encrypt(block.x, PlainKeys<Word>{keys});
    for (unsigned j = 0; j < C::kWords; ++j) block.hold(j);
    alignas(16) std::uint8_t part[L::kBlock];
    const bool whole = n == L::kBlock;
    if (in != nullptr && !whole) copy_bytes(part, in, n);
    const std::uint8_t* const from = whole ? in : part;
    std::uint8_t* const to = whole ? out : part;
    for (unsigned j = 0; j < C::kWords; ++j) {
      if (in != nullptr) block.x[j].v ^= word_at(from, j);
      block.put(j, to);
    }
    if (!whole) copy_bytes(out, part, n);
  }

  template <bool kEncrypts>
  GPUCTR_NOINLINE static void one_whole_block(const Word* keys, const std::uint8_t* in,
                                              std::uint8_t* out) {
    Integers block;
    for (unsigned j = 0; j < C::kWords; ++j) block.set(j, word_at(in, j));
    if constexpr (kEncrypts) {
      C::encrypt(block.x, PlainKeys<Word>{keys});
    } else {
      C::decrypt(block.x, PlainKeys<Word>{keys});
    }
    block.store(out);
  }

  // CBC encryption: the chain stays in registers, which are wiped once.
  GPUCTR_NOINLINE static void cbc_chain(const Word* keys, std::uint8_t* chain,
                                        const std::uint8_t* in, std::uint8_t* out,
                                        std::size_t blocks) {
    Integers block;
    for (unsigned j = 0; j < C::kWords; ++j) block.x[j].v = word_at(chain, j);
    for (; blocks != 0; --blocks, in += L::kBlock, out += L::kBlock) {
      for (unsigned j = 0; j < C::kWords; ++j) block.set(j, block.x[j].v ^ word_at(in, j));
      C::encrypt(block.x, PlainKeys<Word>{keys});
      block.store(out);
    }
    for (unsigned j = 0; j < C::kWords; ++j) block.put(j, chain);
  }
  static constexpr bool kChains = kIntegers || kBlockVector;
  static void cbc_encrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t blocks) {
    if constexpr (kBlockVector) {
      OneVector::cbc_chain(words_of<Word>(keys), chain, in, out, blocks);
    } else {
      cbc_chain(words_of<Word>(keys), chain, in, out, blocks);
    }
    wipe_block_stack();
    M::wipe_registers();
  }

  GPUCTR_NOINLINE static void few_blocks(const Word* keys, Count counter, const std::uint8_t* in,
                                         std::uint8_t* out, std::size_t n) {
    Small x[C::kWords];
    V bytes[C::kWords];
    CounterWords<16, C, 1>::make(counter, x);
    encrypt_words<C>(x, StoredKeys<Narrow, Word>{keys});
    L::group_to_memory(x, 0, bytes);
    GPUCTR_UNROLL
    for (unsigned k = 0; k < C::kWords; ++k) {
      if (n < 16) {
        if (n != 0) write_part(bytes[k], in, out, n);
        return;
      }
      if (in != nullptr) {
        bytes[k] ^= load<V>(in);
        in += 16;
      }
      store(out, bytes[k]);
      out += 16;
      n -= 16;
    }
  }

  // n bytes of whole blocks, at most a group.
  template <bool kEncrypts>
  GPUCTR_NOINLINE static void few_whole_blocks(const Word* keys, const std::uint8_t* in,
                                               std::uint8_t* out, std::size_t n) {
    Small x[C::kWords];
    V bytes[C::kWords];
    GPUCTR_UNROLL
    for (unsigned k = 0; k < C::kWords; ++k) bytes[k] = part_of(in, n, 16 * k);
    L::group_from_memory(bytes, 0, x);
    if constexpr (kEncrypts) {
      encrypt_words<C>(x, StoredKeys<Narrow, Word>{keys});
    } else {
      decrypt_words<C>(x, StoredKeys<Narrow, Word>{keys});
    }
    L::group_to_memory(x, 0, bytes);
    GPUCTR_UNROLL
    for (unsigned k = 0; k < C::kWords; ++k) {
      if (n < 16) {
        if (n != 0) store(out, as<Vec<std::uint64_t, 16>>(bytes[k])[0]);
        return;
      }
      store(out, bytes[k]);
      out += 16;
      n -= 16;
    }
  }
  // The vector at in + at, with zeros after the last block; the block size is a multiple of eight.
  GPUCTR_INLINE static V part_of(const std::uint8_t* in, std::size_t n, std::size_t at) {
    if (n >= at + 16) return load<V>(in + at);
    const std::uint64_t low = n > at ? load<std::uint64_t>(in + at) : 0;
    return as<V>(Vec<std::uint64_t, 16>{low, 0});
  }

  template <bool kEncrypts>
  GPUCTR_INLINE static void whole_blocks(const RoundKeys& keys, const std::uint8_t* in,
                                         std::uint8_t* out, std::size_t blocks) {
    if ((kIntegers || kBlockVector) && blocks == 1) {
      if constexpr (kIntegers) one_whole_block<kEncrypts>(words_of<Word>(keys), in, out);
      if constexpr (kBlockVector)
        OneVector::template whole_block<kEncrypts>(words_of<Word>(keys), in, out);
      wipe_block_stack();
    } else {
      few_whole_blocks<kEncrypts>(words_of<Word>(keys), in, out, blocks * L::kBlock);
      wipe_blocks_stack<768>();
    }
    M::wipe_registers();
  }
  static void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    if (blocks > L::kBlocks) return Many::encrypt(keys, in, out, blocks);
    whole_blocks<true>(keys, in, out, blocks);
  }
  static void decrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    if (blocks > L::kBlocks) return Many::decrypt(keys, in, out, blocks);
    whole_blocks<false>(keys, in, out, blocks);
  }

  // Each covers the frame of its function. HIGHT has 440 bytes, 560 for whole blocks. ARIA has
  // 1230, and 300 more for the step of CTR_DRBG that calls it (wipe_test).
  static constexpr bool kLong = L::kBlock > 16, kBytes = sizeof(Word) == 1;
  GPUCTR_NOINLINE static void wipe_block_stack() {
    if constexpr (kBlockVector) {
      M::template wipe_below<OneVector::kStackBytes>();
    } else {
      M::template wipe_below<kLong ? 1024 : 192 + kMoreSpills / 8>();
    }
  }
  template <unsigned OfBytes>
  GPUCTR_NOINLINE static void wipe_blocks_stack() {
    M::template wipe_below<C::kFacts.boxes ? 1792 : kLong ? 1536 : kBytes ? OfBytes : 256>();
  }

  static void ctr(const RoundKeys& keys, const std::uint8_t* block, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    if (n > L::kGroupBytes) return Many::ctr(keys, block, in, out, n);
    const Count counter = Count::from(block);
    if constexpr (kIntegers || kBlockVector) {
      if (n <= L::kBlock) {
        if constexpr (kIntegers) one_block(words_of<Word>(keys), counter, in, out, n);
        if constexpr (kBlockVector)
          OneVector::counter_block(words_of<Word>(keys), counter, in, out, n);
        wipe_block_stack();
        M::wipe_registers();
        return;
      }
    }
    few_blocks(words_of<Word>(keys), counter, in, out, n);
    wipe_blocks_stack<512>();
    M::wipe_registers();
  }
};

// Whether M rotates each word of a vector by a count of its own.
template <class M, class C>
constexpr bool kRowSchedule = C::kFacts.row_schedule && (M::kBytes >= 32);

// The key schedule of cipher C, and at least the stack that it uses.
template <class M, class Narrow, class C, class = void>
struct ScheduleForm {
  static constexpr unsigned kFrameBytes = 64;
  GPUCTR_INLINE static void expand_inline(const std::uint8_t* key, typename C::Word* rk) {
    if constexpr (kRowSchedule<M, C>) {
      C::template expand_rows<M>(key, rk);
    } else {
      expand_key<C>(key, rk);
    }
  }
};
template <class M, class Narrow, class C>
struct KeySchedule : ScheduleForm<M, Narrow, C> {
  GPUCTR_NOINLINE static void expand_here(const std::uint8_t* key, typename C::Word* rk) {
    KeySchedule::expand_inline(key, rk);
  }
  // Like CipherOps::expand.
  static void expand(const std::uint8_t* key, std::size_t, RoundKeys* out) {
    expand_here(key, words_of<typename C::Word>(out));
    M::template wipe_below<KeySchedule::kFrameBytes>();
    M::wipe_registers();
  }
};

// The chain of CTR_DRBG's states. Its time is the latency from one request's Key and V to the next.
// The blocks go through one narrow vector while the CPU finishes the key schedule.
template <class M, class Narrow, class C, class S>
struct Chain {
  using Word = typename C::Word;
  using Count = typename S::Count;

  GPUCTR_NOINLINE static void links(Word* rk, std::uint8_t* seed, std::uint64_t blocks,
                                    ChainLink* links, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const Count counter = Count::from(seed + C::kKeyBytes).plus(1);
      __builtin_memcpy(links[i].key, seed, C::kKeyBytes);
      counter.to(links[i].counter);
      KeySchedule<M, Narrow, C>::expand_inline(seed, rk);
#ifdef __clang__
      // Not inlined: Clang would keep CHAM's 120 round constants, 2 KB, on the stack across this
      // loop.
      S::seed_blocks(rk, counter.plus(blocks), seed);
#else
      S::seed_blocks_inline(rk, counter.plus(blocks), seed);
#endif
    }
  }

  static void run(std::uint8_t* key, std::uint8_t* v, std::uint64_t blocks, ChainLink* list,
                  std::size_t count) {
    constexpr std::size_t kBlock = S::L::kBlock;
    static_assert(C::kKeyBytes <= sizeof list->key && kBlock <= sizeof list->counter);
    Wiped<Schedule<C>> keys;
    Wiped<std::uint8_t[(S::kSeedBytes + 15) / 16 * 16]> seed;
    __builtin_memcpy(seed.value, key, C::kKeyBytes);
    __builtin_memcpy(seed.value + C::kKeyBytes, v, kBlock);
    links(keys.value.words, seed.value, blocks, list, count);
    __builtin_memcpy(key, seed.value, C::kKeyBytes);
    __builtin_memcpy(v, seed.value + C::kKeyBytes, kBlock);
    if constexpr (C::kFacts.boxes) {
      BatchOperations<M, typename S::Core>::wipe_stack();  // for the key schedule
    } else {
      S::OnCore::template wipe_blocks_stack<512>();
    }
    M::wipe_registers();
  }
};

}  // namespace gpuctr::simd

#endif
