// Known answers: what the module's self-test checks every backend and generator against. A cipher's
// folder has them in known_answers.h, each with its source; a cipher without them does not compile.
#ifndef GPUCTR_KERNELS_CIPHER_KNOWN_ANSWERS_H
#define GPUCTR_KERNELS_CIPHER_KNOWN_ANSWERS_H

#include <cstddef>
#include <cstdint>

#include "kernels/cipher/registry.h"

namespace gpuctr {

// One block under one key. The bytes after a shorter key or block are 0.
struct BlockAnswer {
  std::uint8_t key[kMaxKeyBytes];
  std::uint8_t plaintext[kMaxBlockBytes];
  std::uint8_t ciphertext[kMaxBlockBytes];
};

// The first bytes of the second output of CTR_DRBG over the cipher: instantiate with entropy 00 01
// .., nonce 20 21 .. and personalization 40 41 ..; generate two blocks with additional input 60 61
// ..; reseed with entropy 80 81 .. and additional input a0 a1 ..; generate two blocks. The nonce
// has half the key's length, the others have seedlen. TTAK.KO-12.0189/R2, annex B.2 has these for
// its ciphers.
struct GeneratorAnswer {
  std::uint8_t output[16];
};

// Specialised for each cipher, with the members kBlock and, where the cipher has a generator,
// kGenerator.
template <class C>
struct KnownAnswers;

}  // namespace gpuctr

#endif
