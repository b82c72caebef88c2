// Block ciphers of libcrypto as entries of a cipher table: a test's way to run our CTR_DRBG over
// AES, TDEA, ARIA and SEED, for which there are published vectors.
#ifndef GPUCTR_TEST_DRBG_EVP_CIPHER_H
#define GPUCTR_TEST_DRBG_EVP_CIPHER_H

#include <string>

#include "kernels/cpu/backend.h"

namespace gpuctr::test {

// A cipher and the backend that runs it, of which only ops[spec.index] is usable. The backend keeps
// the raw key where a kernel keeps its schedule: slow and simple. 3-key TDEA takes keys of 21 bytes
// (keylen 168 of SP 800-90A table 3) and adds the parity bits itself.
struct EvpCipher {
  CipherSpec spec;
  Backend backend;
};

// "AES-128", "AES-192", "AES-256", "3KeyTDEA", "ARIA-128", ..., "SEED". nullptr: this libcrypto
// does not have it, or its key or block is longer than any of this build's ciphers has, and so than
// a generator's buffers. Valid until the process ends.
const EvpCipher* evp_cipher(const std::string& name);

}  // namespace gpuctr::test

#endif
