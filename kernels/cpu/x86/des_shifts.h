// The rounds of DES (simd/des_few.h) with AVX2, in constant time. A half block is two vectors with
// one qword for each S-box. The low byte of a qword has the six inputs of the box at the bits
// kWeight: VPSRLVQ or VPSLLVQ shifts by this number. A table of 64 bits is one row of a box, 16
// entries of four bits. Two of bits 0 to 5 of the number are no inputs. The four bits of an entry
// are 2^i apart, for these two bits i. So the shift brings bit k of an entry to bit kOut[k] of the
// first byte (of the last byte, for a left shift). The two inputs at bits 6 and 7 select the row,
// because a shift by more than 63 gives zero. A round has these operations:
//
// - four shifts of each vector, with 0 to 3 XORed onto bits 6 and 7, and their OR;
// - VSHUFPS, after which each lane has the bytes of its four boxes, and VPERM2I128 for the bytes of
//   the other lane;
// - PSHUFB of both, one byte for each input of the next round; a mask of one bit; and VPSADBW,
//   which adds all bytes of a qword. The bit lies at the weight of its input, or one bit below:
//   then its byte is taken twice.
//
// A solver found the two tables below, with which this is enough. A round waits 20 cycles for the
// round before on a Zen 5 (VPERM2I128 and VPSADBW 3 each, all others 2) and has 43 operations.
#ifndef GPUCTR_KERNELS_CPU_X86_DES_SHIFTS_H
#define GPUCTR_KERNELS_CPU_X86_DES_SHIFTS_H

#include <immintrin.h>

#include <utility>

#include "kernels/cpu/simd/des_few.h"

namespace gpuctr {
namespace {

template <class C>
struct DesShiftMaps {
  using Bits = DesWiring<typename C::BitSliced>;

  // The boxes of the vector that is shifted right, and of the vector that is shifted left.
  static constexpr std::uint8_t kBox[2][4] = {{0, 2, 4, 5}, {6, 7, 1, 3}};
  static constexpr std::uint8_t kWeight[8][6] = {
      {5, 4, 3, 0, 6, 7}, {6, 7, 0, 5, 3, 4}, {3, 4, 6, 0, 7, 5}, {7, 5, 2, 4, 3, 6},
      {3, 6, 2, 4, 7, 5}, {7, 5, 6, 0, 4, 3}, {4, 3, 5, 6, 7, 2}, {7, 2, 6, 3, 5, 4}};
  static constexpr std::uint8_t kOut[8][4] = {{4, 6, 0, 2}, {5, 7, 3, 1}, {4, 2, 6, 0},
                                              {5, 7, 6, 4}, {3, 1, 2, 0}, {6, 2, 0, 4},
                                              {5, 7, 6, 4}, {7, 6, 4, 5}};

  struct Place {
    unsigned vector, qword;
  };
  static constexpr Place place(unsigned box) {
    Place at = {};
    while (kBox[at.vector][at.qword] != box) {
      at.vector += ++at.qword / 4;
      at.qword %= 4;
    }
    return at;
  }

  // Row `row` of each box, for both vectors.
  struct Tables {
    std::uint64_t row[2][4][4] = {};
    constexpr Tables() {
      for (unsigned v = 0; v < 2; ++v) {
        for (unsigned q = 0; q < 4; ++q) {
          for (unsigned index = 0; index < 64; ++index) add(v, q, index);
        }
      }
    }
    constexpr void add(unsigned v, unsigned q, unsigned index) {
      const unsigned box = kBox[v][q], out = Bits::nibble(box, index);
      unsigned number = 0;
      for (unsigned i = 0; i < 6; ++i) number |= (index >> i & 1) << kWeight[box][i];
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned at = v == 0 ? number % 64 + kOut[box][k] : 56 + kOut[box][k] - number % 64;
        row[v][number / 64][q] |= std::uint64_t{out >> k & 1} << at;
      }
    }
  };

  // The sources of the bytes for the next round's wires. After VSHUFPS byte 4 i of a lane is that
  // of box i of the right shift. Byte 11 + 4 i is that of box i of the left shift.
  struct Wires {
    std::uint8_t own[2][32] = {}, other[2][32] = {}, wanted[2][32] = {};
    bool fit = true;
    constexpr Wires() {
      for (unsigned v = 0; v < 2; ++v) {
        for (unsigned lane = 0; lane < 32; ++lane) own[v][lane] = other[v][lane] = 0x80;
        for (unsigned q = 0; q < 4; ++q) {
          unsigned slot = 0;
          for (unsigned wire = 0; wire < 6; ++wire) slot = add(v, q, wire, slot);
          fit = fit && slot <= 8;
        }
      }
    }
    constexpr unsigned add(unsigned v, unsigned q, unsigned wire, unsigned slot) {
      const unsigned box = kBox[v][q], source = Bits::source(box, wire);
      const unsigned bit = kOut[source / 4][source % 4], weight = kWeight[box][wire];
      const Place from = place(source / 4);
      fit = fit && (weight == bit || weight == bit + 1);
      for (unsigned end = slot + (weight == bit ? 1 : 2); slot < end && slot < 8; ++slot) {
        const unsigned byte = from.qword % 2 * 4 + (from.vector == 0 ? 0 : 11);
        (from.qword / 2 == q / 2 ? own : other)[v][8 * q + slot] = static_cast<std::uint8_t>(byte);
        wanted[v][8 * q + slot] = static_cast<std::uint8_t>(1u << bit);
      }
      return slot;
    }
  };

