// GHASH's arithmetic by PCLMULQDQ and VPCLMULQDQ, in vectors of 16, 32 or 64 bytes. The
// implementations of ghash.h and GCM's loops (kernels/cpu/simd/aes_modes.h) use it.
//
// Blocks are read as the numbers of ghash_element.h. Up to kTogether of them are multiplied by as
// many powers of H, the sum of the products is reduced once, and the lanes are added:
//
//   y = (y ^ in[0]) H^n ^ in[1] H^(n-1) ^ ... ^ in[n-1] H.
//
// A product is Karatsuba's three products of halves. The sums of the halves of the powers are
// computed once, in the key.
#ifndef GPUCTR_KERNELS_CPU_X86_GHASH_VECTORS_H
#define GPUCTR_KERNELS_CPU_X86_GHASH_VECTORS_H

#include <immintrin.h>

#include <utility>

#include "kernels/cpu/base/ghash_ops.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd::clmul {

using Block = Vec<std::uint64_t, 16>;

// The key: powers of H, each times x, the first power last. From kSums on: the sums of their
// halves, each in both halves of its place. An implementation makes as many powers as it multiplies
// by, so a narrower implementation can use the key of a wider one.
constexpr std::size_t kSums = kGhashKeyBytes / 2;

// The product of one half of each lane of `a` and one half of each lane of `b`. The first digit of
// Halves is for `b`, the second for `a`; 1 selects the high half.
template <int Halves, class V>
GPUCTR_INLINE V multiply(V a, V b) {
  if constexpr (sizeof(V) == 64) {
    return as<V>(_mm512_clmulepi64_epi128(as<__m512i>(a), as<__m512i>(b), Halves));
  } else if constexpr (sizeof(V) == 32) {
    return as<V>(_mm256_clmulepi64_epi128(as<__m256i>(a), as<__m256i>(b), Halves));
  } else {
    return as<V>(_mm_clmulepi64_si128(as<__m128i>(a), as<__m128i>(b), Halves));
  }
}

// Not by a compiler shuffle, which becomes VPERMQ: VPERMQ is slower on every CPU.
template <class V>
GPUCTR_INLINE V swap_halves(V v) {
  if constexpr (sizeof(V) == 64) {
    return as<V>(_mm512_maskz_shuffle_epi32(0xffff, as<__m512i>(v), _MM_PERM_BADC));
  } else if constexpr (sizeof(V) == 32) {
    return as<V>(_mm256_shuffle_epi32(as<__m256i>(v), 0x4e));
  } else {
    return as<V>(_mm_shuffle_epi32(as<__m128i>(v), 0x4e));
  }
}

// `v` in every lane. A shuffle of the compiler's goes by way of memory in GCC 12: the CPU waits.
template <class V>
GPUCTR_INLINE V in_all_lanes(Block v) {
  if constexpr (sizeof(V) == 64) {
    return as<V>(_mm512_maskz_broadcast_i32x4(0xffff, as<__m128i>(v)));
  } else if constexpr (sizeof(V) == 32) {
    return as<V>(_mm256_broadcastsi128_si256(as<__m128i>(v)));
  } else {
    return as<V>(v);
  }
}

// `v` in the first lane, zero in the other lanes.
template <class V>
GPUCTR_INLINE V in_first_lane(Block v) {
  if constexpr (sizeof(V) == 64) {
    return as<V>(_mm512_zextsi128_si512(as<__m128i>(v)));
  } else if constexpr (sizeof(V) == 32) {
    return as<V>(_mm256_zextsi128_si256(as<__m128i>(v)));
  } else {
    return v;
  }
}

template <class V, std::size_t... I>
GPUCTR_INLINE Block add_lanes(V v, std::index_sequence<I...>) {
  if constexpr (sizeof(V) == 16) {
    return v;
  } else {
    constexpr std::size_t kHalf = sizeof...(I);
    return add_lanes(
        __builtin_shufflevector(v, v, I...) ^ __builtin_shufflevector(v, v, (kHalf + I)...),
        std::make_index_sequence<kHalf / 2>{});
  }
}
template <class V>
GPUCTR_INLINE Block add_lanes(V v) {
  return add_lanes(v, std::make_index_sequence<sizeof(V) / 16>{});
}

