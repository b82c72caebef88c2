// AES on CUDA: table look-ups with a private table for each bank, and bit-sliced rounds beside
// them.
#include "kernels/cipher/aes/cuda_bit_sliced.h"
#include "kernels/cipher/aes/cuda_tables.h"
#include "kernels/gpu/cuda/kernel/many/launch.cuh"
#include "kernels/gpu/cuda/kernel/tables/launch.cuh"
#include "kernels/gpu/cuda/kernel/tables/numbers.cuh"

namespace gpuctr {
inline namespace aes_cuda {

// One table for all key sizes.
extern __device__ const tables::Stored<AesTables<128>> kStored{};
extern __device__ const tables::Stored<AesInverseTables<128>> kInverseStored{};

template <unsigned kKeyBits>
struct Form : AesTables<kKeyBits> {
  using Rounds = Form<256>;
  using BitSliced = AesBitSliced;
  using BeforeMix = AesInverseTables<kKeyBits>;
  __device__ __forceinline__ static const std::uint32_t* stored_words() { return kStored.words; }
};
template <unsigned kKeyBits>
struct Inverse : AesInverseTables<kKeyBits> {
  using Rounds = Inverse<256>;
  __device__ __forceinline__ static const std::uint32_t* stored_words() {
    return kInverseStored.words;
  }
};

template <unsigned kKeyBits>
using Key = many::TableKey<Form<kKeyBits>, Inverse<kKeyBits>>;
using Lanes = many::TableLanes<Key<128>, Key<192>, Key<256>>;

template <unsigned kKeyBits>
constexpr CudaOps kOps = with_many(with_numbers(tables::kOps<Form<kKeyBits>, Inverse<kKeyBits>>,
                                                tables::numbers<Form<kKeyBits>>),
                                   &many::kTableMany<Key<kKeyBits>, Lanes>);

}  // namespace aes_cuda

template <>
const CudaOps& cuda_ops_of<Aes<128>>() {
  return kOps<128>;
}
template <>
const CudaOps& cuda_ops_of<Aes<192>>() {
  return kOps<192>;
}
template <>
const CudaOps& cuda_ops_of<Aes<256>>() {
  return kOps<256>;
}

}  // namespace gpuctr
