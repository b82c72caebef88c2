// Vectors of N bytes from the compiler's vector extension, and the operations on them that all SIMD
// backends share. All functions are forced inline. Each backend is compiled for its own instruction
// set, and the linker could take a shared function from the wrong backend.
#ifndef GPUCTR_KERNELS_CPU_SIMD_VEC_H
#define GPUCTR_KERNELS_CPU_SIMD_VEC_H

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/base/frames.h"
#include "kernels/base/inline.h"

// hold() with AVX-512; test/trust/msan_moves.h defines it as nothing. Volatile, so that GCC's
// scheduler keeps the order.
#ifndef GPUCTR_HOLD
#define GPUCTR_HOLD(v) __asm__ __volatile__("" : "+v"(v))
#endif

namespace gpuctr::simd {

template <class T, unsigned N>
struct VecOf {
  typedef T Type __attribute__((vector_size(N)));
};
template <class T, unsigned N>
using Vec = typename VecOf<T, N>::Type;

// The same bits as another type of the same size.
template <class To, class From>
GPUCTR_INLINE To as(From x) {
  return __builtin_bit_cast(To, x);
}

template <class T, unsigned N>
GPUCTR_INLINE Vec<T, N> splat(T x) {
  return Vec<T, N>{} + x;
}

// The table Map::at(0), Map::at(1), ... as a vector. Its bytes are a separate constant: otherwise
// Clang 14 computes at() of an affine map at run time, which takes 20 times the time of ARIA.
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

// Zeroes `size` bytes, a multiple of the vector's size. The assembly keeps each store.
template <class M>
GPUCTR_INLINE void wipe_vectors(void* p, std::size_t size) {
  auto* const bytes = static_cast<std::uint8_t*>(p);
  for (std::size_t i = 0; i < size; i += M::kBytes) {
    store(bytes + i, Vec<std::uint8_t, M::kBytes>{});
    __asm__ __volatile__("" : : "r"(bytes) : "memory");
  }
}

// Byte i of each 128-bit lane becomes byte Map::at(i) of the lane.
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

// Copies n bytes, fewer than a batch.
template <class T>
GPUCTR_INLINE void copy_part(std::uint8_t*& out, const std::uint8_t*& in, std::size_t& n) {
  store(out, load<T>(in));
  __asm__ __volatile__("" : "+r"(out), "+r"(in) : : "memory");
  out += sizeof(T);
  in += sizeof(T);
  n -= sizeof(T);
}
GPUCTR_INLINE void copy_bytes(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  while (n >= 16) copy_part<Vec<std::uint8_t, 16>>(out, in, n);
  if (n >= 8) copy_part<std::uint64_t>(out, in, n);
  if (n >= 4) copy_part<std::uint32_t>(out, in, n);
  while (n != 0) copy_part<std::uint8_t>(out, in, n);
}

// Writes n bytes, at most 16, of a vector, XORed with `in` unless that is nullptr. Leaves the bytes
// on the stack.
template <class V>
GPUCTR_INLINE void write_part(V words, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
  alignas(16) std::uint8_t part[16];
  if (in != nullptr) {
    copy_bytes(part, in, n);
    words ^= load<V>(part);
  }
  store(part, words);
  copy_bytes(out, part, n);
}

// The operations of a backend (README.md) by the vector extension, for any CPU. A backend inherits
// them and replaces the operations for which its CPU has an instruction.
template <unsigned Bytes>
struct Portable {
  static constexpr unsigned kBytes = Bytes;
  // Whether up to four blocks need only 16 registers and, but for saved ones, no stack (wipe_test).
  static constexpr bool kFewInLowRegisters = false;
  static constexpr bool kStepWithBatch = false;  // drbg_batch.h: there are enough registers
  static constexpr bool kAffine = false;         // the CPU has GFNI
  static constexpr bool kAesBoxes = false;       // S-boxes use AESENCLAST (box.h)
  static constexpr bool kCallsBoxes = false;     // S-boxes are functions (box.h)
  static constexpr bool kLayers = false;         // S-boxes leave the blocks of a lane out of order
  using Aes = void;  // AES rounds, if the CPU has AES instructions (aes.h)

  template <unsigned Unit, unsigned Step>
  struct RotatedBytes {  // rotates Unit-byte words left by Step bytes
    GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) {
      return i / Unit * Unit + (i + Unit - Step) % Unit;
    }
  };

  // Compilers turn this into a rotation if the CPU has one.
  template <unsigned K, class V>
  GPUCTR_INLINE static V rotl_by_shifts(V v) {
    return (v << K) | (v >> (8 * sizeof(v[0]) - K));
  }

  // A carry is 0 or all ones in each byte.
  using Carry = Vec<std::uint8_t, Bytes>;
  GPUCTR_INLINE static Carry add(Carry a, Carry b, Carry* carry) {
    const Carry sum = a + b - *carry;
    *carry = top_bits((a & b) | ((a | b) & ~sum));
    return sum;
  }
  GPUCTR_INLINE static Carry shift_in(Carry v, Carry below) { return v + v - top_bits(below); }
  GPUCTR_INLINE static Carry top_bits(Carry v) {
    return as<Carry>(as<Vec<std::int8_t, Bytes>>(v) < Vec<std::int8_t, Bytes>{});
  }

  // Bytes of the shortest words that one instruction rotates; 8 also if hold() does nothing.
  static constexpr unsigned kRotates = 8;
  template <class V>
  GPUCTR_INLINE static void hold(V&) {}

  template <class V>
  GPUCTR_INLINE static V sum3(V a, V b, V c) {
    return a ^ b ^ c;
  }
  GPUCTR_INLINE static Vec<std::uint64_t, 16> pair(std::uint64_t low, std::uint64_t high) {
    return Vec<std::uint64_t, 16>{low, high};
  }

  template <unsigned K, class V>
  GPUCTR_INLINE static V rotl(V v) {
#ifdef __AVX512F__  // which has a rotation
    if constexpr (sizeof(v[0]) >= 4) return rotl_by_shifts<K>(v);
#endif
    if constexpr (K % 8 == 0) return shuffle_lanes<RotatedBytes<sizeof(v[0]), K / 8>>(v);
    return rotl_by_shifts<K>(v);
  }
};

// rot_xor on M's vectors: rotation_sums.h.
template <class M, class V>
struct RotationSums;

}  // namespace gpuctr::simd

#endif
