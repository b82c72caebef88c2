// For drbg_states.cpp, in place of the list of ciphers that CMake makes: they only bound the sizes.
#ifndef GPUCTR_TEST_PROVE_DRBG_FOLDERS_H
#define GPUCTR_TEST_PROVE_DRBG_FOLDERS_H

#include "kernels/cipher/facts.h"
#include "kernels/cipher/lea/lea.h"

namespace gpuctr {
using AllCiphers = Joined<folder::lea>::Type;
using CiphersWithCuda = CipherList<>;
}  // namespace gpuctr

#endif
