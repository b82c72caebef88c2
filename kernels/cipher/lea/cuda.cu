// LEA on CUDA, word-wise: a round is six XORs and three rotations on the ALU pipe and three
// additions on the FMA pipe. Two of a lane's four blocks do the rotation by 29 on the FP64 pipe
// instead of the ALU pipe.
#include "kernels/cipher/lea/lea.h"
#include "kernels/gpu/cuda/kernel/ghash/gcm.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/numbers.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/wordwise.cuh"

namespace gpuctr {
inline namespace lea_cuda {
using Word = MixedWord<1u << 29, 2>;
template <unsigned kKeyBits>
using Form = Word32Form<Lea<kKeyBits>, Word>;
template <unsigned kKeyBits>
using Blocks = Word32Form<Lea<kKeyBits>, MixedWord<1u << 29, 1>, 2>;
template <unsigned kKeyBits>
constexpr CudaOps kOps =
    with_numbers(with_gcm(wordwise::kOps<Form<kKeyBits>, Form<kKeyBits>, Blocks<kKeyBits>>,
                          cuda::gcm<Form<kKeyBits>>),
                 wordwise::numbers<Form<kKeyBits>>);
}  // namespace lea_cuda

template <>
const CudaOps& cuda_ops_of<Lea<128>>() {
  return kOps<128>;
}
template <>
const CudaOps& cuda_ops_of<Lea<192>>() {
  return kOps<192>;
}
template <>
const CudaOps& cuda_ops_of<Lea<256>>() {
  return kOps<256>;
}

}  // namespace gpuctr
