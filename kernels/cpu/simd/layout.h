// The layout of a group's blocks in vectors, and counter blocks made in that layout. A group has
// one vector for each word of the cipher; element i of these vectors belongs to one block. Counters
// are made in an order of blocks that the interleaves below turn into memory order. Blocks of up to
// 16 bytes never cross a 128-bit lane. Cost in each direction: log2 of the words of a block, in
// shuffles a vector.
#ifndef GPUCTR_KERNELS_CPU_SIMD_LAYOUT_H
#define GPUCTR_KERNELS_CPU_SIMD_LAYOUT_H

#include "kernels/cipher/facts.h"
#include "kernels/cipher/word.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

// The low (High = 0) or high halves of each lane of a and b, by units of Unit bytes: a0 b0 a1 ...
template <unsigned Unit, unsigned High, class U, std::size_t... I>
GPUCTR_INLINE U interleave_units(U a, U b, std::index_sequence<I...>) {
  constexpr std::size_t kInLane = 16 / Unit;
  constexpr std::size_t kAll = sizeof(U) / Unit;
  return __builtin_shufflevector(
      a, b,
      ((I & 1) * kAll + (I & ~(kInLane - 1)) + (I & (kInLane - 1)) / 2 + High * kInLane / 2)...);
}
template <unsigned Unit, unsigned High, class V>
GPUCTR_INLINE V interleave(V a, V b) {
  using Small = std::conditional_t<Unit == 1, std::uint8_t, std::uint16_t>;
  using Large = std::conditional_t<Unit == 4, std::uint32_t, std::uint64_t>;
  using U = Vec<std::conditional_t<Unit <= 2, Small, Large>, sizeof(V)>;
  return as<V>(interleave_units<Unit, High>(as<U>(a), as<U>(b),
                                            std::make_index_sequence<sizeof(V) / Unit>{}));
}

// Converts Count vectors, each with one unit of every block, to Count vectors of whole blocks. In
// each lane, the blocks of vector k follow those of vector k - 1. Its own inverse if a lane has
// Count units.
template <unsigned Unit, unsigned Count>
struct Gather {
  template <class V>
  GPUCTR_INLINE static void run(const V* in, V* out) {
    if constexpr (Count == 1) {
      out[0] = in[0];
    } else {
      V low[Count / 2];
      V high[Count / 2];
      Gather<Unit, Count / 2>::run(in, low);
      Gather<Unit, Count / 2>::run(in + Count / 2, high);
      pair(low, high, out, std::make_index_sequence<Count / 2>{});
    }
  }

  template <class V, std::size_t... K>
  GPUCTR_INLINE static void pair(const V* low, const V* high, V* out, std::index_sequence<K...>) {
    constexpr unsigned kUnit = Unit * Count / 2;
    ((out[2 * K] = interleave<kUnit, 0>(low[K], high[K]),
      out[2 * K + 1] = interleave<kUnit, 1>(low[K], high[K])),
     ...);
  }
};

// Blocks of 8 or 16 bytes: two or one in a 16-byte lane.
template <unsigned Bytes, unsigned Unit, unsigned WordCount>
struct ShortBlocks {
  static constexpr unsigned kBlock = Unit * WordCount;
  static constexpr unsigned kPerLane = 16 / kBlock;

  // The number, within the group, of the block at element i.
  GPUCTR_INLINE static constexpr std::size_t block_at(std::size_t i) {
    constexpr unsigned kInLane = 16 / Unit;
    const std::size_t lane = i / kInLane;
    const std::size_t vector = i % kInLane / kPerLane;
    return vector * (Bytes / kBlock) + lane * kPerLane + i % kPerLane;
  }

  // Converts words to vectors in memory order.
  template <class V>
  GPUCTR_INLINE static void to_memory(const V (&words)[WordCount], V (&bytes)[WordCount]) {
    Gather<Unit, WordCount>::run(words, bytes);
  }

  // The inverse. If a lane has two blocks, their words are first paired, as units of twice the
  // width.
  struct Pairs {
    GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) {
      return i % Unit + i / (2 * Unit) * Unit + i / Unit % 2 * kBlock;
    }
  };
  template <class V>
  GPUCTR_INLINE static void from_memory(const V (&bytes)[WordCount], V (&words)[WordCount]) {
    if constexpr (kPerLane == 1) {
      Gather<Unit, WordCount>::run(bytes, words);
    } else {
      V pairs[WordCount];
      for (unsigned k = 0; k < WordCount; ++k) pairs[k] = shuffle_lanes<Pairs>(bytes[k]);
      Gather<2 * Unit, WordCount>::run(pairs, words);
    }
  }
};

// Blocks of more than 16 bytes: long_blocks.h.
template <unsigned Bytes, unsigned Unit, unsigned WordCount>
struct LongBlocks;

