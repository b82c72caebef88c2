// CTR, ECB and XEX of many blocks on any SIMD backend.
//
// A batch is G groups of blocks (layout.h) that go through the rounds together. The end of a
// message goes through a buffer and the narrowest batch that holds it. The buffer, the stack of a
// batch and the vector registers are wiped.
#ifndef GPUCTR_KERNELS_CPU_SIMD_BATCH_H
#define GPUCTR_KERNELS_CPU_SIMD_BATCH_H

#include "kernels/base/wipe.h"
#include "kernels/cpu/base/cipher_ops.h"
#include "kernels/cpu/simd/layout.h"
#include "kernels/cpu/simd/word.h"

namespace gpuctr::simd {

// Whether cipher C uses M's AES instructions (aes.h), and the stack size of a batch.
template <class M, class C>
constexpr bool kOnAes = C::kFacts.aes_rounds && !std::is_void_v<typename M::Aes>;
template <class M, class C>
constexpr unsigned kFrameBytes = batch_frame(C::kFacts.boxes, kOnAes<M, C>,
                                             M::kAffine&& M::kRegisters >= 32
                                                 ? C::kFacts.affine_frame
                                                 : 0,
                                             BlockBytes<C>::kValue, M::kBytes);
// The same of G groups. Without S-boxes or words of bytes, at most four vectors of a group are
// spilled; IDEA has most, 968 of 1024 bytes.
template <class M, class C, unsigned G>
constexpr unsigned kFrameOf = C::kFacts.boxes ||
                                      sizeof(typename C::Word) == 1 || BlockBytes<C>::kValue > 16
                                  ? kFrameBytes<M, C>
                                  : 4 * G* M::kBytes;

// The number of groups G in a batch of cipher C on backend M, for encryption.
template <class M, class C>
constexpr unsigned kGroupsOf = groups_of<C>(M::kRegisters, M::kAffine);

// Whether the state is kept in memory before the rounds, and vectors are written from the last to
// the first. With 16 registers GCC 12 then spills less: ECB and CBC decryption gain 2 to 24 % on a
// Zen 4.
template <class M, class C>
constexpr bool kStateInMemory =
    (M::kAffine || M::kAesBoxes) && M::kRegisters == 16 && C::kFacts.boxes;

// A word of cipher C in the hoisted first rounds of counter mode. The last word of a counter block
// differs in every block (`own`). Each other word has two values in a batch, before and after the
// last word passes zero. Values that depend only on these words are computed in integers, once for
// each of the two.
template <class M, class C, unsigned G>
struct FirstRoundWord {
  using T = typename C::Word;
  using W = Words<M, T, G>;
  using V = typename W::V;
  using Maker = CounterWords<M::kBytes, C, G>;

  bool own;
  W words;
  PlainWord<T> before, after;
  V first;  // the last word of the first block

