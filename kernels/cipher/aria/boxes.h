// ARIA's second S-box and its inverse (RFC 5794 2.4.2); the first one is AES's.
#ifndef GPUCTR_KERNELS_CIPHER_ARIA_BOXES_H
#define GPUCTR_KERNELS_CIPHER_ARIA_BOXES_H

#include "kernels/cipher/box.h"

namespace gpuctr {

// S2 of RFC 5794 2.4.2: a matrix times x^247, which is 1 / x^8, and 0xe2.
struct AriaBox2 {
  static constexpr Affine kIn = kIdentity;
  static constexpr Affine kOut = {0xeafcb7c3c273c66f, 0xe2};
  static constexpr std::uint8_t at(unsigned x) { return kOut(field::inverse(x)); }
};
struct AriaInverseBox2 {
  static constexpr Affine kIn = {0x186450c737d6bdc9, 0x2c};
  static constexpr Affine kOut = kIdentity;
  static constexpr std::uint8_t at(unsigned x) { return preimage<AriaBox2>(x); }
};
static_assert(decomposes<AriaInverseBox2>());

}  // namespace gpuctr

#endif
