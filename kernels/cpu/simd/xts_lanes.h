// A mask of XTS times successive powers of x, one product in each 16-byte lane of a vector.
#ifndef GPUCTR_KERNELS_CPU_SIMD_XTS_LANES_H
#define GPUCTR_KERNELS_CPU_SIMD_XTS_LANES_H

#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

template <unsigned First>
struct XtsShift {  // of a half of a lane
  GPUCTR_INLINE static constexpr std::uint64_t at(std::size_t i) { return First + i / 2; }
};
template <unsigned First>
struct XtsShiftBack {
  GPUCTR_INLINE static constexpr std::uint64_t at(std::size_t i) { return 63 - First - i / 2; }
};
struct XtsLowHalf {
  GPUCTR_INLINE static constexpr std::uint64_t at(std::size_t i) { return i % 2 == 0 ? ~0ULL : 0; }
};

// `mask` in every lane, with its halves in order or swapped.
template <unsigned N, bool Swapped, std::size_t... I>
GPUCTR_INLINE Vec<std::uint64_t, N> xts_in_lanes(Vec<std::uint64_t, 16> mask,
                                                 std::index_sequence<I...>) {
  return __builtin_shufflevector(mask, mask, ((I & 1) ^ (Swapped ? 1 : 0))...);
}

// Lane i is `mask` times x^(First + i). First + i is at most 56: then the bits that leave the lane,
// times 0x87, fit the low half.
template <unsigned N, unsigned First>
GPUCTR_INLINE Vec<std::uint64_t, N> xts_lanes(Vec<std::uint64_t, 16> mask) {
  static_assert(First + N / 16 <= 57);
  using U = Vec<std::uint64_t, N>;
  constexpr std::make_index_sequence<N / 8> kHalves;
  const U shifted = xts_in_lanes<N, false>(mask, kHalves)
                    << table<std::uint64_t, N, XtsShift<First>>();
  // In two steps, because a shift by 64 is undefined.
  const U carried =
      (xts_in_lanes<N, true>(mask, kHalves) >> 1) >> table<std::uint64_t, N, XtsShiftBack<First>>();
  const U top = carried & table<std::uint64_t, N, XtsLowHalf>();
  return shifted ^ carried ^ (top << 1) ^ (top << 2) ^ (top << 7);
}

}  // namespace gpuctr::simd

#endif
