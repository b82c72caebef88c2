// CTR and ECB of any cipher on any SIMD backend.
//
// A batch is G groups of blocks (layout.h) that go through the rounds together. Whole batches
// go straight between memory and registers. The end of a message takes the narrowest batch that
// covers it, and a buffer. The buffer and the stack below, where compilers keep some words of a
// batch, are wiped, and so are the vector registers.
#ifndef GPUCTR_KERNELS_CPU_SIMD_BATCH_H
#define GPUCTR_KERNELS_CPU_SIMD_BATCH_H

#include "kernels/base/wipe.h"
#include "kernels/cpu/base/cipher_ops.h"
#include "kernels/cpu/simd/layout.h"
#include "kernels/cpu/simd/word.h"

namespace gpuctr::simd {

// Whether cipher C runs on M's instructions for AES's rounds (aes.h).
template <class M, class C>
constexpr bool kOnAes = C::kFacts.aes_rounds && !std::is_void_v<typename M::Aes>;

// The frame of a batch. A definition may state it where boxes are affine maps and there are 32
// registers.
template <class M, class C>
constexpr unsigned kFrameBytes = batch_frame(C::kFacts.boxes, kOnAes<M, C>,
                                             M::kAffine&& M::kRegisters >= 32
                                                 ? C::kFacts.affine_frame
                                                 : 0,
                                             BlockBytes<C>::kValue, M::kBytes);

// The G of backend M for cipher C, and for its rounds of decryption.
template <class M, class C>
constexpr unsigned kGroupsOf = groups_of<C>(M::kRegisters, M::kAffine);
template <class M, class C>
constexpr unsigned kDecryptionGroupsOf = decryption_groups_of<C>(M::kRegisters, M::kAffine);

// Whether the blocks that were read lie in memory when the rounds begin, and vectors are written
// the last one first. With 16 registers GCC 12 spills more where it is free: ECB and CBC decryption
// of ARIA and Camellia gain 2 to 24 % on a Zen 4.
template <class M, class C>
constexpr bool kStateInMemory =
    (M::kAffine || M::kAesBoxes) && M::kRegisters == 16 && C::kFacts.boxes;

// A word of cipher C for the first rounds on Words<M, T, G>: of each block its own, or of two kinds
// by whether the block comes after the last word passed zero. Which of them is known to the
// compiler, as long as no loop hides it.
template <class M, class C, unsigned G>
struct OpeningWord {
  using T = typename C::Word;
  using W = Words<M, T, G>;
  using V = typename W::V;
  using Maker = CounterWords<M::kBytes, C, G>;

  bool own;
  W words;
  PlainWord<T> before, after;
  V first;  // the last word of the first block

  GPUCTR_INLINE static OpeningWord of(const OpeningWord& like, const W& words) {
    return {true, words, {}, {}, like.first};
  }
  GPUCTR_INLINE W each() const {
    if (own) return words;
    W blocks;
    const V same = splat<T, M::kBytes>(before.v);
    const V passed = splat<T, M::kBytes>(after.v);
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      const V number = Maker::numbers(g);
      blocks.v[g] = first + number < number ? passed : same;
    }
    return blocks;
  }

  GPUCTR_INLINE friend OpeningWord operator+(const OpeningWord& a, const OpeningWord& b) {
    if (a.own || b.own) return of(a, a.each() + b.each());
    return {false, {}, a.before + b.before, a.after + b.after, a.first};
  }
  GPUCTR_INLINE friend OpeningWord operator^(const OpeningWord& a, const OpeningWord& b) {
    if (a.own || b.own) return of(a, a.each() ^ b.each());
    return {false, {}, a.before ^ b.before, a.after ^ b.after, a.first};
  }
  template <unsigned K>
  GPUCTR_INLINE OpeningWord rotl() const {
    if (own) return of(*this, words.template rotl<K>());
    return {false, {}, before.template rotl<K>(), after.template rotl<K>(), first};
  }

  // A round key or a constant, which is the same in all blocks.
  struct Same {
    T v;
    GPUCTR_INLINE W each() const { return W::all(splat<T, M::kBytes>(v)); }
  };
  GPUCTR_INLINE friend OpeningWord operator^(const OpeningWord& a, Same key) {
    if (a.own) return of(a, a.words ^ key.each());
    return {false, {}, a.before ^ PlainWord<T>{key.v}, a.after ^ PlainWord<T>{key.v}, a.first};
  }
  GPUCTR_INLINE static Same constant(std::uint64_t c) { return {static_cast<T>(c)}; }