  // For byte `wire` of each qword: the place of its bit in the block, and its weight.
  struct Enter {
    std::uint8_t byte[2][2][32] = {}, bit[2][2][32] = {}, weight[2][32] = {};
    constexpr Enter() {
      for (unsigned v = 0; v < 2; ++v) {
        for (unsigned q = 0; q < 4; ++q) {
          for (unsigned wire = 0; wire < 6; ++wire) add(v, kBox[v][q], wire, 8 * q + wire);
        }
      }
    }
    constexpr void add(unsigned v, unsigned box, unsigned wire, unsigned lane) {
      for (unsigned left = 0; left < 2; ++left) {
        const unsigned from = Bits::place(left == 1, Bits::bit_of(box, wire));
        byte[left][v][lane] = static_cast<std::uint8_t>(from / 8);
        bit[left][v][lane] = static_cast<std::uint8_t>(0x80u >> from % 8);
      }
      weight[v][lane] = static_cast<std::uint8_t>(1u << kWeight[box][wire]);
    }
  };

  // Lane `t` is for bit t of the block: byte 4 q + 2 left + v of four dwords, and the bit in that
  // byte.
  struct Leave {
    std::uint8_t byte[2][32] = {}, bit[2][32] = {};
    constexpr Leave() {
      for (unsigned n = 0; n < 32; ++n) {
        const unsigned box = n / 4, wire = 1 + n % 4;
        const Place from = place(box);
        for (unsigned left = 0; left < 2; ++left) {
          const unsigned in_block = Bits::place(left == 1, n);
          const unsigned t = in_block / 8 * 8 + 7 - in_block % 8;
          byte[t / 32][t % 32] = static_cast<std::uint8_t>(4 * from.qword + 2 * left + from.vector);
          bit[t / 32][t % 32] = static_cast<std::uint8_t>(1u << kWeight[box][wire]);
        }
      }
    }
  };

  alignas(32) static constexpr Tables kTables{};
  alignas(32) static constexpr Wires kWires{};
  alignas(32) static constexpr Enter kEnter{};
  alignas(32) static constexpr Leave kLeave{};
  static_assert(kWires.fit, "the bytes of a qword hold a box's wires");
};

template <class C>
struct DesShifts {
  using Maps = DesShiftMaps<C>;
  static constexpr unsigned kRounds = 16 * C::kPasses;
  static constexpr unsigned kSide = 2;
#if defined(__AVX512F__)
  static constexpr std::size_t kFew = 8;  // from there bit-slicing is faster, with VPTERNLOG
#else
  static constexpr std::size_t kFew = 12;
#endif

  struct Half {
    __m256i v[2];
    GPUCTR_INLINE friend Half operator^(Half a, Half b) {
      return {{_mm256_xor_si256(a.v[0], b.v[0]), _mm256_xor_si256(a.v[1], b.v[1])}};
    }
  };
  struct Halves {
    Half left, right;
    GPUCTR_INLINE friend Halves operator^(Halves a, Halves b) {
      return {a.left ^ b.left, a.right ^ b.right};
    }
  };
  // The shift numbers of a half XORed with a key, for each row of the boxes.
  struct Numbers {
    Half row[4];
  };

  template <class T>
  GPUCTR_INLINE static __m256i constant(const T* p) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
  }
  // In each qword, the sum of the weights whose bytes are all ones; there are eight weights.
  GPUCTR_INLINE static __m256i sum(__m256i bytes, unsigned v) {
    return _mm256_sad_epu8(_mm256_and_si256(bytes, constant(Maps::kEnter.weight[v])),
                           _mm256_setzero_si256());
  }

  // The bytes of two boxes of a round key, like Bits::six_bytes.
  template <unsigned V, unsigned Q>
  GPUCTR_INLINE static __m128i pair(const std::uint8_t* key) {
    return _mm_set_epi64x(static_cast<long long>(Maps::Bits::six_bytes(key, Maps::kBox[V][Q + 1])),
                          static_cast<long long>(Maps::Bits::six_bytes(key, Maps::kBox[V][Q])));
  }
  struct Keys {
    static constexpr unsigned kFrameBytes = kBitSlicedFrame + 256;
    Half round[kRounds];
    GPUCTR_INLINE explicit Keys(const std::uint8_t* words) {
      for (unsigned r = 0; r < kRounds; ++r, words += 48) {
        round[r] = {{sum(_mm256_set_m128i(pair<0, 2>(words), pair<0, 0>(words)), 0),
                     sum(_mm256_set_m128i(pair<1, 2>(words), pair<1, 0>(words)), 1)}};
      }
    }
  };

  using FewKeys = Keys;

