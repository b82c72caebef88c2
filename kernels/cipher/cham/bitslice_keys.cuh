// CHAM's keys of many messages, for bit-sliced words.
#ifndef GPUCTR_KERNELS_CIPHER_CHAM_BITSLICE_KEYS_CUH
#define GPUCTR_KERNELS_CIPHER_CHAM_BITSLICE_KEYS_CUH

#include "kernels/cipher/cham/bitslice.cuh"
#include "kernels/gpu/cuda/kernel/many/sliced.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/forms.cuh"

namespace gpuctr::many {

// Words 2 n and 2 n + 1 have the bytes of round key n.
template <>
struct SlicedKeys<Cham64_128> {
  static constexpr unsigned kWords = 2 * Cham64_128::kRoundKeyWords;
  static constexpr unsigned kStaticBits = BitslicedRounds<Cham64_128>::kStaticBits;
  using Pairs = Group<PackedWord<std::uint16_t>, 2>;  // a word of keys 0 and 1, and of 2 and 3

  template <class Put>
  __device__ __forceinline__ static void put_bytes(const Put& put, unsigned i, const Pairs& word) {
    put(2 * i, __byte_perm(word.v[0].v, word.v[1].v, 0x6420));
    put(2 * i + 1, __byte_perm(word.v[0].v, word.v[1].v, 0x7531));
  }
  template <class Put>
  __device__ __forceinline__ static void expand(const uint4 (&key)[4], const Put& put) {
    const auto words = [&](unsigned i) -> Pairs {
      const auto half = [&](const uint4& k) {
        return i / 2 == 0 ? k.x : i / 2 == 1 ? k.y : i / 2 == 2 ? k.z : k.w;
      };
      const unsigned from = i % 2 == 0 ? 0x5410 : 0x7632;
      return {{{__byte_perm(half(key[0]), half(key[1]), from)},
               {__byte_perm(half(key[2]), half(key[3]), from)}}};
    };
    Cham64_128::expand_words(words,
                             [&](unsigned i, const Pairs& word) { put_bytes(put, i, word); });
  }
  template <class Put>
  __device__ __forceinline__ static void from_row(const std::uint32_t* row, const Put& put) {
#pragma unroll 1
    for (unsigned i = 0; i < Cham64_128::kRoundKeyWords; ++i)
      put_bytes(put, i, {{{row[i]}, {row[i]}}});
  }
  template <class Words>
  __device__ __forceinline__ static KeyMask<16> mask(const Words& word, unsigned i) {
    return {{word(2 * i), word(2 * i + 1)}};
  }
};

}  // namespace gpuctr::many

#endif
