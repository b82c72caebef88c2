// ManyOps of a cipher in vectors with one word of each message (word.h): a group is a row, and each
// element has the round keys of its own message. The key schedule runs on the same words.
#ifndef GPUCTR_KERNELS_CPU_SIMD_MANY_WORDS_H
#define GPUCTR_KERNELS_CPU_SIMD_MANY_WORDS_H

#include "kernels/cpu/base/many.h"
#include "kernels/cpu/simd/batch.h"
#include "kernels/cpu/simd/many/modes.h"

namespace gpuctr::simd {

// Round keys that differ in every element: a table of vectors. All groups are of the same messages.
template <class M, class T, unsigned G>
struct LaneKeys {
  using V = Vec<T, M::kBytes>;
  const std::uint8_t* table;

  GPUCTR_INLINE Words<M, T, G> operator()(unsigned i) const {
    return Words<M, T, G>::all(load<V>(table + i * M::kBytes));
  }
  GPUCTR_INLINE T stored(unsigned i) const { return load<T>(table + i * M::kBytes); }
  GPUCTR_INLINE friend LaneKeys keys_from(const LaneKeys& keys, unsigned at) {
    return {keys.table + at * M::kBytes};
  }
};

// The keys of a key schedule on words, and where it puts the round keys.
template <class M, class T>
struct LaneKey {
  using W = Words<M, T, 1>;
  const W* words;
  GPUCTR_INLINE const W& operator()(unsigned i) const { return words[i]; }
};
template <class M, class T>
struct LaneSchedule {
  using W = Words<M, T, 1>;
  std::uint8_t* table;

  GPUCTR_INLINE static W same(T c) { return W::all(splat<T, M::kBytes>(c)); }
  GPUCTR_INLINE void operator()(unsigned i, const W& word) const {
    store(table + i * M::kBytes, word.v[0]);
  }
};

// M for keys that differ in every element: a rotation sum cannot have the key in its table, and a
// box keeps the elements in their order.
template <class M>
struct PerLane : M {
  static constexpr bool kLayers = false;
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(const V& v, V key) {
    return M::template rot_xor<A, B, C>(v, V{}) ^ key;
  }
};

template <class Vectors, class C>
struct ManyWords {
  using M = PerLane<Vectors>;
  using Word = typename C::Word;
  using Core = typename CoreOf<C>::Type;
  using L = Layout<M::kBytes, Core>;
  using V = typename L::V;
  static constexpr unsigned kBlock = L::kBlock;
  static constexpr unsigned kRow = L::kGroupBytes;
  static constexpr unsigned kKeyRows = (C::kKeyBytes + kBlock - 1) / kBlock;
  static constexpr unsigned kRoundKeyRows =
      (sizeof(Word) * C::kRoundKeyWords + kBlock - 1) / kBlock;
  static_assert(kRow <= kManyRowBytes && L::kBlocks <= kManyLanes);
  static_assert(kRoundKeyRows * kRow <= kManyTableBytes);

  // The words of a row of keys, which are in the host's byte order.
  GPUCTR_INLINE static void read_words(const std::uint8_t* row, V (&words)[C::kWords]) {
    V bytes[C::kWords];
    for (unsigned k = 0; k < C::kWords; ++k) bytes[k] = load<V>(row + k * M::kBytes);
    L::Order::from_memory(bytes, words);
  }
  GPUCTR_NOINLINE static void place(const std::uint8_t* rows, std::size_t first, std::size_t count,
                                    std::uint8_t* table) {
    for (std::size_t r = 0; r < count; ++r) {
      V words[C::kWords];
      read_words(rows + r * kRow, words);
      for (unsigned k = 0; k < C::kWords; ++k) {
        store(table + (first + r) * kRow + k * M::kBytes, words[k]);
      }
    }
  }
  GPUCTR_NOINLINE static void expand(const std::uint8_t* rows, std::uint8_t* table) {
    constexpr unsigned kKeyWords = C::kKeyBytes / sizeof(Word);
    Words<M, Word, 1> key[kKeyWords];
    for (unsigned r = 0; r < kKeyRows; ++r) {
      V words[C::kWords];
      read_words(rows + r * kRow, words);
      for (unsigned k = 0; k < C::kWords && r * C::kWords + k < kKeyWords; ++k) {
        key[r * C::kWords + k].v[0] = words[k];
      }
    }
    C::expand_words(LaneKey<M, Word>{key}, LaneSchedule<M, Word>{table});
  }

