// E. Young's vectors.txt for Blowfish, set_key with 16 bytes.
#ifndef GPUCTR_KERNELS_CIPHER_BLOWFISH_KNOWN_ANSWERS_H
#define GPUCTR_KERNELS_CIPHER_BLOWFISH_KNOWN_ANSWERS_H

#include "kernels/cipher/blowfish/blowfish.h"
#include "kernels/cipher/known_answers.h"

namespace gpuctr {

template <>
struct KnownAnswers<Blowfish> {
  static constexpr BlockAnswer kBlock = {{0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87, 0x78,
                                          0x69, 0x5a, 0x4b, 0x3c, 0x2d, 0x1e, 0x0f},
                                         {0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10},
                                         {0x93, 0x14, 0x28, 0x87, 0xee, 0x3b, 0xe1, 0x5c}};
};

}  // namespace gpuctr

#endif
