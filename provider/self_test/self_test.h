// Known answers for every cipher, and for GHASH, on every backend this CPU has, and the backends
// against each other.
#ifndef GPUCTR_PROVIDER_SELF_TEST_SELF_TEST_H
#define GPUCTR_PROVIDER_SELF_TEST_SELF_TEST_H

#include "provider/core/core.h"
#include "provider/rand/mechanisms.h"

namespace gpuctr {

// False: one error names the cipher and the backend. Makes no CUDA call. A few milliseconds.
bool self_test(const Core& core, const RandMechanisms& mechanisms);

}  // namespace gpuctr

#endif
