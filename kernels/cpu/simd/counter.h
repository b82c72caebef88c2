// The counter block of a batch, and its words for every block of the batch.
#ifndef GPUCTR_KERNELS_CPU_SIMD_COUNTER_H
#define GPUCTR_KERNELS_CPU_SIMD_COUNTER_H

#include "kernels/cipher/word.h"
#include "kernels/cpu/simd/layout.h"

namespace gpuctr::simd {

GPUCTR_INLINE std::uint64_t load_be64(const std::uint8_t* p) {
  return __builtin_bswap64(load<std::uint64_t>(p));  // every SIMD backend is little-endian
}

// A counter block of cipher C as an integer of 64-bit limbs, most significant first. Of one or two
// limbs it goes to functions by value, and so in registers: it is secret where it is CTR_DRBG's V,
// and so Wiped where it has to lie in memory.
template <class C>
struct Counter {
  using Word = typename C::Word;
  static constexpr unsigned kBits = 8 * sizeof(Word);
  static constexpr unsigned kBlock = sizeof(Word) * C::kWords;
  static constexpr unsigned kLimbs = kBlock / 8;
  static_assert(kBlock % 8 == 0, "whole limbs");

  std::uint64_t limb[kLimbs];

  GPUCTR_INLINE static Counter from(const std::uint8_t* block) {
    Counter counter;
    for (unsigned i = 0; i < kLimbs; ++i) {
      counter.limb[i] = load_be64(block + 8 * i);
      // Alone: else gcc swaps both limbs in one vector and passes that on through the stack.
      if constexpr (kLimbs > 1) __asm__("" : "+r"(counter.limb[i]));
    }
    return counter;
  }

  GPUCTR_INLINE void to(std::uint8_t* block) const {
    for (unsigned i = 0; i < kLimbs; ++i) store(block + 8 * i, __builtin_bswap64(limb[i]));
  }

  GPUCTR_INLINE Counter plus(std::uint64_t blocks) const { return plus_at(kLimbs - 1, blocks); }

  // Plus 2^w, the period of the last word.
  GPUCTR_INLINE Counter plus_period() const {
    if constexpr (kBits < 64) {
      return plus(std::uint64_t{1} << kBits);
    } else if constexpr (kLimbs > 1) {
      return plus_at(kLimbs - 2, 1);
    } else {
      return *this;
    }
  }

  // The last word, which counts blocks.
  GPUCTR_INLINE Word last() const { return static_cast<Word>(limb[kLimbs - 1]); }

  // Word j of the block as a number.
  GPUCTR_INLINE Word digit(unsigned j) const {
    const unsigned shift = kBits * (C::kWords - 1 - j);
    return static_cast<Word>(limb[kLimbs - 1 - shift / 64] >> (shift % 64));
  }

  // Word j of the block as the cipher has it: the counter is big-endian.
  GPUCTR_INLINE Word word(unsigned j) const {
    if constexpr (C::kFacts.big_endian || sizeof(Word) == 1) return digit(j);
    if constexpr (sizeof(Word) == 2) return __builtin_bswap16(digit(j));
    if constexpr (sizeof(Word) == 4) return __builtin_bswap32(digit(j));
    return static_cast<Word>(__builtin_bswap64(digit(j)));
  }

 private:
  GPUCTR_INLINE Counter plus_at(unsigned at, std::uint64_t amount) const {
    Counter sum = *this;
    for (unsigned i = at + 1; i-- != 0;) {
      sum.limb[i] += amount;
      amount = sum.limb[i] < amount;
    }
    return sum;
  }
};

// The words of G groups of counter blocks from `counter` on, x[j][g]. Within a batch the last word
// may pass zero once; only then do the others differ between blocks, and those after it have the
// other words of `counter` + 2^w.
template <unsigned Bytes, class C, unsigned G>
struct CounterWords {
  using Word = typename C::Word;
  using L = Layout<Bytes, C>;
  using V = typename L::V;
  static constexpr unsigned kWords = C::kWords;
  static_assert(sizeof(Word) == 8 ||
                    std::uint64_t{G} * L::kBlocks <= std::uint64_t{1} << (8 * sizeof(Word) % 64),
                "the last word passes zero at most once");

  template <class Words>
  GPUCTR_INLINE static void make(const Counter<C>& counter, Words (&x)[kWords]) {
    const V first = splat<Word, Bytes>(counter.last());
    for (unsigned j = 0; j + 1 < kWords; ++j) {
      x[j] = Words::all(splat<Word, Bytes>(counter.word(j)));
    }
    // Without asking whether it does: CTR_DRBG's V is a counter and a secret (trust.constant_time).
    const Counter<C> next = counter.plus_period();
    for (unsigned j = 0; j + 1 < kWords; ++j) {
      const V change = splat<Word, Bytes>(static_cast<Word>(counter.word(j) ^ next.word(j)));
      GPUCTR_UNROLL
      for (unsigned g = 0; g < G; ++g) {
        const V number = numbers(g);
        x[j].v[g] ^= as<V>(first + number < number) & change;
      }
    }
    last_words(first, x[kWords - 1]);
  }

  // The last word alone; `first` is that of the first block.
  template <class Words>
  GPUCTR_INLINE static void last_words(V first, Words& x) {
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) x.v[g] = L::of_numbers(first + numbers(g));
  }
  // The numbers of the blocks of group g within the batch. Where their sum with `first` is below
  // them, the last word has passed zero.
  GPUCTR_INLINE static V numbers(unsigned g) {
    return L::block_numbers() + splat<Word, Bytes>(static_cast<Word>(g * L::kBlocks));
  }
};

}  // namespace gpuctr::simd

#endif
