// Steps of CTR_DRBG whose few blocks go through the rounds together with a batch of output, on a
// backend with enough registers (M::kStepWithBatch). 1 KiB of HIGHT with its step takes 125 ns on a
// Zen 5; in turn the two take 178 ns. For 128-bit blocks, whose batches keep the CPU fully busy,
// this gains nothing.
#ifndef GPUCTR_KERNELS_CPU_SIMD_DRBG_BATCH_H
#define GPUCTR_KERNELS_CPU_SIMD_DRBG_BATCH_H

#include "kernels/cpu/simd/wordwise.h"

namespace gpuctr::simd {

// Words<M, T, G> and one narrow vector.
template <class M, class Narrow, class T, unsigned G, class = std::make_index_sequence<G>>
struct WideAndNarrow;

template <class M, class Narrow, class T, unsigned G, std::size_t... I>
struct WideAndNarrow<M, Narrow, T, G, std::index_sequence<I...>> {
  using V = Vec<T, M::kBytes>;
  V v[G];
  Vec<T, 16> narrow;

  using W = WideAndNarrow;
  GPUCTR_INLINE friend W operator+(const W& a, const W& b) {
    return {{(a.v[I] + b.v[I])...}, a.narrow + b.narrow};
  }
  GPUCTR_INLINE friend W operator^(const W& a, const W& b) {
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
    // Reading the low part of a register costs nothing.
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

// The same, with separate round keys for the narrow vector.
template <class M, class Narrow, class T, unsigned G>
struct WideAndNarrowKeysApart {
  const KeyWord<T>* words;
  const T* narrow;  // in stored form

  GPUCTR_INLINE WideAndNarrow<M, Narrow, T, G> operator()(unsigned i) const {
    return WideAndNarrow<M, Narrow, T, G>::of(splat_key<M, T>(words[i]), splat<T, 16>(narrow[i]));
  }
};

template <class M, class Narrow, class C>
struct StepWithBatch {
  using S = Step<M, Narrow, C>;
  using Word = typename C::Word;
  using Count = typename S::Count;
  using Wide = typename S::Wide;
  using Small = typename S::Small;
  using Core = typename S::Core;
  static constexpr unsigned kGroups = kGroupsOf<M, C>;

  // A batch of output from `counter` on, and the narrow vector's blocks from `next` on.
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
    S::write(small, seed, S::kSeedBytes);
  }

  // All but the last of several whole batches, then the last batch with the narrow vector.
  GPUCTR_NOINLINE static void batches(const RoundKeys& keys, const std::uint8_t* block,
                                      std::uint8_t* out, std::size_t n, std::uint8_t* seed) {
    const PreparedKeys<M, C> key_words(words_of<Word>(keys));
    Wiped<Count> counter;
    counter.value = Count::from(block);
    for (; n > Wide::kBytes; n -= Wide::kBytes) {
      Wide::encrypt(key_words.words, &counter.value, nullptr, out);
      out += Wide::kBytes;
    }
    with_batch(WideAndNarrowKeys<M, Narrow, Word, kGroups>{key_words.words}, counter.value, out,
               counter.value.plus(Wide::kBlocks), seed);
    BatchOperations<M, C>::wipe_stack();
  }
};

// Successive requests of one batch each. The output of one request and the step of the next
// request, which has another key, go through the rounds together. So the next request's key
// schedule delays only its own step. Measured on a Zen 5: 1 KiB of HIGHT with its step takes 123 ns
// instead of 134, of CHAM-64/128 168 instead of 180. CTR without a step takes 92 and 123 ns. The
// difference is the narrow vector, which adds half as many operations to HIGHT and a quarter to
// CHAM-64/128.
template <class M, class Narrow, class C>
struct Requests {
  using S = Step<M, Narrow, C>;
  using Word = typename C::Word;
  using Count = typename S::Count;
  using Wide = typename S::Wide;
  using Together = StepWithBatch<M, Narrow, C>;
  using Keys = WideAndNarrowKeysApart<M, Narrow, Word, Together::kGroups>;
  static constexpr std::size_t kBlock = S::L::kBlock;

  // The state of one request.
  struct State {
    Schedule<C> keys;
    Count counter;  // first counter of the request's output

    GPUCTR_INLINE void from(const std::uint8_t* seed) {
      KeySchedule<M, Narrow, C>::expand_inline(seed, keys.words);
      counter = Count::from(seed + C::kKeyBytes).plus(1);
    }
  };

  GPUCTR_NOINLINE static void all(State (&state)[2], std::uint8_t* seed, std::uint8_t* out,
                                  std::size_t count) {
    state[0].from(seed);
    S::seed_blocks(state[0].keys.words, state[0].counter.plus(Wide::kBlocks), seed);
    for (std::size_t i = 1; i < count; ++i) {
      State& before = state[(i - 1) % 2];
      State& now = state[i % 2];
      now.from(seed);
      const PreparedKeys<M, C> words(before.keys.words);
      Together::with_batch(Keys{words.words, now.keys.words}, before.counter, out,
                           now.counter.plus(Wide::kBlocks), seed);
      out += Wide::kBytes;
    }
    State& last = state[(count - 1) % 2];
    const PreparedKeys<M, C> words(last.keys.words);
    Wide::encrypt(words.words, &last.counter, nullptr, out);
    BatchOperations<M, C>::wipe_stack();
  }

  GPUCTR_NOINLINE static void prepared(std::uint8_t* key, std::uint8_t* v, std::uint8_t* out,
                                       std::size_t count) {
    Wiped<State[2]> state;
    Wiped<std::uint8_t[(S::kSeedBytes + 15) / 16 * 16]> seed;
    __builtin_memcpy(seed.value, key, C::kKeyBytes);
    __builtin_memcpy(seed.value + C::kKeyBytes, v, kBlock);
    all(state.value, seed.value, out, count);
    BatchOperations<M, C>::wipe_stack();  // all() itself; it wiped the stack below
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

}  // namespace gpuctr::simd

#endif
