// Health tests of SP 800-90A 11.3: known answers, and the errors that must be errors.
#ifndef GPUCTR_DRBG_HEALTH_H
#define GPUCTR_DRBG_HEALTH_H

#include "drbg/mechanism.h"

namespace gpuctr::drbg {

constexpr std::size_t kKnownAnswerBytes = 16;

// The known answer of "LEA-128" and so on, kKnownAnswerBytes long; nullptr for a cipher that has
// none in this table.
const std::uint8_t* known_answer(const char* cipher_name);

// Runs the health tests with the mechanism. Without a known answer the instantiate, generate and
// reseed functions are run, but their output is not judged. `corrupt` flips a bit of the output, to
// show that the test can fail. Returns nullptr, or the name of the step that failed. Allocates
// nothing; any thread.
const char* health_test(const Mechanism& mechanism, const std::uint8_t* known, bool corrupt);

}  // namespace gpuctr::drbg

#endif
