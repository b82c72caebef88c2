// CHAM's rounds on bit-sliced words.
#ifndef GPUCTR_KERNELS_CIPHER_CHAM_BITSLICE_CUH
#define GPUCTR_KERNELS_CIPHER_CHAM_BITSLICE_CUH

#include "kernels/cipher/cham/cham.h"
#include "kernels/gpu/cuda/kernel/bitsliced/word.cuh"

namespace gpuctr {

// Where the body of the loop has all round keys, their signs keep fixed places in the constant
// bank, from which the products take them. Sixteen rounds of 32 planes do not fit the instruction
// caches: there the body has eight, and reads signs from shared memory.
template <class W, unsigned KeyBits, unsigned Rounds>
struct BitslicedRounds<Cham<W, KeyBits, Rounds>> {
  using C = Cham<W, KeyBits, Rounds>;
  static constexpr bool kSignsInShared = KeyBits == 256;
  static constexpr unsigned kBody = kSignsInShared ? 8 : C::kRoundKeyWords;
  static constexpr unsigned kStaticBits = kBody == 8 ? 3 : 4;
  static constexpr unsigned kLaneBlocks = 31;
  static constexpr unsigned kWarps = 4;
  static constexpr unsigned kBlocksAnSm = sizeof(W) == 2 ? 3 : 2;

  template <class V, class K>
  __device__ __forceinline__ static void four(V (&x)[4], const K& rk, unsigned i) {
    const auto keys = keys_from(rk, i % C::kRoundKeyWords);
    const auto numbers = NumbersFrom<V>::at(i);
    C::template round_pair<0>(x, keys, numbers);
    C::template round_pair<2>(x, keys, numbers);
  }

  template <class V, class K>
  __device__ __forceinline__ static void encrypt(V (&x)[4], const K& rk) {
#pragma unroll 1
    for (unsigned i = 0; i < C::kRounds; i += kBody) {
      four(x, rk, i);
      four(x, rk, i + 4);
      if (kBody > 8 && i + 8 < C::kRounds) {
        four(x, rk, i + 8);
        four(x, rk, i + 12);
      }
    }
  }

  template <class V, class K>
  __device__ __forceinline__ static void unfour(V (&x)[4], const K& rk, unsigned i) {
    const auto keys = keys_from(rk, i % C::kRoundKeyWords);
    const auto numbers = NumbersFrom<V>::at(i);
    C::template unround_pair<2>(x, keys, numbers);
    C::template unround_pair<0>(x, keys, numbers);
  }

  template <class V, class K>
  __device__ __forceinline__ static void decrypt(V (&x)[4], const K& rk) {
#pragma unroll 1
    for (unsigned n = (C::kRounds + kBody - 1) / kBody; n-- != 0;) {
      const unsigned i = kBody * n;
      if (kBody > 8 && i + 8 < C::kRounds) {
        unfour(x, rk, i + 12);
        unfour(x, rk, i + 8);
      }
      unfour(x, rk, i + 4);
      unfour(x, rk, i);
    }
  }
};

}  // namespace gpuctr

#endif
