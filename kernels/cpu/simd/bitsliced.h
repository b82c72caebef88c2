// DES bit-sliced (E. Biham, "A Fast New DES Implementation in Software", FSE 1997) on any backend:
// CTR and ECB in constant time. A vector of n bits holds one bit of n blocks; permutations of bits
// rename vectors.
//
// Before the transposition, 64-bit lane q of vector k is block k (lanes) + q; after it, vector p
// has bit p of all blocks. The vectors of a batch are in memory, because registers hold only a few
// of them. They are wiped, and so is the stack below. A short message uses vectors of 16 bytes on
// every backend. An S-box is 18 to 26 functions of three bits (cipher/logic.h), one VPTERNLOGQ each
// on AVX-512.
#ifndef GPUCTR_KERNELS_CPU_SIMD_BITSLICED_H
#define GPUCTR_KERNELS_CPU_SIMD_BITSLICED_H

#include <cstring>
#include <utility>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "kernels/base/wipe.h"
#include "kernels/cipher/logic.h"
#include "kernels/cpu/base/cipher_ops.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

// One bit of each of 8 N blocks.
template <unsigned N>
struct Bits {
  using V = Vec<std::uint64_t, N>;
  V v;

  GPUCTR_INLINE friend Bits operator^(Bits a, Bits b) { return {a.v ^ b.v}; }

  template <unsigned Map>
  GPUCTR_INLINE static Bits logic3(Bits a, Bits b, Bits c) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
    if constexpr (N == 64) {
      return {as<V>(
          _mm512_ternarylogic_epi64(as<__m512i>(a.v), as<__m512i>(b.v), as<__m512i>(c.v), Map))};
    } else if constexpr (N == 32) {
      return {as<V>(
          _mm256_ternarylogic_epi64(as<__m256i>(a.v), as<__m256i>(b.v), as<__m256i>(c.v), Map))};
    } else {
      return {
          as<V>(_mm_ternarylogic_epi64(as<__m128i>(a.v), as<__m128i>(b.v), as<__m128i>(c.v), Map))};
    }
#else
    return {gpuctr::logic3<Map>(a.v, b.v, c.v)};
#endif
  }
};

// The stored bits of round keys, each a byte of all zeros or all ones.
template <unsigned N>
struct BitslicedKeys {
  const std::uint8_t* bytes;
  GPUCTR_INLINE Bits<N> operator()(unsigned i) const {
    return {as<typename Bits<N>::V>(splat<std::uint8_t, N>(bytes[i]))};
  }
};

// The common part of DES and triple DES. M: the backend, for wipe_below() and wipe_registers(). N:
// bytes of its vectors.
template <class M, class Rounds, unsigned N>
struct BitslicedPasses {
  using P = Bits<N>;
  using V = typename P::V;
  static constexpr unsigned kLanes = N / 8;

  // Transposes 64 x 64 bits in each lane. Its own inverse.
  template <unsigned Step>
  GPUCTR_INLINE static void exchange(V& a, V& b, std::uint64_t low) {
    const V swap = ((a >> Step) ^ b) & low;
    b ^= swap;
    a ^= swap << Step;
  }
  // Two steps at once halve the number of loads and stores.
  template <unsigned Step>
  GPUCTR_INLINE static void two_steps(P* x, std::uint64_t low, std::uint64_t half_low) {
    constexpr unsigned kHalf = Step / 2;
    GPUCTR_ROUNDS
    for (unsigned i = 0; i < 16; ++i) {
      P* const at = x + i / kHalf * (2 * Step) + i % kHalf;
      V a = at[0].v, b = at[kHalf].v, c = at[Step].v, d = at[Step + kHalf].v;
      exchange<Step>(a, c, low);
      exchange<Step>(b, d, low);
      exchange<kHalf>(a, b, half_low);
      exchange<kHalf>(c, d, half_low);
      at[0].v = a;
      at[kHalf].v = b;
      at[Step].v = c;
      at[Step + kHalf].v = d;
    }
  }
  __attribute__((noinline)) static void transpose(P* x) {
    two_steps<32>(x, 0x00000000ffffffff, 0x0000ffff0000ffff);
    two_steps<8>(x, 0x00ff00ff00ff00ff, 0x0f0f0f0f0f0f0f0f);
    two_steps<2>(x, 0x3333333333333333, 0x5555555555555555);
  }

  // Bit-sliced counter blocks from `counter` on: `counter` in all blocks, plus the number of each
  // block, added bit by bit.
  __attribute__((noinline)) static void count(std::uint64_t counter, P* x) {
    constexpr std::uint64_t kBits[6] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                        0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
    constexpr unsigned kInLanes = __builtin_ctz(kLanes);
    V lanes = {};
    for (unsigned q = 0; q < kLanes; ++q) lanes[q] = q;
    V carry = {};
    for (unsigned bit = 0; bit < 64; ++bit) {
      const V base = splat<std::uint64_t, N>(0 - (counter >> bit & 1));
      V number = {};
      if (bit < kInLanes) {
        number = V{} - ((lanes >> bit) & 1);
      } else if (bit < kInLanes + 6) {
        number = splat<std::uint64_t, N>(kBits[bit - kInLanes]);
      }
      const V half = base ^ number;
      x[8 * (7 - bit / 8) + bit % 8].v = half ^ carry;
      carry = (base & number) | (half & carry);
    }
  }

