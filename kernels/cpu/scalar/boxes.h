// Ciphers with S-boxes on the reference backend: bit-sliced, and so in constant time.
#ifndef GPUCTR_KERNELS_CPU_SCALAR_BOXES_H
#define GPUCTR_KERNELS_CPU_SCALAR_BOXES_H

#include "kernels/cipher/bit_sliced.h"
#include "kernels/cpu/scalar/modes.h"
#include "kernels/cpu/simd/layout.h"

namespace gpuctr {
namespace {

// Ciphers with S-boxes: always 128 blocks at a time, bit-sliced (cipher/bit_sliced.h), even if
// fewer are needed. A vector has 16 bytes: one register of every x86-64 and AArch64 CPU, two words
// on others.
template <class C>
struct ManyBlocks {
  static constexpr std::size_t kBlock = BlockBytes<C>::kValue;
  static constexpr std::size_t kBlocks = 128;
  static constexpr std::size_t kTogether = kBlocks;
  static constexpr std::size_t kStackBytes = 16 << 10;
  static_assert(sizeof(typename C::Word) == 1, "a cipher with S-boxes has words of a byte");
  typedef std::uint64_t Bits __attribute__((vector_size(16)));
  using V = BitSlicedByte<Bits>;

  struct Keys {
    const std::uint8_t* bytes;
    V operator()(unsigned i) const { return V::constant(bytes[i]); }
    unsigned stored(unsigned i) const { return bytes[i]; }
  };

  // Byte j of the 128 blocks at `in`. Sixteen blocks at a time become vectors with one byte of each
  // block. Eight such vectors, with bytes of all blocks, become bits. store() has the same order of
  // blocks.
  static void load(V (&x)[kBlock], const std::uint8_t* in) {
    for (unsigned sixteen = 0; sixteen < 8; ++sixteen) {
      Bits blocks[16], bytes[16];
      for (unsigned i = 0; i < 16; ++i) {
        blocks[i] = simd::load<Bits>(in + 256 * sixteen + 16 * i);
      }
      simd::Gather<1, 16>::run(blocks, bytes);
      for (unsigned j = 0; j < 16; ++j) x[j].plane[sixteen] = bytes[j];
    }
    for (V& byte : x) transpose(byte.plane);
  }
  static void store(std::uint8_t* out, V (&x)[kBlock]) {
    for (V& byte : x) transpose(byte.plane);
    for (unsigned sixteen = 0; sixteen < 8; ++sixteen) {
      Bits blocks[16], bytes[16];
      for (unsigned j = 0; j < 16; ++j) bytes[j] = x[j].plane[sixteen];
      simd::Gather<1, 16>::run(bytes, blocks);
      for (unsigned i = 0; i < 16; ++i) {
        simd::store(out + 256 * sixteen + 16 * i, blocks[i]);
      }
    }
  }
  static_assert(kBlock == 16, "vectors of one byte of each of sixteen blocks");

  // Bit i of the bytes of vector k becomes bit k of the bytes of vector i. Its own inverse.
  GPUCTR_INLINE static void transpose(Bits (&a)[8]) {
    swap_bits<4>(a, 0x0f0f0f0f0f0f0f0f);
    swap_bits<2>(a, 0x3333333333333333);
    swap_bits<1>(a, 0x5555555555555555);
  }
  template <unsigned Step>
  GPUCTR_INLINE static void swap_bits(Bits (&a)[8], std::uint64_t low) {
    GPUCTR_UNROLL
    for (unsigned k = 0; k < 8; ++k) {
      if ((k & Step) != 0) continue;
      const Bits swap = ((a[k] >> Step) ^ a[k + Step]) & low;
      a[k + Step] ^= swap;
      a[k] ^= swap << Step;
    }
  }

  template <bool Encrypt>
  __attribute__((noinline)) static void all(const RoundKeys& keys, const std::uint8_t* in,
                                            std::uint8_t* out) {
    V x[kBlock];
    load(x, in);
    const Keys rk{words_of<std::uint8_t>(keys)};
    if constexpr (Encrypt) {
      C::encrypt(x, rk);
    } else {
      C::decrypt(x, rk);
    }
    store(out, x);
  }

  template <bool Encrypt>
  __attribute__((noinline)) static void run(const RoundKeys& keys, const std::uint8_t* in,
                                            std::uint8_t* out, std::size_t blocks) {
    for (; blocks >= kBlocks; blocks -= kBlocks, in += kBlocks * kBlock, out += kBlocks * kBlock) {
      all<Encrypt>(keys, in, out);
    }
    if (blocks == 0) return;
    Wiped<std::uint8_t[kBlocks * kBlock]> buffer;
    std::memcpy(buffer.value, in, blocks * kBlock);
    std::memset(buffer.value + blocks * kBlock, 0, (kBlocks - blocks) * kBlock);
    all<Encrypt>(keys, buffer.value, buffer.value);
    std::memcpy(out, buffer.value, blocks * kBlock);
  }
  static void encrypt_blocks(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                             std::size_t blocks) {
    run<true>(keys, in, out, blocks);
  }
  static void decrypt_blocks(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                             std::size_t blocks) {
    run<false>(keys, in, out, blocks);
  }
};

template <class C>
constexpr CipherOps box_ops() {
  return scalar_ops<C, ManyBlocks<typename CoreOf<C>::Type>>();
}

}  // namespace
}  // namespace gpuctr

#endif
