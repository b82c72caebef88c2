// Where the blocks of a group lie. A group is one vector for each word of the cipher: every lane
// position ("element") of those vectors is one block. The order of blocks over elements is the one
// that the in-lane interleaves of vec.h turn into memory order, so that nothing crosses lanes:
// counters are simply made in that order.
#ifndef GPUCTR_KERNELS_CPU_SIMD_LAYOUT_H
#define GPUCTR_KERNELS_CPU_SIMD_LAYOUT_H

#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

template <unsigned Bytes, class Word, unsigned WordCount>
struct Layout {
  using V = Vec<Word, Bytes>;
  static constexpr unsigned kUnit = sizeof(Word);
  static constexpr unsigned kBlock = kUnit * WordCount;
  static constexpr unsigned kBlocks = Bytes / kUnit;  // of a group
  static constexpr unsigned kGroupBytes = Bytes * WordCount;
  static constexpr unsigned kPerLane = 16 / kBlock;  // blocks in a lane of memory: 1 or 2

  // The number within the group of the block at element i: lane, vector after the interleave, and
  // place in that vector's lane.
  GPUCTR_INLINE static constexpr Word block_at(std::size_t i) {
    constexpr unsigned kInLane = 16 / kUnit;
    const std::size_t lane = i / kInLane;
    const std::size_t vector = i % kInLane / kPerLane;
    return static_cast<Word>(vector * (Bytes / kBlock) + lane * kPerLane + i % kPerLane);
  }
  struct BlockNumber {
    GPUCTR_INLINE static constexpr Word at(std::size_t i) { return block_at(i); }
  };
  GPUCTR_INLINE static V block_numbers() { return table<Word, Bytes, BlockNumber>(); }

  // Words of blocks to the bytes of blocks, as vectors in memory order.
  GPUCTR_INLINE static void to_memory(const V (&words)[WordCount], V (&bytes)[WordCount]) {
    Gather<kUnit, WordCount>::run(words, bytes);
  }

  // The reverse. Two 8-byte blocks in a lane are first brought word beside word, which makes a
  // square of units twice as wide.
  struct Pairs {
    GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) {
      return i % kUnit + i / (2 * kUnit) * kUnit + i / kUnit % 2 * kBlock;
    }
  };
  GPUCTR_INLINE static void from_memory(const V (&bytes)[WordCount], V (&words)[WordCount]) {
    if constexpr (kPerLane == 1) {
      Gather<kUnit, WordCount>::run(bytes, words);
    } else {
      V pairs[WordCount];
      for (unsigned k = 0; k < WordCount; ++k) pairs[k] = shuffle_lanes<Pairs>(bytes[k]);
      Gather<2 * kUnit, WordCount>::run(pairs, words);
    }
  }
};

}  // namespace gpuctr::simd

#endif
