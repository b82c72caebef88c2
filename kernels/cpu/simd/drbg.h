// CTR_DRBG on a SIMD backend.
//
// Each step needs a few blocks before the next one can begin. A batch of their own would be almost
// empty and take its whole latency. So they go through the rounds in one narrow vector, alone or,
// where the output is short, together with a batch of output.
#ifndef GPUCTR_KERNELS_CPU_SIMD_DRBG_H
#define GPUCTR_KERNELS_CPU_SIMD_DRBG_H

#include "kernels/base/wipe.h"
#include "kernels/cpu/simd/few_blocks.h"
#include "kernels/cpu/simd/key_schedule.h"

namespace gpuctr::simd {

// Words<M, T, G> and a narrow vector beside them.
template <class M, class Narrow, class T, unsigned G, class = std::make_index_sequence<G>>
struct WideAndNarrow;

template <class M, class Narrow, class T, unsigned G, std::size_t... I>
struct WideAndNarrow<M, Narrow, T, G, std::index_sequence<I...>> {
  using V = Vec<T, M::kBytes>;
  V v[G];
  Vec<T, 16> narrow;

  GPUCTR_INLINE friend WideAndNarrow operator+(const WideAndNarrow& a, const WideAndNarrow& b) {
    return {{(a.v[I] + b.v[I])...}, a.narrow + b.narrow};
  }
  GPUCTR_INLINE friend WideAndNarrow operator^(const WideAndNarrow& a, const WideAndNarrow& b) {
    return {{(a.v[I] ^ b.v[I])...}, a.narrow ^ b.narrow};
  }
  template <unsigned K>
  GPUCTR_INLINE WideAndNarrow rotl() const {
    return {{M::template rotl<K>(v[I])...}, Narrow::template rotl<K>(narrow)};
  }
  template <unsigned A, unsigned B, unsigned C>
  GPUCTR_INLINE WideAndNarrow rot_xor() const {
    return {{M::template rot_xor<A, B, C>(v[I], V{})...},
            Narrow::template rot_xor<A, B, C>(narrow, Vec<T, 16>{})};
  }
  GPUCTR_INLINE static WideAndNarrow of(V same, Vec<T, 16> narrow) {
    return {{(static_cast<void>(I), same)...}, narrow};
  }
  GPUCTR_INLINE static WideAndNarrow all(V same) {
    // The low part of a register costs nothing.
    using Low = Vec<std::uint64_t, M::kBytes>;
    const Low low = as<Low>(same);
    return of(same, as<Vec<T, 16>>(__builtin_shufflevector(low, low, 0, 1)));
  }
  GPUCTR_INLINE static WideAndNarrow constant(unsigned c) {
    return all(splat<T, M::kBytes>(static_cast<T>(c)));
  }
};

template <class M, class Narrow, class T, unsigned G>
struct WideAndNarrowKeys {
  const KeyWord<T>* words;

  GPUCTR_INLINE WideAndNarrow<M, Narrow, T, G> operator()(unsigned i) const {
    return WideAndNarrow<M, Narrow, T, G>::all(splat_key<M, T>(words[i]));
  }
};

// The same with other round keys for the narrow vector.
template <class M, class Narrow, class T, unsigned G>
struct WideAndNarrowKeysApart {
  const KeyWord<T>* words;
  const T* narrow;  // as they are stored

  GPUCTR_INLINE WideAndNarrow<M, Narrow, T, G> operator()(unsigned i) const {
    return WideAndNarrow<M, Narrow, T, G>::of(splat_key<M, T>(words[i]), splat<T, 16>(narrow[i]));
  }
};

template <class M, class Narrow, class C>
struct Step {
  static_assert(Narrow::kBytes == 16, "the narrowest vectors");
  using Word = typename C::Word;
  using L = Layout<16, C>;
  using Small = Words<Narrow, Word, 1>;
  // What round keys go through, the same for several sizes of keys.
  using Core = typename CoreOf<C>::Type;
  using OnCore = FewBlocks<M, Narrow, Core>;
  static constexpr bool kShared = !std::is_same_v<Core, C>;
  using Count = Counter<Core>;
  static constexpr unsigned kGroups = kGroupsOf<M, C>;
  using Wide = Batch<M, Core, kGroups>;
  static constexpr unsigned kSeedBytes = kSeedBlocks<C> * L::kBlock;
  // Narrow batches that make them: one but for words of 64 bits.
  static constexpr unsigned kSeedBatches = (kSeedBlocks<C> + L::kBlocks - 1) / L::kBlocks;
  // Measured on Zen 5: 1 KiB of HIGHT with its step takes 125 ns, one after the other 178 ns. For
  // 128-bit blocks, whose batches leave the CPU no time to spare, nothing is won.
  static constexpr bool kWithBatch = L::kBlock == 8 && M::kStepWithBatch;

