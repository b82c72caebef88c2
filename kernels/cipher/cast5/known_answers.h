// RFC 2144, appendix B.1, the key of 128 bits.
#ifndef GPUCTR_KERNELS_CIPHER_CAST5_KNOWN_ANSWERS_H
#define GPUCTR_KERNELS_CIPHER_CAST5_KNOWN_ANSWERS_H

#include "kernels/cipher/cast5/cast5.h"
#include "kernels/cipher/known_answers.h"

namespace gpuctr {

template <>
struct KnownAnswers<Cast5> {
  static constexpr BlockAnswer kBlock = {{0x01, 0x23, 0x45, 0x67, 0x12, 0x34, 0x56, 0x78, 0x23,
                                          0x45, 0x67, 0x89, 0x34, 0x56, 0x78, 0x9a},
                                         {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef},
                                         {0x23, 0x8b, 0x4f, 0xe5, 0x84, 0x7e, 0x44, 0xb2}};
};

}  // namespace gpuctr

#endif
