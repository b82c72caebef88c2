// DES on a device, bit-sliced, with round keys merged into the state. For a backend where an XOR of
// three words is one instruction and registers hold all planes.
//
// A bit of the right half enters one box as a middle input, 1, 2, 3 or 4. Half of the bits also
// enter a neighbouring box as an edge input, 0 or 5. Each half carries, XORed onto it, the round
// key's bits of its middle inputs, so that these 32 of the 48 bits cost nothing. The XOR that adds
// a box's output also removes the bits that the half carried two rounds ago, and adds the bits that
// it carries next. The 16 edge inputs have separate masks: the key's bit XOR the bit that the plane
// carries.
#ifndef GPUCTR_KERNELS_CIPHER_DES_CUDA_BIT_SLICED_H
#define GPUCTR_KERNELS_CIPHER_DES_CUDA_BIT_SLICED_H

#include <cstdint>
#include <utility>

#include "kernels/cipher/des/des.h"

namespace gpuctr {

// The masks of a key are bits, the lowest of a byte first. First come the bits that the right half
// carries into the first pass, from a pass to the next, and out of the last pass, 32 bits each.
// Then come 48 bits a round: 32 for the boxes' outputs in order, and 16 for inputs 0 and 5 of each
// box. Each mask is all zeros or all ones, the same in all blocks of a plane.
struct DesBitSliced {
  using Word = std::uint8_t;
  static constexpr unsigned kWords = 8;
  static constexpr unsigned kMostPasses = 3;
  static constexpr unsigned kHalfBits = 32;
  static constexpr unsigned kRoundBits = 48;
  static constexpr unsigned kRounds = 16;  // in a pass
  static constexpr unsigned kFirstRound = kHalfBits * (kMostPasses + 1);
  static constexpr unsigned kMaskBits = kFirstRound + kMostPasses * kRounds * kRoundBits;
  static constexpr unsigned kPasses = kMaskBits / 8;  // the byte with the number of passes
  static constexpr unsigned kRoundKeyWords = kPasses + 1;

  // The round keys of C, in the order of encryption or of decryption.
  template <class C>
  struct Schedule {
    const std::uint8_t* bits;
    bool encrypt;

    unsigned bit(unsigned round, unsigned i) const {
      return bits[kRoundBits * (encrypt ? round : C::kRounds - 1 - round) + i] & 1u;
    }
    // The mask that plane `n` of the right half carries into a round.
    unsigned carried(unsigned round, unsigned n) const {
      return bit(round, 6 * (n / 4) + 1 + n % 4);
    }
  };

  // Writes kRoundKeyWords bytes. `keys`: C's schedule. The output is secret, like the keys.
  template <class C>
  static void lay_out(const std::uint8_t* keys, bool encrypt, std::uint8_t* out) {
    static_assert(C::kPasses <= kMostPasses);
    const Schedule<C> rk = {keys, encrypt};
    for (unsigned i = 0; i < kPasses; ++i) out[i] = 0;
    out[kPasses] = C::kPasses;
    const auto put = [&](unsigned at, unsigned bit) {
      out[at / 8] = static_cast<std::uint8_t>(out[at / 8] | bit << at % 8);
    };
    for (unsigned pass = 0; pass <= C::kPasses; ++pass) {
      for (unsigned n = 0; n < kHalfBits; ++n) {
        unsigned mask = 0;
        if (pass != 0) mask ^= rk.carried(kRounds * pass - 1, n);
        if (pass != C::kPasses) mask ^= rk.carried(kRounds * pass, n);
        put(kHalfBits * pass + n, mask);
      }
    }
    for (unsigned round = 0; round < C::kRounds; ++round) {
      const unsigned at = kFirstRound + kRoundBits * round;
      for (unsigned i = 0; i < 32; ++i) {
        const unsigned n = DesRounds::after_p(i);
        unsigned mask = 0;
        if (round % kRounds != 0) mask ^= rk.carried(round - 1, n);
        if (round % kRounds != kRounds - 1) mask ^= rk.carried(round + 1, n);
        put(at + i, mask);
      }
      for (unsigned i = 0; i < 16; ++i) {
        const unsigned input = i / 2 * 6 + i % 2 * 5;
        put(at + 32 + i, rk.bit(round, input) ^ rk.carried(round, edge(i)));
      }
    }
  }

  // The bit of the right half that enters box i / 2 at its first input (even i) or at its last
  // input (odd i).
  GPUCTR_HD static constexpr unsigned edge(unsigned i) {
    return (4 * (i / 2) + i % 2 * 5 + 31) % 32;
  }

