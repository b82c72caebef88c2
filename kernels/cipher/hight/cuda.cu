// HIGHT on CUDA, word-wise: the bytes of four neighbouring blocks share a register. Batches have
// small units, because CTR_DRBG requests 1 KiB a key.
#include "kernels/cipher/hight/hight.h"
#include "kernels/gpu/cuda/kernel/many/launch.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/wordwise.cuh"

namespace gpuctr {

template <>
const CudaOps& cuda_ops_of<Hight>() {
  static constexpr CudaOps kOps =
      with_many(wordwise::kOps<Word8Form<Hight, 4>, Word8Form<Hight, 2>, Word8Form<Hight, 2>,
                               cuda_tiles_of<Hight>>,
                &many::kSlicedMany<Word8Form<Hight, 4>>);
  return kOps;
}

}  // namespace gpuctr
