// XTS (IEEE 1619) on a device: the masks of data units, for the block kernels of each cipher.
#ifndef GPUCTR_KERNELS_GPU_CUDA_XTS_H
#define GPUCTR_KERNELS_GPU_CUDA_XTS_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/cuda/kernels.h"
#include "kernels/gpu/layer.h"

namespace gpuctr::cuda {

constexpr unsigned kXtsRowBytes = 512;
constexpr unsigned kXtsGroupRows = 32;  // that one thread makes

// Writes the masks of the first block of each row of 32 blocks. `tweaks` are the masks of the first
// blocks of units of unit_rows rows each.
struct XtsRows {
  const uint4* tweaks;  // device memory
  uint4* masks;         // device memory
  std::uint64_t rows;
  std::uint64_t unit_rows;
};
cudaError_t xts_rows(cudaStream_t stream, const XtsRows& rows);

// Memory for masks, of one stream. One thread at a time; the device must be current.
class XtsStream {
 public:
  static bool takes(const CipherSpec& cipher, const DeviceXts& work);
  cudaError_t run(cudaStream_t stream, const CudaOps& ops, const RoundKeys& keys,
                  const DeviceXts& work);
  // Frees everything. The stream's work must be done.
  void free();

 private:
  cudaError_t grow(std::size_t blocks);

  uint4* memory_ = nullptr;  // tweaks, then masks: secret, wiped after each work
  std::size_t blocks_ = 0;
};

}  // namespace gpuctr::cuda

#endif
