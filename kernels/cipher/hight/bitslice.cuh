// HIGHT's rounds on bit-sliced words.
#ifndef GPUCTR_KERNELS_CIPHER_HIGHT_BITSLICE_CUH
#define GPUCTR_KERNELS_CIPHER_HIGHT_BITSLICE_CUH

#include "kernels/cipher/hight/hight.h"
#include "kernels/gpu/cuda/kernel/bitsliced/word.cuh"

namespace gpuctr {

template <>
struct BitslicedRounds<Hight> {
  static constexpr unsigned kStaticBits = 8;
  static constexpr unsigned kLaneBlocks = 31;
  static constexpr bool kSignsInShared = true;  // too long for the constant cache
  static constexpr unsigned kWarps = 12;
  static constexpr unsigned kBlocksAnSm = 1;
  template <class V, class K>
  __device__ __forceinline__ static void encrypt(V (&x)[8], const K& rk) {
    Hight::encrypt(x, rk);
  }
  template <class V, class K>
  __device__ __forceinline__ static void decrypt(V (&x)[8], const K& rk) {
    Hight::decrypt(x, rk);
  }
};

}  // namespace gpuctr

#endif
