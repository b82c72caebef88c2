// The abstract word of cipher/word.h on a SIMD backend M: G vectors that hold one word of many
// blocks. G vectors hide the latency of a cipher's chain of operations. M is a struct in the
// backend's unnamed namespace, so that templates instantiated with it stay in one object file
// (README.md).
#ifndef GPUCTR_KERNELS_CPU_SIMD_WORD_H
#define GPUCTR_KERNELS_CPU_SIMD_WORD_H

#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

// The numbers below 128, in vectors of 16 bytes, hidden from the compiler: GCC 12 moves a known
// constant through an integer register, which costs CHAM-128/128 6 % on a Zen 4.
struct ConstantWords {
  static constexpr std::uint64_t kCount = 128;
  alignas(16) std::uint32_t words[kCount][4];      // c
  alignas(16) std::uint32_t halfwords[kCount][4];  // c twice
};
extern const ConstantWords kConstantWords __attribute__((visibility("hidden")));

// Products of lanes of 16 bits: products.h.
template <class V>
struct Products;

// S-boxes on M's vectors (box.h), for the words of ciphers with S-boxes.
template <class M>
struct BoxesOn;

template <class M, class T, unsigned G, class = std::make_index_sequence<G>>
struct Words;

// The result of rot_xor() (rotation_sums.h).
template <class M, unsigned A, unsigned B, unsigned C, class W>
struct RotXor;

template <class M, class T, unsigned G, std::size_t... I>
struct Words<M, T, G, std::index_sequence<I...>> {
  using V = Vec<T, M::kBytes>;
  using W = Words;
  V v[G];

  GPUCTR_INLINE friend W operator+(const W& a, const W& b) { return {{(a.v[I] + b.v[I])...}}; }
  GPUCTR_INLINE friend W operator-(const W& a, const W& b) { return {{(a.v[I] - b.v[I])...}}; }
  GPUCTR_INLINE friend W operator^(const W& a, const W& b) { return {{(a.v[I] ^ b.v[I])...}}; }
  GPUCTR_INLINE friend W operator&(const W& a, const W& b) { return {{(a.v[I] & b.v[I])...}}; }
  GPUCTR_INLINE friend W operator|(const W& a, const W& b) { return {{(a.v[I] | b.v[I])...}}; }
  GPUCTR_INLINE W shift_in(const W& below) const { return {{M::shift_in(v[I], below.v[I])...}}; }
  struct Carry {
    typename M::Carry of[G];
  };
  GPUCTR_INLINE static W add(const W& a, const W& b, Carry* carry) {
    return {{M::add(a.v[I], b.v[I], &carry->of[I])...}};
  }
  template <unsigned K>
  GPUCTR_INLINE W rotl() const {
    return {{M::template rotl<K>(v[I])...}};
  }
  template <unsigned A, unsigned B, unsigned C>
  GPUCTR_INLINE RotXor<M, A, B, C, W> rot_xor() const {
    return {*this};
  }
  template <unsigned A, unsigned B, unsigned C>
  GPUCTR_INLINE W mapped(const W& key) const {
    return {{M::template rot_xor<A, B, C>(v[I], key.v[I])...}};
  }
  GPUCTR_INLINE W product(const W& y) const { return {{Products<V>::of(v[I], y.v[I])...}}; }
  template <class Box>
  GPUCTR_INLINE W sub() const {
    return {{BoxesOn<M>::template sub<Box>(v[I])...}};
  }
  template <class Map>
  GPUCTR_INLINE W linear() const {
    return {{BoxesOn<M>::template affine<Map>(v[I])...}};
  }
  GPUCTR_INLINE W by_matrix(const W& matrix) const {
    return {{M::by_matrices(v[I], matrix.v[I])...}};
  }
  template <class Box, bool Back>
  GPUCTR_INLINE W sub_shifting() const {
    return {{BoxesOn<M>::template sub_shifting<Box, Back>(v[I])...}};
  }
  template <unsigned Times>
  GPUCTR_INLINE W shifted_rows() const {
    return {{BoxesOn<M>::template shifted_rows<Times>(v[I])...}};
  }
  // Moves the vectors to memory.
  GPUCTR_INLINE void to_memory() { (to_memory(v[I]), ...); }
  GPUCTR_INLINE static void to_memory(V& one) { __asm__("" : "+m"(one)); }
  // Looks up each byte, below 16, in a table of 16 bytes.
  GPUCTR_INLINE W looked_up_in(const std::uint8_t* table) const {
    return {{M::look_up_in(table, v[I])...}};
  }
  GPUCTR_INLINE static W all(V same) { return {{(static_cast<void>(I), same)...}}; }
  GPUCTR_INLINE static W constant(std::uint64_t c) { return all(splat<T, M::kBytes>(T(c))); }
  // The numbers from one on, below 128. x86 would take an instruction with an index in two parts.
  struct Numbers {
    const std::uint32_t (*rows)[4];

    GPUCTR_INLINE static Numbers at(unsigned first) {
      const auto* at = (sizeof(T) == 2 ? kConstantWords.halfwords : kConstantWords.words) + first;
      __asm__("" : "+r"(at));
      return {at};
    }
    GPUCTR_INLINE W operator()(unsigned i) const {
      if constexpr (M::kBytes > 16) return all(as<V>(splat<std::uint32_t, M::kBytes>(rows[i][0])));
      return all(load<V>(reinterpret_cast<const std::uint8_t*>(rows[i])));
    }
  };
};

// Rotates at this place of the code, one vector after the other. A rotation of several
// instructions, or by half a word, may merge with the next use. One or two vectors are limited by
// latency, which is least if the compiler orders all operations.
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

// Encryption and decryption with the blocks of each lane in their order (box.h).
template <class C, class M, class T, unsigned G, class I, class K>
GPUCTR_INLINE void encrypt_words(Words<M, T, G, I> (&x)[C::kWords], const K& rk) {
  C::encrypt(x, rk);
  if constexpr (M::kLayers) BoxesOn<M>::template restore_order<C>(x, rk);
}
template <class C, class M, class T, unsigned G, class I, class K>
GPUCTR_INLINE void decrypt_words(Words<M, T, G, I> (&x)[C::kWords], const K& rk) {
  C::decrypt(x, rk);
  if constexpr (M::kLayers) BoxesOn<M>::template restore_order<C>(x, rk);
}

// A round key for Words: 32 bits that repeat a narrower word. A broadcast of 32 bits is a plain
// load on x86; a narrower broadcast takes a shuffle.
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
  // Words i and i + 1 as a matrix of by_matrix().
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

}  // namespace gpuctr::simd

#endif