  struct Keys {
    const KeyWord<T>* words;
    GPUCTR_INLINE Same operator()(unsigned i) const { return {static_cast<T>(words[i])}; }
  };
};

template <unsigned K, class M, class C, unsigned G>
GPUCTR_INLINE OpeningWord<M, C, G> rotl_here(const OpeningWord<M, C, G>& x) {
  if (x.own) return x.of(x, rotl_here<K>(x.words));
  return x.template rotl<K>();
}

// C's rounds on the counter blocks from `counter` on.
template <class M, class C, unsigned G>
GPUCTR_INLINE void open_counter(const Counter<C>& counter, const KeyWord<typename C::Word>* keys,
                                Words<M, typename C::Word, G> (&x)[C::kWords]) {
  using Word = OpeningWord<M, C, G>;
  using T = typename C::Word;
  const auto first = splat<T, M::kBytes>(counter.last());
  const Counter<C> next = counter.plus_period();
  Word opening[C::kWords];
  for (unsigned j = 0; j + 1 < C::kWords; ++j) {
    opening[j] = {false, {}, {counter.word(j)}, {next.word(j)}, first};
  }
  Word& last = opening[C::kWords - 1];
  last = {true, {}, {}, {}, first};
  Word::Maker::last_words(first, last.words);
  C::first_rounds(opening, typename Word::Keys{keys});
  for (unsigned j = 0; j < C::kWords; ++j) x[j] = opening[j].each();
}

// What boxes.h has otherwise for ciphers with S-boxes:
// - the rounds that many blocks go through on M;
template <class M, class C, class = void>
struct Form {
  using Type = C;
};
template <class M, class C>
using FormOf = typename Form<M, C>::Type;
// - where a batch takes its counter blocks from;
template <class M, class C, class = void>
struct CounterOf {
  using Type = Counter<C>;
  static constexpr bool kByPeriods = false;
};
template <class M, class C>
constexpr bool kByPeriods = CounterOf<M, C>::kByPeriods;
// - the keys by which many blocks are decrypted, whether the rounds are then those of encryption,
//   and whether KeyWords makes such keys.
template <class M, class C, class = void>
struct DecryptionOf {
  static constexpr bool kByEncryption = false;
  static constexpr bool kPrepares = false;
  struct Keys {
    const RoundKeys& keys;
  };
};

template <class M, class C, unsigned G>
struct Batch {
  using Word = typename C::Word;
  using L = Layout<M::kBytes, C>;
  using V = typename L::V;
  using W = Words<M, Word, G>;
  using Keys = WordKeys<M, Word, G>;
  using Count = Counter<C>;
  using Source = typename CounterOf<M, C>::Type;
  static constexpr unsigned kBlocks = G * L::kBlocks;
  static constexpr unsigned kBytes = G * L::kGroupBytes;

