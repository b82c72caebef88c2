// GHASH by PCLMULQDQ and VPCLMULQDQ, in the widest vectors that the file's options allow.
//
// Blocks are read as the numbers of ghash_portable.h. Up to kTogether of them are multiplied by as
// many powers of H, the sum of the products is reduced once, and the lanes are added:
//   y = (y ^ in[0]) H^n ^ in[1] H^(n-1) ^ ... ^ in[n-1] H.
// A product is Karatsuba's three of halves. Those of the powers are added once, in the key.
#ifndef GPUCTR_KERNELS_CPU_X86_GHASH_H
#define GPUCTR_KERNELS_CPU_X86_GHASH_H

#include <immintrin.h>

#include <utility>

#include "kernels/cpu/ghash.h"
#include "kernels/cpu/simd/vec.h"
#include "kernels/cpu/x86/wipe.h"

namespace gpuctr {
namespace {

using simd::as;
using simd::load;
using simd::store;

template <std::size_t Blocks>
using Lanes = simd::Vec<std::uint64_t, 16 * Blocks>;

// Blocks in a vector, vectors and blocks that share a reduction.
#if defined(__AVX512F__)
constexpr std::size_t kPerVector = 4;
#elif defined(__VPCLMULQDQ__)
constexpr std::size_t kPerVector = 2;
#else
constexpr std::size_t kPerVector = 1;
#endif
constexpr std::size_t kVectors = 8;
constexpr std::size_t kTogether = kVectors * kPerVector;
using Vector = Lanes<kPerVector>;
using Block = Lanes<1>;

// The key: H^kTogether to H^1, each times x as H is, and from here on the sums of their halves,
// each in both halves of its place.
constexpr std::size_t kSums = 16 * kTogether;
static_assert(2 * kSums <= kGhashKeyBytes, "both");

// The product of a half of each lane of `a` and of `b`: the high one where the digit of Halves for
// it, the second for `a`, is 1.
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

template <class V, std::size_t... I>
GPUCTR_INLINE V swap_halves(V v, std::index_sequence<I...>) {
  return __builtin_shufflevector(v, v, (I ^ 1)...);
}
template <class V>
GPUCTR_INLINE V swap_halves(V v) {
  return swap_halves(v, std::make_index_sequence<sizeof(V) / 8>{});
}

template <class V, std::size_t... I>
GPUCTR_INLINE V in_all_lanes(Block v, std::index_sequence<I...>) {
  return __builtin_shufflevector(v, v, (I & 1)...);
}
template <class V>
GPUCTR_INLINE V in_all_lanes(Block v) {
  return in_all_lanes<V>(v, std::make_index_sequence<sizeof(V) / 8>{});
}

// `v` in the first lane, zero in the others.
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

// The bytes of each block reversed, as PSHUFB takes them.
template <class V>
GPUCTR_INLINE V reverse(V v) {
  const V order = in_all_lanes<V>(Block{0x08090a0b0c0d0e0f, 0x0001020304050607});
  if constexpr (sizeof(V) == 64) {
    return as<V>(_mm512_shuffle_epi8(as<__m512i>(v), as<__m512i>(order)));
  } else if constexpr (sizeof(V) == 32) {
    return as<V>(_mm256_shuffle_epi8(as<__m256i>(v), as<__m256i>(order)));
  } else {
    return as<V>(_mm_shuffle_epi8(as<__m128i>(v), as<__m128i>(order)));
  }
}

// The first lanes from memory, zero in the others: `blocks` of them, fewer than a vector's.
template <class V>
GPUCTR_INLINE V load_lanes(const std::uint8_t* p, std::size_t blocks) {
  if constexpr (sizeof(V) == 64) {
    return as<V>(_mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << 2 * blocks) - 1), p));
  } else {
    return in_first_lane<V>(load<Block>(p));
  }
}

template <class V>
GPUCTR_INLINE V sum_of_halves(V v) {
  return v ^ swap_halves(v);
}

// A sum of products, not reduced: that of the low halves, of the high ones, of the sums of both.
template <class V>
struct Products {
  V low = {};
  V high = {};
  V sums = {};

  GPUCTR_INLINE void add(V blocks, V powers, V sums_of_powers) {
    low ^= multiply<0x00>(blocks, powers);
    high ^= multiply<0x11>(blocks, powers);
    sums ^= multiply<0x00>(sum_of_halves(blocks), sums_of_powers);
    // Else GCC makes the products of several vectors before it adds them, and spills them.
    __asm__("" : "+v"(low), "+v"(high), "+v"(sums));
  }
  GPUCTR_INLINE void add(V blocks, const std::uint8_t* powers) {
    add(blocks, load<V>(powers), load<V>(powers + kSums));
  }

  // Times x^-128. The sum is low + middle x^64 + high x^128, the modulus 1 + c x^64 + x^128: its
  // multiple by the lowest 64 bits makes those zero and leaves `low`, with its halves exchanged, at
  // x^64. Then the same once more.
  GPUCTR_INLINE V reduced() const {
    const V c = in_all_lanes<V>(Block{0xc200000000000000, 0});
    const V middle = sums ^ low ^ high;
    const V rest = middle ^ swap_halves(low) ^ multiply<0x00>(low, c);
    return high ^ swap_halves(rest) ^ multiply<0x00>(rest, c);
  }
};

