// Threefish on CUDA, word-wise: a pair of words takes two XORs, two shifts and an addition on the
// ALU pipe. Some rotations go to the FP64 pipe: how many, and how many blocks a lane makes, is what
// was fastest on an H200 (kernels/gpu/README.md).
#include "kernels/cipher/threefish/threefish.h"
#include "kernels/gpu/cuda/kernel/wordwise/wide.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/wordwise.cuh"

namespace gpuctr {
inline namespace threefish_cuda {
// Rotations by these amounts, bit by bit.
constexpr std::uint64_t kNone = 0;
constexpr std::uint64_t kOneOfFour = 0x2222222222222222;  // three tenths of them
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
// Its rounds unrolled would be 80 KB of machine code.
template <>
const CudaOps& cuda_ops_of<Threefish1024>() {
  return wordwise::kOpsWithoutBatch<Looping<Threefish1024, kNone>,
                                    Looping<Threefish1024, kOneOfFour>>;
}

}  // namespace gpuctr