  GPUCTR_INLINE static void read(const std::uint8_t* in, W (&x)[C::kWords]) {
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      V bytes[C::kWords];
      V words[C::kWords];
      for (unsigned k = 0; k < C::kWords; ++k) {
        bytes[k] = load<V>(in + g * L::kGroupBytes + k * M::kBytes);
      }
      L::from_memory(bytes, words);
      for (unsigned k = 0; k < C::kWords; ++k) x[k].v[g] = words[k];
    }
  }

  GPUCTR_INLINE static void read_for_rounds(const std::uint8_t* in, W (&x)[C::kWords]) {
    read(in, x);
    if constexpr (kStateInMemory<M, C>) {
      for (unsigned k = 0; k < C::kWords; ++k) x[k].to_memory();
    }
  }

  // Writes the words' bytes, XORed with those at `in` unless that is nullptr.
  template <class Words>
  GPUCTR_INLINE static void write(const Words (&x)[C::kWords], const std::uint8_t* in,
                                  std::uint8_t* out) {
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      V bytes[C::kWords];
      V words[C::kWords];
      for (unsigned k = 0; k < C::kWords; ++k) words[k] = x[k].v[g];
      L::to_memory(words, bytes);
      for (unsigned i = 0; i < C::kWords; ++i) {
        const unsigned k = kStateInMemory<M, C> ? C::kWords - 1 - i : i;
        const std::size_t at = g * L::kGroupBytes + k * M::kBytes;
        if (in != nullptr) bytes[k] ^= load<V>(in + at);
        store(out + at, bytes[k]);
      }
    }
  }

  // The words' bytes, each block XORed with the one before it at `in`. `last` has the vector before
  // the first one and gets the last one. From the end on, so that in place each block is there
  // until its turn is over.
  GPUCTR_INLINE static void write_unchained(const W (&x)[C::kWords], std::uint8_t* last,
                                            const std::uint8_t* in, std::uint8_t* out) {
    const V before = load<V>(last);
    store(last, load<V>(in + kBytes - M::kBytes));
    GPUCTR_UNROLL
    for (unsigned i = 0; i < G; ++i) {
      const unsigned g = G - 1 - i;
      V bytes[C::kWords];
      V words[C::kWords];
      for (unsigned k = 0; k < C::kWords; ++k) words[k] = x[k].v[g];
      L::to_memory(words, bytes);
      for (unsigned k = C::kWords; k-- != 0;) {
        const std::size_t at = g * L::kGroupBytes + k * M::kBytes;
        bytes[k] ^= at == 0 ? one_block_on(before, load<V>(in)) : load<V>(in + at - L::kBlock);
        store(out + at, bytes[k]);
      }
    }
  }
  // The last block of `before` and all but the last one of v.
  GPUCTR_INLINE static V one_block_on(V before, V v) {
    using Q = Vec<std::uint64_t, M::kBytes>;
    return as<V>(one_block_on(as<Q>(before), as<Q>(v), std::make_index_sequence<M::kBytes / 8>{}));
  }
  template <class Q, std::size_t... I>
  GPUCTR_INLINE static Q one_block_on(Q before, Q v, std::index_sequence<I...>) {
    return __builtin_shufflevector(before, v, (I + (M::kBytes - L::kBlock) / 8)...);
  }

  // The counter's blocks by tables for their periods, and those of a message of one batch.
  GPUCTR_NOINLINE static void encrypt_counter(const KeyWord<Word>* keys, Source* counter,
                                              const std::uint8_t* in, std::uint8_t* out) {
    W x[C::kWords];
    counter->look_up(keys, x);
    C::other_rounds(x, Keys{keys});
    settle_words<C>(x, Keys{keys});
    write(x, in, out);
  }
  GPUCTR_NOINLINE static void encrypt_one_batch(const KeyWord<Word>* keys, Count counter,
                                                const std::uint8_t* in, std::uint8_t* out) {
    W x[C::kWords];
    Source::one_batch(counter, x);
    encrypt_words<C>(x, Keys{keys});
    write(x, in, out);
  }

  // A batch through the block cipher: the counter's, XORed onto `in` (or alone where that is
  // nullptr), or, without a counter, the blocks at `in`. No loop over batches surrounds the rounds
  // within a function, because Clang would move all the broadcasts of constants before it and spill
  // them.
  GPUCTR_NOINLINE static void encrypt(const KeyWord<Word>* keys, Source* counter,
                                      const std::uint8_t* in, std::uint8_t* out) {
    W x[C::kWords];
    if constexpr (kByPeriods<M, C>) {
      if (counter != nullptr) {
        return counter->has_tables() ? encrypt_counter(keys, counter, in, out)
                                     : encrypt_one_batch(keys, counter->first(), in, out);
      }
      read_for_rounds(in, x);
      encrypt_words<C>(x, Keys{keys});
      return write(x, nullptr, out);
    } else if constexpr (C::kFacts.hoists_first_rounds) {
      if (counter != nullptr) {
        open_counter<M, C, G>(*counter, keys, x);
        *counter = counter->plus(kBlocks);
      } else {
        read(in, x);
        C::first_rounds(x, Keys{keys});
      }
      C::other_rounds(x, Keys{keys});
    } else {
      if (counter != nullptr) {
        CounterWords<M::kBytes, C, G>::make(*counter, x);
        *counter = counter->plus(kBlocks);
      } else {
        read(in, x);
      }
      encrypt_words<C>(x, Keys{keys});
    }
    write(x, counter != nullptr ? in : nullptr, out);
  }

  GPUCTR_NOINLINE static void decrypt(const KeyWord<Word>* keys, Source*, const std::uint8_t* in,
                                      std::uint8_t* out) {
    W x[C::kWords];
    read(in, x);
    decrypt_words<C>(x, Keys{keys});
    write(x, nullptr, out);
  }

  // CBC decryption of a batch, by the rounds of encryption where the keys are made for that.
  template <bool kEncrypts>
  GPUCTR_NOINLINE static void unchain(const KeyWord<Word>* keys, std::uint8_t* last,
                                      const std::uint8_t* in, std::uint8_t* out) {
    W x[C::kWords];
    read_for_rounds(in, x);
    if constexpr (!kEncrypts) {
      decrypt_words<C>(x, Keys{keys});
    } else if constexpr (C::kFacts.hoists_first_rounds) {
      C::first_rounds(x, Keys{keys});
      C::other_rounds(x, Keys{keys});
    } else {
      encrypt_words<C>(x, Keys{keys});
    }
    write_unchained(x, last, in, out);
  }
};

