// Blowfish on CUDA: table look-ups with a private table for each bank; the tables are made from the
// key.
#include "kernels/cipher/blowfish/cuda_tables.h"
#include "kernels/gpu/cuda/kernel/tables/launch.cuh"

namespace gpuctr {
inline namespace blowfish_cuda {

struct Form : BlowfishTables {
  using Rounds = Form;
};
struct Inverse : BlowfishInverseTables {
  using Rounds = Form;
};

}  // namespace blowfish_cuda

template <>
const CudaOps& cuda_ops_of<Blowfish>() {
  return tables::kOps<Form, Inverse>;
}

}  // namespace gpuctr