template <class V>
GPUCTR_INLINE V product(V a, V b) {
  Products<V> one;
  one.add(a, b, sum_of_halves(b));
  return one.reduced();
}

template <class V>
GPUCTR_INLINE void store_powers(std::uint8_t* to, V powers) {
  store(to, powers);
  store(to + kSums, sum_of_halves(powers));
}

// What product() takes as a factor of GHASH's product.
GPUCTR_INLINE Block times_x(Block h) {
  const Block carries = h >> 63;
  return (h << 1) ^ __builtin_shufflevector(carries, Block{}, 2, 0) ^
         ((Block{} - __builtin_shufflevector(carries, carries, 1, 1)) &
          Block{1, 0xc200000000000000});
}

// H^kTogether comes first: so whatever number of blocks is left has its powers at the end.
__attribute__((noinline)) void make_powers(const std::uint8_t* bytes, GhashKey* key) {
  const Block power = times_x(reverse(load<Block>(bytes)));
  std::uint8_t* to = key->bytes + kSums;
  Block last = power;
  for (std::size_t i = 0; i < kPerVector; ++i) {
    if (i != 0) last = product(last, power);
    to -= sizeof last;
    store_powers(to, last);
  }
  Vector powers = load<Vector>(to);
  const Vector step = in_all_lanes<Vector>(last);
  for (std::size_t i = 1; i < kVectors; ++i) {
    powers = product(powers, step);
    to -= sizeof powers;
    store_powers(to, powers);
  }
}

// kTogether blocks.
GPUCTR_INLINE Block hash_together(const std::uint8_t* powers, Block y, const std::uint8_t* in) {
  Products<Vector> sum;
#pragma GCC unroll 8
  for (std::size_t i = 1; i < kVectors; ++i) {
    const std::size_t at = i * sizeof(Vector);
    sum.add(reverse(load<Vector>(in + at)), powers + at);
  }
  // Last what waits for the turn before.
  sum.add(reverse(load<Vector>(in)) ^ in_first_lane<Vector>(y), powers);
  return add_lanes(sum.reduced());
}

// Fewer than kTogether blocks, with as many powers.
GPUCTR_INLINE Block hash_rest(const std::uint8_t* powers, Block y, const std::uint8_t* in,
                              std::size_t blocks) {
  Products<Vector> sum;
  Vector first = in_first_lane<Vector>(y);
  for (; blocks >= kPerVector; blocks -= kPerVector) {
    sum.add(reverse(load<Vector>(in)) ^ first, powers);
    first = Vector{};
    in += sizeof(Vector);
    powers += sizeof(Vector);
  }
  if (kPerVector > 1 && blocks != 0) {
    sum.add(reverse(load_lanes<Vector>(in, blocks)) ^ first, load_lanes<Vector>(powers, blocks),
            load_lanes<Vector>(powers + kSums, blocks));
  }
  return add_lanes(sum.reduced());
}

// Not inlined, so that its frame lies where wipe_frame's does.
__attribute__((noinline)) void hash_blocks(const GhashKey& key, std::uint8_t* bytes,
                                           const std::uint8_t* in, std::size_t blocks) {
  Block y = reverse(load<Block>(bytes));
  for (; blocks >= kTogether; blocks -= kTogether, in += 16 * kTogether) {
    y = hash_together(key.bytes, y, in);
  }
  if (blocks != 0) y = hash_rest(key.bytes + 16 * (kTogether - blocks), y, in, blocks);
  store(bytes, reverse(y));
}

__attribute__((noinline)) void multiply_all(std::uint8_t (*elements)[16],
                                            const GhashProduct* products, std::size_t count) {
  for (; count != 0; --count, ++products) {
    const Block a = reverse(load<Block>(elements[products->a]));
    const Block b = times_x(reverse(load<Block>(elements[products->b])));
    store(elements[products->to], reverse(product(a, b)));
  }
}

// The compiler warns of a function with a larger frame (kernels/cmake/Backends.cmake). Beside it
// are seven words: the address of return and what was saved.
constexpr unsigned kFrameBytes = 256;
__attribute__((noinline)) void wipe_frame() { simd::wipe_below<kFrameBytes + 64>(); }

GPUCTR_INLINE void wipe_registers() {
#if defined(__AVX512F__)
  simd::wipe_zmm();
#elif defined(__AVX__)
  simd::wipe_ymm();
#else
  simd::wipe_xmm();
#endif
}

void expand(const std::uint8_t* h, GhashKey* key) {
  make_powers(h, key);
  wipe_frame();
  wipe_registers();
}

void update(const GhashKey& key, std::uint8_t* y, const std::uint8_t* in, std::size_t blocks) {
  hash_blocks(key, y, in, blocks);
  wipe_frame();
  wipe_registers();
}

void multiply(std::uint8_t (*elements)[16], const GhashProduct* products, std::size_t count) {
  multiply_all(elements, products, count);
  wipe_frame();
  wipe_registers();
}

}  // namespace
}  // namespace gpuctr

#endif
