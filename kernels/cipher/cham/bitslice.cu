// CHAM on CUDA, bit-sliced.
#include "kernels/cipher/cham/bitslice_keys.cuh"
#include "kernels/gpu/cuda/kernel/bitsliced/launch.cuh"
#include "kernels/gpu/cuda/kernel/many/sliced_launch.cuh"

namespace gpuctr {

template <>
cudaError_t cuda::sliced_ctr<Cham64_128>(cudaStream_t stream, const ManyJob& job) {
  return many::run_sliced<Cham64_128>(stream, job);
}

template <>
const CudaTiles* cuda_tiles_of<Cham64_128>() {
  return &kBitslicedTiles<Cham64_128>;
}
template <>
const CudaTiles* cuda_tiles_of<Cham128_128>() {
  return &kBitslicedTiles<Cham128_128>;
}
template <>
const CudaTiles* cuda_tiles_of<Cham128_256>() {
  return &kBitslicedTiles<Cham128_256>;
}

}  // namespace gpuctr
