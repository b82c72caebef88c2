// GHASH, the universal hash of GCM (SP 800-38D 6.4): a polynomial over GF(2^128) with the blocks as
// coefficients, evaluated at a secret point H. The list of implementations, one for each
// instruction set.
#ifndef GPUCTR_KERNELS_CPU_GHASH_H
#define GPUCTR_KERNELS_CPU_GHASH_H

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/base/ghash_ops.h"

namespace gpuctr {

struct GhashImplementation {
  const char* name;     // for tests and benchmarks
  bool (*available)();  // whether this CPU can run it; cheap
  // Bytes of its vector registers; 0: integers. A backend uses an implementation with vectors no
  // wider than the backend's own.
  std::size_t vector_bytes;
  const GhashOps* ops;
};

// The implementations of this build, best first. The last is portable, which runs on every CPU.
// This CPU may not support every implementation of the list.
struct GhashList {
  const GhashImplementation* first;
  std::size_t count;
};
GhashList ghash_implementations();

// The best implementation that this CPU supports with vectors of at most `vector_bytes`.
const GhashImplementation& best_ghash(std::size_t vector_bytes);

}  // namespace gpuctr

#endif
