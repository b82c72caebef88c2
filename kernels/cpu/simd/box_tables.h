// S-boxes by look-ups of four bits, for a CPU whose instructions have no S-boxes (box.h).
#ifndef GPUCTR_KERNELS_CPU_SIMD_BOX_TABLES_H
#define GPUCTR_KERNELS_CPU_SIMD_BOX_TABLES_H

#include "kernels/cpu/simd/block_vector.h"

namespace gpuctr::simd {

// 1 / x: M. Hamburg, "Accelerating AES with Vector Permute Instructions",
// CHES 2009. A byte is i u + k v over GF(16), and with j = i + k and a constant a, 1 / x is
//   p / (1 / (1 / i + a / k) + j)  +  q / (1 / (1 / j + a / k) + i)
// where 1 / 0 is infinity, which a look-up knows by its top bit, and 1 / infinity is 0. The
// constants were found by a search over all a, u and v; shapes_test checks every byte.
struct Nibbles {
  static constexpr unsigned kA = 2, kU = 0x01, kV = 0x1e, kP = 0x4f, kQ = 0x4e;
  static constexpr unsigned kGenerator = 0x5c;  // generates GF(16) in AES's field: w^4 + w + 1 = 0
  static constexpr std::uint8_t kInfinity = 0x80;

  // Converts a nibble to an element of AES's field, and back.
  static constexpr unsigned element(unsigned nibble) {
    unsigned sum = 0;
    unsigned power = 1;
    for (unsigned bit = 0; bit < 4; ++bit) {
      if ((nibble >> bit & 1) != 0) sum ^= power;
      power = field::times(power, kGenerator);
    }
    return sum;
  }
  static constexpr unsigned nibble(unsigned of) {
    for (unsigned n = 0; n < 16; ++n) {
      if (element(n) == of) return n;
    }
    return 0;
  }
  // a / n
  static constexpr std::uint8_t quotient(unsigned a, unsigned n) {
    if (n == 0) return kInfinity;
    return static_cast<std::uint8_t>(nibble(field::times(element(a), field::inverse(element(n)))));
  }
  // Splits a byte: i in the high nibble, k in the low nibble.
  static constexpr std::uint8_t split(unsigned byte) {
    for (unsigned n = 0; n < 256; ++n) {
      if ((field::times(element(n >> 4), kU) ^ field::times(element(n & 15), kV)) == byte) {
        return static_cast<std::uint8_t>(n);
      }
    }
    return 0;
  }
};
template <unsigned Dividend>
struct QuotientTable {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return Nibbles::quotient(Dividend, static_cast<unsigned>(i % 16));
  }
};
// The box's outer map of p / n, without its constant.
template <class Box, unsigned Factor>
struct OutTable {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    const unsigned n = Nibbles::element(static_cast<unsigned>(i % 16));
    return Box::kOut.linear(field::times(Factor, field::inverse(n)));
  }
};
// The box's inner map, split.
template <class Box>
struct Split {
  static constexpr Affine kMap = {
      matrix_of([](unsigned x) { return Nibbles::split(Box::kIn.linear(x)); }),
      Nibbles::split(Box::kIn.constant)};
};

// 1 / kMap(x), as the two divisors of p and q; `InMap` is split.
template <class V>
struct Divisors {
  V first, second;
};

template <class M>
struct BoxTables {
  template <class InMap, class V>
  GPUCTR_INLINE static Divisors<V> invert(V x) {
    using V16 = Vec<std::uint16_t, sizeof(V)>;
    constexpr unsigned kBytes = sizeof(V);
    const V low = splat<std::uint8_t, kBytes>(0x0f);
    const V inverses = table<std::uint8_t, kBytes, QuotientTable<1>>();
    const V split = affine_by_tables<M, InMap>(x);
    const V k = split & low;
    const V i = as<V>(as<V16>(split) >> 4) & low;
    const V j = i ^ k;
    const V a_k = M::look_up(table<std::uint8_t, kBytes, QuotientTable<Nibbles::kA>>(), k);
    return {M::look_up(inverses, M::look_up(inverses, i) ^ a_k) ^ j,
            M::look_up(inverses, M::look_up(inverses, j) ^ a_k) ^ i};
  }
  // A box's outer map of 1 / kMap(x), without its constant.
  template <class Box, class V>
  GPUCTR_INLINE static V out(const Divisors<V>& by) {
    return M::look_up(table<std::uint8_t, sizeof(V), OutTable<Box, Nibbles::kP>>(), by.first) ^
           M::look_up(table<std::uint8_t, sizeof(V), OutTable<Box, Nibbles::kQ>>(), by.second);
  }
  template <class Box, class V>
  GPUCTR_INLINE static V sub(V x) {
    return out<Box>(invert<Split<Box>>(x)) ^ splat<std::uint8_t, sizeof(V)>(Box::kOut.constant);
  }
};

// For one block in one vector.
template <class M>
struct InverseVector<M, std::enable_if_t<!M::kAffine && !M::kAesBoxes>> {
  using V = typename BlockVector<M>::V;
  Divisors<V> by;

  // kIn of AesBox is the identity.
  GPUCTR_INLINE static InverseVector of(V x) {
    return {BoxTables<M>::template invert<Split<AesBox>>(x)};
  }
  template <class Low, class High>
  GPUCTR_INLINE BlockVector<M> linear_halves() const {
    if constexpr (std::is_same_v<Low, High>) return {linear<Low>()};
    return {pick<Half>(linear<Low>(), linear<High>())};
  }

 private:
  template <class Map>
  struct AsBox {
    static constexpr Affine kOut = linear_part(Map::kMap);
  };
  template <class Map>
  GPUCTR_INLINE V linear() const {
    return BoxTables<M>::template out<AsBox<Map>>(by);
  }
};

}  // namespace gpuctr::simd

#endif
