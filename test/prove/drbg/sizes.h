// For states.cpp, in place of the file that CMake makes of the ciphers: LEA's sizes.
#ifndef GPUCTR_TEST_PROVE_DRBG_SIZES_H
#define GPUCTR_TEST_PROVE_DRBG_SIZES_H

#include <cstddef>

namespace gpuctr {

constexpr std::size_t kCipherCount = 1;
constexpr std::size_t kMaxBlockBytes = 16;
constexpr std::size_t kMaxKeyBytes = 32;
constexpr std::size_t kMaxScheduleBytes = 768;
constexpr std::size_t kMaxTweakBytes = 0;

}  // namespace gpuctr

#endif
