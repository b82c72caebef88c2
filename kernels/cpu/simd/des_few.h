// DES of few blocks, including CBC encryption, in constant time. Longer messages are bit-sliced
// (bitsliced.h). This file also has the wiring of DES as numbers, from which these forms are made.
//
// HalfBlocks is the form for one instruction set (des_words.h, x86/des_shifts.h, x86/des_vbmi.h):
//
// - Halves: the two halves of a block after the initial permutation, with operator ^;
// - Keys, and FewKeys for few blocks: the keys of all rounds, made of the bytes of the schedule;
//   kFrameBytes: the most stack of a function with them;
// - enter(text) and leave(halves): the permutations of a block as a little-endian number;
// - run_rounds<Encrypt, N>(halves, keys): the rounds of N blocks side by side, in place; the halves
//   are those of the output;
// - kSide blocks go side by side; kFew take no longer than a bit-sliced batch.
#ifndef GPUCTR_KERNELS_CPU_SIMD_DES_FEW_H
#define GPUCTR_KERNELS_CPU_SIMD_DES_FEW_H

#include <iterator>

#include "kernels/cipher/des/boxes.h"
#include "kernels/cpu/base/cipher_ops.h"
#include "kernels/cpu/simd/bitsliced.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr {
namespace {

template <class Rounds>
struct DesWiring {
  // Bit n of a half block, from 0, is wire 1 + n % 4 of box n / 4, and of at most one more box.
  static constexpr unsigned bit_of(unsigned box, unsigned wire) {
    return (4 * box + wire + 31) % 32;
  }
  // The output bit of the eight boxes, from 0, that feeds a wire of the next round.
  static constexpr unsigned source(unsigned box, unsigned wire) {
    return Rounds::kP[bit_of(box, wire)] - 1u;
  }
  // The bit of the block that is bit n of a half. Bit 0 of the block is the most significant bit of
  // the first byte.
  static constexpr unsigned place(bool left, unsigned n) {
    return 57 - 8 * (n % 8) + 2 * (n / 8) - (left ? 0 : 1);
  }

  // The six bytes of a box in a round key, each all ones or zero, with other bytes after them.
  // Reads only the round key's 48 bytes.
  GPUCTR_INLINE static std::uint64_t six_bytes(const std::uint8_t* key, unsigned box) {
    if (box == 0) return simd::load<std::uint64_t>(key);
    return simd::load<std::uint64_t>(key + 6 * box - 2) >> 16;
  }
  // The six bits of a box as a number, the first bit highest. The product moves bit 0 of byte i to
  // bit 45 - i, and no two other bits to the same place.
  GPUCTR_INLINE static std::uint32_t six(const std::uint8_t* key, unsigned box) {
    const std::uint64_t ones = six_bytes(key, box) & 0x010101010101;
    return static_cast<std::uint32_t>(ones * 0x201008040201 >> 40 & 63);
  }

  // The output of a box for six input bits, the first input bit lowest; output bit k at bit k.
  // Computed by the box's circuit.
  static constexpr unsigned nibble(unsigned box, unsigned index) {
    constexpr unsigned (*kRun[8])(unsigned) = {run<DesBox1>, run<DesBox2>, run<DesBox3>,
                                               run<DesBox4>, run<DesBox5>, run<DesBox6>,
                                               run<DesBox7>, run<DesBox8>};
    return kRun[box](index);
  }
  template <class Box>
  static constexpr unsigned run(unsigned index) {
    bool wires[6 + std::size(Box::kGates)] = {};
    for (unsigned i = 0; i < 6; ++i) wires[i] = (index >> i & 1) != 0;
    unsigned made = 6;
    for (const DesGate& gate : Box::kGates) {
      const unsigned at = 4 * wires[gate.a] + 2 * wires[gate.b] + wires[gate.c];
      wires[made++] = (gate.map >> at & 1) != 0;
    }
    unsigned out = 0;
    for (unsigned bit = 0; bit < 4; ++bit) out |= unsigned{wires[Box::kOut[bit]]} << bit;
    return out;
  }
};

// The key schedule, in the format of cipher/des/des.h, for backends that shuffle bytes. Each half
// of the key, C or D, is stored twice, one copy after the other, as bytes of all ones or zero. So a
// round's rotation is the address of a load, and PC-2 is a fixed shuffle.
template <class M, class C>
struct DesKeySchedule {
  using V = simd::Vec<std::uint8_t, 16>;
  using Index = std::make_index_sequence<16>;
  static constexpr unsigned kHalf = 28, kTwice = 64;

