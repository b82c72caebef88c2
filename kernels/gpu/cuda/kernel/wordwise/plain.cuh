// The form of a cipher without its own form: a lane computes block after block on plain words. The
// form is correct for every cipher without S-boxes whose block has 8 or 16 bytes, and fast for
// none: the measured exception is in a folder's cuda.cu.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_PLAIN_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_PLAIN_CUH

#include <cstdint>

#include "kernels/gpu/cuda/kernel/wordwise/forms.cuh"

namespace gpuctr {

// Round keys in the layout of spread_keys.
template <class T, bool kLoop>
struct SpreadKeys {
  static constexpr bool kLoops = kLoop;
  const std::uint32_t* words;
  __device__ __forceinline__ PlainWord<T> operator()(unsigned i) const {
    if constexpr (sizeof(T) == 8) {
      return {static_cast<T>(T{words[2 * i + 1]} << (sizeof(T) * 4) | words[2 * i])};
    } else {
      return {static_cast<T>(words[i])};
    }
  }
};

template <class C, unsigned kChunksALane = 2>
struct PlainForm {
  using Cipher = C;
  using T = typename C::Word;
  static constexpr unsigned kChunks = kChunksALane;
  static constexpr bool kBigEndian = C::kFacts.big_endian;
  static constexpr unsigned kBlockWords = C::kWords * sizeof(T) / 4;  // 32-bit words
  static constexpr unsigned kBlocksAChunk = 4 / kBlockWords;
  static_assert(kBlockWords == 2 || kBlockWords == 4, "blocks of 8 or 16 bytes");
  static_assert(!C::kFacts.boxes, "a cipher with S-boxes needs a cuda.cu");

  template <bool kLoop>
  __device__ __forceinline__ static void chunks(const std::uint32_t* keys,
                                                const CounterParts& counter, std::uint32_t first,
                                                uint4 (&out)[kChunks]) {
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      const std::uint32_t number = counter.low + (first + 32 * q) * kBlocksAChunk;
      if constexpr (kBlocksAChunk == 1) {
        out[q] = {counter.high[0], counter.high[1], counter.high[2], bytes_turned(number)};
      } else {
        out[q] = {counter.high[0], bytes_turned(number), counter.high[0], bytes_turned(number + 1)};
      }
    }
    encrypt_or_decrypt<true, kLoop>(keys, out);
  }

  template <bool kEncrypt>
  __device__ __forceinline__ static void blocks(const std::uint32_t* keys,
                                                uint4 (&chunk)[kChunks]) {
    encrypt_or_decrypt<kEncrypt, true>(keys, chunk);
  }

  template <bool kEncrypt, bool kLoop>
  __device__ __forceinline__ static void encrypt_or_decrypt(const std::uint32_t* keys,
                                                            uint4 (&chunk)[kChunks]) {
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      std::uint32_t words[4] = {chunk[q].x, chunk[q].y, chunk[q].z, chunk[q].w};
#pragma unroll
      for (unsigned b = 0; b < kBlocksAChunk; ++b)
        block<kEncrypt, kLoop>(keys, words + b * kBlockWords);
      chunk[q] = {words[0], words[1], words[2], words[3]};
    }
  }

  template <bool kEncrypt, bool kLoop>
  __device__ __forceinline__ static void block(const std::uint32_t* keys, std::uint32_t* bytes) {
    PlainWord<T> x[C::kWords];
#pragma unroll
    for (unsigned j = 0; j < C::kWords; ++j) {
      T word;
      if constexpr (sizeof(T) == 8) {
        word = static_cast<T>(T{bytes[2 * j + 1]} << (sizeof(T) * 4) | bytes[2 * j]);
      } else {
        word = static_cast<T>(bytes[j * sizeof(T) / 4] >> (8 * (j * sizeof(T) % 4)));
      }
      x[j].v = kBigEndian ? turned_bytes(word) : word;
    }
    run_cipher<C, kEncrypt>(x, SpreadKeys<T, kLoop>{keys});
#pragma unroll
    for (unsigned i = 0; i < kBlockWords; ++i) bytes[i] = 0;
#pragma unroll
    for (unsigned j = 0; j < C::kWords; ++j) {
      const T word = kBigEndian ? turned_bytes(x[j].v) : x[j].v;
      if constexpr (sizeof(T) == 8) {
        bytes[2 * j] = static_cast<std::uint32_t>(word);
        bytes[2 * j + 1] = static_cast<std::uint32_t>(word >> (sizeof(T) * 4));
      } else {
        bytes[j * sizeof(T) / 4] |= static_cast<std::uint32_t>(word) << (8 * (j * sizeof(T) % 4));
      }
    }
  }
};

}  // namespace gpuctr

#endif
