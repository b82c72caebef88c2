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

#include "kernels/base/frames.h"
#include "kernels/base/inline.h"

#define GPUCTR_NOINLINE __attribute__((noinline))

#ifndef GPUCTR_HOLD  // test/trust/msan_moves.h has it empty
// Of hold() with AVX-512. Volatile, so that GCC's scheduler keeps one behind the other.
#define GPUCTR_HOLD(v) __asm__ __volatile__("" : "+v"(v))
#endif

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

// Copies n bytes, fewer than a batch. GCC would make REP MOVS of a call of memcpy.
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

// n bytes, at most 16, of a vector onto `in`, or alone. Leaves them on the stack.
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

// Moves of the plain vector extension; right on any CPU, and on most the best for some word.
template <unsigned Bytes>
struct Portable {
  static constexpr unsigned kBytes = Bytes;
  static constexpr bool kStepWithBatch = false;  // drbg.h: whether there are registers for it
  static constexpr bool kAffine = false;         // box.h: whether the CPU has GFNI
  static constexpr bool kAesBoxes = false;       // box.h: whether AES's instructions serve boxes
  using Aes = void;                              // aes.h: what runs AES's rounds, if anything
  static constexpr bool kLayers = false;         // box.h: whether boxes leave blocks out of order

  template <unsigned Unit, unsigned Step>
  struct RotatedBytes {  // rotation of Unit-byte words to the left by Step bytes
    GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) {
      return i / Unit * Unit + (i + Unit - Step) % Unit;
    }
  };

  // Where the CPU has a vector rotation of that width, compilers find it here.
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

  static constexpr unsigned kRotates = 8;  // where hold() does nothing, that too
  template <class V>
  GPUCTR_INLINE static void hold(V&) {}

  // Three summands, and two numbers in one vector.
  template <class V>
  GPUCTR_INLINE static V sum3(V a, V b, V c) {
    return a ^ b ^ c;
  }
  GPUCTR_INLINE static Vec<std::uint64_t, 16> pair(std::uint64_t low, std::uint64_t high) {
    return Vec<std::uint64_t, 16>{low, high};
  }

  template <unsigned K, class V>
  GPUCTR_INLINE static V rotl(V v) {
    if constexpr (K % 8 == 0) return shuffle_lanes<RotatedBytes<sizeof(v[0]), K / 8>>(v);
    return rotl_by_shifts<K>(v);
  }
};

// rot_xor by two tables of 16 bytes, for the low and the high four bits: the map is linear. The
// tables sit in registers and the look-up is one instruction, so its time tells nothing of v.
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

// For 16 registers. HIGHT reads a word through rot_xor just after the word was made, and only adds
// to it a round later; so the word can wait in memory, where the addition takes it from. Left
// alone, compilers spill words that the next rotation waits for. AVX2 on a Zen 5: 1.16 times
// faster.
template <class V>
GPUCTR_INLINE V read_then_spill(const V& word) {
  const V v = word;
  __asm__("" : "+m"(const_cast<V&>(word)));
  return v;
}

template <class M, unsigned A, unsigned B, unsigned C, class V>
GPUCTR_INLINE V rot_xor_by_tables(V v, V key) {
  using V16 = Vec<std::uint16_t, sizeof(V)>;
  const V nibble = splat<std::uint8_t, sizeof(V)>(0x0f);
  const V low = v & nibble;
  const V high = as<V>(as<V16>(v) >> 4) & nibble;
  return M::look_up(table<std::uint8_t, sizeof(V), NibbleMap<A, B, C, 0>>() ^ key, low) ^
         M::look_up(table<std::uint8_t, sizeof(V), NibbleMap<A, B, C, 4>>(), high);
}

// The matrix of GF2P8AFFINEQB for rot_xor: byte 7 - i of it selects the bits whose parity is bit i.
GPUCTR_INLINE constexpr std::uint64_t rot_xor_matrix(unsigned a, unsigned b, unsigned c) {
  std::uint64_t matrix = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const std::uint64_t row = (std::uint64_t{1} << ((i + 8 - a) % 8)) ^
                              (std::uint64_t{1} << ((i + 8 - b) % 8)) ^
                              (std::uint64_t{1} << ((i + 8 - c) % 8));
    matrix |= row << (8 * (7 - i));
  }
  return matrix;
}

}  // namespace gpuctr::simd

#endif
