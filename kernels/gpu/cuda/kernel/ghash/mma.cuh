// GHASH as products of bit matrices, on tensor cores.
//
// Multiplication by a fixed power of H is a linear map of 128 bits. mma.m16n8k256 with operands of
// single bits counts the ones of the AND of 16 rows of 256 bits with 8 columns of 256 bits. The
// lowest bit of a count is the product over GF(2). A lane's 16-byte block, as loaded, is the lane's
// part of operand A. Row g takes words 0 and 2 of the blocks of lanes 4 g to 4 g + 3, row g + 8
// words 1 and 3. Operand B has the matrices of four powers of H, so that the products of a row's
// four blocks are added. Words 1 and 3 are multiplied by the matrices of words 0 and 2. The missing
// factor x^32 is applied to their rows at the end.
//
// A warp processes its blocks by Horner's rule. The steps of a turn, with falling powers of H, add
// to the same counts. Then the lowest bits of the counts are taken. In the next turn they are
// multiplied by the power of H for the distance between two turns. Blocks before the first are
// zeros, so that the last turn is whole. At the end each row, and then each warp, is multiplied by
// its power of H.
//
// No address and no branch depends on data or key.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_GHASH_MMA_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_GHASH_MMA_CUH

#include "kernels/gpu/cuda/kernel/early.cuh"
#include "kernels/gpu/cuda/kernel/ghash/sum.cuh"

namespace gpuctr::cuda {
inline namespace ghash_mma {

struct Mma {
  static constexpr HashOrder kOrder = kMmaOrder;
  static constexpr unsigned kTurnWords = 512;
  // A lane's part of B: two groups of columns for a step, four for the turn.
  __device__ __forceinline__ static void put_step(std::uint32_t* matrix, unsigned t, unsigned j,
                                                  unsigned half, uint4 of_blocks) {
    std::uint32_t* const to = matrix + (t / 2 * 32 + 4 * j) * 4 + t % 2 * 2 + half;
    to[0] = of_blocks.x, to[4] = of_blocks.y, to[8] = of_blocks.z, to[12] = of_blocks.w;
  }
  __device__ __forceinline__ static void put_turn(std::uint32_t* matrix, unsigned t, unsigned j,
                                                  unsigned half, uint4 of_words) {
    if (half != 0) return;
    std::uint32_t* const to = matrix + (t / 4 * 32 + 4 * j) * 4 + t % 4;
    to[0] = of_words.x, to[4] = of_words.y, to[8] = of_words.z, to[12] = of_words.w;
  }
};

constexpr unsigned kTiles = kMmaOrder.tiles;
constexpr unsigned kSteps = kMmaOrder.steps();
constexpr unsigned kMmaThreads = 32 * kMmaOrder.warps;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000
#define GPUCTR_BIT_MATRICES 1
#endif

// counts += A B
__device__ __forceinline__ void multiply_add(int (&c)[4], uint4 a, std::uint32_t b0,
                                             std::uint32_t b1) {
#ifdef GPUCTR_BIT_MATRICES
  asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
#endif
}
__device__ __forceinline__ void multiply_add(int (&c)[4], const std::uint32_t (&a)[2],
                                             std::uint32_t b) {
#ifdef GPUCTR_BIT_MATRICES
  asm("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5}, "
      "{%6}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
#endif
}

using Counts = int[kTiles][kColumns][4];
using Sums = RowWords<Mma>;

__device__ __forceinline__ void begin_turn(const uint4 (*turn)[32], unsigned lane, const Sums& sums,
                                           Counts& counts) {
#pragma unroll
  for (unsigned m = 0; m < kTiles; ++m) {
#pragma unroll
    for (unsigned t = 0; t < kColumns; ++t) {
      counts[m][t][0] = counts[m][t][1] = counts[m][t][2] = counts[m][t][3] = 0;
    }
  }
#pragma unroll
  for (unsigned t = 0; t < kColumns; t += 4) {
    const uint4 b = turn[t / 4][lane];
#pragma unroll
    for (unsigned m = 0; m < kTiles; ++m) {
      multiply_add(counts[m][t], sums.of[m], b.x);
      multiply_add(counts[m][t + 1], sums.of[m], b.y);
      multiply_add(counts[m][t + 2], sums.of[m], b.z);
      multiply_add(counts[m][t + 3], sums.of[m], b.w);
    }
  }
}

__device__ __forceinline__ void make_step(const uint4 (*step)[32], unsigned lane,
                                          const uint4 (&x)[kTiles], Counts& counts) {
#pragma unroll
  for (unsigned t = 0; t < kColumns; t += 2) {
    const uint4 b = step[t / 2][lane];
#pragma unroll
    for (unsigned m = 0; m < kTiles; ++m) {
      multiply_add(counts[m][t], x[m], b.x, b.y);
      multiply_add(counts[m][t + 1], x[m], b.z, b.w);
    }
  }
}

// Takes the lowest bits of the counts into this lane's word of its rows, where the next turn reads
// them.
__device__ __forceinline__ void end_turn(const Counts& counts, Sums& sums) {
#pragma unroll
  for (unsigned m = 0; m < kTiles; ++m) {
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
      std::uint32_t sum = 0;
#pragma unroll
      for (unsigned t = 0; t < kColumns; ++t) {
        const std::uint32_t two =
            __byte_perm(static_cast<std::uint32_t>(counts[m][t][2 * i]),
                        static_cast<std::uint32_t>(counts[m][t][2 * i + 1]), 0x5410);
        sum |= (two & 0x00010001) << t;
      }
      sums.of[m][i] = sum;
    }
  }
}

}  // namespace ghash_mma
}  // namespace gpuctr::cuda

#endif
