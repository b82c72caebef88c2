// Counter-mode keystream beside cuRAND's generators: rows of bench_gpu.
#ifndef GPUCTR_TEST_BENCH_GPU_GENERATORS_H
#define GPUCTR_TEST_BENCH_GPU_GENERATORS_H

#include <cstdio>
#include <string>
#include <vector>

namespace gpuctr::bench {

// GB/s of 8 GiB in device memory.
struct GeneratorRow {
  std::string name;
  std::string source;  // "cuRAND" or "gpuctr, counter mode"
  double fill;
};

void print_generators(const std::vector<GeneratorRow>& rows);
void write_generators(std::FILE* file, const std::vector<GeneratorRow>& rows);  // a JSON array

}  // namespace gpuctr::bench

#endif
