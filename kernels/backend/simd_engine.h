// CTR and ECB of any cipher on any SIMD machine.
//
// A batch is G groups of blocks (simd_layout.h) that go through the rounds together. The counter
// blocks of a batch are made directly as words. Whole batches go straight between memory and
// registers; the end of a message takes the narrowest batch that covers it and a buffer, which is
// wiped. Compilers keep some words of a batch on the stack, so the stack below is wiped as well.
// What is left in vector registers is not: the next user of the registers overwrites it.
#ifndef GPUCTR_KERNELS_BACKEND_SIMD_ENGINE_H
#define GPUCTR_KERNELS_BACKEND_SIMD_ENGINE_H

#include "kernels/backend/machine.h"
#include "kernels/backend/simd_layout.h"
#include "kernels/backend/simd_word.h"
#include "kernels/wipe.h"

namespace gpuctr::simd {

template <class M, class C, unsigned G>
struct Batch {
  using Word = typename C::Word;
  using L = Layout<M::kBytes, Word, C::kWords>;
  using V = typename L::V;
  using W = Words<M, Word, G>;
  static constexpr unsigned kWords = C::kWords;
  static constexpr unsigned kBlocks = G * L::kBlocks;
  static constexpr unsigned kBytes = G * L::kGroupBytes;

  struct Big {  // the reverse of a word's bytes
    GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) {
      return i / L::kUnit * L::kUnit + (L::kUnit - 1 - i % L::kUnit);
    }
  };

  // The counter blocks from `counter` on, as words. Only the last word (the counter's lowest)
  // differs from block to block, unless Carry: then it may pass zero once, and the blocks after
  // that have the other words of `counter` + 2^w.
  template <bool Carry>
  GPUCTR_INLINE static void counters(const Counter<C>& counter, W (&x)[kWords]) {
    const V first = splat<Word, M::kBytes>(counter.low());
    V low[G];
    for (unsigned g = 0; g < G; ++g) {
      low[g] = first + (L::block_numbers() + splat<Word, M::kBytes>(g * L::kBlocks));
    }

  }
};

}  // namespace gpuctr::simd

#endif