struct ReverseOrder {
  GPUCTR_INLINE static constexpr std::uint64_t at(std::size_t i) {
    return i % 2 == 0 ? 0x08090a0b0c0d0e0f : 0x0001020304050607;
  }
};

// Reverses the bytes of each block, by PSHUFB.
template <class V>
GPUCTR_INLINE V reverse(V v) {
  const auto order = table<std::uint64_t, sizeof(V), ReverseOrder>();
  if constexpr (sizeof(V) == 64) {
    return as<V>(_mm512_shuffle_epi8(as<__m512i>(v), as<__m512i>(order)));
  } else if constexpr (sizeof(V) == 32) {
    return as<V>(_mm256_shuffle_epi8(as<__m256i>(v), as<__m256i>(order)));
  } else {
    return as<V>(_mm_shuffle_epi8(as<__m128i>(v), as<__m128i>(order)));
  }
}

// Each lane times x^(8 Bytes), as a mask of XTS (kernels/cpu/base/xts_ops.h). Bytes is at most 7.
template <unsigned Bytes, class V>
GPUCTR_INLINE V mask_times(V v) {
  const auto times_0x87 = [](V top) {
    return multiply<0>(top, as<V>(in_all_lanes<Vec<std::uint64_t, sizeof(V)>>(Block{0x87, 0})));
  };
  if constexpr (sizeof(V) == 64) {
    const auto x = as<__m512i>(v);
    return as<V>(_mm512_bslli_epi128(x, Bytes)) ^
           times_0x87(as<V>(_mm512_bsrli_epi128(x, 16 - Bytes)));
  } else {
    const auto x = as<__m256i>(v);
    return as<V>(_mm256_bslli_epi128(x, Bytes)) ^
           times_0x87(as<V>(_mm256_bsrli_epi128(x, 16 - Bytes)));
  }
}

// Loads `blocks` blocks, fewer than a vector's, into the first lanes; the other lanes are zero.
template <class V>
GPUCTR_INLINE V load_lanes(const std::uint8_t* p, std::size_t blocks) {
  if constexpr (sizeof(V) == 64) {
    return as<V>(_mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << 2 * blocks) - 1), p));
  } else {
    return in_first_lane<V>(load<Block>(p));
  }
}

#ifdef __AVX512VL__
// Always one instruction, whatever order the compiler would choose.
template <class V>
GPUCTR_INLINE V sum3(V a, V b, V c) {
  if constexpr (sizeof(V) == 64) {
    return as<V>(_mm512_ternarylogic_epi64(as<__m512i>(a), as<__m512i>(b), as<__m512i>(c), 0x96));
  } else {
    return as<V>(_mm_ternarylogic_epi64(as<__m128i>(a), as<__m128i>(b), as<__m128i>(c), 0x96));
  }
}
#endif

template <class V>
GPUCTR_INLINE V sum_of_halves(V v) {
  return v ^ swap_halves(v);
}

// low + middle x^64 + high x^128 times x^-128. The modulus is 1 + c x^64 + x^128: adding it times
// the lowest 64 bits makes these zero and moves `low`, its halves exchanged, to x^64. Twice.
template <class V>
GPUCTR_INLINE V reduce(V low, V middle, V high) {
  const V c = in_all_lanes<V>(Block{0xc200000000000000, 0});
  const V rest = middle ^ swap_halves(low) ^ multiply<0x00>(low, c);
  return high ^ swap_halves(rest) ^ multiply<0x00>(rest, c);
}

// A sum of products, not reduced: the products of the low halves, of the high halves, and of the
// sums of both.
template <class V>
struct Products {
  V low = {};
  V high = {};
  V sums = {};

