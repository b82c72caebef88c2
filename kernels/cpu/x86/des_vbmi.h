// The rounds of DES (simd/des_few.h) on AVX-512 with VBMI and GFNI, in constant time. Qword q of a
// vector stands for S-box q: each of its bytes is the six input bits of the box, the first bit
// lowest. A round is
//
// - VPERMB: for each bit of the next round's input, in its own byte, the index of its box;
// - two VPERMI2B: the outputs of all boxes for that index, one bit each, for two of the four output
//   bits; bit 6 of the index selects between the two;
// - a mask of one bit, and GF2P8AFFINEQB with the bytes as the matrix and ones as the vector: the
//   parities of eight bytes are eight bits.
//
// A round waits 16 cycles for the round before and occupies a pipe for four cycles, so four blocks
// side by side take little longer than one.
#ifndef GPUCTR_KERNELS_CPU_X86_DES_VBMI_H
#define GPUCTR_KERNELS_CPU_X86_DES_VBMI_H

#include <immintrin.h>

#include <utility>

#include "kernels/cpu/simd/des_few.h"

namespace gpuctr {
namespace {

template <class C>
struct DesVbmiMaps {
  using Bits = DesWiring<typename C::BitSliced>;

  // Byte n of a matrix becomes bit 7 - n. Bits 6 and 7 are no wires.
  static constexpr unsigned wire(std::size_t lane) { return 7 - lane % 8; }
  static constexpr unsigned box(std::size_t lane) { return static_cast<unsigned>(lane / 8); }

