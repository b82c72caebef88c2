// The layout of blocks of more than 16 bytes in vectors: several lanes each.
#ifndef GPUCTR_KERNELS_CPU_SIMD_LONG_BLOCKS_H
#define GPUCTR_KERNELS_CPU_SIMD_LONG_BLOCKS_H

#include "kernels/cpu/simd/layout.h"

namespace gpuctr::simd {

// The first function takes units of whole lanes, Unit bytes each, alternately from a and b, and
// returns the first (High = 0) or second half. The second function is the inverse: it returns the
// units with even (High = 0) or odd numbers of a and then of b.
template <unsigned Unit, unsigned High, class U, std::size_t... I>
GPUCTR_INLINE U take_in_turn(U a, U b, std::index_sequence<I...>) {
  constexpr std::size_t kLong = Unit / 8, kHalf = High * sizeof(U) / 16;  // in 64-bit elements
  return __builtin_shufflevector(
      a, b, (I / kLong % 2 * (sizeof(U) / 8) + kHalf + I / (2 * kLong) * kLong + I % kLong)...);
}
template <unsigned Unit, unsigned High, class U, std::size_t... I>
GPUCTR_INLINE U take_every_other(U a, U b, std::index_sequence<I...>) {
  constexpr std::size_t kLong = Unit / 8;
  return __builtin_shufflevector(a, b, ((I / kLong * 2 + High) * kLong + I % kLong)...);
}
template <unsigned Unit, unsigned High, bool kGather, class V>
GPUCTR_INLINE V pair_of_lanes(V a, V b) {
  using U = Vec<std::uint64_t, sizeof(V)>;
  using All = std::make_index_sequence<sizeof(V) / 8>;
  if constexpr (kGather) return as<V>(take_in_turn<Unit, High>(as<U>(a), as<U>(b), All{}));
  return as<V>(take_every_other<Unit, High>(as<U>(a), as<U>(b), All{}));
}

// Like Gather, for blocks of Count lanes: converts Count vectors, each with one lane of every
// block, to whole blocks in memory order; and back. If half a block is longer than a vector, it
// takes several vectors.
template <unsigned Count>
struct LaneInterleave {
  static constexpr unsigned kHalf = Count / 2;
  static constexpr unsigned kUnit = 16 * kHalf;

  template <class V>
  GPUCTR_INLINE static void gather(const V* in, V* out) {
    V low[kHalf];
    V high[kHalf];
    LaneInterleave<kHalf>::gather(in, low);
    LaneInterleave<kHalf>::gather(in + kHalf, high);
    for (unsigned k = 0; k < kHalf; ++k) {
      if constexpr (kUnit < sizeof(V)) {
        out[2 * k] = pair_of_lanes<kUnit, 0, true>(low[k], high[k]);
        out[2 * k + 1] = pair_of_lanes<kUnit, 1, true>(low[k], high[k]);
      } else {
        out[place<V>(k)] = low[k];
        out[place<V>(k) + kUnit / sizeof(V)] = high[k];
      }
    }
  }
  template <class V>
  GPUCTR_INLINE static void scatter(const V* in, V* out) {
    V low[kHalf];
    V high[kHalf];
    for (unsigned k = 0; k < kHalf; ++k) {
      if constexpr (kUnit < sizeof(V)) {
        low[k] = pair_of_lanes<kUnit, 0, false>(in[2 * k], in[2 * k + 1]);
        high[k] = pair_of_lanes<kUnit, 1, false>(in[2 * k], in[2 * k + 1]);
      } else {
        low[k] = in[place<V>(k)];
        high[k] = in[place<V>(k) + kUnit / sizeof(V)];
      }
    }
    LaneInterleave<kHalf>::scatter(low, out);
    LaneInterleave<kHalf>::scatter(high, out + kHalf);
  }

 private:
  // The new position of vector k if a half is `each` vectors long: the two halves of a block follow
  // one another.
  template <class V>
  GPUCTR_INLINE static constexpr unsigned place(unsigned k) {
    constexpr unsigned kEach = kUnit / sizeof(V);
    return k / kEach * 2 * kEach + k % kEach;
  }
};
template <>
struct LaneInterleave<1> {
  template <class V>
  GPUCTR_INLINE static void gather(const V* in, V* out) {
    out[0] = in[0];
  }
  template <class V>
  GPUCTR_INLINE static void scatter(const V* in, V* out) {
    out[0] = in[0];
  }
};

// Blocks of more than 16 bytes: several lanes each. The words of a lane are transposed within
// lanes, as above. Then the lanes of a block are placed side by side; in vectors of one lane they
// already are.
template <unsigned Bytes, unsigned Unit, unsigned WordCount>
struct LongBlocks {
  static constexpr unsigned kInLane = 16 / Unit;             // words
  static constexpr unsigned kLanes = Unit * WordCount / 16;  // in a block
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
      LaneInterleave<kLanes>::gather(parts, bytes + kLanes * k);
    }
  }

  template <class V>
  GPUCTR_INLINE static void from_memory(const V (&bytes)[WordCount], V (&words)[WordCount]) {
    V lanes[kLanes][kInLane];
    for (unsigned k = 0; k < kInLane; ++k) {
      V parts[kLanes];
      LaneInterleave<kLanes>::scatter(bytes + kLanes * k, parts);
      for (unsigned c = 0; c < kLanes; ++c) lanes[c][k] = parts[c];
    }
    for (unsigned c = 0; c < kLanes; ++c) Gather<Unit, kInLane>::run(lanes[c], words + kInLane * c);
  }
};

}  // namespace gpuctr::simd

#endif
