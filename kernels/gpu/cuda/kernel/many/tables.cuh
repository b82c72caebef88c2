// The lanes of a cipher with table look-ups (kernels.cuh), over its form and its form for
// decryption.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_TABLES_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_TABLES_CUH

#include <type_traits>

#include "kernels/cipher/bit_sliced.h"
#include "kernels/gpu/cuda/kernel/many/kernels.cuh"
#include "kernels/gpu/cuda/kernel/tables/tables.cuh"

namespace gpuctr::many {

// Look-ups of a key schedule in the tables of form F, which lie at the start of shared memory.
template <class F>
struct TableBoxes {
  static constexpr bool kHasBlockVector = false;

  template <class Box>
  __device__ __forceinline__ static std::uint32_t sub_bytes(std::uint32_t x) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    const tables::Look look = {static_cast<std::uint32_t>(__cvta_generic_to_shared(shared)) +
                               threadIdx.x % 32 * 4};
    return F::template box<Box, 0>(look, x) | F::template box<Box, 1>(look, x) << 8 |
           F::template box<Box, 2>(look, x) << 16 | F::template box<Box, 3>(look, x) << 24;
  }
  template <class Box>
  __device__ __forceinline__ static std::uint64_t sub_bytes(std::uint64_t x) {
    const std::uint32_t low = sub_bytes<Box>(static_cast<std::uint32_t>(x));
    return std::uint64_t{sub_bytes<Box>(static_cast<std::uint32_t>(x >> 32))} << 32 | low;
  }
  template <class Box, unsigned N>
  __device__ __forceinline__ static void sub_bytes(std::uint64_t (&words)[N]) {
#pragma unroll
    for (unsigned i = 0; i < N; ++i) words[i] = sub_bytes<Box>(words[i]);
  }
};

// F: the form of the key's size. Inverse: its form for decryption. Their Rounds serve all sizes.
template <class F, class Inverse>
struct TableLanes {
  using Cipher = typename F::Cipher;
  using Rounds = typename F::Rounds;
  using InverseRounds = typename Inverse::Rounds;
  static constexpr unsigned kThreads = 512;
  static constexpr unsigned kBlocks = 1;
  static constexpr bool kPersistent = true;
  static constexpr unsigned kChunks = tables::kChunks;
  static constexpr unsigned kBlockBytes = 16;
  static_assert(BlockBytes<Cipher>::kValue == 16);
  static constexpr unsigned kKeyWords = F::kKeyWords;
  static constexpr unsigned kRowWords =
      kKeyWords | 1;  // the look-ups hide that words are read singly
  static constexpr bool kMakesKeys = false;

  static constexpr unsigned kTableBytes = tables::kTables * tables::kTableBytes;
  static unsigned table_bytes(unsigned most) {
    return most >= 160 * 1024 ? 4 * tables::kTableBytes : tables::kTableBytes;
  }
  using Tables = tables::Look;
  __device__ __forceinline__ static Tables make_tables(std::uint8_t* memory) {
    return make<Rounds>(memory);
  }
  __device__ __forceinline__ static Tables make_inverse_tables(std::uint8_t* memory) {
    return make<InverseRounds>(memory);
  }

  // AES's tables for decryption do not have the box of its key schedule.
  template <bool kInverse>
  __device__ __forceinline__ static void expand(const Tables&, const std::uint32_t (&key)[8],
                                                std::uint32_t* row) {
    constexpr bool kHasBoxes = !kInverse || std::is_same_v<Rounds, InverseRounds>;
    using Boxes = std::conditional_t<kHasBoxes, TableBoxes<F>, BitSlicedBoxes>;
    Cipher::template expand<Boxes>(*reinterpret_cast<const std::uint8_t(*)[Cipher::kKeyBytes]>(key),
                                   *reinterpret_cast<std::uint8_t(*)[Cipher::kRoundKeyWords]>(row));
    if constexpr (kInverse) {
      Inverse::lay_out(row);
    } else {
      F::lay_out(row);
    }
  }
  __device__ __forceinline__ static void encrypt(const Tables& look, const std::uint32_t* row,
                                                 uint4 (&chunk)[kChunks]) {
    blocks<Rounds>(look, row, chunk);
  }
  __device__ __forceinline__ static void decrypt(const Tables& look, const std::uint32_t* row,
                                                 uint4 (&chunk)[kChunks]) {
    blocks<InverseRounds>(look, row, chunk);
  }
  __device__ __forceinline__ static void encrypt_block(const Tables& look, const std::uint32_t* row,
                                                       uint4& x) {
    uint4 one[1] = {x};
    blocks<Rounds>(look, row, one);
    x = one[0];
  }

 private:
  template <class R>
  __device__ __forceinline__ static Tables make(std::uint8_t* memory) {
    auto* const words = reinterpret_cast<std::uint32_t*>(memory);
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < 256 * 32; i += blockDim.x) {
      const std::uint32_t stored = R::stored_words()[i / 32];
#pragma unroll
      for (unsigned j = 0; j < tables::kTables; ++j) {
        words[j * (tables::kTableBytes / 4) + i] =
            tables::kTables == 1 ? stored : R::entry(j, stored);
      }
    }
    __syncthreads();
    return {static_cast<std::uint32_t>(__cvta_generic_to_shared(memory)) + threadIdx.x % 32 * 4};
  }
  template <class R, unsigned N>
  __device__ __forceinline__ static void blocks(const Tables& look, const std::uint32_t* row,
                                                uint4 (&chunk)[N]) {
    std::uint32_t s[N][4];
#pragma unroll
    for (unsigned q = 0; q < N; ++q)
      s[q][0] = chunk[q].x, s[q][1] = chunk[q].y, s[q][2] = chunk[q].z, s[q][3] = chunk[q].w;
    R::encrypt_blocks(look, row, F::kRounds, s);
#pragma unroll
    for (unsigned q = 0; q < N; ++q) chunk[q] = {s[q][0], s[q][1], s[q][2], s[q][3]};
  }
};

}  // namespace gpuctr::many

#endif
