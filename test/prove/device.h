// The rounds of the bit-sliced kernels for CUDA, on one block. They are the same in all 32 blocks
// of a register: all operations are on bits, but x * s + m for a mask m, with s = 1 for m = 0 and
// s = -1 for m = ~0, which is x ^ m (execute.py knows it).
#ifndef GPUCTR_TEST_PROVE_DEVICE_H
#define GPUCTR_TEST_PROVE_DEVICE_H

#include "test/prove/word.h"

#include "kernels/cipher/cham/bitslice.cu"
#include "kernels/cipher/hight/bitslice.cu"

namespace gpuctr::prove {

// The masks and signs of a word of round keys, as BitslicedKey loads them.
struct DeviceKey {
  const std::uint32_t* masks;

  void load_masks(std::uint32_t (&v)[4], unsigned bit) const {
    for (unsigned j = 0; j < 4; ++j) v[j] = masks[bit + j];
  }
  void load_signs(std::uint32_t (&v)[4], unsigned bit) const {
    for (unsigned j = 0; j < 4; ++j) v[j] = masks[bit + j] | 1u;
  }
};

template <class C>
struct OnDevice {
  using Cipher = C;
  using T = typename C::Word;
  static constexpr unsigned kBits = 8 * sizeof(T);

  struct Keys {
    const std::uint32_t* masks;
    DeviceKey operator()(unsigned i) const { return {masks + kBits * i}; }
  };

  template <bool kEncrypt>
  static void crypt(const T* rk, const std::uint8_t* in, std::uint8_t* out) {
    std::uint32_t masks[C::kRoundKeyWords * kBits];
    for (unsigned i = 0; i < C::kRoundKeyWords * kBits; ++i) {
      masks[i] = spread(rk[i / kBits], i % kBits);
    }
    BitslicedWord<kBits, BitslicedRounds<C>::kStaticBits, DeviceKey> x[C::kWords];
    for (unsigned i = 0; i < C::kWords * kBits; ++i) {
      x[i / kBits].bit[i % kBits] = spread(in[i / 8], i % 8);
    }
    if constexpr (kEncrypt) {
      BitslicedRounds<C>::encrypt(x, Keys{masks});
    } else {
      BitslicedRounds<C>::decrypt(x, Keys{masks});
    }
    for (unsigned i = 0; i < C::kWords * kBits; ++i) {
      if (i % 8 == 0) out[i / 8] = 0;
      const std::uint32_t bit = x[i / kBits].bit[i % kBits] & 1u;
      out[i / 8] = static_cast<std::uint8_t>(out[i / 8] | bit << i % 8);
    }
  }
};

}  // namespace gpuctr::prove

#endif
