// Threefish on CUDA, word-wise: a pair of words takes two XORs, two shifts and an addition on the
// ALU pipe. Some rotations are done on the FP64 pipe. Their number, and the number of blocks a
// lane, are the fastest on an H200 (docs/performance/readings/gpu/gpu-forms-h200.json).
#include "kernels/cipher/threefish/threefish.h"
#include "kernels/gpu/cuda/kernel/wordwise/wide.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/wordwise.cuh"

namespace gpuctr {
inline namespace threefish_cuda {
// Sets of rotation amounts: bit K is the rotation by K.
constexpr std::uint64_t kNone = 0;
constexpr std::uint64_t kOneOfFour = 0x2222222222222222;  // three tenths of the rotations
constexpr std::uint64_t kOdd = 0xaaaaaaaaaaaaaaaa;

template <class C>
using Unrolled = WideForm<C, kOdd, 1, false>;
template <class C, std::uint64_t kAmounts>
using Looping = WideForm<C, kAmounts, 1, true>;
}  // namespace threefish_cuda

template <>
const CudaOps& cuda_ops_of<Threefish256>() {
  return wordwise::kOpsWithoutBatch<Unrolled<Threefish256>, Looping<Threefish256, kOneOfFour>>;
}
template <>
const CudaOps& cuda_ops_of<Threefish512>() {
  return wordwise::kOpsWithoutBatch<Unrolled<Threefish512>, Looping<Threefish512, kOneOfFour>>;
}
// Unrolled rounds would be 80 KB of machine code.
template <>
const CudaOps& cuda_ops_of<Threefish1024>() {
  return wordwise::kOpsWithoutBatch<Looping<Threefish1024, kNone>,
                                    Looping<Threefish1024, kOneOfFour>>;
}

}  // namespace gpuctr
