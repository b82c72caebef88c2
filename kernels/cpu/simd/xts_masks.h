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
#include "kernels/cpu/simd/xts_lanes.h"

namespace gpuctr {
namespace {

template <class M>
struct XtsMasks {
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

  // Where the masks go, and the text of the same blocks.
  struct Text {
    std::uint8_t* masks;
    const std::uint8_t* in;
    std::uint8_t* out;

    template <bool kWithText>
    GPUCTR_INLINE void put(std::size_t at, V mask) const {
      simd::store(masks + at, mask);
      if constexpr (kWithText) simd::store(out + at, simd::load<V>(in + at) ^ mask);
    }
    GPUCTR_INLINE Text from(std::size_t at) const { return {masks + at, in + at, out + at}; }
  };

  // A vector of the `groups` groups after the group of `v`. low, high: the product of each byte of
  // `v` with 0x87.
  template <bool kWithText, unsigned Step>
  GPUCTR_INLINE static void later(V v, V low, V high, const Text& text, std::size_t groups) {
    if constexpr (Step <= kTogether) {
      if (groups < Step) return;
      constexpr std::make_index_sequence<N> kBytes;
      text.template put<kWithText>(Step * kGroup,
                                   moved_up<Step>(v, low, kBytes) ^ come_back<Step>(high));
      later<kWithText, Step + 1>(v, low, high, text, groups);
    }
  }
  // `groups` groups, at most kTogether, after the group at the beginning of `text`.
  template <bool kWithText>
  GPUCTR_INLINE static void later_groups(const Text& text, std::size_t groups) {
    for (std::size_t at = 0; at < kGroup; at += N) {
      const V v = simd::load<V>(text.masks + at);
      const V low = v ^ (v << 1) ^ (v << 2) ^ (v << 7);
      const V high = (v >> 7) ^ (v >> 6) ^ (v >> 1);
      later<kWithText, 1>(v, low, high, text.from(at), groups);
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

  template <bool kWithText, std::size_t... Vector>
  GPUCTR_INLINE static void first_group(const std::uint8_t* mask, const Text& text,
                                        std::index_sequence<Vector...>) {
    const auto lanes = simd::as<simd::Vec<std::uint64_t, N>>(in_every_lane(mask));
    (text.template put<kWithText>(N * Vector, simd::as<V>(simd::xts_lanes<N / 16 * Vector>(lanes))),
     ...);
  }
  template <class T>
  GPUCTR_INLINE static void add_one(const std::uint8_t* masks, const std::uint8_t* in,
                                    std::uint8_t* out) {
    simd::store(out, simd::load<T>(in) ^ simd::load<T>(masks));
  }

  // Not inlined, like end_all(), so that its frame lies where wipe_below() zeroes.
  GPUCTR_NOINLINE static void begin_all(std::uint8_t* mask, std::uint8_t* masks,
                                        const std::uint8_t* in, std::uint8_t* out,
                                        std::size_t blocks) {
    constexpr std::make_index_sequence<kGroup / N> kVectors;
    Text text{masks, in, out};
    std::size_t left = blocks / 8;  // whole groups of text; one more group has masks
    if (left == 0) {
      first_group<false>(mask, text, kVectors);
    } else {
      first_group<true>(mask, text, kVectors);
      while (--left != 0) {
        const std::size_t groups = left < kTogether ? left : kTogether;
        later_groups<true>(text, groups);
        text = text.from(groups * kGroup);
        left -= groups - 1;
      }
      later_groups<false>(text, 1);
      text = text.from(kGroup);
    }
    for (std::size_t i = 0; i < blocks % 8; ++i) {
      add_one<simd::Vec<std::uint8_t, 16>>(text.masks + 16 * i, text.in + 16 * i,
                                           text.out + 16 * i);
    }
    simd::store(mask, simd::load<simd::Vec<std::uint8_t, 16>>(masks + kXtsBlock * blocks));
  }
  GPUCTR_NOINLINE static void end_all(const std::uint8_t* masks, const std::uint8_t* in,
                                      std::uint8_t* out, std::size_t bytes) {
    std::size_t at = 0;
    for (; at + N <= bytes; at += N) add_one<V>(masks + at, in + at, out + at);
    for (; at < bytes; at += 16) {
      add_one<simd::Vec<std::uint8_t, 16>>(masks + at, in + at, out + at);
    }
  }

  GPUCTR_NOINLINE static void wipe_stack() { M::template wipe_below<kXtsFrame + 64>(); }

  static void begin(std::uint8_t* mask, std::uint8_t* masks, const std::uint8_t* in,
                    std::uint8_t* out, std::size_t blocks) {
    begin_all(mask, masks, in, out, blocks);
    wipe_stack();
    M::wipe_registers();
  }
  static void end(const std::uint8_t* masks, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks) {
    end_all(masks, in, out, kXtsBlock * blocks);
    wipe_stack();
    M::wipe_registers();
  }
};

}  // namespace
}  // namespace gpuctr

#endif
