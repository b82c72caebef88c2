#ifndef GPUCTR_TEST_BENCH_MUST_H
#define GPUCTR_TEST_BENCH_MUST_H

#include <stdexcept>

namespace gpuctr::bench {

// std::runtime_error that names what failed. Measured calls ask it, so it makes no string.
inline void must(bool done, const char* what) {
  if (!done) throw std::runtime_error(what);
}

}  // namespace gpuctr::bench

#endif
