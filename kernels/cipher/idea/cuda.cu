// IDEA on CUDA: one kernel for all keys, because a separate kernel for keys without a zero word
// would reveal which keys these are. A round is 15 instructions on the ALU pipe and 16 on the FMA
// pipe.
#include "kernels/cipher/idea/form.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/wordwise.cuh"

namespace gpuctr {

template <>
const CudaOps& cuda_ops_of<Idea>() {
  return wordwise::kOpsWithoutBatch<IdeaForm<2>, IdeaForm<2>>;
}

}  // namespace gpuctr