  template <unsigned G, bool kEncrypts>
  GPUCTR_NOINLINE static void groups(const std::uint8_t* table, std::uint8_t* rows) {
    using B = Batch<M, Core, G>;
    typename B::W x[C::kWords];
    B::read(rows, x);
    const LaneKeys<M, Word, G> keys{table};
    if constexpr (kEncrypts) {
      Core::encrypt(x, keys);
    } else {
      Core::decrypt(x, keys);
    }
    B::write(x, nullptr, rows);
  }
  template <unsigned G, bool kEncrypts>
  GPUCTR_INLINE static void run(const std::uint8_t* table, std::uint8_t* rows, std::size_t count) {
    for (; count >= G; count -= G, rows += G * kRow) groups<G, kEncrypts>(table, rows);
    if constexpr (G > 1) run<(G > 2 ? G / 2 : 1), kEncrypts>(table, rows, count);
  }
  static void encrypt(const std::uint8_t* table, std::uint8_t* rows, std::size_t count) {
    run<kGroupsOf<M, Core>, true>(table, rows, count);
  }
  static void decrypt(const std::uint8_t* table, std::uint8_t* rows, std::size_t count) {
    run<kGroupsOf<M, Core>, false>(table, rows, count);
  }

  // The chain stays in words from block to block.
  template <bool kWrites>
  GPUCTR_NOINLINE static void chain_of(const std::uint8_t* table, std::size_t size,
                                       ManyLanes& lanes, std::uint8_t* rows) {
    using B = Batch<M, Core, 1>;
    using Rows = ManyRows<M, kBlock>;
    constexpr unsigned kPerVector = Rows::kPerVector;
    const LaneKeys<M, Word, 1> keys{table};
    typename B::W x[C::kWords], text[C::kWords];
    B::read(lanes.blocks, x);
    for (std::size_t at = 0; at != size; at += M::kBytes) {
      Rows::gather_rows(lanes.in, at, kRow, rows);
      for (unsigned r = 0; r < kPerVector; ++r) {
        B::read(rows + r * kRow, text);
        for (unsigned k = 0; k < C::kWords; ++k) x[k] = x[k] ^ text[k];
        Core::encrypt(x, keys);
        if (kWrites) B::write(x, nullptr, rows + r * kRow);
      }
      if (kWrites) Rows::scatter_rows(rows, kRow, at, lanes.out);
    }
    B::write(x, nullptr, lanes.blocks);
  }
  static void chain(const std::uint8_t* table, bool writes, std::size_t size, ManyLanes& lanes,
                    std::uint8_t* rows) {
    (writes ? chain_of<true> : chain_of<false>)(table, size, lanes, rows);
  }
};

// Whether the cipher's key schedule is written on words (cipher/key_words.h).
template <class M, class C, class = void>
struct ExpandsWords : std::false_type {};
template <class M, class C>
struct ExpandsWords<
    M, C,
    std::void_t<decltype(C::expand_words(std::declval<LaneKey<M, typename C::Word>>(),
                                         std::declval<LaneSchedule<M, typename C::Word>>()))>>
    : std::true_type {};

template <class Vectors, class C>
constexpr ManyOps many_words_ops() {
  using On = ManyWords<Vectors, C>;
  constexpr unsigned kLanes = On::L::kBlocks;
  constexpr bool kExpands = ExpandsWords<typename On::M, C>::value;
  void (*expand)(const std::uint8_t*, std::uint8_t*) = nullptr;
  if constexpr (kExpands) expand = On::expand;
  return {kLanes,
          kLanes / 4,
          1024,
          512,
          kExpands ? On::kKeyRows : 0,
          On::kRoundKeyRows,
          kExpands,
          expand,
          On::place,
          On::encrypt,
          On::chain,
          nullptr,
          On::decrypt,
          nullptr};
}

}  // namespace gpuctr::simd

#endif
