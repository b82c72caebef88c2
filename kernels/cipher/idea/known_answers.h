// X. Lai, On the Design and Security of Block Ciphers, 1992: the example of encryption.
#ifndef GPUCTR_KERNELS_CIPHER_IDEA_KNOWN_ANSWERS_H
#define GPUCTR_KERNELS_CIPHER_IDEA_KNOWN_ANSWERS_H

#include "kernels/cipher/idea/idea.h"
#include "kernels/cipher/known_answers.h"

namespace gpuctr {

template <>
struct KnownAnswers<Idea> {
  static constexpr BlockAnswer kBlock = {{0x00, 0x01, 0x00, 0x02, 0x00, 0x03, 0x00, 0x04, 0x00,
                                          0x05, 0x00, 0x06, 0x00, 0x07, 0x00, 0x08},
                                         {0x00, 0x00, 0x00, 0x01, 0x00, 0x02, 0x00, 0x03},
                                         {0x11, 0xfb, 0xed, 0x2b, 0x01, 0x98, 0x6d, 0xe5}};
};

}  // namespace gpuctr

#endif
