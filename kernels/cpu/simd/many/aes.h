// ManyOps of AES by AES instructions: a lane of 16 bytes has a block of one message, and the round
// keys of that message. A row is kVectors vectors, which hide the latency of a round.
#ifndef GPUCTR_KERNELS_CPU_SIMD_MANY_AES_H
#define GPUCTR_KERNELS_CPU_SIMD_MANY_AES_H

#include "kernels/cipher/word.h"
#include "kernels/cpu/base/many.h"
#include "kernels/cpu/simd/many/modes.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

template <class M, class C>
struct ManyAes {
  using A = typename M::Aes;
  using V = typename A::V;
  static constexpr unsigned kVectors = A::kBytes == 64 ? 4 : 8;
  static constexpr unsigned kRow = kVectors * A::kBytes;
  static constexpr unsigned kRounds = C::kRounds;
  static constexpr unsigned kTogether = M::kRegisters >= 32 ? 4 : 1;  // rows

  static void place(const std::uint8_t* rows, std::size_t first, std::size_t count,
                    std::uint8_t* table) {
    for (std::size_t at = 0; at != count * kRow; at += A::kBytes) {
      store(table + first * kRow + at, load<V>(rows + at));
    }
  }

  // FIPS 197 5.2 in each lane. AESENCLAST substitutes all bytes of a lane; ShiftRows does nothing
  // to four equal columns.
  template <bool Rotates>
  struct LastColumn {
    GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) {
      return 12 + (i + (Rotates ? 1 : 0)) % 4;
    }
  };
  template <unsigned Bytes>
  struct Columns {  // each column, `Bytes` bytes further
    template <std::size_t... I>
    GPUCTR_INLINE static V moved(V v, std::index_sequence<I...>) {
      return __builtin_shufflevector(v, V{}, (I % 16 < Bytes ? sizeof...(I) : I - Bytes)...);
    }
  };
  template <unsigned Bytes>
  GPUCTR_INLINE static V moved(V v) {
    return Columns<Bytes>::moved(v, std::make_index_sequence<sizeof(V)>{});
  }
  // The next four columns, from the four that are a key's length before them and the last column.
  template <bool Rotates>
  GPUCTR_INLINE static V next_columns(V before, V last, std::uint32_t round_constant) {
    const V constant = as<V>(splat<std::uint32_t, A::kBytes>(round_constant));
    const V mixed = A::encrypt_last(shuffle_lanes<LastColumn<Rotates>>(last), constant);
    V sums = before ^ moved<4>(before);
    sums ^= moved<8>(sums);
    return sums ^ mixed;
  }
  static void expand(const std::uint8_t* rows, std::uint8_t* table) {
    constexpr unsigned kKeyRows = C::kKeyBytes / 16;
    constexpr std::uint8_t kConstants[10] = {1, 2, 4, 8, 16, 32, 64, 128, 27, 54};
    V key[kVectors][kKeyRows];
    for (unsigned g = 0; g < kVectors; ++g) {
      for (unsigned r = 0; r < kKeyRows; ++r) {
        key[g][r] = load<V>(rows + r * kRow + g * A::kBytes);
        store(table + r * kRow + g * A::kBytes, key[g][r]);
      }
    }
    for (unsigned at = kKeyRows; at <= kRounds; ++at) {
      const unsigned r = at % kKeyRows;
      for (unsigned g = 0; g < kVectors; ++g) {
        V& next = key[g][r];
        if (r == 0) {
          next = next_columns<true>(next, key[g][kKeyRows - 1], kConstants[at / kKeyRows - 1]);
        } else {
          next = next_columns<false>(next, key[g][r - 1], 0);
        }
        store(table + at * kRow + g * A::kBytes, next);
      }
    }
  }

  // The keys of decryption (FIPS 197 5.3.5), in the order of use.
  static void invert(std::uint8_t* table) {
    for (unsigned g = 0; g < kVectors; ++g) {
      std::uint8_t* const keys = table + g * A::kBytes;
      for (unsigned low = 0, high = kRounds; low <= high; ++low, --high) {
        const V a = load<V>(keys + low * kRow), b = load<V>(keys + high * kRow);
        store(keys + low * kRow, low == 0 ? b : unmixed(b));
        store(keys + high * kRow, low == 0 ? a : unmixed(a));
      }
    }
  }
  // AESENCLAST substitutes and shifts, and AESDEC undoes that and InvMixColumns remains.
  GPUCTR_INLINE static V unmixed(V key) { return A::decrypt(A::encrypt_last(key, V{}), V{}); }

  template <unsigned Rows, bool kEncrypts>
  GPUCTR_NOINLINE static void rows_of(const std::uint8_t* table, std::uint8_t* rows) {
    V x[Rows][kVectors];
    each_key<Rows>(table, rows, x);
    GPUCTR_ROUNDS
    for (unsigned round = 1; round < kRounds; ++round) {
      GPUCTR_UNROLL
      for (unsigned g = 0; g < kVectors; ++g) {
        const V key = load<V>(table + round * kRow + g * A::kBytes);
        GPUCTR_UNROLL
        for (unsigned r = 0; r < Rows; ++r) {
          x[r][g] = kEncrypts ? A::encrypt(x[r][g], key) : A::decrypt(x[r][g], key);
        }
      }
    }
    GPUCTR_UNROLL
    for (unsigned g = 0; g < kVectors; ++g) {
      const V key = load<V>(table + kRounds * kRow + g * A::kBytes);
      GPUCTR_UNROLL
      for (unsigned r = 0; r < Rows; ++r) {
        const V made = kEncrypts ? A::encrypt_last(x[r][g], key) : A::decrypt_last(x[r][g], key);
        store(rows + r * kRow + g * A::kBytes, made);
      }
    }
  }
  template <unsigned Rows>
  GPUCTR_INLINE static void each_key(const std::uint8_t* table, const std::uint8_t* rows,
                                     V (&x)[Rows][kVectors]) {
    GPUCTR_UNROLL
    for (unsigned g = 0; g < kVectors; ++g) {
      const V key = load<V>(table + g * A::kBytes);
      GPUCTR_UNROLL
      for (unsigned r = 0; r < Rows; ++r) {
        x[r][g] = load<V>(rows + r * kRow + g * A::kBytes) ^ key;
      }
    }
  }
  template <bool kEncrypts>
  GPUCTR_INLINE static void run(const std::uint8_t* table, std::uint8_t* rows, std::size_t count) {
    if constexpr (kTogether > 1) {
      for (; count >= kTogether; count -= kTogether, rows += kTogether * kRow) {
        rows_of<kTogether, kEncrypts>(table, rows);
      }
    }
    for (; count != 0; --count, rows += kRow) rows_of<1, kEncrypts>(table, rows);
  }
  static void encrypt(const std::uint8_t* table, std::uint8_t* rows, std::size_t count) {
    run<true>(table, rows, count);
  }
  static void decrypt(const std::uint8_t* table, std::uint8_t* rows, std::size_t count) {
    run<false>(table, rows, count);
  }

  struct Width {
    static constexpr unsigned kBytes = A::kBytes;
  };
  using Rows = ManyRows<Width, 16>;
  using Lanes = typename Rows::V;
  static constexpr unsigned kPerVector = Rows::kPerVector;

  // Rounds 1 to the last of N vectors with the keys of `table`, `stride` bytes apart from one
  // vector to the next.
  template <unsigned N, unsigned kStride>
  GPUCTR_INLINE static void rounds(const std::uint8_t* table, V (&x)[N]) {
    GPUCTR_ROUNDS
    for (unsigned round = 1; round < kRounds; ++round) {
      GPUCTR_UNROLL
      for (unsigned i = 0; i < N; ++i) {
        x[i] = A::encrypt(x[i], load<V>(table + round * kRow + i * kStride));
      }
    }
    GPUCTR_UNROLL
    for (unsigned i = 0; i < N; ++i) {
      x[i] = A::encrypt_last(x[i], load<V>(table + kRounds * kRow + i * kStride));
    }
  }

  // The row stays in registers from block to block. A vector of each text at a time.
  template <bool kWrites>
  GPUCTR_NOINLINE static void chain_of(const std::uint8_t* table, std::size_t size,
                                       ManyLanes& lanes) {
    V x[kVectors];
    for (unsigned g = 0; g < kVectors; ++g) x[g] = load<V>(lanes.blocks + g * A::kBytes);
    for (std::size_t at = 0; at != size; at += A::kBytes) {
      Lanes texts[kVectors][kPerVector];
      GPUCTR_UNROLL
      for (unsigned g = 0; g < kVectors; ++g) {
        GPUCTR_UNROLL
        for (unsigned k = 0; k < kPerVector; ++k) {
          texts[g][k] = load<Lanes>(lanes.in[g * kPerVector + k] + at);
        }
        Rows::transpose(texts[g]);
      }
      GPUCTR_UNROLL
      for (unsigned k = 0; k < kPerVector; ++k) {
        GPUCTR_UNROLL
        for (unsigned g = 0; g < kVectors; ++g) {
          x[g] ^= as<V>(texts[g][k]) ^ load<V>(table + g * A::kBytes);
        }
        rounds<kVectors, A::kBytes>(table, x);
        GPUCTR_UNROLL
        for (unsigned g = 0; g < kVectors; ++g) texts[g][k] = as<Lanes>(x[g]);
      }
      if (!kWrites) continue;
      GPUCTR_UNROLL
      for (unsigned g = 0; g < kVectors; ++g) {
        Rows::transpose(texts[g]);
        for (unsigned k = 0; k < kPerVector; ++k) {
          store(lanes.out[g * kPerVector + k] + at, texts[g][k]);
        }
      }
    }
    for (unsigned g = 0; g < kVectors; ++g) store(lanes.blocks + g * A::kBytes, x[g]);
  }
  static void chain(const std::uint8_t* table, bool writes, std::size_t size, ManyLanes& lanes,
                    std::uint8_t*) {
    (writes ? chain_of<true> : chain_of<false>)(table, size, lanes);
  }

  // Counter mode of the lanes of one vector, with their next counter blocks in `blocks`: kAtOnce
  // blocks of each lane side by side.
  static constexpr unsigned kAtOnce = A::kBytes == 64 ? 4 : 8;
  GPUCTR_NOINLINE static void ctr_of(const std::uint8_t* table, Lanes mask, std::uint8_t* blocks,
                                     const std::uint8_t* const* in, std::uint8_t* const* out,
                                     std::size_t size) {
    Lanes next = Rows::reversed(load<Lanes>(blocks));
    for (std::size_t at = 0; at != size; at += 16 * kAtOnce) {
      V x[kAtOnce];
      GPUCTR_UNROLL
      for (unsigned i = 0; i < kAtOnce; ++i) {
        x[i] = as<V>(Rows::reversed(Rows::plus(next, i, mask))) ^ load<V>(table);
      }
      next = Rows::plus(next, kAtOnce, mask);
      rounds<kAtOnce, 0>(table, x);
      GPUCTR_UNROLL
      for (unsigned i = 0; i < kAtOnce; i += kPerVector) {
        Lanes made[kPerVector];
        for (unsigned k = 0; k < kPerVector; ++k) made[k] = as<Lanes>(x[i + k]);
        Rows::transpose(made);
        for (unsigned k = 0; k < kPerVector; ++k) {
          store(out[k] + at + 16 * i, made[k] ^ load<Lanes>(in[k] + at + 16 * i));
        }
      }
    }
    store(blocks, Rows::reversed(next));
  }
  static void ctr(const std::uint8_t* table, const std::uint8_t* mask, ManyLanes& lanes) {
    const Lanes counts = Rows::reversed(Rows::all(mask));
    for (unsigned i = 0; i < kRow / 16; i += kPerVector) {
      constexpr std::size_t kStep = 16 * kAtOnce;
      const std::size_t size = typename Rows::Range(lanes.n + i, kPerVector).least / kStep * kStep;
      if (size == 0) continue;
      ctr_of(table + 16 * i, counts, lanes.blocks + 16 * i, lanes.in + i, lanes.out + i, size);
      Rows::advance(size, true, lanes, i, kPerVector);
    }
  }
};

template <class M, class C>
constexpr ManyOps many_aes_ops() {
  using On = ManyAes<M, C>;
  constexpr unsigned kLanes = On::kRow / 16;
  // In a key of 24 bytes columns of the schedule do not come in fours.
  constexpr bool kExpands = C::kKeyBytes % 16 == 0;
  return {kLanes,
          kLanes / 4,
          1023,
          255,
          kExpands ? C::kKeyBytes / 16 : 0,
          C::kRounds + 1,
          true,
          kExpands ? On::expand : nullptr,
          On::place,
          On::encrypt,
          On::chain,
          On::ctr,
          On::decrypt,
          On::invert};
}

}  // namespace gpuctr::simd

#endif
