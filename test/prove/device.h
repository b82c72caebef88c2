// The rounds of the bit-sliced kernels for CUDA, on one block: bits 1 to 31 of a register are the
// block's bit, and bit 0 is a one. All operations are on bits, but a product with a sign, 1 or -1.
// With a one in bit 0 it is a XOR of the other bits; execute.py refuses it without that one.
#ifndef GPUCTR_TEST_PROVE_DEVICE_H
#define GPUCTR_TEST_PROVE_DEVICE_H

#include <cstdint>

#include "test/prove/word.h"

#define __device__
#define __forceinline__ inline
std::uint32_t __umulhi(std::uint32_t, std::uint32_t);
std::uint32_t __byte_perm(std::uint32_t, std::uint32_t, std::uint32_t);

#include "kernels/cipher/cham/bitslice.cuh"
#include "kernels/cipher/hight/bitslice.cuh"

namespace gpuctr::prove {

// The signs or masks of a word of round keys, as BitslicedKey or many::KeyMask loads them.
template <class KeyBits>
struct DeviceKey {
  using Bits = KeyBits;
  const std::uint32_t* signs;

  void load(std::uint32_t (&v)[4], unsigned bit) const {
    for (unsigned j = 0; j < 4; ++j) v[j] = signs[bit + j];
  }
};

template <class C, class KeyBits = KeySigns>
struct OnDevice {
  using Cipher = C;
  using T = typename C::Word;
  static constexpr unsigned kBits = 8 * sizeof(T);

  struct Keys {
    const std::uint32_t* signs;
    DeviceKey<KeyBits> operator()(unsigned i) const { return {signs + kBits * i}; }
  };

  template <bool kEncrypt>
  static void crypt(const T* rk, const std::uint8_t* in, std::uint8_t* out) {
    std::uint32_t signs[C::kRoundKeyWords * kBits];
    for (unsigned i = 0; i < C::kRoundKeyWords * kBits; ++i) {
      signs[i] = spread(rk[i / kBits], i % kBits) | KeyBits::kOne;
    }
    BitslicedWord<kBits, BitslicedRounds<C>::kStaticBits, DeviceKey<KeyBits>> x[C::kWords];
    for (unsigned i = 0; i < C::kWords * kBits; ++i) {
      x[i / kBits].bit[i % kBits] = spread(in[i / 8], i % 8) | KeyBits::kOne;
    }
    if constexpr (kEncrypt) {
      BitslicedRounds<C>::encrypt(x, Keys{signs});
    } else {
      BitslicedRounds<C>::decrypt(x, Keys{signs});
    }
    for (unsigned i = 0; i < C::kWords * kBits; ++i) {
      if (i % 8 == 0) out[i / 8] = 0;
      const std::uint32_t bit = x[i / kBits].bit[i % kBits] >> 1 & 1u;
      out[i / 8] = static_cast<std::uint8_t>(out[i / 8] | bit << i % 8);
    }
  }
};

}  // namespace gpuctr::prove

#endif
