// The 64-bit block ciphers word-wise: two 16-bit words or four bytes of neighbouring blocks share a
// register. Batches have small units: CTR_DRBG asks for 1 KiB a key.
#include "kernels/backend/cuda_wordwise.cuh"

namespace gpuctr {

extern const CudaOps kCudaHight = wordwise::make_ops<QuadForm<Hight, 4>, QuadForm<Hight, 2>>();
extern const CudaOps kCudaCham64_128 =
    wordwise::make_ops<PairForm<Cham64_128, 4>, PairForm<Cham64_128, 2>>();

}  // namespace gpuctr