  template <bool Forward>
  __attribute__((noinline)) static void pass(P* left, P* right, const std::uint8_t* keys) {
    Rounds::template sixteen<Forward>(left, right, BitslicedKeys<N>{keys});
  }
};

template <class M, class C, unsigned N>
struct BitslicedBatch {
  using P = Bits<N>;
  using Passes = BitslicedPasses<M, typename C::BitSliced, N>;
  static constexpr std::size_t kBlocks = 8 * N;
  static constexpr std::size_t kBytes = 8 * kBlocks;

  // After a pass the two halves are swapped, and the next pass takes them swapped.
  template <bool Encrypt>
  GPUCTR_INLINE static void run(P* x, const std::uint8_t* keys) {
    P* left = x;
    P* right = x + C::BitSliced::kRight;
    for (unsigned i = 0; i < C::kPasses; ++i) {
      Passes::template pass<Encrypt>(left, right,
                                     keys + C::kPassBytes * (Encrypt ? i : C::kPasses - 1 - i));
      std::swap(left, right);
    }
    static_assert(C::kPasses % 2 == 1, "the halves have changed places");
    for (unsigned k = 0; k < 64; k += 2) std::swap(x[k], x[k + 1]);
    Passes::transpose(x);
  }

  // Copies n bytes, at most a batch, to the memory of a batch, followed by zeros.
  GPUCTR_INLINE static void read(const std::uint8_t* in, std::size_t n, P* x) {
    auto* const bytes = reinterpret_cast<std::uint8_t*>(x);
    std::memcpy(bytes, in, n);
    std::memset(bytes + n, 0, kBytes - n);
  }

  // Writes n bytes to `out`, XORed with `in` unless that is nullptr.
  GPUCTR_INLINE static void write(const void* from, const std::uint8_t* in, std::uint8_t* out,
                                  std::size_t n) {
    const auto* const bytes = static_cast<const std::uint8_t*>(from);
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
      std::uint64_t word = load<std::uint64_t>(bytes + i);
      if (in != nullptr) word ^= load<std::uint64_t>(in + i);
      store(out + i, word);
    }
    for (; i < n; ++i) {
      out[i] = static_cast<std::uint8_t>(bytes[i] ^ (in != nullptr ? in[i] : 0));
    }
  }

  __attribute__((noinline)) static void ctr(const std::uint8_t* keys, std::uint64_t counter,
                                            const std::uint8_t* in, std::uint8_t* out,
                                            std::size_t n) {
    alignas(64) P x[64];
    while (n != 0) {
      const std::size_t take = n < kBytes ? n : kBytes;
      Passes::count(counter, x);
      run<true>(x, keys);
      write(x, in, out, take);
      counter += kBlocks;
      if (in != nullptr) in += take;
      out += take;
      n -= take;
    }
    wipe(x, sizeof x);
  }

  template <bool Encrypt>
  __attribute__((noinline)) static void blocks(const std::uint8_t* keys, const std::uint8_t* in,
                                               std::uint8_t* out, std::size_t n) {
    alignas(64) P x[64];
    while (n != 0) {
      const std::size_t take = n < kBytes ? n : kBytes;
      read(in, take, x);
      Passes::transpose(x);
      run<Encrypt>(x, keys);
      write(x, nullptr, out, take);
      in += take;
      out += take;
      n -= take;
    }
    wipe(x, sizeof x);
  }
};

template <class M, class C>
struct BitslicedOperations {
  using Wide = BitslicedBatch<M, C, M::kBytes>;
  using Narrow = BitslicedBatch<M, C, 16>;

  // The stack of two nested frames.
  __attribute__((noinline)) static void wipe_after() {
    M::template wipe_below<2 * kBitSlicedFrame + 256>();
    M::wipe_registers();
  }

  // The bytes of a message for wide batches. The rest goes through a narrow batch if it fits.
  static std::size_t for_wide(std::size_t n) {
    const std::size_t rest = n % Wide::kBytes;
    return rest <= Narrow::kBytes ? n - rest : n;
  }

  // Not inlined: the caller would keep the counter in a frame that is not wiped.
  __attribute__((noinline)) static void ctr(const RoundKeys& keys, const std::uint8_t* block,
                                            const std::uint8_t* in, std::uint8_t* out,
                                            std::size_t n) {
    const auto* const words = words_of<std::uint8_t>(keys);
    const std::size_t wide = for_wide(n);
    // The counter is read once for each call: GCC 16 would keep a read value in this frame, which
    // is not wiped.
    if (wide != 0) Wide::ctr(words, load_be<std::uint64_t>(block), in, out, wide);
    if (wide != n) {
      Narrow::ctr(words, load_be<std::uint64_t>(block) + wide / 8,
                  in != nullptr ? in + wide : nullptr, out + wide, n - wide);
    }
    wipe_after();
  }
  template <bool Encrypt>
  GPUCTR_INLINE static void any(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                                std::size_t n) {
    const auto* const words = words_of<std::uint8_t>(keys);
    const std::size_t wide = for_wide(n);
    if (wide != 0) Wide::template blocks<Encrypt>(words, in, out, wide);
    if (wide != n) Narrow::template blocks<Encrypt>(words, in + wide, out + wide, n - wide);
    wipe_after();
  }
};

}  // namespace gpuctr::simd

#endif