  // The first `size` bytes of a narrow batch.
  GPUCTR_INLINE static void write(const Small (&x)[C::kWords], std::uint8_t* seed, unsigned size) {
    typename L::V words[C::kWords];
    typename L::V bytes[C::kWords];
    for (unsigned k = 0; k < C::kWords; ++k) words[k] = x[k].v[0];
    L::to_memory(words, bytes);
    for (unsigned k = 0; 16 * k < size; ++k) {
      __builtin_memcpy(seed + 16 * k, &bytes[k], size - 16 * k < 16 ? size - 16 * k : 16);
    }
  }

  GPUCTR_INLINE static void alone_inline(const Word* keys, Count counter, std::uint8_t* seed) {
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
  GPUCTR_NOINLINE static void alone(const Word* keys, Count counter, std::uint8_t* seed) {
    alone_inline(keys, counter, seed);
  }

  // A batch of output from `counter` on, and the blocks from `next` on.
  template <class Keys>
  GPUCTR_NOINLINE static void with_batch(const Keys& keys, Count counter, std::uint8_t* out,
                                         Count next, std::uint8_t* seed) {
    WideAndNarrow<M, Narrow, Word, kGroups> x[C::kWords];
    Small small[C::kWords];
    CounterWords<M::kBytes, Core, kGroups>::make(counter, x);
    CounterWords<16, Core, 1>::make(next, small);
    GPUCTR_UNROLL
    for (unsigned k = 0; k < C::kWords; ++k) x[k].narrow = small[k].v[0];
    C::encrypt(x, keys);
    GPUCTR_UNROLL
    for (unsigned k = 0; k < C::kWords; ++k) small[k].v[0] = x[k].narrow;
    Wide::write(x, nullptr, out);
    write(small, seed, kSeedBytes);
  }

  // All but the last of some whole batches, and then that.
  GPUCTR_NOINLINE static void batches(const RoundKeys& keys, const std::uint8_t* block,
                                      std::uint8_t* out, std::size_t n, std::uint8_t* seed) {
    const KeyWords<M, C> key_words(keys.words<Word>());
    Wiped<Count> counter;
    counter.value = Count::from(block);
    for (; n > Wide::kBytes; n -= Wide::kBytes) {
      Wide::encrypt(key_words.words, &counter.value, nullptr, out);
      out += Wide::kBytes;
    }
    with_batch(WideAndNarrowKeys<M, Narrow, Word, kGroups>{key_words.words}, counter.value, out,
               counter.value.plus(Wide::kBlocks), seed);
    Verbs<M, C>::wipe_stack();
  }

  // A short output and what follows it out of one narrow batch: a request of TLS.
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
        batches(keys, block, out, n, seed);
        M::wipe_registers();
        return;
      }
    }
    const std::size_t blocks = (n + L::kBlock - 1) / L::kBlock;
    if (n != 0 && blocks + kSeedBlocks<C> <= L::kBlocks) {
      together(keys.words<Word>(), Count::from(block), out, n, blocks, seed);
    } else {
      if (n != 0) OnCore::ctr(keys, block, nullptr, out, n);
      // Not before: this frame, in which it would wait, is not wiped.
      alone(keys.words<Word>(), Count::from(block).plus(blocks), seed);
    }
    OnCore::wipe_blocks_stack();
    M::wipe_registers();
  }
};

// The chain of CTR_DRBG's states, which no backend shortens by working in parallel: here all that
// counts is how soon one request's Key and V follow from those of the one before. Its blocks go
// through the rounds in one narrow vector while the CPU is still at the end of the key schedule.
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
      // In line, clang keeps CHAM's 120 round constants on the stack across this loop: 2 KB.
      S::alone(rk, counter.plus(blocks), seed);
#else
      S::alone_inline(rk, counter.plus(blocks), seed);
