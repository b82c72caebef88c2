// Whole rows of blocks, and the blocks of a lane as bit planes: plane b of `word` has bit b of each
// block, and blocks are little-endian words of 32 bits. With fewer than 32 blocks the first bits of
// a plane have none, and are ones.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_ROWS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_ROWS_CUH

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/cuda/kernel/bitsliced/word.cuh"
#include "kernels/gpu/cuda/kernel/blocks.cuh"

namespace gpuctr {

// A lane has 16 bytes of each row: two blocks of 8 bytes, or one of 16. This is the bit of a plane
// that has the first of them.
template <unsigned Words, unsigned kChunks>
__host__ __device__ constexpr unsigned first_place(unsigned q) {
  return 4 * (q + 8 * Words - kChunks) / Words;
}

template <unsigned Words, unsigned kChunks>
__device__ __forceinline__ void planes_of(const uint4 (&chunk)[kChunks],
                                          std::uint32_t (&word)[Words][32]) {
#pragma unroll
  for (unsigned i = 0; i < Words; ++i) {
#pragma unroll
    for (unsigned j = 1; j <= first_place<Words, kChunks>(0); ++j) word[i][j - 1] = ~0u;
  }
#pragma unroll
  for (unsigned q = 0; q < kChunks; ++q) {
    const unsigned j = first_place<Words, kChunks>(q);
    word[0][j] = chunk[q].x;
    word[1][j] = chunk[q].y;
    word[2 % Words][j + (Words == 2)] = chunk[q].z;
    word[3 % Words][j + (Words == 2)] = chunk[q].w;
  }
#pragma unroll
  for (unsigned i = 0; i < Words; ++i) transpose(word[i]);
}

template <unsigned Words, unsigned kChunks>
__device__ __forceinline__ void chunks_of(std::uint32_t (&word)[Words][32],
                                          uint4 (&chunk)[kChunks]) {
#pragma unroll
  for (unsigned i = 0; i < Words; ++i) transpose(word[i]);
#pragma unroll
  for (unsigned q = 0; q < kChunks; ++q) {
    const unsigned j = first_place<Words, kChunks>(q);
    chunk[q] = {word[0][j], word[1][j], word[2 % Words][j + (Words == 2)],
                word[3 % Words][j + (Words == 2)]};
  }
}

// The bytes one block before each of this lane's chunks of the rows from `at` bytes into the span
// on. All rows are whole. Only the first row can begin before the span.
template <std::size_t kBlockBytes, unsigned kChunks>
__device__ __forceinline__ void load_rows_before(const BlockSpan& span, std::uint64_t at,
                                                 unsigned lane, uint4 (&chunk)[kChunks]) {
  chunk[0] = load_before<kBlockBytes>(span, at, lane);
#pragma unroll
  for (unsigned q = 1; q < kChunks; ++q) {
    chunk[q] = load_chunk_before<kBlockBytes>(span, at + q * kRowBytes + 16 * lane);
  }
}

// This lane's chunks of these rows.
template <std::size_t kBlockBytes, unsigned kChunks>
__device__ __forceinline__ void load_rows(const BlockSpan& span, std::uint64_t at, unsigned lane,
                                          uint4 (&chunk)[kChunks]) {
  if (span.feedback) {
    load_rows_before<kBlockBytes>(span, at, lane, chunk);
    return;
  }
  const auto* const from = reinterpret_cast<const uint4*>(span.in + at) + lane;
#pragma unroll
  for (unsigned q = 0; q < kChunks; ++q) chunk[q] = from[32 * q];
}

template <std::size_t kBlockBytes, unsigned kChunks>
__device__ __forceinline__ void store_rows(const BlockSpan& span, std::uint64_t at, unsigned lane,
                                           uint4 (&chunk)[kChunks]) {
  if (span.chained) {
    uint4 before[kChunks];
    load_rows_before<kBlockBytes>(span, at, lane, before);
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) chunk[q] = xor4(chunk[q], before[q]);
  }
  if (span.feedback) {
    const auto* const from = reinterpret_cast<const uint4*>(span.in + at) + lane;
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) chunk[q] = xor4(chunk[q], from[32 * q]);
  }
  auto* const to = reinterpret_cast<uint4*>(span.out + at) + lane;
#pragma unroll
  for (unsigned q = 0; q < kChunks; ++q) to[32 * q] = chunk[q];
}

}  // namespace gpuctr

#endif
