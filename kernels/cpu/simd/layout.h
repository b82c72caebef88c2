// Where the blocks of a group lie. A group is one vector for each word of the cipher: every lane
// position ("element") of those vectors is one block. The order of blocks over elements is the one
// that the interleaves below turn into memory order: counters are simply made in that order. Blocks
// of up to 16 bytes need nothing that crosses the 128-bit lanes.
#ifndef GPUCTR_KERNELS_CPU_SIMD_LAYOUT_H
#define GPUCTR_KERNELS_CPU_SIMD_LAYOUT_H

#include "kernels/cipher/facts.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

// Blocks of 8 or 16 bytes: one or two in a lane of memory.
template <unsigned Bytes, unsigned Unit, unsigned WordCount>
struct ShortBlocks {
  static constexpr unsigned kBlock = Unit * WordCount;
  static constexpr unsigned kPerLane = 16 / kBlock;

  // The number within the group of the block at element i: lane, vector after the interleave, and
  // place in that vector's lane.
  GPUCTR_INLINE static constexpr std::size_t block_at(std::size_t i) {
    constexpr unsigned kInLane = 16 / Unit;
    const std::size_t lane = i / kInLane;
    const std::size_t vector = i % kInLane / kPerLane;
    return vector * (Bytes / kBlock) + lane * kPerLane + i % kPerLane;
  }

  // Words of blocks to the bytes of blocks, as vectors in memory order.
  template <class V>
  GPUCTR_INLINE static void to_memory(const V (&words)[WordCount], V (&bytes)[WordCount]) {
    Gather<Unit, WordCount>::run(words, bytes);
  }

  // The reverse. Two 8-byte blocks in a lane are first brought word beside word, which makes a
  // square of units twice as wide.
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

// Blocks of more: several lanes each. The words that make up a lane are transposed within lanes, as
// above; then the lanes of a block are brought side by side, or, in vectors of one lane, are so.
template <unsigned Bytes, unsigned Unit, unsigned WordCount>
struct LongBlocks {
  static constexpr unsigned kInLane = 16 / Unit;             // words
  static constexpr unsigned kLanes = Unit * WordCount / 16;  // of a block
  static_assert(kInLane * kLanes == WordCount, "whole lanes");

  GPUCTR_INLINE static constexpr std::size_t block_at(std::size_t i) {
    return i % kInLane * (Bytes / 16) + i / kInLane;
  }

  template <class V>
  GPUCTR_INLINE static void to_memory(const V (&words)[WordCount], V (&bytes)[WordCount]) {
    V lanes[kLanes][kInLane];
    for (unsigned c = 0; c < kLanes; ++c) Gather<Unit, kInLane>::run(words + kInLane * c, lanes[c]);
    for (unsigned k = 0; k < kInLane; ++k) {
      V parts[kLanes];
      for (unsigned c = 0; c < kLanes; ++c) parts[c] = lanes[c][k];
      Lanes<kLanes>::gather(parts, bytes + kLanes * k);
    }
  }

  template <class V>
  GPUCTR_INLINE static void from_memory(const V (&bytes)[WordCount], V (&words)[WordCount]) {
    V lanes[kLanes][kInLane];
    for (unsigned k = 0; k < kInLane; ++k) {
      V parts[kLanes];
      Lanes<kLanes>::scatter(bytes + kLanes * k, parts);
      for (unsigned c = 0; c < kLanes; ++c) lanes[c][k] = parts[c];
    }
    for (unsigned c = 0; c < kLanes; ++c) Gather<Unit, kInLane>::run(lanes[c], words + kInLane * c);
  }
};

template <unsigned Bytes, class C>
struct Layout {
  using Word = typename C::Word;
  using V = Vec<Word, Bytes>;
  static constexpr unsigned kWords = C::kWords;
  static constexpr unsigned kUnit = sizeof(Word);
  static constexpr unsigned kBlock = kUnit * kWords;
  static constexpr unsigned kBlocks = Bytes / kUnit;  // of a group
  static constexpr unsigned kGroupBytes = Bytes * kWords;
  using Order = std::conditional_t<(kBlock <= 16), ShortBlocks<Bytes, kUnit, kWords>,
                                   LongBlocks<Bytes, kUnit, kWords>>;

  struct BlockNumber {
    GPUCTR_INLINE static constexpr Word at(std::size_t i) {
      return static_cast<Word>(Order::block_at(i));
    }
  };
  struct Turned {  // the bytes of each word the other way round
    GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) {
      return i / kUnit * kUnit + (kUnit - 1 - i % kUnit);
    }
  };
  GPUCTR_INLINE static V turned(V words) { return shuffle_lanes<Turned>(words); }

  GPUCTR_INLINE static V block_numbers() { return table<Word, Bytes, BlockNumber>(); }

  // Numbers as a block has them, which is big-endian, in words.
  GPUCTR_INLINE static V of_numbers(V numbers) {
    return C::kFacts.big_endian ? numbers : turned(numbers);
  }

  GPUCTR_INLINE static void to_memory(const V (&words)[kWords], V (&bytes)[kWords]) {
    if constexpr (C::kFacts.big_endian) {
      V little[kWords];
      for (unsigned k = 0; k < kWords; ++k) little[k] = turned(words[k]);
      Order::to_memory(little, bytes);
    } else {
      Order::to_memory(words, bytes);
    }
  }
  GPUCTR_INLINE static void from_memory(const V (&bytes)[kWords], V (&words)[kWords]) {
    Order::from_memory(bytes, words);
    if constexpr (C::kFacts.big_endian) {
      for (unsigned k = 0; k < kWords; ++k) words[k] = turned(words[k]);
    }
  }
};

}  // namespace gpuctr::simd

#endif
