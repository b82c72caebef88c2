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

template <class U, std::size_t... I>
GPUCTR_INLINE U xts_halves_swapped(U lanes, std::index_sequence<I...>) {
  return __builtin_shufflevector(lanes, lanes, (I ^ 1)...);
}

// Lane i is lane i of `lanes`, which has a mask in every lane, times x^(First + i). First + i is at
// most 56: then the bits that leave the lane, times 0x87, fit the low half.
template <unsigned First, class U>
GPUCTR_INLINE U xts_lanes(U lanes) {
  constexpr unsigned N = sizeof(U);
  static_assert(First + N / 16 <= 57);
  const U shifted = lanes << table<std::uint64_t, N, XtsShift<First>>();
  // In two steps, because a shift by 64 is undefined.
  const U carried = (xts_halves_swapped(lanes, std::make_index_sequence<N / 8>{}) >> 1) >>
                    table<std::uint64_t, N, XtsShiftBack<First>>();
  const U top = carried & table<std::uint64_t, N, XtsLowHalf>();
  return shifted ^ carried ^ (top << 1) ^ (top << 2) ^ (top << 7);
}

// A mask times x. The sign of each word of 32 bits is what leaves a half, or the mask.
GPUCTR_INLINE Vec<std::uint64_t, 16> xts_next(Vec<std::uint64_t, 16> mask) {
  using Words = Vec<std::int32_t, 16>;
  const Words signs = as<Words>(mask) >> 31;
  const Words carried = __builtin_shufflevector(signs, signs, 3, 0, 1, 0);
  return (mask << 1) ^ (as<Vec<std::uint64_t, 16>>(carried) & Vec<std::uint64_t, 16>{0x87, 1});
}

}  // namespace gpuctr::simd

#endif
