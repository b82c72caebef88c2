// Camellia on CUDA: table look-ups with a private table for each bank.
#include "kernels/cipher/camellia/cuda_tables.h"
#include "kernels/gpu/cuda/kernel/many/launch.cuh"
#include "kernels/gpu/cuda/kernel/tables/launch.cuh"

namespace gpuctr {
inline namespace camellia_cuda {

// One table for all key sizes.
extern __device__ const tables::Stored<CamelliaTables<128>> kStored{};

template <unsigned kKeyBits>
struct Form : CamelliaTables<kKeyBits> {
  using Rounds = Form<256>;
  __device__ __forceinline__ static const std::uint32_t* stored_words() { return kStored.words; }
};
template <unsigned kKeyBits>
struct Inverse : CamelliaInverseTables<kKeyBits> {
  using Rounds = Form<256>;
};

template <unsigned kKeyBits>
using Key = many::TableKey<Form<kKeyBits>, Inverse<kKeyBits>>;
using Lanes = many::TableLanes<Key<128>, Key<192>, Key<256>>;

template <unsigned kKeyBits>
constexpr CudaOps kOps = with_many(tables::kOps<Form<kKeyBits>, Inverse<kKeyBits>>,
                                   &many::kTableMany<Key<kKeyBits>, Lanes>);

}  // namespace camellia_cuda

template <>
const CudaOps& cuda_ops_of<Camellia<128>>() {
  return kOps<128>;
}
template <>
const CudaOps& cuda_ops_of<Camellia<192>>() {
  return kOps<192>;
}
template <>
const CudaOps& cuda_ops_of<Camellia<256>>() {
  return kOps<256>;
}

}  // namespace gpuctr