  template <bool Left>
  GPUCTR_INLINE static Half half(__m256i text) {
    Half out;
    GPUCTR_UNROLL
    for (unsigned v = 0; v < 2; ++v) {
      const __m256i bit = constant(Maps::kEnter.bit[Left][v]);
      const __m256i bytes = _mm256_shuffle_epi8(text, constant(Maps::kEnter.byte[Left][v]));
      out.v[v] = sum(_mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit), v);
    }
    return out;
  }
  GPUCTR_INLINE static Halves enter(std::uint64_t text) {
    const __m256i all = _mm256_set1_epi64x(static_cast<long long>(text));
    return {half<true>(all), half<false>(all)};
  }
  GPUCTR_INLINE static std::uint64_t leave(Halves x) {
    const __m256i right = _mm256_or_si256(x.right.v[0], _mm256_slli_epi64(x.right.v[1], 8));
    const __m256i left = _mm256_or_si256(x.left.v[0], _mm256_slli_epi64(x.left.v[1], 8));
    const __m256i all =
        _mm256_permutevar8x32_epi32(_mm256_or_si256(right, _mm256_slli_epi64(left, 16)),
                                    _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    return std::uint64_t{word(all, 1)} << 32 | word(all, 0);
  }
  GPUCTR_INLINE static std::uint32_t word(__m256i all, unsigned i) {
    const __m256i bit = constant(Maps::kLeave.bit[i]);
    const __m256i bytes = _mm256_shuffle_epi8(all, constant(Maps::kLeave.byte[i]));
    return static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit)));
  }

  GPUCTR_INLINE static Numbers numbers(Half x) {
    Numbers out;
    GPUCTR_UNROLL
    for (unsigned row = 0; row < 4; ++row) {
      const __m256i other = _mm256_set1_epi64x(64 * row);
      out.row[row] = x ^ Half {
        { other, other }
      };
    }
    return out;
  }
  // `add` is XORed last.
  GPUCTR_INLINE static Numbers later(Numbers x, Half add) {
    GPUCTR_UNROLL
    for (unsigned row = 0; row < 4; ++row) {
      __asm__("" : "+x"(x.row[row].v[0]), "+x"(x.row[row].v[1]));
      x.row[row] = x.row[row] ^ add;
    }
    return x;
  }

  template <unsigned V>
  GPUCTR_INLINE static __m256i row(const Numbers& x, unsigned i) {
    const __m256i table = constant(Maps::kTables.row[V][i]);
    return V == 0 ? _mm256_srlv_epi64(table, x.row[i].v[V])
                  : _mm256_sllv_epi64(table, x.row[i].v[V]);
  }
  template <unsigned V>
  GPUCTR_INLINE static __m256i boxes(const Numbers& x) {
    return _mm256_or_si256(_mm256_or_si256(row<V>(x, 0), row<V>(x, 1)),
                           _mm256_or_si256(row<V>(x, 2), row<V>(x, 3)));
  }
  GPUCTR_INLINE static Half f(const Numbers& x) {
    const __m256i own = _mm256_castps_si256(_mm256_shuffle_ps(
        _mm256_castsi256_ps(boxes<0>(x)), _mm256_castsi256_ps(boxes<1>(x)), 0xd8));
    const __m256i other = _mm256_permute2x128_si256(own, own, 1);
    return {{sum_of_wires(own, other, 0), sum_of_wires(own, other, 1)}};
  }
  GPUCTR_INLINE static __m256i sum_of_wires(__m256i own, __m256i other, unsigned v) {
    const __m256i wanted = constant(Maps::kWires.wanted[v]);
    const __m256i a = _mm256_shuffle_epi8(own, constant(Maps::kWires.own[v]));
    const __m256i b = _mm256_shuffle_epi8(other, constant(Maps::kWires.other[v]));
    return _mm256_sad_epu8(_mm256_and_si256(a, wanted), _mm256_and_si256(b, wanted));
  }

  template <bool Encrypt, unsigned N>
  GPUCTR_INLINE static void run_rounds(Halves* x, const Keys& keys) {
    for (unsigned pass = 0; pass < C::kPasses; ++pass) {
      const Half* key = keys.round + 16 * (Encrypt ? pass : C::kPasses - pass) - (Encrypt ? 0 : 1);
      Numbers now[N];
      GPUCTR_UNROLL
      for (unsigned i = 0; i < N; ++i) now[i] = numbers(x[i].right ^ *key);
      GPUCTR_ROUNDS
      for (unsigned r = 0; r < 15; ++r) {
        key += Encrypt ? 1 : -1;
        GPUCTR_UNROLL
        for (unsigned i = 0; i < N; ++i) {
          const Numbers next = numbers(x[i].left ^ *key);
          const Half sum = f(now[i]);
          now[i] = later(next, sum);
          x[i].left = x[i].left ^ sum;
          std::swap(x[i].left, x[i].right);
        }
      }
      // After the last round the halves are not swapped.
      GPUCTR_UNROLL
      for (unsigned i = 0; i < N; ++i) {
        x[i].left = x[i].left ^ f(now[i]);
      }
    }
  }
};

}  // namespace
}  // namespace gpuctr

#endif
