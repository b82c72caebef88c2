// DES on CUDA, bit-sliced: counter mode in whole tiles. One kernel serves both ciphers, which
// differ in their number of passes.
#include "kernels/cipher/des/cuda_bit_sliced.h"
#include "kernels/gpu/cuda/kernel/bitsliced/bits.cuh"
#include "kernels/gpu/cuda/kernel/bitsliced/launch.cuh"

namespace gpuctr {

template <>
struct BitslicedRounds<DesBitSliced> {
  static constexpr unsigned kStaticBits = 0;
  static constexpr unsigned kLaneBlocks = 32;
  static constexpr bool kSignsInShared = true;
  static constexpr unsigned kWarps = 12;
  static constexpr unsigned kBlocksAnSm = 1;
  template <class V, class K>
  __device__ __forceinline__ static void encrypt(V (&x)[8], const K& rk) {
    BitslicedBit planes[64];
#pragma unroll
    for (unsigned p = 0; p < 64; ++p) planes[p].v = x[p / 8].bit[p % 8];
    DesBitSliced::run(planes, SharedBitKeys{rk.shared, 4 * K::kKeyBits},
                      rk.job.words[DesBitSliced::kPasses]);
#pragma unroll
    for (unsigned p = 0; p < 64; ++p) x[p / 8].bit[p % 8] = planes[p].v;
  }
};

inline namespace des_bitslice {

template <class C>
cudaError_t des_ctr(cudaStream_t stream, const RoundKeys& keys, const std::uint8_t* counter,
                    const void* in, void* out, std::size_t bytes) {
  Wiped<BitslicedParameters<DesBitSliced>> job;
  DesBitSliced::lay_out<C>(keys.words<std::uint8_t>(), true, job.value.words);
  return bitsliced_ctr_launches(stream, job.value, counter, in, out, bytes);
}

template <class C>
constexpr CudaTiles kDesTiles = {16, kBitslicedLeastBytes<DesBitSliced>, des_ctr<C>};

}  // namespace des_bitslice

template <>
const CudaTiles* cuda_tiles_of<Des>() {
  return &kDesTiles<Des>;
}
template <>
const CudaTiles* cuda_tiles_of<DesEde3>() {
  return &kDesTiles<DesEde3>;
}
template <>
const CudaTiles* cuda_tiles_of<DesEde>() {
  return &kDesTiles<DesEde3>;
}

}  // namespace gpuctr
