// The first rounds of counter mode. The counter blocks of a batch differ in their last word alone,
// or, where that passes zero, are of two kinds otherwise. What a round makes of the other words is
// the same in all blocks, or of two kinds, and is computed once for each, in integers.
//
// A cipher offers it with `opens` (facts.h): open(x, rk), its first rounds, which are no loop, and
// rest(x, rk), the others.
#ifndef GPUCTR_KERNELS_CPU_SIMD_OPENING_H
#define GPUCTR_KERNELS_CPU_SIMD_OPENING_H

#include "kernels/cipher/word.h"
#include "kernels/cpu/simd/counter.h"
#include "kernels/cpu/simd/word.h"

namespace gpuctr::simd {

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
  C::open(opening, typename Word::Keys{keys});
  for (unsigned j = 0; j < C::kWords; ++j) x[j] = opening[j].each();
}

}  // namespace gpuctr::simd

#endif
