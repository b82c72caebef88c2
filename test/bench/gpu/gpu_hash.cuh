// GHASH and GCM on a device, ours and the ways that others go.
#ifndef GPUCTR_TEST_BENCH_GPU_HASH_CUH
#define GPUCTR_TEST_BENCH_GPU_HASH_CUH

#include "test/bench/gpu/gpu_hash.h"
#include "test/bench/gpu/gpu_timing.cuh"

namespace gpuctr::bench {

// GHASH by tensor cores, by tables of 8 bits in shared memory with a copy for each lane of a
// quarter-warp, and by tables of 4 bits; then GCM of ciphers, which is counter mode and GHASH one
// after the other. Each is checked against the CPU before it is timed. Buffers of 1 GiB.
std::vector<HashRow> measure_hashes(const DeviceLayer& layer, DeviceStream* stream,
                                    const Buffers& b);

}  // namespace gpuctr::bench

#endif
