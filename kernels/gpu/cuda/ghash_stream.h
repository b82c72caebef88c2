// What a stream has besides for GHASH, made at its first use.
#ifndef GPUCTR_KERNELS_GPU_CUDA_GHASH_STREAM_H
#define GPUCTR_KERNELS_GPU_CUDA_GHASH_STREAM_H

#include <cuda_runtime_api.h>

#include "kernels/gpu/cuda/ghash.h"

namespace gpuctr::cuda {

// One thread at a time; the card must be current in every call.
class GhashStream {
 public:
  // Whether the card has the instruction.
  bool suits(int device);

  // Memory, a second stream, events. After a failure it can be called again.
  cudaError_t prepare();
  void free();

  // Queues on `main` the hash of whole blocks, y behind them in `sum` (16 bytes of pinned memory),
  // and the wiping of what is secret. The tables are made beside the work that `main` has. h and
  // y, 16 bytes each, are host memory, copied before the call returns.
  cudaError_t hash(cudaStream_t main, const std::uint8_t* h, const std::uint8_t* y, const void* in,
                   std::size_t blocks, void* sum);

 private:
  cudaError_t make_tables(const std::uint8_t* h, const std::uint8_t* y);

  int suits_ = -1;  // not asked yet
  unsigned processors_ = 0;
  cudaStream_t beside_ = nullptr;
  cudaEvent_t made_ = nullptr;      // the tables
  cudaEvent_t used_ = nullptr;      // and wiped
  std::uint8_t* memory_ = nullptr;  // the tables
};

}  // namespace gpuctr::cuda

#endif
