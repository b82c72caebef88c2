// The lanes of a word-wise cipher (kernels.cuh) over a form of forms.cuh.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_WORDWISE_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_WORDWISE_CUH

#include "kernels/gpu/cuda/kernel/many/kernels.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/plain.cuh"

namespace gpuctr::many {

template <class F>
struct WordLanes {
  using Cipher = typename F::Cipher;
  using T = typename Cipher::Word;
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kBlocks = 2;
  static constexpr bool kPersistent = false;
  static constexpr unsigned kChunks = F::kChunks;
  static constexpr unsigned kBlockBytes = BlockBytes<Cipher>::kValue;
  static constexpr unsigned kKeyWords = KeysOf<F>::kWords;
  static constexpr unsigned kRowWords = sizeof(T) == 4 ? odd_units(kKeyWords) : kKeyWords | 1;
  static constexpr bool kMakesKeys = false;  // encrypt_by_key(): the schedule on the fly
  GPUCTR_HD static constexpr unsigned key_bytes(const ManyJob&) { return Cipher::kKeyBytes; }
  GPUCTR_HD static constexpr unsigned key_words(const ManyJob&) { return kKeyWords; }
  GPUCTR_HD static constexpr unsigned row_words(const ManyJob&) { return kRowWords; }

  static constexpr unsigned kTableBytes = 0;
  static constexpr unsigned table_bytes(unsigned) { return 0; }
  struct Tables {};
  __device__ __forceinline__ static Tables make_tables(const ManyJob&, bool, std::uint8_t*) {
    return {};
  }

  // Narrow words are expanded into the end of the row, and then spread from its start.
  __device__ __forceinline__ static void expand(const Tables&, const ManyJob&,
                                                const std::uint32_t (&key)[8], std::uint32_t* row) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(key);
    if constexpr (sizeof(T) >= 4) {
      expand_key<Cipher>(bytes, reinterpret_cast<T*>(row));
    } else {
      constexpr unsigned kCount = Cipher::kRoundKeyWords;
      constexpr std::uint32_t kOnes = 0xffffffffu / ((1u << (8 * sizeof(T))) - 1);
      T* const narrow = reinterpret_cast<T*>(row + kCount) - kCount;
      expand_key<Cipher>(bytes, narrow);
#pragma unroll 4
      for (unsigned i = 0; i < kCount; ++i) row[i] = narrow[i] * kOnes;
    }
  }
  __device__ __forceinline__ static void encrypt(const Tables&, const std::uint32_t* row,
                                                 uint4 (&chunk)[kChunks]) {
    F::template blocks<true>(row, chunk);
  }
  __device__ __forceinline__ static void decrypt(const Tables&, const std::uint32_t* row,
                                                 uint4 (&chunk)[kChunks]) {
    F::template blocks<false>(row, chunk);
  }
  __device__ __forceinline__ static void encrypt_block(const Tables&, const std::uint32_t* row,
                                                       uint4& x) {
    std::uint32_t words[4] = {x.x, x.y, x.z, x.w};
    PlainForm<Cipher, 1>::template block<true, true>(row, words);
    x = {words[0], words[1], words[2], words[3]};
  }
};

}  // namespace gpuctr::many

#endif
