// AES's S-box and its inverse (FIPS 197 5.1.1, 5.3.2). ARIA uses both as well.
#ifndef GPUCTR_KERNELS_CIPHER_AES_BOXES_H
#define GPUCTR_KERNELS_CIPHER_AES_BOXES_H

#include "kernels/cipher/box.h"

namespace gpuctr {

struct AesBox {
  static constexpr Affine kIn = kIdentity;
  static constexpr Affine kOut = {0xf1e3c78f1f3e7cf8, 0x63};

  // Bit i of S(x) is bits i, i + 4, i + 5, i + 6 and i + 7 modulo 8 of 1 / x, and of 0x63.
  static constexpr std::uint8_t at(unsigned x) {
    const unsigned y = field::inverse(x) * 0x101u;
    return static_cast<std::uint8_t>(y ^ (y >> 4) ^ (y >> 5) ^ (y >> 6) ^ (y >> 7) ^ 0x63);
  }
};
static_assert(decomposes<AesBox>());

struct AesInverseBox {
  static constexpr Affine kIn = {0xa44992254a942952, 0x05};
  static constexpr Affine kOut = kIdentity;

  static constexpr std::uint8_t at(unsigned x) { return preimage<AesBox>(x); }
};
static_assert(decomposes<AesInverseBox>());

}  // namespace gpuctr

#endif
