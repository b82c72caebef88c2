#ifndef GPUCTR_TEST_BENCH_GPU_PAPERS_CUH
#define GPUCTR_TEST_BENCH_GPU_PAPERS_CUH

#include "test/bench/gpu/gpu_selection.h"
#include "test/bench/gpu/gpu_timing.cuh"
#include "test/bench/gpu/papers.h"

namespace gpuctr::bench {

// Every method of papers.h for the ciphers that are wanted, checked against the scalar backend
// before it is timed; a wrong one ends the program. Buffers of 512 MiB and more, with data. Where
// the build has no kernels of ours for a cipher, stderr has a word of it and the row has none.
std::vector<PaperRow> measure_papers(const GpuLayer& layer, GpuStream* stream, const Buffers& b,
                                     const Wanted& wanted);

}  // namespace gpuctr::bench

#endif