  // All passes over the 64 planes of the blocks, in the order of place(). V is a plane. The keys
  // have
  //
  //   keys.masks(m, i)  the masks of bits i to i + 3
  //   keys.flip(v, i)   XORs these masks onto v[0] to v[3]
  //   keys.from(i)      the keys whose bit 0 is bit i
  template <class V, class K>
  GPUCTR_HD static void run(V (&x)[64], const K& keys, unsigned passes) {
    flip_right(x, keys);
    GPUCTR_KEEP_LOOP
    for (unsigned pass = 0; pass < passes; ++pass) {
      const K rounds = keys.from(kFirstRound + kRounds * kRoundBits * pass);
      GPUCTR_KEEP_LOOP
      for (unsigned i = 0; i < kRounds; i += 2) {
        const K two = rounds.from(kRoundBits * i);
        round<0>(x, x + DesRounds::kRight, two);
        round<kRoundBits>(x + DesRounds::kRight, x, two);
      }
      GPUCTR_UNROLL
      for (unsigned n = 0; n < kHalfBits; ++n) {
        V* const both = x + DesRounds::place(n);
        const V left = both[0];
        both[0] = both[DesRounds::kRight];
        both[DesRounds::kRight] = left;
      }
      flip_right(x, keys.from(kHalfBits * (pass + 1)));
    }
  }

 private:
  template <class V, class K>
  GPUCTR_HD static void flip_right(V (&x)[64], const K& keys) {
    V* const right = x + DesRounds::kRight;
    GPUCTR_UNROLL
    for (unsigned n = 0; n < kHalfBits; n += 4) {
      V four[4];
      GPUCTR_UNROLL
      for (unsigned j = 0; j < 4; ++j) four[j] = right[DesRounds::place(n + j)];
      keys.flip(four, n);
      GPUCTR_UNROLL
      for (unsigned j = 0; j < 4; ++j) right[DesRounds::place(n + j)] = four[j];
    }
  }

  // The place in the left half of bit kBit of the boxes' output.
  template <unsigned kBit>
  static constexpr unsigned kOutput = DesRounds::place(DesRounds::after_p(kBit));

  template <unsigned kPlace, unsigned kWire, class V>
  GPUCTR_HD static void add_one(V* to, const V* wires, const V& mask) {
    constexpr unsigned kXor3 = 0x96;
    to[kPlace] = V::template logic3<kXor3>(to[kPlace], wires[kWire], mask);
  }
  template <class Box, unsigned B, class V, std::size_t... I>
  GPUCTR_HD static void add(V* to, const V* wires, const V (&mask)[4], std::index_sequence<I...>) {
    (add_one<kOutput<4 * B + I>, Box::kOut[I]>(to, wires, mask[I]), ...);
  }

  // Box number B. `edges`: its inputs 0 and 5. `at`: the bit of the round's first mask.
  template <class Box, unsigned B, class V, class K>
  GPUCTR_HD static void box(V* to, const V* from, const V* edges, const K& keys, unsigned at) {
    constexpr std::size_t kCount = sizeof Box::kGates / sizeof(DesGate);
    V wires[6 + kCount];
    wires[0] = edges[0];
    GPUCTR_UNROLL
    for (unsigned i = 0; i < 4; ++i) wires[1 + i] = from[DesRounds::place(4 * B + i)];
    wires[5] = edges[1];
    DesRounds::gates<Box>(wires, std::make_index_sequence<kCount>{});
    V mask[4];
    keys.masks(mask, at + 4 * B);
    add<Box, B>(to, wires, mask, std::make_index_sequence<4>{});
  }

  // Boxes number B and B + 1, whose edges share a group of four masks.
  template <class BoxA, class BoxB, unsigned B, class V, class K>
  GPUCTR_HD static void two_boxes(V* to, const V* from, const K& keys, unsigned at) {
    V edges[4];
    GPUCTR_UNROLL
    for (unsigned j = 0; j < 4; ++j) edges[j] = from[DesRounds::place(edge(2 * B + j))];
    keys.flip(edges, at + 32 + 2 * B);
    box<BoxA, B>(to, from, edges, keys, at);
    box<BoxB, B + 1>(to, from, edges + 2, keys, at);
  }

  // to ^= f(from, key), and the masks. kAt: the bit of the round's first mask.
  template <unsigned kAt, class V, class K>
  GPUCTR_HD static void round(V* to, const V* from, const K& keys) {
    two_boxes<DesBox1, DesBox2, 0>(to, from, keys, kAt);
    two_boxes<DesBox3, DesBox4, 2>(to, from, keys, kAt);
    two_boxes<DesBox5, DesBox6, 4>(to, from, keys, kAt);
    two_boxes<DesBox7, DesBox8, 6>(to, from, keys, kAt);
  }
};

}  // namespace gpuctr

#endif
