// The rounds of DES (des_few.h) in integer registers, in constant time: on `sse`, `neon` and
// `scalar`. A table of 64 bits has one output bit of a box for each index. Shifts select the bit,
// and bits are shifted into words in the order of the next round. The address of a table is public.
// A round takes 35 cycles on a Zen 5.
#ifndef GPUCTR_KERNELS_CPU_SIMD_DES_WORDS_H
#define GPUCTR_KERNELS_CPU_SIMD_DES_WORDS_H

#include <utility>

#include "kernels/cipher/word.h"
#include "kernels/cpu/simd/des_few.h"

namespace gpuctr {
namespace {

// Bit n of a half block is bit (32 - n) % 32 of a word. So the wires of boxes 7, 5, 3 and 1 lie in
// the bytes of the word, the last wire lowest. The wires of the other boxes lie there after a
// rotation right by four.
template <class C>
struct DesWords {
  using Bits = DesWiring<typename C::BitSliced>;
  static constexpr unsigned kRounds = 16 * C::kPasses;
  static constexpr unsigned kSide = 1;
  static constexpr std::size_t kFew = 8;

  struct Key {
    std::uint32_t odd, even;
  };
  struct Halves {
    std::uint32_t left, right;
    GPUCTR_INLINE friend Halves operator^(Halves a, Halves b) {
      return {a.left ^ b.left, a.right ^ b.right};
    }
  };

  struct Tables {
    std::uint64_t bit[32] = {};  // for each output bit of the boxes
    constexpr Tables() {
      for (unsigned box = 0; box < 8; ++box) {
        for (unsigned index = 0; index < 64; ++index) {
          unsigned wires = 0;
          for (unsigned i = 0; i < 6; ++i) wires |= (index >> i & 1) << (5 - i);
          const unsigned out = Bits::nibble(box, wires);
          for (unsigned k = 0; k < 4; ++k) {
            bit[4 * box + k] |= std::uint64_t{out >> k & 1} << index;
          }
        }
      }
    }
  };
  static constexpr Tables kTables{};

  GPUCTR_INLINE static std::uint32_t rotr(std::uint32_t x, unsigned k) {
    return x >> k | x << (32 - k);
  }

  struct Keys {
    static constexpr unsigned kFrameBytes = 8 * kRounds + 768;
    Key round[kRounds] = {};
    GPUCTR_INLINE explicit Keys(const std::uint8_t* words) {
      for (unsigned r = 0; r < kRounds; ++r, words += 48) {
        for (unsigned box = 0; box < 8; ++box) {
          std::uint32_t& key = box % 2 != 0 ? round[r].odd : round[r].even;
          key |= Bits::six(words, box) << (24 - 8 * (box / 2));
        }
      }
    }
  };

  using FewKeys = Keys;

  template <unsigned Step>
  GPUCTR_INLINE static void exchange(std::uint32_t& a, std::uint32_t& b, std::uint32_t mask) {
    const std::uint32_t swap = ((a >> Step) ^ b) & mask;
    b ^= swap;
    a ^= swap << Step;
  }
  GPUCTR_INLINE static Halves enter(std::uint64_t text) {
    const std::uint64_t number = __builtin_bswap64(text);
    std::uint32_t l = static_cast<std::uint32_t>(number >> 32),
                  r = static_cast<std::uint32_t>(number);
    exchange<4>(l, r, 0x0f0f0f0f);
    exchange<16>(l, r, 0x0000ffff);
    exchange<2>(r, l, 0x33333333);
    exchange<8>(r, l, 0x00ff00ff);
    exchange<1>(l, r, 0x55555555);
    return {rotr(l, 31), rotr(r, 31)};
  }
  GPUCTR_INLINE static std::uint64_t leave(Halves x) {
    std::uint32_t l = rotr(x.left, 1), r = rotr(x.right, 1);
    exchange<1>(l, r, 0x55555555);
    exchange<8>(r, l, 0x00ff00ff);
    exchange<2>(r, l, 0x33333333);
    exchange<16>(l, r, 0x0000ffff);
    exchange<4>(l, r, 0x0f0f0f0f);
    return __builtin_bswap64(std::uint64_t{l} << 32 | r);
  }

  // The bit of f that is bit `At` of the word. BT would be a fifth faster, but valgrind treats its
  // bit number as an address.
  template <unsigned At>
  GPUCTR_INLINE static void push(std::uint32_t& word, const std::uint32_t (&index)[8]) {
    constexpr unsigned kFrom = C::BitSliced::kP[(32 - At) % 32] - 1u;
    word = 2 * word + (kTables.bit[kFrom] >> (index[kFrom / 4] & 63) & 1);
  }
  // Eight bits of each of four words.
  template <std::size_t... I>
  GPUCTR_INLINE static std::uint32_t gather(const std::uint32_t (&index)[8],
                                            std::index_sequence<I...>) {
    std::uint32_t word[4] = {};
    ((push<31 - I>(word[0], index), push<23 - I>(word[1], index), push<15 - I>(word[2], index),
      push<7 - I>(word[3], index)),
     ...);
    return word[0] << 24 | word[1] << 16 | (word[2] << 8 | word[3]);
  }
  GPUCTR_INLINE static std::uint32_t f(std::uint32_t odd, std::uint32_t even) {
    const std::uint32_t index[8] = {even >> 24, odd >> 24, even >> 16, odd >> 16,
                                    even >> 8,  odd >> 8,  even,       odd};
    return gather(index, std::make_index_sequence<8>{});
  }

  template <bool Encrypt, unsigned N>
  GPUCTR_INLINE static void run_rounds(Halves* x, const Keys& keys) {
    static_assert(N == 1, "the registers are full");
    for (unsigned pass = 0; pass < C::kPasses; ++pass) {
      GPUCTR_ROUNDS
      for (unsigned r = 16 * pass; r < 16 * pass + 16; ++r) {
        const Key key = keys.round[Encrypt ? r : kRounds - 1 - r];
        const std::uint32_t next = x->left ^ f(x->right ^ key.odd, rotr(x->right, 4) ^ key.even);
        x->left = x->right;
        x->right = next;
      }
      std::swap(x->left, x->right);
    }
  }
};

}  // namespace
}  // namespace gpuctr

#endif
