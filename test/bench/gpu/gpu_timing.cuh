// How bench_gpu times a device: shared by its own rows and those of the documents' methods.
#ifndef GPUCTR_TEST_BENCH_GPU_TIMING_CUH
#define GPUCTR_TEST_BENCH_GPU_TIMING_CUH

#include <cuda_runtime.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "kernels/gpu/layer.h"

namespace gpuctr::bench {

struct Buffers {
  std::uint8_t* in;  // on the device
  std::uint8_t* out;
  std::uint8_t* host_in;  // pinned
  std::uint8_t* host_out;
};

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bench_gpu: %s\n", cudaGetErrorString(error));
  std::exit(1);
}
inline void check(DeviceStatus status) {
  if (status == DeviceStatus::kOk) return;
  std::fprintf(stderr, "bench_gpu: %s\n", device_status_text(status));
  std::exit(1);
}

// GB/s of `bytes` a call, the median of `repeats` after one to warm up. Timed by the wall clock
// around `work`, which ends with the device idle: its 20 us of launching and waiting count.
inline double rate(std::size_t bytes, unsigned repeats, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (unsigned i = 0; i <= repeats; ++i) {
    timespec start;
    timespec end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    work();
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (i != 0) {
      seconds.push_back(static_cast<double>(end.tv_sec - start.tv_sec) +
                        1e-9 * static_cast<double>(end.tv_nsec - start.tv_nsec));
    }
  }
  std::sort(seconds.begin(), seconds.end());
  return 1e-9 * static_cast<double>(bytes) / seconds[seconds.size() / 2];
}

}  // namespace gpuctr::bench

#endif
