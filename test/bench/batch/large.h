// Large batches, by one core, all cores and a device.
#ifndef GPUCTR_TEST_BENCH_BATCH_LARGE_H
#define GPUCTR_TEST_BENCH_BATCH_LARGE_H

#include <cstdio>

namespace gpuctr::bench {

// Measures and prints millions of messages a second, and writes them to `json` as the value of a
// member "large". Without a device its columns are left out.
void measure_large(std::FILE* json);

}  // namespace gpuctr::bench

#endif
