// CTR and CBC on rows: a row has one block of each message of a set (ManyOps). Blocks of Block
// bytes, 8 or 16, in vectors of M. The messages differ in length: while every one has a whole
// block, all lanes work without a test; after that each lane is looked at.
#ifndef GPUCTR_KERNELS_CPU_SIMD_MANY_MODES_H
#define GPUCTR_KERNELS_CPU_SIMD_MANY_MODES_H

#include "kernels/cipher/word.h"
#include "kernels/cpu/base/many.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

GPUCTR_INLINE std::size_t least_of(std::size_t a, std::size_t b) { return a < b ? a : b; }

template <class M, unsigned Block>
struct ManyRows {
  static_assert(Block == 8 || Block == 16, "blocks of a lane");
  using V = Vec<std::uint64_t, M::kBytes>;
  using One = std::conditional_t<Block == 16, Vec<std::uint64_t, 16>, std::uint64_t>;
  static constexpr unsigned kPerVector = M::kBytes / Block;

  // One block of each of kPerVector texts.
  template <std::size_t... I>
  GPUCTR_INLINE static Vec<std::uint64_t, 32> joined(Vec<std::uint64_t, 16> a,
                                                     Vec<std::uint64_t, 16> b,
                                                     std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, I...);
  }
  template <std::size_t... I>
  GPUCTR_INLINE static Vec<std::uint64_t, 64> joined(Vec<std::uint64_t, 32> a,
                                                     Vec<std::uint64_t, 32> b,
                                                     std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, I...);
  }
  template <unsigned Bytes>
  GPUCTR_INLINE static Vec<std::uint64_t, Bytes> gathered(const std::uint8_t* const* texts,
                                                          std::size_t from) {
    if constexpr (Bytes > 16) {
      constexpr unsigned kHalf = Bytes / 2;
      return joined(gathered<kHalf>(texts, from), gathered<kHalf>(texts + kHalf / Block, from),
                    std::make_index_sequence<Bytes / 8>{});
    } else if constexpr (Block == 16) {
      return load<One>(texts[0] + from);
    } else {
      return Vec<std::uint64_t, 16>{load<One>(texts[0] + from), load<One>(texts[1] + from)};
    }
  }

  // Exchanges rows and lanes of kPerVector vectors: block j of vector k becomes block k of vector
  // j.
  template <unsigned Step, bool High, std::size_t... I>
  GPUCTR_INLINE static V exchanged(V a, V b, std::index_sequence<I...>) {
    constexpr std::size_t kUnit = Block / 8, kAll = M::kBytes / 8;
    if constexpr (High) {
      return __builtin_shufflevector(a, b,
                                     ((I / kUnit & Step) == 0 ? I + Step * kUnit : kAll + I)...);
    } else {
      return __builtin_shufflevector(a, b,
                                     ((I / kUnit & Step) == 0 ? I : kAll + I - Step * kUnit)...);
    }
  }
  template <unsigned Step = 1>
  GPUCTR_INLINE static void transpose(V (&v)[kPerVector]) {
    if constexpr (Step < kPerVector) {
      using Index = std::make_index_sequence<M::kBytes / 8>;
      GPUCTR_UNROLL
      for (unsigned k = 0; k < kPerVector; ++k) {
        if ((k & Step) != 0) continue;
        const V a = v[k], b = v[k + Step];
        v[k] = exchanged<Step, false>(a, b, Index{});
        v[k + Step] = exchanged<Step, true>(a, b, Index{});
      }
      transpose<2 * Step>(v);
    }
  }
  // kPerVector rows of the same number of lanes, and as many successive bytes of each lane's text.
  GPUCTR_INLINE static void read_rows(const std::uint8_t* rows, std::size_t stride,
                                      V (&v)[kPerVector]) {
    for (unsigned r = 0; r < kPerVector; ++r) v[r] = load<V>(rows + r * stride);
    transpose(v);
  }
  GPUCTR_INLINE static void write_rows(V (&v)[kPerVector], std::uint8_t* rows, std::size_t stride) {
    transpose(v);
    for (unsigned r = 0; r < kPerVector; ++r) store(rows + r * stride, v[r]);
  }

  // The same for all lanes of a row of `stride` bytes, from or to their texts at `at`.
  GPUCTR_INLINE static void gather_rows(const std::uint8_t* const* in, std::size_t at,
                                        std::size_t stride, std::uint8_t* rows) {
    for (unsigned i = 0; i < stride / Block; i += kPerVector) {
      V v[kPerVector];
      for (unsigned k = 0; k < kPerVector; ++k) v[k] = load<V>(in[i + k] + at);
      write_rows(v, rows + i * Block, stride);
    }
  }
  GPUCTR_INLINE static void scatter_rows(const std::uint8_t* rows, std::size_t stride,
                                         std::size_t at, std::uint8_t* const* out) {
    for (unsigned i = 0; i < stride / Block; i += kPerVector) {
      V v[kPerVector];
      read_rows(rows + i * Block, stride, v);
      for (unsigned k = 0; k < kPerVector; ++k) store(out[i + k] + at, v[k]);
    }
  }

  GPUCTR_INLINE static void gather_part(const std::uint8_t* text, std::size_t size,
                                        std::uint8_t* block) {
    store(block, One{});
    copy_bytes(block, text, size);
  }
  static void gather(const std::uint8_t* const* texts, std::size_t from, std::size_t size,
                     unsigned lanes, std::uint8_t* row) {
    if (size - from >= Block) {
      for (unsigned i = 0; i < lanes; i += kPerVector) {
        store(row + i * Block, gathered<M::kBytes>(texts + i, from));
      }
    } else {
      for (unsigned i = 0; i < lanes; ++i) {
        gather_part(texts[i] + from, size - from, row + i * Block);
      }
    }
  }

  // Numbers of 64 or 128 bits from big-endian blocks, lowest half first, and the reverse.
  struct Reversed {
    GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) {
      return i / Block * Block + Block - 1 - i % Block;
    }
  };
  GPUCTR_INLINE static V reversed(V v) { return shuffle_lanes<Reversed>(v); }
  template <std::size_t... I>
  GPUCTR_INLINE static V in_low(std::uint64_t amount, std::index_sequence<I...>) {
    return V{(I % (Block / 8) == 0 ? amount : 0)...};
  }
  template <std::size_t... I>
  GPUCTR_INLINE static V low_to_high(V v, std::index_sequence<I...>) {
    return __builtin_shufflevector(v, V{}, (I % 2 == 0 ? sizeof...(I) : I - 1)...);
  }
  GPUCTR_INLINE static V plus(V numbers, std::uint64_t amount, V mask) {
    using Index = std::make_index_sequence<M::kBytes / 8>;
    const V more = in_low(amount, Index{});
    V sum = numbers + more;
    if constexpr (Block == 16) sum -= low_to_high(as<V>(sum < more), Index{});
    return (sum & mask) | (numbers & ~mask);
  }
  GPUCTR_INLINE static V all(const std::uint8_t* block) {
    alignas(M::kBytes) std::uint8_t copies[M::kBytes];
    for (unsigned i = 0; i < M::kBytes; i += Block) store(copies + i, load<One>(block));
    return load<V>(copies);
  }

  // `count` rows of counter blocks; the lanes' blocks become the ones after them.
  GPUCTR_INLINE static void count_rows(V mask, unsigned lanes, std::size_t count,
                                       std::uint8_t* blocks, std::uint8_t* rows) {
    for (unsigned i = 0; i < lanes * Block; i += M::kBytes) {
      const V first = reversed(load<V>(blocks + i));
      store(rows + i, load<V>(blocks + i));
      for (std::size_t r = 1; r < count; ++r) {
        store(rows + r * lanes * Block + i, reversed(plus(first, r, mask)));
      }
      store(blocks + i, reversed(plus(first, count, mask)));
    }
  }

  // out = in ^ rows for one lane; n bytes.
  GPUCTR_INLINE static void xor_lane(const std::uint8_t* row, std::size_t stride,
                                     const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    for (; n >= Block; n -= Block, row += stride, in += Block, out += Block) {
      store(out, load<One>(row) ^ load<One>(in));
    }
    for (; n != 0; --n) *out++ = static_cast<std::uint8_t>(*in++ ^ *row++);
  }

  // The same for kPerVector lanes from `first` on, at most `bytes` of each.
  GPUCTR_INLINE static void xor_lanes(const std::uint8_t* rows, std::size_t stride,
                                      std::size_t bytes, const ManyLanes& lanes, unsigned first) {
    std::size_t least = bytes;
    for (unsigned i = first; i < first + kPerVector; ++i) least = least_of(least, lanes.n[i]);
    std::size_t done = 0;
    for (; least - done >= M::kBytes; done += M::kBytes, rows += kPerVector * stride) {
      V v[kPerVector];
      read_rows(rows, stride, v);
      for (unsigned i = 0; i < kPerVector; ++i) {
        store(lanes.out[first + i] + done, v[i] ^ load<V>(lanes.in[first + i] + done));
      }
    }
    for (unsigned i = first; i < first + kPerVector; ++i, rows += Block) {
      const std::size_t n = least_of(bytes, lanes.n[i]) - done;
      if (n != 0) xor_lane(rows, stride, lanes.in[i] + done, lanes.out[i] + done, n);
    }
  }

  struct Range {
    std::size_t least = ~std::size_t{0}, most = 0;
    GPUCTR_INLINE Range(const std::size_t* n, unsigned lanes) {
      for (unsigned i = 0; i < lanes; ++i) {
        least = least_of(least, n[i]);
        most = n[i] > most ? n[i] : most;
      }
    }
  };

  static void ctr(const ManyOps& ops, const std::uint8_t* mask, ManyLanes& lanes,
                  ManyScratch& scratch) {
    if (ops.ctr != nullptr) ops.ctr(scratch.table, mask, lanes);
    const unsigned count = ops.lanes;
    const V own = reversed(all(mask));
    const std::size_t stride = count * Block, most_rows = kManyRows;
    for (std::size_t most = Range(lanes.n, count).most; most != 0;) {
      const std::size_t rows = least_of(most_rows, (most + Block - 1) / Block);
      const std::size_t bytes = rows * Block;
      count_rows(own, count, rows, lanes.blocks, scratch.rows);
      ops.encrypt(scratch.table, scratch.rows, rows);
      for (unsigned i = 0; i < count; i += kPerVector) {
        xor_lanes(scratch.rows + i * Block, stride, bytes, lanes, i);
      }
      if (most <= bytes) return;
      most -= bytes;
      for (unsigned i = 0; i < count; ++i) {
        advance(least_of(bytes, lanes.n[i]), true, lanes, i, 1);
      }
    }
  }

  GPUCTR_INLINE static void xor_rows(std::uint8_t* to, const std::uint8_t* with, unsigned lanes) {
    for (unsigned i = 0; i < lanes * Block; i += M::kBytes) {
      store(to + i, load<V>(to + i) ^ load<V>(with + i));
    }
  }

  // Blocks while every lane has a whole one: kPerVector rows at a time, and the rest.
  GPUCTR_INLINE static void chain_whole(const ManyOps& ops, const std::uint8_t* table, bool writes,
                                        std::size_t blocks, ManyLanes& lanes, std::uint8_t* rows) {
    const unsigned count = ops.lanes;
    const std::size_t stride = count * Block;
    std::size_t b = 0;
    if (ops.chain != nullptr) {
      b = blocks / kPerVector * kPerVector;
      if (b != 0) ops.chain(table, writes, b * Block, lanes, rows);
    }
    for (; blocks - b >= kPerVector; b += kPerVector) {
      gather_rows(lanes.in, b * Block, stride, rows);
      for (unsigned r = 0; r < kPerVector; ++r) {
        xor_rows(lanes.blocks, rows + r * stride, count);
        ops.encrypt(table, lanes.blocks, 1);
        if (writes) copy_row(rows + r * stride, lanes.blocks, count);
      }
      if (writes) scatter_rows(rows, stride, b * Block, lanes.out);
    }
    for (; b < blocks; ++b) {
      for (unsigned i = 0; i < count; i += kPerVector) {
        store(lanes.blocks + i * Block,
              load<V>(lanes.blocks + i * Block) ^ gathered<M::kBytes>(lanes.in + i, b * Block));
      }
      ops.encrypt(table, lanes.blocks, 1);
      if (!writes) continue;
      for (unsigned i = 0; i < count; ++i) {
        store(lanes.out[i] + b * Block, load<One>(lanes.blocks + i * Block));
      }
    }
  }
  GPUCTR_INLINE static void copy_row(std::uint8_t* to, const std::uint8_t* from, unsigned lanes) {
    for (unsigned i = 0; i < lanes * Block; i += M::kBytes) store(to + i, load<V>(from + i));
  }
  GPUCTR_INLINE static void advance(std::size_t bytes, bool writes, ManyLanes& lanes,
                                    unsigned first, unsigned count) {
    for (unsigned i = first; i < first + count; ++i) {
      lanes.in[i] += bytes;
      if (writes) lanes.out[i] += bytes;
      lanes.n[i] -= bytes;
    }
  }
  // Blocks of the lanes that have some.
  static void chain(const ManyOps& ops, const std::uint8_t* table, bool writes, ManyLanes& lanes,
                    std::uint8_t* rows) {
    const unsigned count = ops.lanes;
    const Range range(lanes.n, count);
    const std::size_t whole = range.least / Block;
    chain_whole(ops, table, writes, whole, lanes, rows);
    std::size_t left = (range.most + Block - 1) / Block - whole;
    if (left == 0) return;
    advance(whole * Block, writes, lanes, 0, count);
    for (; left != 0; --left) {
      for (unsigned i = 0; i < count; ++i) {
        std::uint8_t* const block = rows + i * Block;
        if (lanes.n[i] >= Block) {
          store(block, load<One>(lanes.in[i]));
        } else {
          gather_part(lanes.in[i], lanes.n[i], block);
        }
      }
      xor_rows(rows, lanes.blocks, count);
      ops.encrypt(table, rows, 1);
      for (unsigned i = 0; i < count; ++i) {
        if (lanes.n[i] == 0) continue;
        const One made = load<One>(rows + i * Block);
        const std::size_t n = least_of(Block, lanes.n[i]);
        store(lanes.blocks + i * Block, made);
        lanes.in[i] += n;
        lanes.n[i] -= n;
        if (!writes) continue;
        store(lanes.out[i], made);
        lanes.out[i] += n;
      }
    }
  }

  // other_rows has the ciphertext, for the next rows of the same text: `out` may equal `in`.
  static void cbc_decrypt(const ManyOps& ops, ManyLanes& lanes, ManyScratch& scratch) {
    const unsigned count = ops.lanes;
    const std::size_t stride = count * Block;
    for (std::size_t most = Range(lanes.n, count).most; most != 0;) {
      const std::size_t rows = least_of(kManyRows, most / Block);
      for (unsigned i = 0; i < count; ++i) {
        const std::size_t n = least_of(rows, lanes.n[i] / Block);
        for (std::size_t r = 0; r < n; ++r) {
          const One block = load<One>(lanes.in[i] + r * Block);
          store(scratch.rows + r * stride + i * Block, block);
          store(scratch.other_rows + r * stride + i * Block, block);
        }
      }
      ops.decrypt(scratch.table, scratch.rows, rows);
      for (unsigned i = 0; i < count; ++i) {
        const std::size_t n = least_of(rows, lanes.n[i] / Block);
        One before = load<One>(lanes.blocks + i * Block);
        for (std::size_t r = 0; r < n; ++r) {
          const std::size_t at = r * stride + i * Block;
          store(lanes.out[i] + r * Block, load<One>(scratch.rows + at) ^ before);
          before = load<One>(scratch.other_rows + at);
        }
        store(lanes.blocks + i * Block, before);
        lanes.in[i] += n * Block;
        lanes.out[i] += n * Block;
        lanes.n[i] -= n * Block;
      }
      most -= rows * Block;
    }
  }

  static void wipe() { M::wipe_registers(); }

  static constexpr ManyModes kModes = {gather, ctr, chain, cbc_decrypt, wipe};
};

}  // namespace gpuctr::simd

#endif
