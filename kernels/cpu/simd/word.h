// The abstract word of cipher/word.h on a SIMD backend M: G vectors that hold one cipher word of
// many blocks. The G vectors are independent, which hides the latency of a cipher's serial chain.
//
// M is a struct of the backend's own file, in its unnamed namespace, so that everything made from
// it stays in that file. It has
//   kBytes                    of a vector
//   rotl<K>(v)                of lanes of 8 to 64 bits
//   rot_xor<A, B, C>(v, key)  of 8-bit lanes: rotl<A> ^ rotl<B> ^ rotl<C> ^ key
//   Carry, add, shift_in      of 8-bit lanes, as in cipher/word.h
//   hold(v)                   no instruction: where the compiler has to have made v
//   kRotates                  bytes of the shortest words that one instruction rotates
//   and what box.h asks for
// and inherits Portable<kBytes>, which has a plain version of each.
#ifndef GPUCTR_KERNELS_CPU_SIMD_WORD_H
#define GPUCTR_KERNELS_CPU_SIMD_WORD_H

#include "kernels/cpu/simd/box.h"
#include "kernels/cpu/simd/constant.h"
#include "kernels/cpu/simd/product.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

template <class M, class T, unsigned G, class = std::make_index_sequence<G>>
struct Words;

// A rot_xor that waits for the key that may follow it: where it is looked up, the key goes into a
// table, once for all G vectors.
template <class M, unsigned A, unsigned B, unsigned C, class W>
struct RotXor {
  const W& word;

  GPUCTR_INLINE operator W() const { return word.template mapped<A, B, C>(W{}); }
  GPUCTR_INLINE friend W operator^(const RotXor& x, const W& key) {
    return x.word.template mapped<A, B, C>(key);
  }
};

template <class M, class T, unsigned G, std::size_t... I>
struct Words<M, T, G, std::index_sequence<I...>> {
  using V = Vec<T, M::kBytes>;
  V v[G];

  GPUCTR_INLINE friend Words operator+(const Words& a, const Words& b) {
    return {{(a.v[I] + b.v[I])...}};
  }
  GPUCTR_INLINE friend Words operator-(const Words& a, const Words& b) {
    return {{(a.v[I] - b.v[I])...}};
  }
  GPUCTR_INLINE friend Words operator^(const Words& a, const Words& b) {
    return {{(a.v[I] ^ b.v[I])...}};
  }
  GPUCTR_INLINE friend Words operator&(const Words& a, const Words& b) {
    return {{(a.v[I] & b.v[I])...}};
  }
  GPUCTR_INLINE friend Words operator|(const Words& a, const Words& b) {
    return {{(a.v[I] | b.v[I])...}};
  }
  GPUCTR_INLINE Words shift_in(const Words& below) const {
    return {{M::shift_in(v[I], below.v[I])...}};
  }
  struct Carry {
    typename M::Carry of[G];
  };
  GPUCTR_INLINE static Words add(const Words& a, const Words& b, Carry* carry) {
    return {{M::add(a.v[I], b.v[I], &carry->of[I])...}};
  }
  template <unsigned K>
  GPUCTR_INLINE Words rotl() const {
    return {{M::template rotl<K>(v[I])...}};
  }
  template <unsigned A, unsigned B, unsigned C>
  GPUCTR_INLINE RotXor<M, A, B, C, Words> rot_xor() const {
    return {*this};
  }
  template <unsigned A, unsigned B, unsigned C>
  GPUCTR_INLINE Words mapped(const Words& key) const {
    return {{M::template rot_xor<A, B, C>(v[I], key.v[I])...}};
  }
  GPUCTR_INLINE Words product(const Words& y) const { return {{simd::product(v[I], y.v[I])...}}; }
  template <class Box>
  GPUCTR_INLINE Words sub() const {
    return {{simd::sub<M, Box>(v[I])...}};
  }
  template <class Map>
  GPUCTR_INLINE Words linear() const {
    return {{simd::affine<M, Map>(v[I])...}};
  }
  GPUCTR_INLINE Words by_matrix(const Words& matrix) const {
    return {{M::by_matrices(v[I], matrix.v[I])...}};
  }
  template <class Box, bool Back>
  GPUCTR_INLINE Words sub_turning() const {
    return {{simd::sub_turning<M, Box, Back>(v[I])...}};
  }
  template <unsigned Times>
  GPUCTR_INLINE Words turned() const {
    if constexpr (!M::kAesBoxes) return *this;
    return {{shuffle_lanes<ShiftedRows<Times>>(v[I])...}};
  }
  // From here on the vectors lie in memory, from which they are read as they are wanted.
  GPUCTR_INLINE void to_memory() { (to_memory(v[I]), ...); }
  GPUCTR_INLINE static void to_memory(V& one) { __asm__("" : "+m"(one)); }
  // Of each byte the one in a table of sixteen.
  GPUCTR_INLINE Words looked_up_in(const std::uint8_t* table) const {
    return {{M::look_up_in(table, v[I])...}};
  }
  GPUCTR_INLINE static Words all(V same) { return {{(static_cast<void>(I), same)...}}; }
  GPUCTR_INLINE static Words constant(std::uint64_t c) {
    return all(splat_constant<T, M::kBytes>(c));
  }
};