  // The output bit of the eight boxes, from 0, that a lane takes.
  static constexpr unsigned source(std::size_t lane) {
    return wire(lane) > 5 ? 0 : Bits::source(box(lane), wire(lane));
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

  // Output bit Bit of box b for input `index`, at bit b.
  template <unsigned Bit>
  struct Outputs {
    static constexpr std::uint8_t at(std::size_t i) {
      unsigned bits = 0;
      for (unsigned box = 0; box < 8; ++box) {
        bits |= (Bits::nibble(box, static_cast<unsigned>(i)) >> Bit & 1) << box;
      }
      return static_cast<std::uint8_t>(bits);
    }
  };

  template <bool Left>
  struct FromByte {
    static constexpr unsigned from(std::size_t lane) {
      return Bits::place(Left, Bits::bit_of(box(lane), wire(lane)));
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
  // Row t of byte j of the block is bit 8 j + t of the block; odd bits belong to the left half.
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
  // The place in a round key of the byte that box(lane) takes at input wire(lane). A round key has
  // six bytes for each box.
  struct KeyBytes {
    static constexpr std::uint8_t at(std::size_t lane) {
      return static_cast<std::uint8_t>(wire(lane) > 5 ? 0 : 6 * box(lane) + wire(lane));
    }
  };
  static constexpr std::uint64_t kWires = 0xfcfcfcfcfcfcfcfc;
};

template <class C>
struct DesVbmi {
  using Maps = DesVbmiMaps<C>;
  static constexpr unsigned kRounds = 16 * C::kPasses;
  static constexpr unsigned kSide = 4;
  static constexpr std::size_t kFew = 28;

  struct Halves {
    __m512i left, right;
    GPUCTR_INLINE friend Halves operator^(Halves a, Halves b) {
      return {_mm512_xor_si512(a.left, b.left), _mm512_xor_si512(a.right, b.right)};
    }
  };

  template <class Map>
  GPUCTR_INLINE static __m512i constant() {
    return simd::as<__m512i>(simd::table<std::uint8_t, 64, Map>());
  }
  // Packs the eight bytes of each qword into one byte, which is copied to all bytes of the qword.
  // At most one bit of each byte is set.
  GPUCTR_INLINE static __m512i bits(__m512i bytes) {
    return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi8(-1), bytes, 0);
  }

  // Without a mask GCC 12 warns about its own header.
  GPUCTR_INLINE static __m512i look_up(__m512i index, __m512i bytes) {
    return _mm512_maskz_permutexvar_epi8(~std::uint64_t{0}, index, bytes);
  }

  // A round's key is made beside the rounds before it, while they wait. Sets bit 6 of every second
  // byte, which selects between two tables.
  struct FewKeys {
    static constexpr unsigned kFrameBytes = 768;
    const std::uint8_t* words;
    GPUCTR_INLINE explicit FewKeys(const std::uint8_t* all) : words(all) {}
    GPUCTR_INLINE __m512i operator[](unsigned round) const {
      const __m512i from = _mm512_maskz_loadu_epi8(0xffffffffffff, words + 48 * round);
      const __m512i bytes =
          _mm512_maskz_permutexvar_epi8(Maps::kWires, constant<typename Maps::KeyBytes>(), from);
      const __m512i one_each = _mm512_and_si512(bytes, _mm512_set1_epi8(1));
      return _mm512_xor_si512(bits(one_each), _mm512_set1_epi16(0x4000));
    }
  };
  // Ahead: on a Xeon, whose one port for these shuffles the rounds need, long chains take 0.87 of
  // the time.
  struct Keys {
    static constexpr unsigned kFrameBytes = kBitSlicedFrame + 256;
    __m512i round[kRounds];
    GPUCTR_INLINE explicit Keys(const std::uint8_t* words) {
      for (unsigned r = 0; r < kRounds; ++r) round[r] = FewKeys(words)[r];
    }
    GPUCTR_INLINE __m512i operator[](unsigned r) const { return round[r]; }
  };

  template <bool Left>
  GPUCTR_INLINE static __m512i half(__m512i text) {
    return bits(_mm512_and_si512(look_up(constant<typename Maps::template FromByte<Left>>(), text),
                                 constant<typename Maps::template FromBit<Left>>()));
  }
  GPUCTR_INLINE static Halves enter(std::uint64_t text) {
    const __m512i all = _mm512_set1_epi64(static_cast<long long>(text));
    return {half<true>(all), half<false>(all)};
  }
  GPUCTR_INLINE static std::uint64_t leave(Halves x) {
    const __m512i out = bits(_mm512_and_si512(
        _mm512_permutex2var_epi8(x.left, constant<typename Maps::ToByte>(), x.right),
        constant<typename Maps::ToBit>()));
    return simd::as<simd::Vec<std::uint64_t, 64>>(look_up(constant<EachQword>(), out))[0];
  }
  struct EachQword {
    static constexpr std::uint8_t at(std::size_t lane) {
      return static_cast<std::uint8_t>(8 * (lane % 8));
    }
  };

  template <bool Encrypt, unsigned N, class K>
  GPUCTR_INLINE static void run_rounds(Halves* x, const K& keys) {
    const __m512i table0 = constant<typename Maps::template Outputs<0>>();
    const __m512i table1 = constant<typename Maps::template Outputs<1>>();
    const __m512i table2 = constant<typename Maps::template Outputs<2>>();
    const __m512i table3 = constant<typename Maps::template Outputs<3>>();
    const __m512i sources = constant<typename Maps::Sources>();
    const __m512i wanted = constant<typename Maps::Wanted>();
    constexpr std::uint64_t kLower = Maps::lower_outputs();

    for (unsigned pass = 0; pass < C::kPasses; ++pass) {
      GPUCTR_ROUNDS
      for (unsigned r = 16 * pass; r < 16 * pass + 16; ++r) {
        const __m512i key = keys[Encrypt ? r : kRounds - 1 - r];
        GPUCTR_UNROLL
        for (unsigned i = 0; i < N; ++i) {
          const __m512i index = look_up(sources, _mm512_xor_si512(x[i].right, key));
          const __m512i lower = _mm512_maskz_permutex2var_epi8(kLower, table0, index, table1);
          const __m512i upper = _mm512_maskz_permutex2var_epi8(~kLower, table2, index, table3);
          const __m512i f = bits(_mm512_ternarylogic_epi64(lower, upper, wanted, 0xa8));
          const __m512i next = _mm512_xor_si512(x[i].left, f);
          x[i].left = x[i].right;
          x[i].right = next;
        }
      }
      GPUCTR_UNROLL
      for (unsigned i = 0; i < N; ++i) std::swap(x[i].left, x[i].right);
    }
  }
};

}  // namespace
}  // namespace gpuctr

#endif
