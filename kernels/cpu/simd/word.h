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

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

// A public constant of a cipher in every lane of a vector. GCC 12 takes a constant through an
// integer register: two operations of the pipes that rotate on AVX2, one on AVX-512, for each round
// of CHAM. A broadcast of 32 bits from memory is a plain load, so small constants come from a table
// in another file, whose values no compiler sees. Below AVX2 they are vectors in memory anyway. On
// vectors of 16 bytes latency counts and not operations, and GCC would load every constant ahead of
// a loop, and spill them all.
struct ConstantWords {
  static constexpr std::uint64_t kCount = 256;
  std::uint32_t words[kCount];      // c
  std::uint32_t halfwords[kCount];  // c twice
};
extern const ConstantWords kConstantWords __attribute__((visibility("hidden")));

// c, which T can hold, in every T of N bytes.
template <class T, unsigned N>
GPUCTR_INLINE Vec<T, N> splat_constant(std::uint64_t c) {
#ifdef __AVX2__
  if constexpr (N > 16 && (sizeof(T) == 2 || sizeof(T) == 4)) {
    if (c < ConstantWords::kCount) {
      const auto& table = sizeof(T) == 2 ? kConstantWords.halfwords : kConstantWords.words;
      return as<Vec<T, N>>(splat<std::uint32_t, N>(table[c]));
    }
  }
#endif
  return splat<T, N>(static_cast<T>(c));
}

// The high halves of the products of 16 by 16 bits.
template <unsigned N>
GPUCTR_INLINE Vec<std::uint16_t, N> high_products(Vec<std::uint16_t, N> a,
                                                  Vec<std::uint16_t, N> b) {
  using V = Vec<std::uint16_t, N>;
#if defined(__AVX512BW__)
  if constexpr (N == 64) return as<V>(_mm512_mulhi_epu16(as<__m512i>(a), as<__m512i>(b)));
#endif
#if defined(__AVX2__)
  if constexpr (N == 32) return as<V>(_mm256_mulhi_epu16(as<__m256i>(a), as<__m256i>(b)));
#endif
#if defined(__SSE2__)
  if constexpr (N == 16) return as<V>(_mm_mulhi_epu16(as<__m128i>(a), as<__m128i>(b)));
#endif
  // By products of the even lanes and of the odd ones, each in a lane of 32 bits.
  using Wide = Vec<std::uint32_t, N>;
  const Wide even = (as<Wide>(a) & 0xffff) * (as<Wide>(b) & 0xffff);
  const Wide odd = (as<Wide>(a) >> 16) * (as<Wide>(b) >> 16);
  return as<V>((even >> 16) | (odd & 0xffff0000));
}

// 0 stands for 2^16. 2^16 is -1, so the product is its low half less its high half, and one more
// where that is below 0. The halves are equal only where a factor is 0: 2^16 + 1 is a prime. There
// the product is 1 - a - b.
template <class V>
GPUCTR_INLINE V product(V a, V b) {
  const V low = a * b;
  const V high = high_products<sizeof(V)>(a, b);
  return low - high - as<V>(low <= high) - (as<V>(low == high) & (a + b));
}

// S-boxes on M's vectors (box.h), for the words of ciphers that have them.
template <class M>
struct BoxesOn;

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
    return {{BoxesOn<M>::template sub<Box>(v[I])...}};
  }
  template <class Map>
  GPUCTR_INLINE Words linear() const {
    return {{BoxesOn<M>::template affine<Map>(v[I])...}};
  }
  GPUCTR_INLINE Words by_matrix(const Words& matrix) const {
    return {{M::by_matrices(v[I], matrix.v[I])...}};
  }
  template <class Box, bool Back>
  GPUCTR_INLINE Words sub_turning() const {
    return {{BoxesOn<M>::template sub_turning<Box, Back>(v[I])...}};
  }
  template <unsigned Times>
  GPUCTR_INLINE Words turned() const {
    return {{BoxesOn<M>::template turned<Times>(v[I])...}};
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
      for (unsigned g = 0; g < G; ++g) BoxesOn<M>::settle(x[k].v[g], layers);
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

}  // namespace gpuctr::simd

#endif
