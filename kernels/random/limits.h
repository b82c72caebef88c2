// What the loops of floats.h take, beside a distribution.
#ifndef GPUCTR_KERNELS_RANDOM_LIMITS_H
#define GPUCTR_KERNELS_RANDOM_LIMITS_H

#include "kernels/random/numbers.h"

namespace gpuctr::random {

// For uniform numbers: the least and the greatest number of the type in [low, high).
struct Limits {
  double least, greatest;
};
using MakeFloats = void (*)(const Distribution& what, const Limits& limits,
                            const std::uint8_t* random, std::uint8_t* out, std::size_t count);

}  // namespace gpuctr::random

#endif
