// One block of DES after another (cipher/des/des.h), which CBC encryption is, and few of them side
// by side, in constant time on AVX-512 with VBMI and GFNI. Qword q of a vector stands for S-box q:
// each of its bytes is the six bits of the half block that go into the box, the standard's first
// one lowest. A round is
// - VPERMB: for each bit that the next round wants, to a byte of its own, the index of the box that
//   it comes from;
// - two VPERMI2B: what all boxes make of that index, a bit each, for two of the four output bits
//   each, which bit 6 of the index chooses between;
// - a mask of the one bit wanted, and GF2P8AFFINEQB with the bytes as the matrix, whose product
// with
//   ones is their parities: eight bytes become eight bits.
// A round of a block waits 16 cycles for the one before and keeps a pipe busy for four, so four
// blocks side by side take little longer than one.
#ifndef GPUCTR_KERNELS_CPU_X86_DES_ROW_H
#define GPUCTR_KERNELS_CPU_X86_DES_ROW_H

#include <immintrin.h>

#include <iterator>
#include <utility>

#include "kernels/cipher/des/boxes.h"
#include "kernels/cpu/backend.h"
#include "kernels/cpu/simd/planes.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr {
namespace {

template <class C>
struct DesRowMaps {
  using Rounds = typename C::Planes;

  // Bit n of a half block, from 0, is wire 1 + n % 4 of box n / 4, and at most one more.
  static constexpr unsigned bit_of(unsigned box, unsigned wire) {
    return (4 * box + wire + 31) % 32;
  }
  // A byte of a matrix is row 7 less the bit that it becomes. Rows 6 and 7 are no wires.
  static constexpr unsigned wire(std::size_t lane) { return 7 - lane % 8; }
  static constexpr unsigned box(std::size_t lane) { return static_cast<unsigned>(lane / 8); }

  // Which output bit of the eight boxes, from 0, a lane takes.
  static constexpr unsigned source(std::size_t lane) {
    return wire(lane) > 5 ? 0 : Rounds::kP[bit_of(box(lane), wire(lane))] - 1u;
  }
  struct Sources {
    static constexpr std::uint8_t at(std::size_t lane) {
      return static_cast<std::uint8_t>(8 * (source(lane) / 4) + source(lane) % 2);
    }
  };
  struct Wanted {
    static constexpr std::uint8_t at(std::size_t lane) {
      return static_cast<std::uint8_t>(wire(lane) > 5 ? 0 : 1u << (source(lane) / 4));
    }
  };
  static constexpr std::uint64_t lower_outputs() {
    std::uint64_t mask = 0;
    for (unsigned lane = 0; lane < 64; ++lane) {
      mask |= std::uint64_t{source(lane) % 4 < 2} << lane;
    }
    return mask;
  }

  // Output bit Bit of box b at `index` as bit b, by the boxes' circuits.
  template <class Box>
  static constexpr unsigned output(std::size_t index, unsigned bit) {
    bool wires[6 + std::size(Box::kGates)] = {};
    for (unsigned i = 0; i < 6; ++i) wires[i] = (index >> i & 1) != 0;
    unsigned made = 6;
    for (const DesGate& gate : Box::kGates) {
      const unsigned at = 4 * wires[gate.a] + 2 * wires[gate.b] + wires[gate.c];
      wires[made++] = (gate.map >> at & 1) != 0;
    }
    return wires[Box::kOut[bit]];
  }
  template <unsigned Bit>
  struct Outputs {
    static constexpr std::uint8_t at(std::size_t i) {
      return static_cast<std::uint8_t>(output<DesBox1>(i, Bit) | output<DesBox2>(i, Bit) << 1 |
                                       output<DesBox3>(i, Bit) << 2 | output<DesBox4>(i, Bit) << 3 |
                                       output<DesBox5>(i, Bit) << 4 | output<DesBox6>(i, Bit) << 5 |
                                       output<DesBox7>(i, Bit) << 6 | output<DesBox8>(i, Bit) << 7);
    }
  };