// One vector after the other. What the compiler makes of several instructions it may merge with
// the next use, and two rotations by half a word, which cancel. Up to two vectors are bound by
// latency, which is least where all is merged.
template <unsigned K, class M, class T, unsigned G, std::size_t... I>
GPUCTR_INLINE Words<M, T, G, std::index_sequence<I...>> rotl_here(
    const Words<M, T, G, std::index_sequence<I...>>& x) {
  constexpr bool kMerges = sizeof(T) < M::kRotates || 2 * K == 8 * sizeof(T);
  auto held = x;
  if constexpr (!kMerges) held = x.template rotl<K>();
  if constexpr (G > 2) (M::hold(held.v[I]), ...);
  if constexpr (kMerges) held = held.template rotl<K>();
  return held;
}

// C's rounds, with the blocks in their places after the last layer of boxes (box.h).
template <class C, class M, class T, unsigned G, class I, class K>
GPUCTR_INLINE void settle_words(Words<M, T, G, I> (&x)[C::kWords], const K& rk) {
  if constexpr (M::kLayers) {
    const unsigned layers = C::box_layers(rk);
    if (layers % 4 == 0) return;
    for (unsigned k = 0; k < C::kWords; ++k) {
      for (unsigned g = 0; g < G; ++g) settle<M>(x[k].v[g], layers);
    }
  }
}
template <class C, class W, class K>
GPUCTR_INLINE void encrypt_words(W (&x)[C::kWords], const K& rk) {
  C::encrypt(x, rk);
  settle_words<C>(x, rk);
}
template <class C, class W, class K>
GPUCTR_INLINE void decrypt_words(W (&x)[C::kWords], const K& rk) {
  C::decrypt(x, rk);
  settle_words<C>(x, rk);
}

// A round key for Words: a word of 32 bits that repeats a narrower one of the cipher's, because a
// 32-bit broadcast is a plain load on every x86 CPU while narrower ones cost a shuffle.
template <class T>
using KeyWord = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class M, class T>
GPUCTR_INLINE Vec<T, M::kBytes> splat_key(KeyWord<T> key) {
  return as<Vec<T, M::kBytes>>(splat<KeyWord<T>, M::kBytes>(key));
}

template <class M, class T, unsigned G>
struct WordKeys {
  const KeyWord<T>* words;

  GPUCTR_INLINE Words<M, T, G> operator()(unsigned i) const {
    return Words<M, T, G>::all(splat_key<M, T>(words[i]));
  }
  // A matrix of by_matrix(), which is words i and i + 1.
  GPUCTR_INLINE Words<M, T, G> matrix(unsigned i) const {
    std::uint64_t matrix;
    __builtin_memcpy(&matrix, words + i, sizeof matrix);
    return Words<M, T, G>::all(as<Vec<T, M::kBytes>>(splat<std::uint64_t, M::kBytes>(matrix)));
  }
  GPUCTR_INLINE T stored(unsigned i) const { return static_cast<T>(words[i]); }
  GPUCTR_INLINE friend WordKeys keys_from(const WordKeys& keys, unsigned at) {
    return {keys.words + at};
  }
};

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
