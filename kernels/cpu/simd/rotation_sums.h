// HIGHT's F0 and F1, sums of three rotations, on backends without GFNI. They are linear, and so two
// look-ups of four bits in tables that lie in registers, in constant time: 6 operations a vector.
#ifndef GPUCTR_KERNELS_CPU_SIMD_ROTATION_SUMS_H
#define GPUCTR_KERNELS_CPU_SIMD_ROTATION_SUMS_H

#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

template <unsigned A, unsigned B, unsigned C, unsigned Shift>
struct NibbleMap {
  GPUCTR_INLINE static constexpr unsigned rotl8(unsigned x, unsigned k) {
    return (x << k | x >> (8 - k)) & 0xff;
  }
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    const unsigned x = static_cast<unsigned>(i % 16) << Shift;
    return static_cast<std::uint8_t>(rotl8(x, A) ^ rotl8(x, B) ^ rotl8(x, C));
  }
};

template <class M, class V>
struct RotationSums {
  // rotl<A> ^ rotl<B> ^ rotl<C> ^ key of each byte.
  template <unsigned A, unsigned B, unsigned C>
  GPUCTR_INLINE static V look_up(V v, V key) {
    using V16 = Vec<std::uint16_t, sizeof(V)>;
    const V nibble = splat<std::uint8_t, sizeof(V)>(0x0f);
    const V low = v & nibble;
    const V high = as<V>(as<V16>(v) >> 4) & nibble;
    return M::look_up(table<std::uint8_t, sizeof(V), NibbleMap<A, B, C, 0>>() ^ key, low) ^
           M::look_up(table<std::uint8_t, sizeof(V), NibbleMap<A, B, C, 4>>(), high);
  }
};

}  // namespace gpuctr::simd

#endif
