// HIGHT's F0 and F1, sums of three rotations of a byte, in constant time. They are linear. With
// GFNI each is one instruction with a matrix. Without GFNI each is two look-ups of four bits in
// tables in registers, 6 operations.
#ifndef GPUCTR_KERNELS_CPU_SIMD_ROTATION_SUMS_H
#define GPUCTR_KERNELS_CPU_SIMD_ROTATION_SUMS_H

#include "kernels/cpu/simd/word.h"

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

// The deferred result of rot_xor(): an XOR with a key that follows is merged into the table of a
// look-up, once for all G vectors.
template <class M, unsigned A, unsigned B, unsigned C, class W>
struct RotXor {
  const W& word;

  GPUCTR_INLINE operator W() const { return word.template mapped<A, B, C>(W{}); }
  GPUCTR_INLINE friend W operator^(const RotXor& x, const W& key) {
    return x.word.template mapped<A, B, C>(key);
  }
};

template <class M, class V>
struct RotationSums {
  // The matrix of GF2P8AFFINEQB: byte 7 - i selects the bits whose parity is bit i.
  GPUCTR_INLINE static constexpr std::uint64_t matrix(unsigned a, unsigned b, unsigned c) {
    std::uint64_t matrix = 0;
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint64_t row = (std::uint64_t{1} << ((i + 8 - a) % 8)) ^
                                (std::uint64_t{1} << ((i + 8 - b) % 8)) ^
                                (std::uint64_t{1} << ((i + 8 - c) % 8));
      matrix |= row << (8 * (7 - i));
    }
    return matrix;
  }

  // HIGHT reads a word through rot_xor at once, and adds to the word a round later. With 16
  // registers the word is kept in memory: otherwise compilers spill the words of the next rotation,
  // which takes 1.16 times the time.
  GPUCTR_INLINE static V read_then_spill(const V& word) {
    const V v = word;
    __asm__("" : "+m"(const_cast<V&>(word)));
    return v;
  }

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
