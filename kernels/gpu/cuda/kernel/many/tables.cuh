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

// The forms of a key size for encryption and decryption. Their Rounds serve all sizes.
template <class F, class I>
struct TableKey {
  using Form = F;
  using Inverse = I;
  GPUCTR_HD static bool is_of(const ManyJob& job) { return job.key_bytes == F::Cipher::kKeyBytes; }
};

// Lanes for ciphers that differ in their key sizes, a TableKey each: job.key_bytes says which.
template <class Key, class... Keys>
struct TableLanes {
  using Rounds = typename Key::Form::Rounds;
  using InverseRounds = typename Key::Inverse::Rounds;
  static constexpr bool kOneTable = std::is_same_v<Rounds, InverseRounds>;
  static constexpr unsigned kThreads = 512;
  static constexpr unsigned kBlocks = 1;
  static constexpr bool kPersistent = true;
  static constexpr unsigned kChunks = 4;  // whose rounds read a round key once
  static constexpr unsigned kBlockBytes = 16;
  static_assert(BlockBytes<typename Rounds::Cipher>::kValue == 16);
  static constexpr bool kMakesKeys = false;
  GPUCTR_HD static unsigned key_bytes(const ManyJob& job) { return job.key_bytes; }
  GPUCTR_HD static unsigned key_words(const ManyJob& job) {
    unsigned words = Key::Form::kKeyWords;
    ((words = Keys::is_of(job) ? Keys::Form::kKeyWords : words), ...);
    return words;
  }
  // The look-ups hide that words are read singly.
  GPUCTR_HD static unsigned row_words(const ManyJob& job) { return key_words(job) | 1; }

  static constexpr unsigned kTableBytes = tables::kTables * tables::kTableBytes;
  static unsigned table_bytes(unsigned most) {
    return most >= 160 * 1024 ? 4 * tables::kTableBytes : tables::kTableBytes;
  }
  struct Tables {
    tables::Look look;
    unsigned rounds;
    bool inverse;
  };
  __device__ __forceinline__ static Tables make_tables(const ManyJob& job, bool inverse,
                                                       std::uint8_t* memory) {
    unsigned rounds = Key::Form::kRounds;
    ((rounds = Keys::is_of(job) ? Keys::Form::kRounds : rounds), ...);
    return {inverse ? make<InverseRounds>(memory) : make<Rounds>(memory), rounds, inverse};
  }

  __device__ __forceinline__ static void expand(const Tables& tables, const ManyJob& job,
                                                const std::uint32_t (&key)[8], std::uint32_t* row) {
    if (Key::is_of(job)) expand_key<Key>(tables, key, row);
    ((Keys::is_of(job) ? expand_key<Keys>(tables, key, row) : void()), ...);
  }
  __device__ __forceinline__ static void encrypt(const Tables& tables, const std::uint32_t* row,
                                                 uint4 (&chunk)[kChunks]) {
    blocks<Rounds>(tables, row, chunk);
  }
  __device__ __forceinline__ static void decrypt(const Tables& tables, const std::uint32_t* row,
                                                 uint4 (&chunk)[kChunks]) {
    blocks<InverseRounds>(tables, row, chunk);
  }
  __device__ __forceinline__ static void encrypt_block(const Tables& tables,
                                                       const std::uint32_t* row, uint4& x) {
    uint4 one[1] = {x};
    blocks<Rounds>(tables, row, one);
    x = one[0];
  }

 private:
  template <class R>
  __device__ __forceinline__ static tables::Look make(std::uint8_t* memory) {
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
  // AES's tables for decryption do not have the box of its key schedule.
  template <class K>
  __device__ __forceinline__ static void expand_key(const Tables& tables,
                                                    const std::uint32_t (&key)[8],
                                                    std::uint32_t* row) {
    using F = typename K::Form;
    if constexpr (kOneTable) {
      expand_by<F, TableBoxes<F>>(key, row);
    } else if (!tables.inverse) {
      expand_by<F, TableBoxes<F>>(key, row);
    } else {
      expand_by<F, BitSlicedBoxes>(key, row);
    }
    tables.inverse ? K::Inverse::lay_out(row) : F::lay_out(row);
  }
  template <class F, class Boxes>
  __device__ __forceinline__ static void expand_by(const std::uint32_t (&key)[8],
                                                   std::uint32_t* row) {
    using C = typename F::Cipher;
    C::template expand<Boxes>(*reinterpret_cast<const std::uint8_t(*)[C::kKeyBytes]>(key),
                              *reinterpret_cast<std::uint8_t(*)[C::kRoundKeyWords]>(row));
  }
  template <class R, unsigned N>
  __device__ __forceinline__ static void blocks(const Tables& tables, const std::uint32_t* row,
                                                uint4 (&chunk)[N]) {
    std::uint32_t s[N][4];
#pragma unroll
    for (unsigned q = 0; q < N; ++q)
      s[q][0] = chunk[q].x, s[q][1] = chunk[q].y, s[q][2] = chunk[q].z, s[q][3] = chunk[q].w;
    R::encrypt_blocks(tables.look, row, tables.rounds, s);
#pragma unroll
    for (unsigned q = 0; q < N; ++q) chunk[q] = {s[q][0], s[q][1], s[q][2], s[q][3]};
  }
};

}  // namespace gpuctr::many

#endif
