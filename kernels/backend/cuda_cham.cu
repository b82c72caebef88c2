// CHAM-128 on CUDA, word-wise: a round is two XORs and two rotations on the ALU pipe and an
// addition on the FMA pipe. One block of a lane's four takes the rotations by 8 to the FP64 pipe.
#include "kernels/backend/cuda_wordwise.cuh"

namespace gpuctr {
namespace {
using Word = MixedWord<1u << 8, 1>;
template <class C>
using Form = WideForm<C, Word>;
}  // namespace

extern const CudaOps kCudaCham128_128 = wordwise::make_ops<Form<Cham128_128>, Form<Cham128_128>>();
extern const CudaOps kCudaCham128_256 = wordwise::make_ops<Form<Cham128_256>, Form<Cham128_256>>();

}  // namespace gpuctr
