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

// sum = a + b, numbers of N words, the most significant first. The compiler removes the unused last
// carry.
template <unsigned N, class V>
GPUCTR_INLINE void add_words(const V* a, const V* b, V* sum) {
  typename V::Carry carry = {};
  for (unsigned i = N; i-- != 0;) sum[i] = V::add(a[i], b[i], &carry);
}

// Swaps the two halves of a block.
template <unsigned N, class V>
GPUCTR_HD void swap_halves(V (&x)[N]) {
  for (unsigned i = 0; i < N / 2; ++i) {
    const V left = x[i];
    x[i] = x[N / 2 + i];
    x[N / 2 + i] = left;
  }
}

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

  // Without a branch: 2^16 is -1, so the product is its low half minus its high half, plus 1 if
  // that is below 0. The halves are equal only if a factor is 0, which stands for -1.
  GPUCTR_HD PlainWord product(PlainWord y) const {
    static_assert(sizeof(T) == 2, "words of 16 bits");
    const std::uint32_t both = std::uint32_t{v} * y.v;
    const std::uint32_t low = both & 0xffff, high = both >> 16;
    const std::uint32_t below = (low - high) >> 31;
    const std::uint32_t zero = ((low ^ high) - 1) >> 31;
    return {static_cast<T>(low - high + below + zero - ((0 - zero) & (std::uint32_t{v} + y.v)))};
  }

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

// Little-endian word from bytes, and the reverse.
template <class T>
GPUCTR_HD T load_le(const std::uint8_t* p) {
  T x = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  __builtin_memcpy(&x, p, sizeof x);
#else
  for (unsigned i = 0; i < sizeof(T); ++i)
    x = static_cast<T>(x | static_cast<T>(T{p[i]} << (8 * i)));
#endif
  return x;
}

template <class T>
GPUCTR_HD void store_le(std::uint8_t* p, T x) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  __builtin_memcpy(p, &x, sizeof x);
#else
  for (unsigned i = 0; i < sizeof(T); ++i) p[i] = static_cast<std::uint8_t>(x >> (8 * i));
#endif
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
