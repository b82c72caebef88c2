// AES's S-box and its inverse (FIPS 197 5.1.1, 5.3.2): ARIA uses both, and backends have
// instructions for them.
#ifndef GPUCTR_KERNELS_CIPHER_AES_BOX_H
#define GPUCTR_KERNELS_CIPHER_AES_BOX_H

#include "kernels/cipher/box.h"

namespace gpuctr {

struct AesBoxStated {
  static constexpr unsigned kPolynomial = 0x11b;
  static constexpr Affine kBefore = kIdentity;
  // Bit i of S(x) is the sum of bits i, i + 4, i + 5, i + 6 and i + 7, modulo 8, of 1 / x, and bit
  // i of 0x63.
  static constexpr std::uint8_t at(unsigned x) {
    const unsigned y = field::inverse(x) * 0x101u;
    return static_cast<std::uint8_t>(y ^ (y >> 4) ^ (y >> 5) ^ (y >> 6) ^ (y >> 7) ^ 0x63);
  }
};
using AesBox = Box<AesBoxStated>;
using AesInverseBox = InverseBox<AesBox>;

}  // namespace gpuctr

#endif
