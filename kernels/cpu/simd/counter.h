// The counter block of a batch, and its words for every block of the batch.
#ifndef GPUCTR_KERNELS_CPU_SIMD_COUNTER_H
#define GPUCTR_KERNELS_CPU_SIMD_COUNTER_H

#include "kernels/cpu/simd/layout.h"

namespace gpuctr::simd {

GPUCTR_INLINE std::uint64_t load_be64(const std::uint8_t* p) {
  return __builtin_bswap64(load<std::uint64_t>(p));  // every SIMD machine is little-endian
}

// A counter block as an integer. Its digits are the cipher's words, most significant first. Goes to
// functions by value, and so in registers: it is secret where it is CTR_DRBG's V, and so Wiped
// where it has to lie in memory.
template <class Word, unsigned WordCount>
struct Counter {
  static constexpr unsigned kBits = 8 * sizeof(Word);
  static constexpr unsigned kBlock = sizeof(Word) * WordCount;
  static_assert(kBlock == 8 || kBlock == 16, "one or two halves");

  std::uint64_t high;  // 0 where the block has 64 bits
  std::uint64_t low;

  GPUCTR_INLINE static Counter from(const std::uint8_t* block) {
    if constexpr (kBlock == 8) return {0, load_be64(block)};
    std::uint64_t high = load_be64(block);
    // Alone: else gcc swaps both halves in one vector and passes that on through the stack.
    __asm__("" : "+r"(high));
    return {high, load_be64(block + kBlock - 8)};
  }

  GPUCTR_INLINE void to(std::uint8_t* block) const {
    if constexpr (kBlock == 16) store(block, __builtin_bswap64(high));
    store(block + kBlock - 8, __builtin_bswap64(low));
  }

  GPUCTR_INLINE Counter plus(std::uint64_t blocks) const {
    const std::uint64_t sum = low + blocks;
    return {high + (sum < low), sum};
  }

  // The last digit, which counts blocks.
  GPUCTR_INLINE Word last() const { return static_cast<Word>(low); }

  // Digit j as the cipher's word: the block is big-endian and the word little-endian.
  GPUCTR_INLINE Word word(unsigned j) const {
    const unsigned shift = kBits * (WordCount - 1 - j);
    const auto digit = static_cast<Word>(shift < 64 ? low >> shift : high >> (shift - 64));
    if constexpr (sizeof(Word) == 1) return digit;
    if constexpr (sizeof(Word) == 2) return __builtin_bswap16(digit);
    return static_cast<Word>(__builtin_bswap32(digit));
  }
};

// The words of G groups of counter blocks from `counter` on, x[j][g]. Within a batch the last word
// may pass zero once; only then do the others differ between blocks, and those after it have the
// other words of `counter` + 2^w.
template <unsigned Bytes, class Word, unsigned WordCount, unsigned G>
struct CounterWords {
  using L = Layout<Bytes, Word, WordCount>;
  using V = typename L::V;
  static constexpr std::uint64_t kBlocks = std::uint64_t{G} * L::kBlocks;
  static constexpr std::uint64_t kPeriod = std::uint64_t{1} << (8 * sizeof(Word));
  static_assert(kBlocks <= kPeriod, "the last word passes zero at most once");

  struct Reversed {  // the bytes of each word the other way round
    GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) {
      return i / L::kUnit * L::kUnit + (L::kUnit - 1 - i % L::kUnit);
    }
  };

  template <class Words>
  GPUCTR_INLINE static void make(const Counter<Word, WordCount>& counter, Words (&x)[WordCount]) {
    const V first = splat<Word, Bytes>(counter.last());
    for (unsigned j = 0; j + 1 < WordCount; ++j) {
      x[j] = Words::all(splat<Word, Bytes>(counter.word(j)));
    }
    // Without asking whether it does: CTR_DRBG's V is a counter and a secret (trust.constant_time).
    const Counter<Word, WordCount> next = counter.plus(kPeriod);
    for (unsigned j = 0; j + 1 < WordCount; ++j) {
      const V change = splat<Word, Bytes>(static_cast<Word>(counter.word(j) ^ next.word(j)));
      GPUCTR_UNROLL
      for (unsigned g = 0; g < G; ++g) {
        const V number = numbers(g);
        x[j].v[g] ^= as<V>(first + number < number) & change;
      }
    }
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      x[WordCount - 1].v[g] = shuffle_lanes<Reversed>(first + numbers(g));
    }
  }

 private:
  GPUCTR_INLINE static V numbers(unsigned g) {
    return L::block_numbers() + splat<Word, Bytes>(static_cast<Word>(g * L::kBlocks));
  }
};

}  // namespace gpuctr::simd

#endif