  GPUCTR_INLINE void add(V blocks, V powers, V sums_of_powers) {
    low ^= multiply<0x00>(blocks, powers);
    high ^= multiply<0x11>(blocks, powers);
    sums ^= multiply<0x00>(sum_of_halves(blocks), sums_of_powers);
    // Otherwise GCC makes the products of several vectors before it adds them, and spills them.
    __asm__("" : "+v"(low), "+v"(high), "+v"(sums));
  }
  GPUCTR_INLINE void add(V blocks, const std::uint8_t* powers) {
    add(blocks, load<V>(powers), load<V>(powers + kSums));
  }
#ifdef __AVX512VL__
  // Two vectors of blocks, whose products are added in half as many instructions.
  GPUCTR_INLINE void add_pair(V first, V second, const std::uint8_t* powers) {
    const V a = load<V>(powers), b = load<V>(powers + sizeof(V));
    low = sum3(low, multiply<0x00>(first, a), multiply<0x00>(second, b));
    high = sum3(high, multiply<0x11>(first, a), multiply<0x11>(second, b));
    const V a_sums = load<V>(powers + kSums), b_sums = load<V>(powers + kSums + sizeof(V));
    sums = sum3(sums, multiply<0x00>(sum_of_halves(first), a_sums),
                multiply<0x00>(sum_of_halves(second), b_sums));
    __asm__("" : "+v"(low), "+v"(high), "+v"(sums));
  }
#endif

  GPUCTR_INLINE V reduced() const { return reduce(low, sums ^ low ^ high, high); }
};

template <class V>
GPUCTR_INLINE V product(V a, V b) {
  Products<V> one;
  one.add(a, b, sum_of_halves(b));
  return one.reduced();
}

// GHASH in vectors of Bytes. kReversed: of blocks whose bytes are in reverse order (POLYVAL).
template <unsigned Bytes, bool kReversed = false>
struct Hash {
  using Block = clmul::Block;
  using V = Vec<std::uint64_t, Bytes>;
  using Sum = Products<V>;
  static constexpr unsigned kBytes = Bytes;
  static constexpr std::size_t kPerVector = Bytes / 16;
  // How many vectors and blocks share a reduction.
  static constexpr std::size_t kVectors = 8;
  static constexpr std::size_t kTogether = kVectors * kPerVector;
  static_assert(16 * kTogether <= kSums, "room for the powers");

  template <class U>
  GPUCTR_INLINE static U ordered(U v) {
    return kReversed ? v : reverse(v);
  }
  GPUCTR_INLINE static Block load_block(const std::uint8_t* p) { return ordered(load<Block>(p)); }
  GPUCTR_INLINE static void store_block(std::uint8_t* p, Block b) { store(p, ordered(b)); }
  // The first of the powers for `blocks` blocks.
  GPUCTR_INLINE static const std::uint8_t* powers(const GhashKey& key,
                                                  std::size_t blocks = kTogether) {
    return key.bytes + kSums - 16 * blocks;
  }

  GPUCTR_INLINE static Block reduced(const Sum& sum) { return add_lanes(sum.reduced()); }

  // Turn number 1 to kVectors of adding the products of kTogether blocks at `in`; the hash so far
  // is y. The first vector, which waits for y, comes in the last turn.
  GPUCTR_INLINE static void add(Sum& sum, const std::uint8_t* powers, Block y,
                                const std::uint8_t* in, std::size_t turn) {
    const std::size_t i = turn % kVectors;
#ifdef __AVX512VL__
    if (turn % 2 == 0) {
      sum.add_pair(vector(y, in, i), vector(y, in, i + 1), powers + i * Bytes);
    }
#else
    sum.add(vector(y, in, i), powers + i * Bytes);
#endif
  }
  GPUCTR_INLINE static V vector(Block y, const std::uint8_t* in, std::size_t i) {
    const V blocks = ordered(load<V>(in + i * Bytes));
    return i == 0 ? blocks ^ in_first_lane<V>(y) : blocks;
  }
  GPUCTR_INLINE static Block hash_together(const std::uint8_t* powers, Block y,
                                           const std::uint8_t* in) {
    Sum sum;
#pragma GCC unroll 8
    for (std::size_t turn = 1; turn <= kVectors; ++turn) add(sum, powers, y, in, turn);
    return reduced(sum);
  }
};

}  // namespace gpuctr::simd::clmul

#endif