  GPUCTR_INLINE static FirstRoundWord of(const FirstRoundWord& like, const W& words) {
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

  GPUCTR_INLINE friend FirstRoundWord operator+(const FirstRoundWord& a, const FirstRoundWord& b) {
    if (a.own || b.own) return of(a, a.each() + b.each());
    return {false, {}, a.before + b.before, a.after + b.after, a.first};
  }
  GPUCTR_INLINE friend FirstRoundWord operator^(const FirstRoundWord& a, const FirstRoundWord& b) {
    if (a.own || b.own) return of(a, a.each() ^ b.each());
    return {false, {}, a.before ^ b.before, a.after ^ b.after, a.first};
  }
  template <unsigned K>
  GPUCTR_INLINE FirstRoundWord rotl() const {
    if (own) return of(*this, words.template rotl<K>());
    return {false, {}, before.template rotl<K>(), after.template rotl<K>(), first};
  }

  // A round key or a constant, the same in all blocks.
  struct Same {
    T v;
    GPUCTR_INLINE W each() const { return W::all(splat<T, M::kBytes>(v)); }
  };
  GPUCTR_INLINE friend FirstRoundWord operator^(const FirstRoundWord& a, Same key) {
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
GPUCTR_INLINE FirstRoundWord<M, C, G> rotl_here(const FirstRoundWord<M, C, G>& x) {
  if (x.own) return x.of(x, rotl_here<K>(x.words));
  return x.template rotl<K>();
}

// The hoisted first rounds of the counter blocks from `counter` on.
template <class M, class C, unsigned G>
GPUCTR_INLINE void counter_first_rounds(const Counter<C>& counter,
                                        const KeyWord<typename C::Word>* keys,
                                        Words<M, typename C::Word, G> (&x)[C::kWords]) {
  using Word = FirstRoundWord<M, C, G>;
  using T = typename C::Word;
  const auto first = splat<T, M::kBytes>(counter.last());
  const Counter<C> next = counter.plus_period();
  Word words[C::kWords];
  for (unsigned j = 0; j + 1 < C::kWords; ++j) {
    words[j] = {false, {}, {counter.word(j)}, {next.word(j)}, first};
  }
  Word& last = words[C::kWords - 1];
  last = {true, {}, {}, {}, first};
  Word::Maker::last_words(first, last.words);
  C::first_rounds(words, typename Word::Keys{keys});
  for (unsigned j = 0; j < C::kWords; ++j) x[j] = words[j].each();
}

// boxes.h specialises the next three templates for ciphers with S-boxes. RoundsOn: the rounds of
// many blocks on M.
template <class M, class C, class = void>
struct RoundsOn {
  using Type = C;
};
template <class M, class C>
using RoundsFor = typename RoundsOn<M, C>::Type;
// The source of a batch's counter blocks.
template <class M, class C, class = void>
struct CounterSource {
  using Type = Counter<C>;
  static constexpr bool kFirstRoundTables = false;
};
template <class M, class C>
constexpr bool kFirstRoundTables = CounterSource<M, C>::kFirstRoundTables;
// The keys that decrypt many blocks; whether decryption then uses the rounds of encryption; and
// whether PreparedKeys makes the keys.
template <class M, class C, class = void>
struct DecryptionKeys {
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
  using Source = typename CounterSource<M, C>::Type;
  static constexpr unsigned kBlocks = G * L::kBlocks;
  static constexpr unsigned kBytes = G * L::kGroupBytes;

  // Reads blocks, the first vector from `head`. kMasked: XORed with `masks`.
  template <bool kMasked>
  GPUCTR_INLINE static void read(const std::uint8_t* head, const std::uint8_t* in,
                                 W (&x)[C::kWords], const std::uint8_t* masks) {
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      V bytes[C::kWords];
      for (unsigned k = 0; k < C::kWords; ++k) {
        const std::size_t at = g * L::kGroupBytes + k * M::kBytes;
        bytes[k] = load<V>(at == 0 ? head : in + at);
        if constexpr (kMasked) bytes[k] ^= load<V>(masks + at);
      }
      L::group_from_memory(bytes, g, x);
    }
  }
  GPUCTR_INLINE static void read(const std::uint8_t* in, W (&x)[C::kWords]) {
    read<false>(in, in, x, nullptr);
  }

  GPUCTR_INLINE static void put_for_rounds(W (&x)[C::kWords]) {
    if constexpr (kStateInMemory<M, C>) {
      for (unsigned k = 0; k < C::kWords; ++k) x[k].to_memory();
    }
  }

  // Writes the bytes of the words, XORed with `in` unless that is nullptr.
  template <class Words>
  GPUCTR_INLINE static void write(const Words (&x)[C::kWords], const std::uint8_t* in,
                                  std::uint8_t* out) {
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      V bytes[C::kWords];
      L::group_to_memory(x, g, bytes);
      for (unsigned i = 0; i < C::kWords; ++i) {
        const unsigned k = kStateInMemory<M, C> ? C::kWords - 1 - i : i;
        const std::size_t at = g * L::kGroupBytes + k * M::kBytes;
        if (in != nullptr) bytes[k] ^= load<V>(in + at);
        store(out + at, bytes[k]);
      }
    }
  }

  // Writes from the end to the beginning, XORed with `after`, its first vector at `head`.
  GPUCTR_INLINE static void write_back(const W (&x)[C::kWords], const std::uint8_t* head,
                                       const std::uint8_t* after, std::uint8_t* out) {
    GPUCTR_UNROLL
    for (unsigned i = 0; i < G; ++i) {
      const unsigned g = G - 1 - i;
      V bytes[C::kWords];
      L::group_to_memory(x, g, bytes);
      for (unsigned k = C::kWords; k-- != 0;) {
        const std::size_t at = g * L::kGroupBytes + k * M::kBytes;
        store(out + at, bytes[k] ^ load<V>(at == 0 ? head : after + at));
      }
    }
  }

  // Encrypts a batch: the counter's blocks, XORed with `in` unless that is nullptr; or, without a
  // counter, the blocks at `in`. The loop over batches is in another function than the rounds:
  // otherwise Clang moves all broadcasts of constants before the loop and spills 8 KB.
  GPUCTR_NOINLINE static void encrypt(const KeyWord<Word>* keys, Source* counter,
                                      const std::uint8_t* in, std::uint8_t* out) {
    W x[C::kWords];
    if constexpr (kFirstRoundTables<M, C>) {
      if (counter != nullptr) return Source::template encrypt<Batch>(keys, counter, in, out);
      read(in, x);
      put_for_rounds(x);
      encrypt_words<C>(x, Keys{keys});
      return write(x, nullptr, out);
    } else if constexpr (C::kFacts.hoists_first_rounds) {
      if (counter != nullptr) {
        counter_first_rounds<M, C, G>(*counter, keys, x);
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

  // A batch of XEX, by the rounds of encryption or of decryption.
  template <bool kEncrypts, bool kMasked>
  GPUCTR_NOINLINE static void xex(const KeyWord<Word>* keys, const std::uint8_t* in,
                                  const std::uint8_t* after, std::uint8_t* out,
                                  const std::uint8_t* in_head, const std::uint8_t* after_head) {
    W x[C::kWords];
    read<kMasked>(in_head, in, x, after);
    put_for_rounds(x);
    if constexpr (!kEncrypts) {
      decrypt_words<C>(x, Keys{keys});
    } else if constexpr (C::kFacts.hoists_first_rounds) {
      C::first_rounds(x, Keys{keys});
      C::other_rounds(x, Keys{keys});
    } else {
      encrypt_words<C>(x, Keys{keys});
    }
    write_back(x, after_head, after, out);
  }
};

// The round keys of a call, in the form that WordKeys reads.
template <class M, class C, class = void>
struct PreparedKeys {
  using Word = typename C::Word;
  static constexpr bool kAsStored = sizeof(Word) >= 4;
  static constexpr std::size_t kSize =
      (4 * C::kRoundKeyWords + M::kBytes - 1) / M::kBytes * M::kBytes;

  alignas(M::kBytes) std::uint32_t repeated[kAsStored ? 1 : kSize / 4];
  const KeyWord<Word>* words;

  GPUCTR_INLINE explicit PreparedKeys(const Word* stored, bool = false) {
    if constexpr (kAsStored) {
      words = stored;
    } else {
      constexpr std::uint32_t kRepeat = sizeof(Word) == 1 ? 0x01010101 : 0x00010001;
      for (unsigned i = 0; i < C::kRoundKeyWords; ++i) repeated[i] = stored[i] * kRepeat;
      words = repeated;
    }
  }
  PreparedKeys(const PreparedKeys&) = delete;
  PreparedKeys& operator=(const PreparedKeys&) = delete;
  GPUCTR_INLINE ~PreparedKeys() {
    if constexpr (!kAsStored) wipe_vectors<M>(repeated, kSize);
  }
};

template <class M, class C>
struct BatchOperations {
  using Count = typename Batch<M, C, 1>::Count;
  static constexpr std::size_t kBlock = Count::kBlock;
  using Keys = const KeyWord<typename C::Word>*;
  using Source = typename CounterSource<M, C>::Type;
  using Run = void (*)(Keys, Source*, const std::uint8_t*, std::uint8_t*);

  struct Encrypt {
    static constexpr unsigned kGroups = kGroupsOf<M, C>;
    template <unsigned G>
    static constexpr Run kRun = Batch<M, C, G>::encrypt;
  };
  struct Decrypt {
    static constexpr unsigned kGroups = decryption_groups_of<C>(M::kRegisters, M::kAffine);
    template <unsigned G>
    static constexpr Run kRun = Batch<M, C, G>::decrypt;
  };

  static constexpr unsigned narrower(unsigned groups) {
    return groups > 4 ? 4 : groups > 2 ? 2 : 1;
  }

  // The last n bytes, at most a batch of G groups, through a buffer if they do not fill a batch.
  template <class Direction, unsigned G>
  GPUCTR_INLINE static void tail(Keys keys, Source* counter, const std::uint8_t* in,
                                 std::uint8_t* out, std::size_t n, std::uint8_t* buffer) {
    if constexpr (G > 1) {
      if (n <= Batch<M, C, narrower(G)>::kBytes) {
        return tail<Direction, narrower(G)>(keys, counter, in, out, n, buffer);
      }
    }
    if (n == Batch<M, C, G>::kBytes) return Direction::template kRun<G>(keys, counter, in, out);
    // AESENCLAST mixes no blocks here, but valgrind treats its whole result as undefined if one
    // byte is.
    if constexpr (M::kAesBoxes) {
      if (counter == nullptr) wipe_vectors<M>(buffer, Batch<M, C, G>::kBytes);
    }
    // GCC 13 warns about the bytes after the message, which are read and discarded.
    __asm__("" : "=m"(*reinterpret_cast<std::uint8_t(*)[Batch<M, C, G>::kBytes]>(buffer)));
    if (in != nullptr) copy_bytes(buffer, in, n);
    Direction::template kRun<G>(keys, counter, in != nullptr ? buffer : nullptr, buffer);
    copy_bytes(out, buffer, n);
    wipe_vectors<M>(buffer, Batch<M, C, G>::kBytes);
  }

  // Called by the function that called the batch, and so over the same stack.
  template <unsigned Frame = kFrameBytes<M, C>>
  GPUCTR_NOINLINE static void wipe_stack() {
    M::template wipe_below<Frame + 256>();
  }
  // After n bytes, if G groups or fewer held them.
  template <unsigned G>
  GPUCTR_INLINE static void wipe_after(std::size_t n) {
    if constexpr (kFrameOf<M, C, 1> < kFrameOf<M, C, G>) {
      if (n <= Batch<M, C, narrower(G)>::kBytes) return wipe_after<narrower(G)>(n);
    }
    wipe_stack<kFrameOf<M, C, G>>();
    // Prevents a tail call, which would wipe from the caller's frame on, and end too early.
    __asm__ __volatile__("" : : : "memory");
  }

  GPUCTR_INLINE static void prepare(Keys keys, Source* counter, unsigned blocks) {
    if constexpr (kFirstRoundTables<M, C>) {
      if (counter != nullptr) counter->prepare(keys, blocks);
    }
  }

  template <class Direction>
  GPUCTR_NOINLINE static void run(const RoundKeys& keys, Source* counter, const std::uint8_t* in,
                                  std::uint8_t* out, std::size_t n, bool decrypts = false) {
    constexpr unsigned kGroups = Direction::kGroups;
    constexpr std::size_t kBytes = Batch<M, C, kGroups>::kBytes;
    const PreparedKeys<M, C> key_words(words_of<typename C::Word>(keys), decrypts);
    const std::size_t size = n;
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
    wipe_after<kGroups>(size);
  }

  static void ctr(const RoundKeys& keys, const std::uint8_t* block, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    if constexpr (kFirstRoundTables<M, C>) {
      Source::template ctr<BatchOperations>(keys, block, in, out, n);
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
  using ByKeys = DecryptionKeys<M, C>;
  using Decryption = std::conditional_t<ByKeys::kByEncryption, Encrypt, Decrypt>;

  static void decrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    {
      const typename ByKeys::Keys ready{keys};
      run<Decryption>(ready.keys, nullptr, in, out, blocks * kBlock, ByKeys::kPrepares);
    }
    M::wipe_registers();
  }

  // The bytes of a batch of XEX.
  template <bool kEncrypts>
  static constexpr unsigned kXexBatch =
      Batch<M, C, std::conditional_t<kEncrypts, Encrypt, Decryption>::kGroups>::kBytes;
  template <bool kEncrypts, bool kMasked>
  GPUCTR_NOINLINE static void xex_batches(const RoundKeys& keys, const std::uint8_t* masks,
                                          const std::uint8_t* head, const std::uint8_t* text,
                                          std::uint8_t* out, std::size_t n) {
    using Direction = std::conditional_t<kEncrypts, Encrypt, Decryption>;
    constexpr bool kByEncryption = kEncrypts || ByKeys::kByEncryption;
    constexpr bool kCfb = kEncrypts && !kMasked, kCbc = !kEncrypts && !kMasked;
    const PreparedKeys<M, C> key_words(words_of<typename C::Word>(keys),
                                       !kEncrypts && ByKeys::kPrepares);
    const std::uint8_t* const from = text - (kCfb ? kBlock : 0);
    const std::uint8_t* const with = kMasked ? masks : text - (kCbc ? kBlock : 0);
    while (n != 0) {
      n -= kXexBatch<kEncrypts>;
      const bool first = n == 0;
      Batch<M, C, Direction::kGroups>::template xex<kByEncryption, kMasked>(
          key_words.words, from + n, with + n, out + n, kCfb && first ? head : from + n,
          kCbc && first ? head : with + n);
    }
    wipe_after<Direction::kGroups>(kXexBatch<kEncrypts>);
  }
  // Only blocks of 16 bytes have masks.
  template <bool kMasked>
  GPUCTR_NOINLINE static void xex_either(const RoundKeys& keys, bool encrypts,
                                         const std::uint8_t* masks, const std::uint8_t* head,
                                         const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    if (encrypts) return xex_batches<true, kMasked>(keys, masks, head, in, out, n);
    const typename ByKeys::Keys ready{keys};
    xex_batches<false, kMasked>(ready.keys, masks, head, in, out, n);
  }
  static void xex(const RoundKeys& keys, bool encrypts, const std::uint8_t* masks,
                  const std::uint8_t* head, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t n) {
    static_assert(M::kBytes <= 64, "a vector of the head");
    (masks != nullptr ? xex_either<kBlock == 16> : xex_either<false>)(keys, encrypts, masks, head,
                                                                      in, out, n);
    M::wipe_registers();
  }
};

}  // namespace gpuctr::simd

#endif
