// XTS's masks in the vectors of M, which has kBytes, wipe_below() and wipe_registers().
//
// A group is eight successive masks. The groups after it are the group times x^8, x^16 and so on:
// in each lane whole bytes move up, and the bytes that leave the lane come back times 0x87. The
// products of all bytes with 0x87 are computed once for eight groups. Then a vector takes two
// shuffles and a XOR.
#ifndef GPUCTR_KERNELS_CPU_SIMD_XTS_MASKS_H
#define GPUCTR_KERNELS_CPU_SIMD_XTS_MASKS_H

#ifdef __SSSE3__
#include <immintrin.h>
#else
#include <arm_neon.h>
#endif

#include "kernels/base/frames.h"
#include "kernels/cpu/base/xts_ops.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

// A mask of XTS times successive powers of x, one product in each 16-byte lane of a vector.
template <unsigned First>
struct XtsShift {  // of a half of a lane
  GPUCTR_INLINE static constexpr std::uint64_t at(std::size_t i) { return First + i / 2; }
};
template <unsigned First>
struct XtsShiftBack {
  GPUCTR_INLINE static constexpr std::uint64_t at(std::size_t i) { return 63 - First - i / 2; }
};
struct XtsLowHalf {
  GPUCTR_INLINE static constexpr std::uint64_t at(std::size_t i) { return i % 2 == 0 ? ~0ULL : 0; }
};

template <class U, std::size_t... I>
GPUCTR_INLINE U xts_halves_swapped(U lanes, std::index_sequence<I...>) {
  return __builtin_shufflevector(lanes, lanes, (I ^ 1)...);
}

// Lane i is lane i of `lanes`, which has a mask in every lane, times x^(First + i). First + i is at
// most 56: then the bits that leave the lane, times 0x87, fit the low half.
template <unsigned First, class U>
GPUCTR_INLINE U xts_lanes(U lanes) {
  constexpr unsigned N = sizeof(U);
  static_assert(First + N / 16 <= 57);
  const U shifted = lanes << table<std::uint64_t, N, XtsShift<First>>();
  // In two steps, because a shift by 64 is undefined.
  const U carried = (xts_halves_swapped(lanes, std::make_index_sequence<N / 8>{}) >> 1) >>
                    table<std::uint64_t, N, XtsShiftBack<First>>();
  const U top = carried & table<std::uint64_t, N, XtsLowHalf>();
  return shifted ^ carried ^ (top << 1) ^ (top << 2) ^ (top << 7);
}

// A mask times x. The sign of each word of 32 bits is what leaves a half, or the mask.
GPUCTR_INLINE Vec<std::uint64_t, 16> xts_next(Vec<std::uint64_t, 16> mask) {
  using Words = Vec<std::int32_t, 16>;
  const Words signs = as<Words>(mask) >> 31;
  const Words carried = __builtin_shufflevector(signs, signs, 3, 0, 1, 0);
  return (mask << 1) ^ (as<Vec<std::uint64_t, 16>>(carried) & Vec<std::uint64_t, 16>{0x87, 1});
}

}  // namespace gpuctr::simd

namespace gpuctr {
namespace {

template <class M>
struct XtsMaskVectors {
  static constexpr unsigned N = M::kBytes;
  using V = simd::Vec<std::uint8_t, N>;
  static constexpr std::size_t kGroup = 128;
  static constexpr std::size_t kTogether = 8;

  // The bytes of each lane of `v` moved up by Step places; below them, the last Step bytes of the
  // same lane of `below`.
  template <unsigned Step, std::size_t... I>
  GPUCTR_INLINE static V moved_up(V v, V below, std::index_sequence<I...>) {
#ifdef __SSSE3__  // GCC 12 would take three shuffles
    if constexpr (N == 16) {
      return simd::as<V>(
          _mm_alignr_epi8(simd::as<__m128i>(v), simd::as<__m128i>(below), 16 - Step));
    }
#ifdef __AVX2__
    if constexpr (N == 32) {
      return simd::as<V>(
          _mm256_alignr_epi8(simd::as<__m256i>(v), simd::as<__m256i>(below), 16 - Step));
    }
#endif
#ifdef __AVX512BW__
    if constexpr (N == 64) {
      return simd::as<V>(
          _mm512_alignr_epi8(simd::as<__m512i>(v), simd::as<__m512i>(below), 16 - Step));
    }
#endif
#else
    return __builtin_shufflevector(v, below, ((I & 15) >= Step ? I - Step : N + I + 16 - Step)...);
#endif
  }

