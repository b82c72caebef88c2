// GHASH, the universal hash of GCM (SP 800-38D 6.4): a polynomial over GF(2^128) whose coefficients
// are the blocks, at a secret point H. The forms of it, each for an instruction set of its own.
#ifndef GPUCTR_KERNELS_CPU_GHASH_H
#define GPUCTR_KERNELS_CPU_GHASH_H

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/base/ghash_ops.h"

namespace gpuctr {

struct GhashImplementation {
  const char* name;     // for tests and benchmarks
  bool (*available)();  // whether this CPU can run it; cheap
  // Of the vector registers that it uses; 0 for integers. A backend has a form with vectors no
  // wider than its own.
  std::size_t vector_bytes;
  const GhashOps* ops;
};

// The forms compiled into this build, best first; the last is portable, which every CPU has. A form
// listed may still be unavailable on this CPU.
struct GhashList {
  const GhashImplementation* first;
  std::size_t count;
};
GhashList ghash_implementations();

// The best form that this CPU has with vectors of at most `vector_bytes`.
const GhashImplementation& best_ghash(std::size_t vector_bytes);

}  // namespace gpuctr

#endif
