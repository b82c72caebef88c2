// AES on CUDA: look-ups in bank-private tables.
#include "kernels/cipher/aes/tables.h"
#include "kernels/gpu/cuda/kernel/tables.cuh"

namespace gpuctr {
namespace {

__device__ const tables::Stored<AesTables<128>> kStored;  // the same for every size of key

template <unsigned kKeyBits>
struct Form : AesTables<kKeyBits> {
  __device__ __forceinline__ static const std::uint32_t* stored_words() { return kStored.words; }
};

}  // namespace

template <>
const CudaOps& cuda_ops_of<Aes<128>>() {
  return tables::kOps<Form<128>>;
}
template <>
const CudaOps& cuda_ops_of<Aes<192>>() {
  return tables::kOps<Form<192>>;
}
template <>
const CudaOps& cuda_ops_of<Aes<256>>() {
  return tables::kOps<Form<256>>;
}

}  // namespace gpuctr