  // 16 bytes of the stored halves, from `At` on: their places in the key.
  template <unsigned At>
  struct Bit {
    static constexpr unsigned source(std::size_t i) {
      return C::kPc1[At / kTwice * kHalf + (At % kTwice + i) % kHalf] - 1u;
    }
    static constexpr std::uint8_t at(std::size_t i) {
      return static_cast<std::uint8_t>(0x80u >> source(i) % 8);
    }
  };
  template <unsigned At, std::size_t... I>
  GPUCTR_INLINE static void store_bits(V key, std::uint8_t* halves, std::index_sequence<I...>) {
    const V bytes = __builtin_shufflevector(key, key, (Bit<At>::source(I) / 8)...);
    simd::store(halves + At,
                simd::as<V>((bytes & simd::table<std::uint8_t, 16, Bit<At>>()) != V{}));
  }
  template <std::size_t... I>
  GPUCTR_INLINE static void store_halves(V key, std::uint8_t* halves, std::index_sequence<I...>) {
    (store_bits<16 * I>(key, halves, Index{}), ...);
  }

  // Bit n of a round key in bytes 0 to 15 and 12 to 27 of its half.
  static constexpr unsigned place(std::size_t n) {
    const unsigned at = (C::kPc2[n] - 1u) % kHalf;
    return at < 16 ? at : at + 4;
  }
  template <std::size_t... I>
  GPUCTR_INLINE static void round_key(const std::uint8_t* halves, std::uint8_t* to,
                                      std::index_sequence<I...>) {
    const V c = simd::load<V>(halves), c_end = simd::load<V>(halves + 12);
    const V d = simd::load<V>(halves + kTwice), d_end = simd::load<V>(halves + kTwice + 12);
    const V of_c = __builtin_shufflevector(c, c_end, place(16 + I % 8)...);
    const V of_d = __builtin_shufflevector(d, d_end, place(24 + I % 8)...);
    simd::store(to, __builtin_shufflevector(c, c_end, place(I)...));
    simd::store(to + 16, __builtin_shufflevector(of_c, of_d, (I < 8 ? I : 16 + I)...));
    simd::store(to + 32, __builtin_shufflevector(d, d_end, place(32 + I)...));
  }

  __attribute__((noinline)) static void expand_here(const std::uint8_t* key, std::uint8_t* words) {
    alignas(64) std::uint8_t halves[2 * kTwice];
    for (unsigned pass = 0; pass < C::kPasses; ++pass, words += C::kPassBytes) {
      const auto bytes = simd::load<std::uint64_t>(key + 8 * pass % C::kKeyBytes);
      store_halves(simd::as<V>(simd::Vec<std::uint64_t, 16>{bytes, 0}), halves,
                   std::make_index_sequence<2 * kTwice / 16>{});
      unsigned shift = 0;
      for (unsigned r = 0; r < 16; ++r) {
        shift += C::rotation(r);
        round_key(halves + shift, words + 48 * C::stored_round(pass, r), Index{});
      }
    }
    simd::wipe_vectors<M>(halves, sizeof halves);
  }
  // Like CipherOps::expand.
  static void expand(const std::uint8_t* key, std::size_t, RoundKeys* out) {
    expand_here(key, words_of<std::uint8_t>(out));
    M::template wipe_below<192>();
    M::wipe_registers();
  }
};

// M: the backend, for wipe_below() and wipe_registers().
template <class M, class C, class HalfBlocks>
struct DesFew {
  using Halves = typename HalfBlocks::Halves;
  using AllKeys = typename HalfBlocks::Keys;
  using FewKeys = typename HalfBlocks::FewKeys;
  static constexpr unsigned kSide = HalfBlocks::kSide;

  // The permutations of a block are outside the chain from one block to the next.
  template <class Keys>
  __attribute__((noinline)) static void chain_here(const std::uint8_t* words, std::uint8_t* chain,
                                                   const std::uint8_t* in, std::uint8_t* out,
                                                   std::size_t count) {
    const Keys keys(words);
    Halves last[1] = {HalfBlocks::enter(simd::load<std::uint64_t>(chain))};
    for (; count != 0; --count, in += 8, out += 8) {
      last[0] = last[0] ^ HalfBlocks::enter(simd::load<std::uint64_t>(in));
      HalfBlocks::template run_rounds<true, 1>(last, keys);
      simd::store(out, HalfBlocks::leave(last[0]));
    }
    simd::store(chain, HalfBlocks::leave(last[0]));
  }

