// The abstract word in which every cipher is written. A backend defines a type V, which holds one
// word of one or many blocks, with the operations of kernels/cpu/README.md ("Words"). It also
// defines a key object rk: rk(i) is round-key word i in every lane.
#ifndef GPUCTR_KERNELS_CIPHER_WORD_H
#define GPUCTR_KERNELS_CIPHER_WORD_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/base/inline.h"

#ifdef __CUDACC__
#define GPUCTR_KEEP_LOOP _Pragma("unroll 1")
#define GPUCTR_UNROLL _Pragma("unroll")
#define GPUCTR_DEVICE_ROUNDS _Pragma("unroll (gpuctr::RoundsOnDevice<K>::kUnrolled)")
#define GPUCTR_ROUNDS GPUCTR_DEVICE_ROUNDS
#define GPUCTR_CALLED_HD GPUCTR_HD
#else
#define GPUCTR_KEEP_LOOP
#ifdef __clang__
#define GPUCTR_UNROLL _Pragma("unroll")
#define GPUCTR_ROUNDS _Pragma("clang loop unroll(disable)")
#else
#define GPUCTR_UNROLL _Pragma("GCC unroll 16")
#define GPUCTR_ROUNDS _Pragma("GCC unroll 1")
#endif
#define GPUCTR_CALLED_HD GPUCTR_NOINLINE
#define GPUCTR_DEVICE_ROUNDS
#endif

// Placed before a loop over rounds, in a function whose keys are a K. GPUCTR_ROUNDS: the loop stays
// a loop on a CPU (kernels/cpu/README.md). GPUCTR_DEVICE_ROUNDS: on a CPU the compiler decides. On
// a device all are unrolled, unless the keys have kLoops. GPUCTR_CALLED_HD: only a CPU calls it.

namespace gpuctr {

template <class K, class = void>
struct RoundsOnDevice {
  static constexpr int kUnrolled = 256;
};
template <class K>
struct RoundsOnDevice<K, std::enable_if_t<K::kLoops>> {
  static constexpr int kUnrolled = 1;
};

// Products of plain words: idea.h.
template <class T>
struct PlainProduct;

// The simplest V: one word of one block. It is the reference, and the word type of a GPU thread.
template <class T>
struct PlainWord {
  T v;

  GPUCTR_HD friend PlainWord operator+(PlainWord a, PlainWord b) {
    return {static_cast<T>(a.v + b.v)};
  }
  GPUCTR_HD friend PlainWord operator-(PlainWord a, PlainWord b) {
    return {static_cast<T>(a.v - b.v)};
  }
  GPUCTR_HD friend PlainWord operator^(PlainWord a, PlainWord b) {
    return {static_cast<T>(a.v ^ b.v)};
  }

  template <unsigned K>
  GPUCTR_HD PlainWord rotl() const {
    constexpr unsigned kBits = 8 * sizeof(T);
    static_assert(K > 0 && K < kBits, "rotation inside the word");
    return {static_cast<T>((v << K) | (v >> (kBits - K)))};
  }

  template <unsigned A, unsigned B, unsigned C>
  GPUCTR_HD PlainWord rot_xor() const {
    return rotl<A>() ^ rotl<B>() ^ rotl<C>();
  }

  GPUCTR_HD PlainWord product(PlainWord y) const { return PlainProduct<T>::of(v, y.v); }

  GPUCTR_HD static PlainWord constant(std::uint64_t c) { return {static_cast<T>(c)}; }
};

// Round keys as PlainWord words, straight from the schedule.
template <class T>
struct PlainKeys {
  const T* words;
  GPUCTR_HD PlainWord<T> operator()(unsigned i) const { return {words[i]}; }
  GPUCTR_HD T stored(unsigned i) const { return words[i]; }
};

template <unsigned K, class V>
GPUCTR_HD V rotl_here(const V& x) {
  return x.template rotl<K>();
}

// The round keys from number `at` on: keys(i) is rk(at + i). If round keys are consecutive in
// memory, a backend defines its own version, which adds `at` to the address once.
template <class K>
struct KeysFrom {
  const K& rk;
  unsigned at;
  GPUCTR_HD auto operator()(unsigned i) const { return rk(at + i); }
};
template <class K>
GPUCTR_HD KeysFrom<K> keys_from(const K& rk, unsigned at) {
  return {rk, at};
}

template <class T>
GPUCTR_HD constexpr T rotl_word(T x, unsigned k) {
  constexpr unsigned kBits = 8 * sizeof(T);
  k %= kBits;
  return k == 0 ? x : static_cast<T>((x << k) | (x >> (kBits - k)));
}

// Reverses the bytes of a word. GCC would make a dozen vector instructions of the loop.
template <class T>
GPUCTR_HD constexpr T turned_bytes(T x) {
#ifndef __CUDA_ARCH__
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(x);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(x);
#endif
  T turned = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); i += 8)
    turned = static_cast<T>(turned << 8 | (x >> i & 0xff));
  return turned;
}

// A word in the CPU's byte order as little-endian, and the reverse.
template <class T>
GPUCTR_HD constexpr T little_endian(T x) {
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : turned_bytes(x);
}
// Little-endian word from bytes, and the reverse.
template <class T>
GPUCTR_HD T load_le(const std::uint8_t* p) {
  T x;
  __builtin_memcpy(&x, p, sizeof x);
  return little_endian(x);
}
template <class T>
GPUCTR_HD void store_le(std::uint8_t* p, T x) {
  x = little_endian(x);
  __builtin_memcpy(p, &x, sizeof x);
}

// The same for big-endian words.
template <class T>
GPUCTR_HD T load_be(const std::uint8_t* p) {
  return turned_bytes(load_le<T>(p));
}
template <class T>
GPUCTR_HD void store_be(std::uint8_t* p, T x) {
  store_le(p, turned_bytes(x));
}

// For a cipher's words, in the byte order that the cipher states (big_endian of facts.h).
template <class T, bool IsBigEndian>
GPUCTR_HD T load_word(const std::uint8_t* p) {
  return IsBigEndian ? load_be<T>(p) : load_le<T>(p);
}
template <bool IsBigEndian, class T>
GPUCTR_HD void store_word(std::uint8_t* p, T x) {
  IsBigEndian ? store_be(p, x) : store_le(p, x);
}

// A key schedule on the word type is expand_words(key, schedule): key(i) is word i of the key,
// schedule(i, word) takes round-key word i, and schedule.same(c) is the public word c in every
// lane.
template <class T>
struct PlainKey {
  static constexpr bool kLoops = true;
  const std::uint8_t* bytes;
  GPUCTR_HD PlainWord<T> operator()(unsigned i) const {
    return {load_le<T>(bytes + sizeof(T) * i)};
  }
};
template <class T>
struct PlainSchedule {
  T* words;
  GPUCTR_HD static PlainWord<T> same(T c) { return {c}; }
  GPUCTR_HD void operator()(unsigned i, PlainWord<T> word) const { words[i] = word.v; }
};

}  // namespace gpuctr

#endif
