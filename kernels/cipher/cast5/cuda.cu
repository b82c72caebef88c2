// CAST-128 on CUDA: table look-ups with a private table for each bank.
#include "kernels/cipher/cast5/cuda_tables.h"
#include "kernels/gpu/cuda/kernel/tables/launch.cuh"

namespace gpuctr {
inline namespace cast5_cuda {

// S1 to S4.
struct Boxes {
  std::uint32_t words[4 * 256] = {};
  constexpr Boxes() {
    for (unsigned i = 0; i < 4 * 256; ++i) words[i] = kCastBoxes[i / 256][i % 256];
  }
};
extern __device__ const Boxes kBoxes{};

struct Form : Cast5Tables {
  using Rounds = Form;
  __device__ __forceinline__ static const std::uint32_t* table_words(const std::uint32_t*) {
    return kBoxes.words;
  }
};
struct Inverse : Cast5InverseTables {
  using Rounds = Inverse;
  __device__ __forceinline__ static const std::uint32_t* table_words(const std::uint32_t*) {
    return kBoxes.words;
  }
};

}  // namespace cast5_cuda

template <>
const CudaOps& cuda_ops_of<Cast5>() {
  return tables::kOps<Form, Inverse>;
}

}  // namespace gpuctr
