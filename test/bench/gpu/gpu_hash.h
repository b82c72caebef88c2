// GHASH and GCM on a device: rows of bench_gpu.
#ifndef GPUCTR_TEST_BENCH_GPU_HASH_H
#define GPUCTR_TEST_BENCH_GPU_HASH_H

#include <cstdio>
#include <string>
#include <vector>

namespace gpuctr::bench {

// GB/s of data in device memory, 64 MiB and 1 GiB.
struct HashRow {
  std::string name;
  double small, large;
};

void print_hashes(const std::vector<HashRow>& rows);
void write_hashes(std::FILE* file, const std::vector<HashRow>& rows);  // a JSON array

}  // namespace gpuctr::bench

#endif