  // The last Step bytes of each lane of `v`, from the lane's second place on; else zeros.
  template <unsigned Step>
  struct Back {
    GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
      return static_cast<std::uint8_t>((i & 15) >= 1 && (i & 15) <= Step ? (i & 15) + 15 - Step
                                                                         : 0x80);
    }
  };
  template <unsigned Step>
  GPUCTR_INLINE static V come_back(V v) {
    const V places = simd::table<std::uint8_t, N, Back<Step>>();
#if defined(__ARM_NEON)
    return simd::as<V>(vqtbl1q_u8(simd::as<uint8x16_t>(v), simd::as<uint8x16_t>(places)));
#else
    if constexpr (N == 16) {
      return simd::as<V>(_mm_shuffle_epi8(simd::as<__m128i>(v), simd::as<__m128i>(places)));
    }
#ifdef __AVX2__
    if constexpr (N == 32) {
      return simd::as<V>(_mm256_shuffle_epi8(simd::as<__m256i>(v), simd::as<__m256i>(places)));
    }
#endif
#ifdef __AVX512BW__
    if constexpr (N == 64) {
      return simd::as<V>(_mm512_shuffle_epi8(simd::as<__m512i>(v), simd::as<__m512i>(places)));
    }
#endif
#endif
  }

  // A vector of the `groups` groups after the group of `v`. low, high: the product of each byte of
  // `v` with 0x87.
  template <unsigned Step>
  GPUCTR_INLINE static void later(V v, V low, V high, std::uint8_t* masks, std::size_t groups) {
    if constexpr (Step <= kTogether) {
      if (groups < Step) return;
      constexpr std::make_index_sequence<N> kBytes;
      simd::store(masks + Step * kGroup, moved_up<Step>(v, low, kBytes) ^ come_back<Step>(high));
      later<Step + 1>(v, low, high, masks, groups);
    }
  }
  // `groups` groups, at most kTogether, after the group at `masks`.
  GPUCTR_INLINE static void later_groups(std::uint8_t* masks, std::size_t groups) {
    for (std::size_t at = 0; at < kGroup; at += N) {
      const V v = simd::load<V>(masks + at);
      const V low = v ^ (v << 1) ^ (v << 2) ^ (v << 7);
      const V high = (v >> 7) ^ (v >> 6) ^ (v >> 1);
      later<1>(v, low, high, masks + at, groups);
    }
  }

  // Not by a shuffle of the compiler's, which GCC 12 makes by way of memory.
  GPUCTR_INLINE static V in_every_lane(const std::uint8_t* block) {
#ifdef __AVX512F__
    if constexpr (N == 64) {
      return simd::as<V>(_mm512_maskz_broadcast_i32x4(0xffff, simd::load<__m128i>(block)));
    }
#endif
#ifdef __AVX2__
    if constexpr (N == 32) {
      return simd::as<V>(_mm256_broadcastsi128_si256(simd::load<__m128i>(block)));
    }
#endif
    if constexpr (N == 16) return simd::load<V>(block);
  }

  template <std::size_t... Vector>
  GPUCTR_INLINE static void first_group(const std::uint8_t* mask, std::uint8_t* masks,
                                        std::index_sequence<Vector...>) {
    const auto lanes = simd::as<simd::Vec<std::uint64_t, N>>(in_every_lane(mask));
    (simd::store(masks + N * Vector, simd::as<V>(simd::xts_lanes<N / 16 * Vector>(lanes))), ...);
  }

  // Not inlined, so that its frame lies where wipe_below() zeroes.
  GPUCTR_NOINLINE static void all(std::uint8_t* mask, std::uint8_t* masks, std::size_t blocks) {
    first_group(mask, masks, std::make_index_sequence<kGroup / N>{});
    std::uint8_t* at = masks;
    for (std::size_t left = blocks / 8; left != 0;) {
      const std::size_t groups = left < kTogether ? left : kTogether;
      later_groups(at, groups);
      at += groups * kGroup;
      left -= groups;
    }
    simd::store(mask, simd::load<simd::Vec<std::uint8_t, 16>>(masks + kXtsBlock * blocks));
  }
  GPUCTR_NOINLINE static void wipe_stack() { M::template wipe_below<kXtsFrame + 64>(); }

  static void run(std::uint8_t* mask, std::uint8_t* masks, std::size_t blocks) {
    all(mask, masks, blocks);
    wipe_stack();
    M::wipe_registers();
  }
};

}  // namespace
}  // namespace gpuctr

#endif
