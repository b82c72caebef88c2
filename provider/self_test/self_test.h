// The self-test. It checks known answers of every cipher and of GHASH on every backend that this
// CPU supports, and compares the backends. It also runs the health tests of the generators.
#ifndef GPUCTR_PROVIDER_SELF_TEST_SELF_TEST_H
#define GPUCTR_PROVIDER_SELF_TEST_SELF_TEST_H

#include "provider/core/core.h"
#include "provider/rand/mechanisms.h"

namespace gpuctr {

// False: one error names what failed, such as the cipher and the backend. Makes no CUDA call. Takes
// a few milliseconds.
bool self_test(const Core& core, const RandMechanisms& mechanisms);

}  // namespace gpuctr

#endif