template <unsigned Bytes, class C>
struct Layout {
  using Word = typename C::Word;
  using V = Vec<Word, Bytes>;
  static constexpr unsigned kWords = C::kWords;
  static constexpr unsigned kUnit = sizeof(Word);
  static constexpr unsigned kBlock = kUnit * kWords;
  static constexpr unsigned kBlocks = Bytes / kUnit;  // in a group
  static constexpr unsigned kGroupBytes = Bytes * kWords;
  using Order = std::conditional_t<(kBlock <= 16), ShortBlocks<Bytes, kUnit, kWords>,
                                   LongBlocks<Bytes, kUnit, kWords>>;

  struct BlockNumber {
    GPUCTR_INLINE static constexpr Word at(std::size_t i) {
      return static_cast<Word>(Order::block_at(i));
    }
  };
  struct BytesSwapped {  // reverses the bytes of each word
    GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) {
      return i / kUnit * kUnit + (kUnit - 1 - i % kUnit);
    }
  };
  GPUCTR_INLINE static V swap_bytes(V words) { return shuffle_lanes<BytesSwapped>(words); }

  GPUCTR_INLINE static V block_numbers() { return table<Word, Bytes, BlockNumber>(); }

  // The last word of big-endian counter blocks, from the block numbers.
  GPUCTR_INLINE static V of_numbers(V numbers) {
    return C::kFacts.big_endian ? numbers : swap_bytes(numbers);
  }

  GPUCTR_INLINE static void to_memory(const V (&words)[kWords], V (&bytes)[kWords]) {
    if constexpr (C::kFacts.big_endian) {
      V little[kWords];
      for (unsigned k = 0; k < kWords; ++k) little[k] = swap_bytes(words[k]);
      Order::to_memory(little, bytes);
    } else {
      Order::to_memory(words, bytes);
    }
  }
  GPUCTR_INLINE static void from_memory(const V (&bytes)[kWords], V (&words)[kWords]) {
    Order::from_memory(bytes, words);
    for (unsigned k = 0; C::kFacts.big_endian && k < kWords; ++k) words[k] = swap_bytes(words[k]);
  }

  // The same for group g of some words.
  template <class W>
  GPUCTR_INLINE static void group_to_memory(const W (&x)[kWords], unsigned g, V (&bytes)[kWords]) {
    V words[kWords];
    for (unsigned k = 0; k < kWords; ++k) words[k] = x[k].v[g];
    to_memory(words, bytes);
  }
  template <class W>
  GPUCTR_INLINE static void group_from_memory(const V (&bytes)[kWords], unsigned g,
                                              W (&x)[kWords]) {
    V words[kWords];
    from_memory(bytes, words);
    for (unsigned k = 0; k < kWords; ++k) x[k].v[g] = words[k];
  }
};

// A counter block of cipher C as an integer of 64-bit limbs, most significant first. It may be
// CTR_DRBG's V, and so secret: functions take it by value, in registers; in memory it is Wiped.
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
      counter.limb[i] = load_be<std::uint64_t>(block + 8 * i);
      // Otherwise GCC swaps the bytes of two limbs in a vector, and passes that on the stack.
      if constexpr (kLimbs > 1) __asm__("" : "+r"(counter.limb[i]));
    }
    return counter;
  }

  GPUCTR_INLINE void to(std::uint8_t* block) const {
    for (unsigned i = 0; i < kLimbs; ++i) store(block + 8 * i, __builtin_bswap64(limb[i]));
  }

  GPUCTR_INLINE Counter plus(std::uint64_t blocks) const { return plus_at(kLimbs - 1, blocks); }

  // The counter plus 2^w, the period of the last word.
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

  GPUCTR_INLINE Word digit(unsigned j) const {
    const unsigned shift = kBits * (C::kWords - 1 - j);
    return static_cast<Word>(limb[kLimbs - 1 - shift / 64] >> (shift % 64));
  }

  // Word j of the block, in the byte order of the cipher.
  GPUCTR_INLINE Word word(unsigned j) const {
    return C::kFacts.big_endian ? digit(j) : turned_bytes(digit(j));
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

// The words of G groups of counter blocks from `counter` on. Within a batch the last word may pass
// zero once. The blocks after that take their other words from `counter` + 2^w.
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
    // No branch depends on the counter: it may be CTR_DRBG's V, a secret (trust.constant_time).
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

  // Only the last word; `first` is the last word of the first block.
  template <class Words>
  GPUCTR_INLINE static void last_words(V first, Words& x) {
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) x.v[g] = L::of_numbers(first + numbers(g));
  }
  // The numbers, within the batch, of the blocks of group g. If first + number < number, the last
  // word has passed zero.
  GPUCTR_INLINE static V numbers(unsigned g) {
    return L::block_numbers() + splat<Word, Bytes>(static_cast<Word>(g * L::kBlocks));
  }
};

}  // namespace gpuctr::simd

#endif
