// The table of word-wise kernels, and the two kernels that wipe.
#include "kernels/gpu/cuda/kernels.h"

#include "kernels/gpu/cuda/ciphers.h"

namespace gpuctr {

inline namespace kernels_cuda {

template <std::size_t kBytes>
struct Zeros {
  std::uint8_t bytes[kBytes];
};
template <std::size_t kBytes>
__global__ void scrub_kernel(const __grid_constant__ Zeros<kBytes>) {}

__global__ void wipe_kernel(uint4* memory, std::size_t count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    memory[i] = uint4{0, 0, 0, 0};
}

}  // namespace kernels_cuda

const CudaOps* cuda_ops(std::size_t cipher) {
  const CudaOpsFunction* const ops = kCudaOps[cipher];
  return ops == nullptr || *ops == nullptr ? nullptr : &(*ops)();
}

cudaError_t cuda_scrub(cudaStream_t stream, bool long_keys) {
  scrub_kernel<<<1, 1, 0, stream>>>(Zeros<kShortParameters>{});
  if (long_keys) scrub_kernel<<<1, 1, 0, stream>>>(Zeros<kLongParameters>{});
  return cudaGetLastError();
}

cudaError_t cuda_wipe(cudaStream_t stream, void* memory, std::size_t bytes) {
  const std::size_t count = (bytes + sizeof(uint4) - 1) / sizeof(uint4);
  if (count == 0) return cudaSuccess;
  const std::size_t blocks = (count + 255) / 256;
  wipe_kernel<<<static_cast<unsigned>(blocks < 256 ? blocks : 256), 256, 0, stream>>>(
      static_cast<uint4*>(memory), count);
  return cudaGetLastError();
}

}  // namespace gpuctr