// The round keys as WordKeys wants them.
template <class M, class C, class = void>
struct KeyWords {
  using Word = typename C::Word;
  static constexpr bool kAsStored = sizeof(Word) >= 4;
  static constexpr std::size_t kSize =
      (4 * C::kRoundKeyWords + M::kBytes - 1) / M::kBytes * M::kBytes;

  alignas(M::kBytes) std::uint32_t repeated[kAsStored ? 1 : kSize / 4];
  const KeyWord<Word>* words;

  GPUCTR_INLINE explicit KeyWords(const Word* stored, bool = false) {
    if constexpr (kAsStored) {
      words = stored;
    } else {
      constexpr std::uint32_t kRepeat = sizeof(Word) == 1 ? 0x01010101 : 0x00010001;
      for (unsigned i = 0; i < C::kRoundKeyWords; ++i) repeated[i] = stored[i] * kRepeat;
      words = repeated;
    }
  }
  KeyWords(const KeyWords&) = delete;
  KeyWords& operator=(const KeyWords&) = delete;
  GPUCTR_INLINE ~KeyWords() {
    if constexpr (!kAsStored) wipe_vectors<M>(repeated, kSize);
  }
};

// M::wipe_below<Size>() zeroes that many bytes
// below the caller's frame. M::wipe_registers() sets the vector registers to zero; on AVX this also
// tells the CPU that their upper halves are free, without which SSE code in the caller runs at a
// third of its speed. GCC 12 forgets VZEROUPPER here.
template <class M, class C>
struct Verbs {
  using Count = typename Batch<M, C, 1>::Count;
  static constexpr std::size_t kBlock = Count::kBlock;
  using Keys = const KeyWord<typename C::Word>*;
  using Source = typename CounterOf<M, C>::Type;
  using Run = void (*)(Keys, Source*, const std::uint8_t*, std::uint8_t*);

  struct Encrypt {
    static constexpr unsigned kGroups = kGroupsOf<M, C>;
    template <unsigned G>
    static constexpr Run kRun = Batch<M, C, G>::encrypt;
  };
  struct Decrypt {
    static constexpr unsigned kGroups = kDecryptionGroupsOf<M, C>;
    template <unsigned G>
    static constexpr Run kRun = Batch<M, C, G>::decrypt;
  };

  // The last n bytes, at most a batch of G groups, through a buffer where they do not fill one.
  template <class Direction, unsigned G>
  GPUCTR_INLINE static void tail(Keys keys, Source* counter, const std::uint8_t* in,
                                 std::uint8_t* out, std::size_t n, std::uint8_t* buffer) {
    if constexpr (G > 1) {
      constexpr unsigned kNarrower = G > 4 ? 4 : G > 2 ? 2 : 1;
      if (n <= Batch<M, C, kNarrower>::kBytes) {
        return tail<Direction, kNarrower>(keys, counter, in, out, n, buffer);
      }
    }
    if (n == Batch<M, C, G>::kBytes) return Direction::template kRun<G>(keys, counter, in, out);
    // An AES instruction mixes no blocks here, but valgrind takes all of its result for undefined
    // where a byte of a block is that nobody wrote.
    if constexpr (M::kAesBoxes) {
      if (counter == nullptr) wipe_vectors<M>(buffer, Batch<M, C, G>::kBytes);
    }
    // GCC 13 warns of the bytes behind the message, which are read and thrown away.
    __asm__("" : "=m"(*reinterpret_cast<std::uint8_t(*)[Batch<M, C, G>::kBytes]>(buffer)));
    if (in != nullptr) copy_bytes(buffer, in, n);
    Direction::template kRun<G>(keys, counter, in != nullptr ? buffer : nullptr, buffer);
    copy_bytes(out, buffer, n);
    wipe_vectors<M>(buffer, Batch<M, C, G>::kBytes);
  }

