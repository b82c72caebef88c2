// HIGHT on CUDA, bit-sliced.
#include "kernels/cipher/hight/bitslice_keys.cuh"
#include "kernels/gpu/cuda/kernel/bitsliced/launch.cuh"
#include "kernels/gpu/cuda/kernel/many/sliced_launch.cuh"

namespace gpuctr {

template <>
cudaError_t cuda::sliced_ctr<Hight>(cudaStream_t stream, const ManyJob& job) {
  return many::run_sliced<Hight>(stream, job);
}

template <>
const CudaTiles* cuda_tiles_of<Hight>() {
  return &kBitslicedTiles<Hight>;
}

}  // namespace gpuctr