  // A block's bits, the most significant of the first byte first, are in the order of the initial
  // permutation: see place() of des.h.
  template <bool Left>
  struct FromByte {
    static constexpr unsigned from(std::size_t lane) {
      const unsigned n = bit_of(box(lane), wire(lane));
      return 57 - 8 * (n % 8) + 2 * (n / 8) - (Left ? 0 : 1);
    }
    static constexpr std::uint8_t at(std::size_t lane) {
      return static_cast<std::uint8_t>(from(lane) / 8);
    }
  };
  template <bool Left>
  struct FromBit {
    static constexpr std::uint8_t at(std::size_t lane) {
      return static_cast<std::uint8_t>(wire(lane) > 5 ? 0
                                                      : 0x80u >> (FromByte<Left>::from(lane) % 8));
    }
  };
  // Row t of byte j of the block: its bit 8 j + t, of the left half where that is odd.
  static constexpr unsigned number(std::size_t lane) {
    return static_cast<unsigned>(8 * (lane % 8 / 2) + 7 - lane / 8);
  }
  struct ToByte {
    static constexpr std::uint8_t at(std::size_t lane) {
      return static_cast<std::uint8_t>(8 * (number(lane) / 4) + (lane % 2 != 0 ? 0 : 64));
    }
  };
  struct ToBit {
    static constexpr std::uint8_t at(std::size_t lane) {
      return static_cast<std::uint8_t>(2u << (number(lane) % 4));
    }
  };
  // The 48 bytes of a round key: the box's six, the first one last.
  struct KeyBytes {
    static constexpr std::uint8_t at(std::size_t lane) {
      return static_cast<std::uint8_t>(wire(lane) > 5 ? 0 : 6 * box(lane) + wire(lane));
    }
  };
  static constexpr std::uint64_t kWires = 0xfcfcfcfcfcfcfcfc;
};

// M: the backend, of which wipe_below() and wipe_registers() are used.
template <class M, class C>
struct DesRow {
  using Maps = DesRowMaps<C>;
  static constexpr unsigned kRounds = 16 * C::kPasses;

  template <class Map>
  GPUCTR_INLINE static __m512i constant() {
    return simd::as<__m512i>(simd::table<std::uint8_t, 64, Map>());
  }
  // Each qword's eight bytes, one bit of each of which may be set, as a byte, in all of its places.
  GPUCTR_INLINE static __m512i bits(__m512i bytes) {
    return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi8(-1), bytes, 0);
  }

  // Without a mask GCC 12 warns of its own header.
  GPUCTR_INLINE static __m512i look_up(__m512i index, __m512i bytes) {
    return _mm512_maskz_permutexvar_epi8(~std::uint64_t{0}, index, bytes);
  }

  // With bit 6 of every second byte, which chooses between two tables.
  GPUCTR_INLINE static void expand(const std::uint8_t* words, __m512i* keys) {
    for (unsigned r = 0; r < kRounds; ++r) {
      const __m512i from = _mm512_maskz_loadu_epi8(0xffffffffffff, words + 48 * r);
      const __m512i bytes =
          _mm512_maskz_permutexvar_epi8(Maps::kWires, constant<typename Maps::KeyBytes>(), from);
      const __m512i one_each = _mm512_and_si512(bytes, _mm512_set1_epi8(1));
      keys[r] = _mm512_xor_si512(bits(one_each), _mm512_set1_epi16(0x4000));
    }
  }

  // N blocks side by side, in place.
  template <bool Encrypt, unsigned N>
  GPUCTR_INLINE static void blocks(std::uint64_t* text, const __m512i* keys) {
    const __m512i table0 = constant<typename Maps::template Outputs<0>>();
    const __m512i table1 = constant<typename Maps::template Outputs<1>>();
    const __m512i table2 = constant<typename Maps::template Outputs<2>>();
    const __m512i table3 = constant<typename Maps::template Outputs<3>>();
    const __m512i sources = constant<typename Maps::Sources>();
    const __m512i wanted = constant<typename Maps::Wanted>();
    constexpr std::uint64_t kLower = Maps::lower_outputs();

    __m512i left[N], right[N];
    GPUCTR_UNROLL
    for (unsigned i = 0; i < N; ++i) {
      const __m512i in = _mm512_set1_epi64(static_cast<long long>(text[i]));
      left[i] =
          bits(_mm512_and_si512(look_up(constant<typename Maps::template FromByte<true>>(), in),
                                constant<typename Maps::template FromBit<true>>()));
      right[i] =
          bits(_mm512_and_si512(look_up(constant<typename Maps::template FromByte<false>>(), in),
                                constant<typename Maps::template FromBit<false>>()));
    }
    for (unsigned pass = 0; pass < C::kPasses; ++pass) {
      GPUCTR_ROUNDS
      for (unsigned r = 16 * pass; r < 16 * pass + 16; ++r) {
        const __m512i key = keys[Encrypt ? r : kRounds - 1 - r];
        GPUCTR_UNROLL
        for (unsigned i = 0; i < N; ++i) {
          const __m512i index = look_up(sources, _mm512_xor_si512(right[i], key));
          const __m512i lower = _mm512_maskz_permutex2var_epi8(kLower, table0, index, table1);
          const __m512i upper = _mm512_maskz_permutex2var_epi8(~kLower, table2, index, table3);
          const __m512i f = bits(_mm512_ternarylogic_epi64(lower, upper, wanted, 0xa8));
          const __m512i next = _mm512_xor_si512(left[i], f);
          left[i] = right[i];
          right[i] = next;
        }
      }
      GPUCTR_UNROLL
      for (unsigned i = 0; i < N; ++i) std::swap(left[i], right[i]);
    }
    const __m512i first = simd::as<__m512i>(simd::table<std::uint8_t, 64, EachQword>());
    GPUCTR_UNROLL
    for (unsigned i = 0; i < N; ++i) {
      const __m512i out = bits(_mm512_and_si512(
          _mm512_permutex2var_epi8(left[i], constant<typename Maps::ToByte>(), right[i]),
          constant<typename Maps::ToBit>()));
      text[i] = simd::as<simd::Vec<std::uint64_t, 64>>(look_up(first, out))[0];
    }
  }
  struct EachQword {
    static constexpr std::uint8_t at(std::size_t lane) {
      return static_cast<std::uint8_t>(8 * (lane % 8));
    }
  };

