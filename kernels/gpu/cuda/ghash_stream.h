// What a stream has besides for GHASH, made at its first use.
#ifndef GPUCTR_KERNELS_GPU_CUDA_GHASH_STREAM_H
#define GPUCTR_KERNELS_GPU_CUDA_GHASH_STREAM_H

#include <cuda_runtime_api.h>

#include "kernels/gpu/cuda/ghash.h"
#include "kernels/gpu/cuda/kernels.h"
#include "kernels/gpu/layer.h"

namespace gpuctr::cuda {

// One thread at a time; the card must be current in every call.
class GhashStream {
 public:
  // Whether the card has an instruction for it, and whether it makes this run of GCM in one pass.
  bool suits(int device);
  bool suits_gcm(int device, const GpuGcm& run);

  // Memory, a second stream, events. After a failure it can be called again.
  cudaError_t prepare();
  void free();

  // Queues on `main` the hash of whole blocks, y behind them in `sum` (16 bytes of pinned memory),
  // and the wiping of what is secret. The tables are made beside the work that `main` has; with
  // `alone`, where it has none, in the same queue, which is faster. h and y, 16 bytes each, are
  // host memory, copied before the call returns.
  cudaError_t hash(cudaStream_t main, const std::uint8_t* h, const std::uint8_t* y, const void* in,
                   std::size_t blocks, void* sum, bool alone);

  // The same of a run of GCM in one pass, by a cipher's kernel.
  cudaError_t gcm(cudaStream_t main, CudaGcm kernel, const RoundKeys& keys, const GpuGcm& run);

 private:
  enum class Form { kUnknown, kNone, kMma, kWgmma };

  bool takes_wgmma(const void* in, std::size_t blocks) const;
  cudaError_t make_tables(cudaStream_t stream, bool wgmma, const std::uint8_t* h,
                          const std::uint8_t* y, std::size_t blocks);
  cudaError_t make_tables_beside(bool wgmma, const std::uint8_t* h, const std::uint8_t* y,
                                 std::size_t blocks);
  void drop_tables(cudaStream_t main);

  Form form_ = Form::kUnknown;
  unsigned grid_ = 0;
  cudaStream_t beside_ = nullptr;
  cudaEvent_t made_ = nullptr;      // the tables
  cudaEvent_t used_ = nullptr;      // and wiped
  std::uint8_t* memory_ = nullptr;  // the tables
};

}  // namespace gpuctr::cuda

#endif
