// The trials of bench_leaks.
#ifndef GPUCTR_TEST_BENCH_LEAKS_LEAKS_H
#define GPUCTR_TEST_BENCH_LEAKS_LEAKS_H

#include <vector>

#include "test/bench/leaks/trial.h"

namespace gpuctr::bench {

// A comparison that stops early, a look-up in a table larger than the first cache, a branch.
void add_planted(std::vector<Trial>* trials);
// Block ciphers and GHASH of every backend that this CPU has.
void add_kernels(std::vector<Trial>* trials);
// GCM's tag and CBC's padding, by the module on the best backend.
void add_evp(std::vector<Trial>* trials);
// Kernels on the first device, and a look-up with bank conflicts; nothing without one.
void add_card(std::vector<Trial>* trials);

}  // namespace gpuctr::bench

#endif
