// LEA's form for counter mode under one key: one set of kernels for all key sizes. LEA-128's round
// keys, too, are six words a round, and the number of rounds follows them.
#ifndef GPUCTR_KERNELS_CIPHER_LEA_FORM_CUH
#define GPUCTR_KERNELS_CIPHER_LEA_FORM_CUH

#include "kernels/cipher/lea/lea.h"
#include "kernels/gpu/cuda/kernel/wordwise/forms.cuh"

namespace gpuctr {

// LEA with as many rounds as the keys say.
struct AnyLea : Lea<256> {
  static constexpr unsigned kRoundsAt = kRoundKeyWords;

  template <class V, class K>
  __device__ __forceinline__ static void encrypt(V (&x)[4], const K& rk) {
    const unsigned rounds = rk.words[kRoundsAt];
    if constexpr (K::kLoops) {
#pragma unroll 1
      for (unsigned i = 0; i < rounds; i += 4) four_rounds(x, rk, i);
    } else {
#pragma unroll
      for (unsigned i = 0; i < kRounds; i += 4) {
        if (i < Lea<128>::kRounds || i < rounds) four_rounds(x, rk, i);
      }
    }
  }
};

template <class Word, unsigned kChunks>
struct AnyLeaForm : Word32Form<AnyLea, Word, kChunks> {
  static constexpr unsigned kKeyWords = AnyLea::kRoundsAt + 4;
};

template <unsigned kKeyBits, class Word, unsigned kChunks>
struct LeaForm : AnyLeaForm<Word, kChunks> {
  using Cipher = Lea<kKeyBits>;
  using Rounds = AnyLeaForm<Word, kChunks>;
  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    const auto* const words = keys.words<std::uint32_t>();
    for (unsigned i = 0; i < Cipher::kRounds; ++i) {
      for (unsigned j = 0; j < 6; ++j) out[6 * i + j] = words[Cipher::key_index(i, j)];
    }
    out[AnyLea::kRoundsAt] = Cipher::kRounds;
  }
};

}  // namespace gpuctr

#endif
