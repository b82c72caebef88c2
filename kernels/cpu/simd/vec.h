// Vectors of N bytes from the compiler's vector extension, and the few moves on them that every
// SIMD backend shares. Shuffles stay inside 128-bit lanes, which is cheapest on x86, but for those
// of Lanes.
//
// Everything here is forced inline. A backend's file is compiled for its own instruction set, and a
// function emitted there under a name that others share could be linked in their place.
#ifndef GPUCTR_KERNELS_CPU_SIMD_VEC_H
#define GPUCTR_KERNELS_CPU_SIMD_VEC_H

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/base/inline.h"

#define GPUCTR_NOINLINE __attribute__((noinline))

namespace gpuctr::simd {

template <class T, unsigned N>
struct VecOf {
  typedef T Type __attribute__((vector_size(N)));
};
template <class T, unsigned N>
using Vec = typename VecOf<T, N>::Type;

template <unsigned Bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using Type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
  using Type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using Type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
  using Type = std::uint64_t;
};

// The same bits as another type of the same size.
template <class To, class From>
GPUCTR_INLINE To as(From x) {
  return __builtin_bit_cast(To, x);
}

template <class T, unsigned N>
GPUCTR_INLINE Vec<T, N> splat(T x) {
  return Vec<T, N>{} + x;
}

// The table Map::at(0), Map::at(1), ... as a vector. Its bytes are a constant of their own: Clang
// 14 would compute at() of an affine map whenever the vector is wanted, 20 times the time of ARIA.
template <class T, unsigned N, class Map>
struct TableOf {
  T values[N / sizeof(T)] = {};
  GPUCTR_INLINE constexpr TableOf() {
    for (std::size_t i = 0; i < N / sizeof(T); ++i) values[i] = Map::at(i);
  }
};
template <class T, unsigned N, class Map, std::size_t... I>
GPUCTR_INLINE Vec<T, N> table_from(std::index_sequence<I...>) {
  constexpr TableOf<T, N, Map> kTable;
  return Vec<T, N>{kTable.values[I]...};
}
template <class T, unsigned N, class Map>
GPUCTR_INLINE Vec<T, N> table() {
  return table_from<T, N, Map>(std::make_index_sequence<N / sizeof(T)>{});
}

template <class V>
GPUCTR_INLINE V load(const std::uint8_t* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
GPUCTR_INLINE void store(std::uint8_t* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}

// Zeroes `size` bytes, a multiple of the vector's. GCC would make REP STOS of a call of memset,
// which takes 30 ns; the assembly keeps each store.
template <class M>
GPUCTR_INLINE void wipe_vectors(void* p, std::size_t size) {
  auto* const bytes = static_cast<std::uint8_t*>(p);
  for (std::size_t i = 0; i < size; i += M::kBytes) {
    store(bytes + i, Vec<std::uint8_t, M::kBytes>{});
    __asm__ __volatile__("" : : "r"(bytes) : "memory");
  }
}

// Bytes of each 128-bit lane rearranged alike: byte i of a lane becomes its byte Map::at(i).
template <class Map, unsigned N, std::size_t... I>
GPUCTR_INLINE Vec<std::uint8_t, N> shuffle_bytes(Vec<std::uint8_t, N> v,
                                                 std::index_sequence<I...>) {
  return __builtin_shufflevector(v, v, ((I & ~std::size_t{15}) + Map::at(I & 15))...);
}
template <class Map, class V>
GPUCTR_INLINE V shuffle_lanes(V v) {
  constexpr unsigned kBytes = sizeof(V);
  return as<V>(shuffle_bytes<Map, kBytes>(as<Vec<std::uint8_t, kBytes>>(v),
                                          std::make_index_sequence<kBytes>{}));
}

// The low (High = 0) or high (High = 1) halves of each lane of a and b, units of Unit bytes taken
// in turn: a0 b0 a1 b1 ...
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
  using U = Vec<typename UnsignedOf<Unit>::Type, sizeof(V)>;
  return as<V>(interleave_units<Unit, High>(as<U>(a), as<U>(b),
                                            std::make_index_sequence<sizeof(V) / Unit>{}));
}

// From Count vectors, each with one unit of every block, to Count vectors of whole blocks. In each
// lane, vector k receives the blocks that follow those of vector k - 1. With Count units to a lane
// this is a transposition, and so its own inverse.
template <unsigned Unit, unsigned Count>
struct Gather {
  template <class V>
  GPUCTR_INLINE static void run(const V* in, V* out) {
    V low[Count / 2];
    V high[Count / 2];
    Gather<Unit, Count / 2>::run(in, low);
    Gather<Unit, Count / 2>::run(in + Count / 2, high);
    pair(low, high, out, std::make_index_sequence<Count / 2>{});
  }

  template <class V, std::size_t... K>
  GPUCTR_INLINE static void pair(const V* low, const V* high, V* out, std::index_sequence<K...>) {
    constexpr unsigned kUnit = Unit * Count / 2;
    ((out[2 * K] = interleave<kUnit, 0>(low[K], high[K]),
      out[2 * K + 1] = interleave<kUnit, 1>(low[K], high[K])),
     ...);
  }
};
template <unsigned Unit>
struct Gather<Unit, 1> {
  template <class V>
  GPUCTR_INLINE static void run(const V* in, V* out) {
    out[0] = in[0];
  }
};

// Units of whole lanes, Unit bytes each, of a and b taken in turn, the first (High = 0) or second
// half of them. And the units with even (High = 0) or odd numbers of those of a and then b, which
// takes it back.
template <unsigned Unit, unsigned High, class U, std::size_t... I>
GPUCTR_INLINE U take_in_turn(U a, U b, std::index_sequence<I...>) {
  constexpr std::size_t kLong = Unit / 8, kHalf = High * sizeof(U) / 16;  // in 64 bits
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

// As Gather, for blocks of Count lanes: from Count vectors, each with one lane of every block, to
// whole blocks in memory order; and back. A half of a block that is longer than a vector is
// several.
template <unsigned Count>
struct Lanes {
  static constexpr unsigned kHalf = Count / 2;
  static constexpr unsigned kUnit = 16 * kHalf;

  template <class V>
  GPUCTR_INLINE static void gather(const V* in, V* out) {
    V low[kHalf];
    V high[kHalf];
    Lanes<kHalf>::gather(in, low);
    Lanes<kHalf>::gather(in + kHalf, high);
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
    Lanes<kHalf>::scatter(low, out);
    Lanes<kHalf>::scatter(high, out + kHalf);
  }

 private:
  // Where vector k of the halves comes to lie that are `each` vectors long: the halves of a block
  // follow one another.
  template <class V>
  GPUCTR_INLINE static constexpr unsigned place(unsigned k) {
    constexpr unsigned kEach = kUnit / sizeof(V);
    return k / kEach * 2 * kEach + k % kEach;
  }
};
template <>
struct Lanes<1> {
  template <class V>
  GPUCTR_INLINE static void gather(const V* in, V* out) {
    out[0] = in[0];
  }
  template <class V>
  GPUCTR_INLINE static void scatter(const V* in, V* out) {
    out[0] = in[0];
  }
};

}  // namespace gpuctr::simd

#endif
