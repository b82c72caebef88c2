// Health tests of SP 800-90A 11.3: known answers, and calls that must fail.
#ifndef GPUCTR_DRBG_HEALTH_H
#define GPUCTR_DRBG_HEALTH_H

#include "drbg/mechanism.h"

namespace gpuctr::drbg {

constexpr std::size_t kKnownAnswerBytes = 16;

// Runs the health tests with the mechanism. `known` is the cipher's GeneratorAnswer
// (kernels/cipher/known_answers.h), kKnownAnswerBytes long. `corrupt` flips a bit of the output, to
// show that the test can fail. Returns nullptr, or the name of the failed step as a static string.
// Allocates nothing; any thread.
const char* health_test(const Mechanism& mechanism, const std::uint8_t* known, bool corrupt);

}  // namespace gpuctr::drbg

#endif
