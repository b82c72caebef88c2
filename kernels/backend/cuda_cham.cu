// CHAM-128 on CUDA. The rotation that ends a round and the one that begins the round which reads
// the word become one: 16 or 2 to the left; the word's other reader needs 8 or 1. One of each two
// leaves as IMAD.WIDE (cuda_words.cuh): 3 ALU operations and 1 + 2 FMA slots a round in place of 4
// and 1.
#include "kernels/backend/cuda_wordwise.cuh"

namespace gpuctr {
namespace {
using Word = TurningWord<1u << 16 | 1u << 2>;
template <class C>
using Form = WideForm<C, Word>;
}  // namespace

extern const CudaOps kCudaCham128_128 = wordwise::make_ops<Form<Cham128_128>, Form<Cham128_128>>();
extern const CudaOps kCudaCham128_256 = wordwise::make_ops<Form<Cham128_256>, Form<Cham128_256>>();

}  // namespace gpuctr
