// For drbg_states.cpp, in place of the list of ciphers that CMake makes: they only bound the sizes.
#pragma once
#include "kernels/cipher/facts.h"
#include "kernels/cipher/lea/lea.h"

namespace gpuctr {
using AllCiphers = Joined<folder::lea>::Type;
using CiphersWithCuda = CipherList<>;
}  // namespace gpuctr