  // Called where a batch was called, and so over the same stack.
  GPUCTR_NOINLINE static void wipe_stack() { M::template wipe_below<kFrameBytes<M, C> + 256>(); }

  GPUCTR_INLINE static void prepare(Keys keys, Source* counter, unsigned blocks) {
    if constexpr (kByPeriods<M, C>) {
      if (counter != nullptr) counter->prepare(keys, blocks);
    }
  }

  template <class Direction>
  GPUCTR_NOINLINE static void run(const RoundKeys& keys, Source* counter, const std::uint8_t* in,
                                  std::uint8_t* out, std::size_t n, bool decrypts = false) {
    constexpr unsigned kGroups = Direction::kGroups;
    constexpr std::size_t kBytes = Batch<M, C, kGroups>::kBytes;
    const KeyWords<M, C> key_words(words_of<typename C::Word>(keys), decrypts);
    const bool several = n > kBytes;
    for (; n >= kBytes; n -= kBytes) {
      if (several) prepare(key_words.words, counter, Batch<M, C, kGroups>::kBlocks);
      Direction::template kRun<kGroups>(key_words.words, counter, in, out);
      if (in != nullptr) in += kBytes;
      out += kBytes;
    }
    if (n != 0) {
      alignas(M::kBytes) std::uint8_t buffer[kBytes];
      if (several) prepare(key_words.words, counter, Batch<M, C, kGroups>::kBlocks);
      tail<Direction, kGroups>(key_words.words, counter, in, out, n, buffer);
    }
    wipe_stack();
    // No tail call, which would begin above this frame, and end that much too early.
    __asm__ __volatile__("" : : : "memory");
  }

  // Not inline: within a step of CTR_DRBG it would leave no register for V.
  GPUCTR_NOINLINE static void run_by_periods(const RoundKeys& keys, const std::uint8_t* block,
                                             const std::uint8_t* in, std::uint8_t* out,
                                             std::size_t n) {
    Source counter(Count::from(block));
    run<Encrypt>(keys, &counter, in, out, n);
  }
  static void ctr(const RoundKeys& keys, const std::uint8_t* block, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    if constexpr (kByPeriods<M, C>) {
      run_by_periods(keys, block, in, out, n);
    } else {
      Wiped<Count> counter;
      counter.value = Count::from(block);
      run<Encrypt>(keys, &counter.value, in, out, n);
    }
    M::wipe_registers();
  }
  static void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    run<Encrypt>(keys, nullptr, in, out, blocks * kBlock);
    M::wipe_registers();
  }
  using ByKeys = DecryptionOf<M, C>;
  using Decryption = std::conditional_t<ByKeys::kByEncryption, Encrypt, Decrypt>;

  static void decrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    {
      const typename ByKeys::Keys ready{keys};
      run<Decryption>(ready.keys, nullptr, in, out, blocks * kBlock, ByKeys::kPrepares);
    }
    M::wipe_registers();
  }

  // CBC decryption of n bytes, whole batches; `before` is the block before the first one. The
  // caller wipes the registers.
  using DecryptionBatch = Batch<M, C, Decryption::kGroups>;
  static constexpr std::size_t kBatchBytes = DecryptionBatch::kBytes;
  GPUCTR_NOINLINE static void unchain(const RoundKeys& keys, const std::uint8_t* before,
                                      const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    const KeyWords<M, C> key_words(words_of<typename C::Word>(keys), ByKeys::kPrepares);
    alignas(M::kBytes) std::uint8_t last[M::kBytes] = {};
    copy_bytes(last + M::kBytes - kBlock, before, kBlock);
    for (; n != 0; n -= kBatchBytes, in += kBatchBytes, out += kBatchBytes) {
      DecryptionBatch::template unchain<ByKeys::kByEncryption>(key_words.words, last, in, out);
    }
    wipe_vectors<M>(last, sizeof last);
    wipe_stack();
    // No tail call, as in run().
    __asm__ __volatile__("" : : : "memory");
  }
  GPUCTR_NOINLINE static void cbc_decrypt(const RoundKeys& keys, const std::uint8_t* before,
                                          const std::uint8_t* in, std::uint8_t* out,
                                          std::size_t n) {
    const typename ByKeys::Keys ready{keys};
    unchain(ready.keys, before, in, out, n);
  }
};

}  // namespace gpuctr::simd

#endif