  __attribute__((noinline)) static void chain_here(const std::uint8_t* words, std::uint8_t* chain,
                                                   const std::uint8_t* in, std::uint8_t* out,
                                                   std::size_t count) {
    __m512i keys[kRounds];
    expand(words, keys);
    std::uint64_t last[1] = {simd::load<std::uint64_t>(chain)};
    for (; count != 0; --count, in += 8, out += 8) {
      last[0] ^= simd::load<std::uint64_t>(in);
      blocks<true, 1>(last, keys);
      simd::store(out, last[0]);
    }
    simd::store(chain, last[0]);
  }

  // `count` blocks, at most N, side by side.
  template <bool Encrypt, unsigned N>
  GPUCTR_INLINE static void group(const __m512i* keys, const std::uint8_t* in, std::uint8_t* out,
                                  std::size_t count) {
    std::uint64_t text[N] = {};
    for (std::size_t i = 0; i < count; ++i) text[i] = simd::load<std::uint64_t>(in + 8 * i);
    blocks<Encrypt, N>(text, keys);
    for (std::size_t i = 0; i < count; ++i) simd::store(out + 8 * i, text[i]);
  }
  template <bool Encrypt>
  __attribute__((noinline)) static void few_here(const std::uint8_t* words, const std::uint8_t* in,
                                                 std::uint8_t* out, std::size_t count) {
    __m512i keys[kRounds];
    expand(words, keys);
    if (count == 1) return group<Encrypt, 1>(keys, in, out, 1);
    for (std::size_t i = 0; i < count; i += kSide) {
      const std::size_t take = count - i < kSide ? count - i : kSide;
      group<Encrypt, kSide>(keys, in + 8 * i, out + 8 * i, take);
    }
  }

  // Of the functions above, at most: the build refuses a larger one (tuning.cmake of the folder).
  static constexpr unsigned kFrame = 4608;
  __attribute__((noinline)) static void wipe_stack() { M::template wipe_below<kFrame + 256>(); }
  GPUCTR_INLINE static void wipe_after() {
    wipe_stack();
    M::wipe_registers();
  }
  static void cbc_encrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t blocks) {
    chain_here(keys.words<std::uint8_t>(), chain, in, out, blocks);
    wipe_after();
  }

  // What is left after full batches of planes goes this way if it is not more than kFew blocks,
  // which take as long as a batch of a short message.
  using OnPlanes = simd::PlaneVerbs<M, C>;
  static constexpr unsigned kSide = 4;
  static constexpr std::size_t kFew = 28;
  static std::size_t few_of(std::size_t blocks) {
    const std::size_t rest = blocks % OnPlanes::Wide::kBlocks;
    return rest <= kFew ? rest : 0;
  }

  template <bool Encrypt>
  GPUCTR_INLINE static void any(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                                std::size_t blocks) {
    const std::size_t few = few_of(blocks);
    const std::size_t before = blocks - few;
    if (before != 0) OnPlanes::template any<Encrypt>(keys, in, out, 8 * before);
    if (few == 0) return;
    few_here<Encrypt>(keys.words<std::uint8_t>(), in + 8 * before, out + 8 * before, few);
    wipe_after();
  }
  static void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    any<true>(keys, in, out, blocks);
  }
  static void decrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    any<false>(keys, in, out, blocks);
  }
  static void ctr(const RoundKeys& keys, const std::uint8_t* block, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    const std::size_t few = few_of((n + 7) / 8);
    const std::size_t before = few == 0 ? n : n - n % OnPlanes::Wide::kBytes;
    if (before != 0) OnPlanes::ctr(keys, block, in, out, before);
    if (few == 0) return;
    alignas(64) std::uint8_t stream[8 * kFew];
    const std::uint64_t counter = load_be<std::uint64_t>(block) + before / 8;
    for (std::size_t i = 0; i < few; ++i) {
      simd::store(stream + 8 * i, __builtin_bswap64(counter + i));
    }
    few_here<true>(keys.words<std::uint8_t>(), stream, stream, few);
    OnPlanes::Wide::write(stream, in != nullptr ? in + before : nullptr, out + before, n - before);
    wipe(stream, sizeof stream);
    wipe_after();
  }
};

template <class M, class C>
constexpr CipherOps make_des_ops() {
  CipherOps ops = {};
  ops.ctr = DesRow<M, C>::ctr;
  ops.encrypt = DesRow<M, C>::encrypt;
  ops.decrypt = DesRow<M, C>::decrypt;
  ops.cbc_encrypt = DesRow<M, C>::cbc_encrypt;
  return ops;
}

}  // namespace
}  // namespace gpuctr

#endif
