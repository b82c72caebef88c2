// ARIA's second S-box and its inverse (RFC 5794 2.4.2); the first S-box is AES's.
#ifndef GPUCTR_KERNELS_CIPHER_ARIA_BOXES_H
#define GPUCTR_KERNELS_CIPHER_ARIA_BOXES_H

#include "kernels/cipher/aes_box.h"

namespace gpuctr {

// S2(x) = B x^247 + 0xe2 in AES's field (D. Kwon et al., New Block Cipher: ARIA, ICISC 2003).
struct AriaBox2Stated {
  static constexpr unsigned kPolynomial = 0x11b;
  static constexpr Affine kBefore = kIdentity;
  static constexpr Affine kB = {matrix_of_rows({"01011110", "00111101", "11010111", "10011101",  //
                                                "00101100", "10000001", "01011101", "11010011"}),
                                0xe2};
  static constexpr std::uint8_t at(unsigned x) { return kB(field::power(x, 247)); }
};
using AriaBox2 = Box<AriaBox2Stated>;
using AriaInverseBox2 = InverseBox<AriaBox2>;

}  // namespace gpuctr

#endif
