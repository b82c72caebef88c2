// HIGHT's keys of many messages, for bit-sliced words.
#ifndef GPUCTR_KERNELS_CIPHER_HIGHT_BITSLICE_KEYS_CUH
#define GPUCTR_KERNELS_CIPHER_HIGHT_BITSLICE_KEYS_CUH

#include "kernels/cipher/hight/bitslice.cuh"
#include "kernels/gpu/cuda/kernel/many/sliced.cuh"

namespace gpuctr::many {

// In constant memory, where an index that is the same in all lanes is free.
inline namespace hight_sliced {
__constant__ const HightDeltas deltas = {};
}

// Word n has byte n of the four keys.
template <>
struct SlicedKeys<Hight> {
  static constexpr unsigned kWords = Hight::kKeyBytes;
  static constexpr unsigned kStaticBits = BitslicedRounds<Hight>::kStaticBits;
  using Bytes = PackedWord<std::uint8_t>;

  __device__ __forceinline__ static Bytes delta(unsigned i) {
    return Bytes::constant(static_cast<unsigned>(deltas.words[i / 8] >> (8 * (i % 8)) & 0xff));
  }
  template <class Put>
  __device__ __forceinline__ static void expand(const uint4 (&key)[4], const Put& put) {
    std::uint32_t bytes[4][4];
    transpose_bytes(key[0].x, key[1].x, key[2].x, key[3].x, bytes[0]);
    transpose_bytes(key[0].y, key[1].y, key[2].y, key[3].y, bytes[1]);
    transpose_bytes(key[0].z, key[1].z, key[2].z, key[3].z, bytes[2]);
    transpose_bytes(key[0].w, key[1].w, key[2].w, key[3].w, bytes[3]);
#pragma unroll
    for (unsigned i = 0; i < kWords; ++i) put(i, bytes[i / 4][i % 4]);
  }
  // The first 16 round keys have the key's bytes in order.
  template <class Put>
  __device__ __forceinline__ static void from_row(const std::uint32_t* row, const Put& put) {
#pragma unroll 1
    for (unsigned i = 0; i < kWords; ++i) put(i, (Bytes{row[i]} - delta(i)).v);
  }
  template <class Words>
  __device__ __forceinline__ static KeyMask<8> mask(const Words& word, unsigned i) {
    const Bytes byte = {word(Hight::key_byte(i))};
    return {{i < Hight::kWhitening ? (byte + delta(i)).v : byte.v}};
  }
};

}  // namespace gpuctr::many

#endif
