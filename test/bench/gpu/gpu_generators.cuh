#ifndef GPUCTR_TEST_BENCH_GPU_GENERATORS_CUH
#define GPUCTR_TEST_BENCH_GPU_GENERATORS_CUH

#include "test/bench/gpu/gpu_generators.h"
#include "test/bench/gpu/gpu_timing.cuh"

namespace gpuctr::bench {

// cuRAND's XORWOW, Philox4x32-10 and MRG32k3a through its device functions, where the build had
// their header, and keystream of ciphers that have kernels here, filling `bytes` of b.out. What is
// missing is named on stderr.
std::vector<GeneratorRow> measure_generators(const GpuLayer& layer, GpuStream* stream,
                                             const Buffers& b, std::size_t bytes);

}  // namespace gpuctr::bench

#endif
