// Seeds that a generator gives to the generators below it in OpenSSL's chain.
#ifndef GPUCTR_PROVIDER_RAND_CHILD_SEED_H
#define GPUCTR_PROVIDER_RAND_CHILD_SEED_H

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "kernels/base/wipe.h"
#include "provider/core/core.h"
#include "provider/core/errors.h"

namespace gpuctr {

inline void clear_child_seed(unsigned char* seed, std::size_t n) {
  if (seed == nullptr) return;
  wipe(seed, n);
  std::free(seed);
}

// Allocates `bits` bits, but `min` to `max` bytes, and has fill(seed, bytes) write them; `name` is
// the generator's. Returns their number. The child releases them with clear_child_seed(). 0: no
// seed, with an error; fill() puts its own on the queue and returns false.
template <class Fill>
std::size_t make_child_seed(const Core& core, const char* name, unsigned char** out, int bits,
                            std::size_t min, std::size_t max, Fill fill) {
  const std::size_t wanted = bits > 0 ? (static_cast<std::size_t>(bits) + 7) / 8 : 0;
  const std::size_t n = std::min(std::max(wanted, min), max);
  auto* const seed = static_cast<unsigned char*>(std::malloc(n == 0 ? 1 : n));
  if (seed == nullptr) {
    raise(core, Reason::kNoMemory, "%zu bytes of seed from %s", n, name);
    return 0;
  }
  if (!fill(seed, n)) {
    clear_child_seed(seed, n);
    return 0;
  }
  *out = seed;
  return n;
}

}  // namespace gpuctr

#endif
