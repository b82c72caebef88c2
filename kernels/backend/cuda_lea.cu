// LEA on CUDA. A round is six XORs, three additions, three rotations. Two of the rotations, 29 and
// 27 to the left, leave as IMAD.WIDE (cuda_words.cuh): 7 ALU operations and 3 + 2 * 2 FMA slots a
// round in place of 9 and 3.
#include "kernels/backend/cuda_wordwise.cuh"

namespace gpuctr {
namespace {
using Word = SplitWord<1u << 29 | 1u << 27>;
template <unsigned kKeyBits>
using Form = WideForm<Lea<kKeyBits>, Word>;
}  // namespace

extern const CudaOps kCudaLea128 = wordwise::make_ops<Form<128>, Form<128>>();
extern const CudaOps kCudaLea192 = wordwise::make_ops<Form<192>, Form<192>>();
extern const CudaOps kCudaLea256 = wordwise::make_ops<Form<256>, Form<256>>();

}  // namespace gpuctr