  // N blocks side by side.
  template <bool Encrypt, unsigned N, class Keys>
  __attribute__((noinline)) static void few_here(const std::uint8_t* words, const std::uint8_t* in,
                                                 std::uint8_t* out, std::size_t count) {
    const Keys keys(words);
    for (std::size_t at = 0; at < count; at += N) {
      Halves halves[N] = {};
      for (std::size_t i = 0; i < N && at + i < count; ++i) {
        halves[i] = HalfBlocks::enter(simd::load<std::uint64_t>(in + 8 * (at + i)));
      }
      HalfBlocks::template run_rounds<Encrypt, N>(halves, keys);
      for (std::size_t i = 0; i < N && at + i < count; ++i) {
        simd::store(out + 8 * (at + i), HalfBlocks::leave(halves[i]));
      }
    }
  }

  template <class Keys>
  __attribute__((noinline)) static void wipe_after() {
    M::template wipe_below<Keys::kFrameBytes + kMoreSpills>();
    M::wipe_registers();
  }
  template <bool Encrypt>
  GPUCTR_INLINE static void some(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                                 std::size_t count) {
    const bool one = count == 1;
    const auto run = one ? few_here<Encrypt, 1, FewKeys> : few_here<Encrypt, kSide, AllKeys>;
    run(words_of<std::uint8_t>(keys), in, out, count);
    one ? wipe_after<FewKeys>() : wipe_after<AllKeys>();
  }
  static void cbc_encrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t blocks) {
    const bool few = blocks <= 4;
    const auto run = few ? chain_here<FewKeys> : chain_here<AllKeys>;
    run(words_of<std::uint8_t>(keys), chain, in, out, blocks);
    few ? wipe_after<FewKeys>() : wipe_after<AllKeys>();
  }

  // How many blocks after the full bit-sliced batches use this form.
  using Bitsliced = simd::BitslicedOperations<M, C>;
  static std::size_t few_of(std::size_t blocks) {
    const std::size_t rest = blocks % Bitsliced::Wide::kBlocks;
    return rest <= HalfBlocks::kFew ? rest : 0;
  }

  template <bool Encrypt>
  static void any(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks) {
    const std::size_t few = few_of(blocks);
    const std::size_t before = blocks - few;
    if (before != 0) Bitsliced::template any<Encrypt>(keys, in, out, 8 * before);
    if (few != 0) some<Encrypt>(keys, in + 8 * before, out + 8 * before, few);
  }
  static void ctr(const RoundKeys& keys, const std::uint8_t* block, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    const std::size_t few = few_of((n + 7) / 8);
    const std::size_t before = few == 0 ? n : n - n % Bitsliced::Wide::kBytes;
    if (before != 0) Bitsliced::ctr(keys, block, in, out, before);
    if (few == 0) return;
    alignas(64) std::uint8_t stream[8 * HalfBlocks::kFew];
    const std::uint64_t counter = load_be<std::uint64_t>(block) + before / 8;
    for (std::size_t i = 0; i < few; ++i) {
      simd::store(stream + 8 * i, __builtin_bswap64(counter + i));
    }
    some<true>(keys, stream, stream, few);
    Bitsliced::Wide::write(stream, in != nullptr ? in + before : nullptr, out + before, n - before);
    wipe(stream, sizeof stream);
    M::wipe_registers();
  }
};

// expand: nullptr for a backend that does not shuffle bytes.
template <class M, class C, class HalfBlocks>
constexpr CipherOps des_ops(decltype(CipherOps::expand) expand = DesKeySchedule<M, C>::expand) {
  using Few = DesFew<M, C, HalfBlocks>;
  CipherOps ops = {};
  ops.ctr = Few::ctr;
  ops.encrypt = Few::template any<true>;
  ops.decrypt = Few::template any<false>;
  ops.cbc_encrypt = Few::cbc_encrypt;
  ops.expand = expand;
  return ops;
}

}  // namespace
}  // namespace gpuctr

#endif
