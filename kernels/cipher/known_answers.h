// Known answers, against which the module's self-test checks every backend and generator. The build
// takes them from the vectors.txt of a cipher's folder (kernels/cmake/KnownAnswers.cmake); the
// configuration fails for a cipher without them.
#ifndef GPUCTR_KERNELS_CIPHER_KNOWN_ANSWERS_H
#define GPUCTR_KERNELS_CIPHER_KNOWN_ANSWERS_H

#include <cstddef>
#include <cstdint>

#include "kernels/cipher/registry.h"

namespace gpuctr {

// One block under one key: the first block of the first vector in ECB mode with a key of kKeyBytes
// and no tweak. The bytes after a shorter key or block are 0.
struct BlockAnswer {
  std::uint8_t key[kMaxKeyBytes];
  std::uint8_t plaintext[kMaxBlockBytes];
  std::uint8_t ciphertext[kMaxBlockBytes];
};

// The first bytes of the second output of CTR_DRBG over the cipher. Instantiate with entropy 00 01
// .., nonce 20 21 .. and personalization 40 41 ..; generate two blocks with additional input 60 61
// ... Reseed with entropy 80 81 .. and additional input a0 a1 ..; generate two blocks. The nonce
// has half the key's length, the other inputs have seedlen. TTAK.KO-12.0189/R2, annex B.2 has these
// values for its ciphers. In vectors.txt the value is the Output of a stanza that begins with
// `Generator = <name>`.
struct GeneratorAnswer {
  std::uint8_t output[16];
};

struct KnownAnswer {
  BlockAnswer block;
  GeneratorAnswer generator;  // zeros if the cipher has no generator
};

}  // namespace gpuctr

#endif