#endif
    }
  }

  static void run(std::uint8_t* key, std::uint8_t* v, std::uint64_t blocks, ChainLink* list,
                  std::size_t count) {
    constexpr std::size_t kBlock = S::L::kBlock;
    Wiped<Schedule<C>> keys;
    Wiped<std::uint8_t[(S::kSeedBytes + 15) / 16 * 16]> seed;
    __builtin_memcpy(seed.value, key, C::kKeyBytes);
    __builtin_memcpy(seed.value + C::kKeyBytes, v, kBlock);
    links(keys.value.words, seed.value, blocks, list, count);
    __builtin_memcpy(key, seed.value, C::kKeyBytes);
    __builtin_memcpy(v, seed.value + C::kKeyBytes, kBlock);
    if constexpr (C::kFacts.boxes) {
      Verbs<M, typename S::Core>::wipe_stack();  // for the key schedule
    } else {
      S::OnCore::wipe_blocks_stack();
    }
    M::wipe_registers();
  }
};

// Requests of one batch each, one after the other. The output of a request and the step of the next
// request, which has another key, go through the rounds together, so that the next request's key
// schedule delays its own step only. Measured on Zen 5: 1 KiB of HIGHT with its step takes 123 ns
// instead of 134, of CHAM-64/128 168 instead of 180. CTR alone takes 92 and 123 ns; the rest is the
// narrow vector, which adds half as many operations to HIGHT and a quarter to CHAM-64/128.
template <class M, class Narrow, class C>
struct Requests {
  using S = Step<M, Narrow, C>;
  using Word = typename C::Word;
  using Count = typename S::Count;
  using Wide = typename S::Wide;
  using Keys = WideAndNarrowKeysApart<M, Narrow, Word, S::kGroups>;
  static constexpr std::size_t kBlock = S::L::kBlock;

  // The state of one request.
  struct State {
    Schedule<C> keys;
    Count counter;  // of its output

    GPUCTR_INLINE void from(const std::uint8_t* seed) {
      KeySchedule<M, Narrow, C>::expand_inline(seed, keys.words);
      counter = Count::from(seed + C::kKeyBytes).plus(1);
    }
  };

  GPUCTR_NOINLINE static void all(State (&state)[2], std::uint8_t* seed, std::uint8_t* out,
                                  std::size_t count) {
    state[0].from(seed);
    S::alone(state[0].keys.words, state[0].counter.plus(Wide::kBlocks), seed);
    for (std::size_t i = 1; i < count; ++i) {
      State& before = state[(i - 1) % 2];
      State& now = state[i % 2];
      now.from(seed);
      const KeyWords<M, C> words(before.keys.words);
      S::with_batch(Keys{words.words, now.keys.words}, before.counter, out,
                    now.counter.plus(Wide::kBlocks), seed);
      out += Wide::kBytes;
    }
    State& last = state[(count - 1) % 2];
    const KeyWords<M, C> words(last.keys.words);
    Wide::encrypt(words.words, &last.counter, nullptr, out);
    Verbs<M, C>::wipe_stack();
  }

  GPUCTR_NOINLINE static void prepared(std::uint8_t* key, std::uint8_t* v, std::uint8_t* out,
                                       std::size_t count) {
    Wiped<State[2]> state;
    Wiped<std::uint8_t[(S::kSeedBytes + 15) / 16 * 16]> seed;
    __builtin_memcpy(seed.value, key, C::kKeyBytes);
    __builtin_memcpy(seed.value + C::kKeyBytes, v, kBlock);
    all(state.value, seed.value, out, count);
    Verbs<M, C>::wipe_stack();  // of all() itself; it wiped what lay below
    __builtin_memcpy(key, seed.value, C::kKeyBytes);
    __builtin_memcpy(v, seed.value + C::kKeyBytes, kBlock);
  }

  static bool run(std::uint8_t* key, std::uint8_t* v, std::uint8_t* out, std::size_t n,
                  std::size_t count) {
    if (n != Wide::kBytes || count == 0) return false;
    prepared(key, v, out, count);
    M::wipe_registers();
    return true;
  }
};

template <class M, class Narrow, class C>
constexpr decltype(CipherOps::requests) requests_or_none() {
  if constexpr (Step<M, Narrow, C>::kWithBatch) return Requests<M, Narrow, C>::run;
  return nullptr;
}

}  // namespace gpuctr::simd

#endif
