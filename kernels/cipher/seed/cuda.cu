// SEED on CUDA: table look-ups with a private table for each bank.
#include "kernels/cipher/seed/cuda_tables.h"
#include "kernels/gpu/cuda/kernel/many/launch.cuh"
#include "kernels/gpu/cuda/kernel/tables/launch.cuh"

namespace gpuctr {
inline namespace seed_cuda {

extern __device__ const tables::Stored<SeedTables> kStored{};

struct Form : SeedTables {
  using Rounds = Form;
  __device__ __forceinline__ static const std::uint32_t* stored_words() { return kStored.words; }
};
struct Inverse : SeedInverseTables {
  using Rounds = Form;
};

using Key = many::TableKey<Form, Inverse>;
constexpr CudaOps kOps =
    with_many(tables::kOps<Form, Inverse>, &many::kTableMany<Key, many::TableLanes<Key>>);

}  // namespace seed_cuda

template <>
const CudaOps& cuda_ops_of<Seed>() {
  return kOps;
}

}  // namespace gpuctr
