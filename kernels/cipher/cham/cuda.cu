// CHAM on CUDA, word-wise. A round of CHAM-128 is two XORs and two rotations on the ALU pipe and an
// addition on the FMA pipe. One of a lane's four blocks does the rotations by 8 on the FP64 pipe.
// For CHAM-64 the 16-bit words of two neighbouring blocks share a register. Its batches have small
// units, because CTR_DRBG requests 1 KiB a key. CHAM-128/256's generator is 9 % slower with rounds
// in a loop, the others' 1 %.
#include "kernels/cipher/cham/cham.h"
#include "kernels/gpu/cuda/kernel/many/launch.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/wordwise.cuh"

namespace gpuctr {
inline namespace cham_cuda {
using Word = MixedWord<1u << 8, 1>;
template <class C>
using Form = Word32Form<C, Word, 4, C::kKeyBytes == 16>;
template <class C>
using Blocks = Word32Form<C, Word, 2>;
template <class C>
constexpr CudaOps kOps = with_many(wordwise::kOps<Form<C>, Form<C>, Blocks<C>, cuda_tiles_of<C>>,
                                   &many::kWordMany<Form<C>>);
constexpr CudaOps kOpsOf64 =
    with_many(wordwise::kOps<Word16Form<Cham64_128, 4>, Word16Form<Cham64_128, 2>,
                             Word16Form<Cham64_128, 2>, cuda_tiles_of<Cham64_128>>,
              &many::kSlicedMany<Word16Form<Cham64_128, 4>>);
}  // namespace cham_cuda

template <>
const CudaOps& cuda_ops_of<Cham64_128>() {
  return kOpsOf64;
}
template <>
const CudaOps& cuda_ops_of<Cham128_128>() {
  return kOps<Cham128_128>;
}
template <>
const CudaOps& cuda_ops_of<Cham128_256>() {
  return kOps<Cham128_256>;
}

}  // namespace gpuctr
