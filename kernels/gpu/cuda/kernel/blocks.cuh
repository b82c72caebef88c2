// Transfer of whole blocks between memory and a warp, for all block kernels. A row is 32 chunks of
// 16 bytes, one a lane.
//
// Partial rows and unaligned memory go through a row of shared memory byte by byte: this path is
// short code, and its speed does not matter. A warp loads its rows before it stores the first, so
// in == out is allowed. It is not allowed for CBC, where a lane also reads a neighbour's chunk.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BLOCKS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BLOCKS_CUH

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/cuda/kernel/store.cuh"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr {

constexpr unsigned kRowBytes = 512;

__device__ __forceinline__ bool is_whole_row(const BlockSpan& span, std::uint64_t at) {
  const auto bits =
      reinterpret_cast<std::uintptr_t>(span.in) | reinterpret_cast<std::uintptr_t>(span.out);
  return bits % 16 == 0 && at + kRowBytes <= span.bytes;
}

__device__ __forceinline__ unsigned row_bytes(const BlockSpan& span, std::uint64_t at) {
  if (at >= span.bytes) return 0;
  return span.bytes - at < kRowBytes ? static_cast<unsigned>(span.bytes - at) : kRowBytes;
}

// This lane's chunk of the row `at` bytes into the span. `tile`: kRowBytes of this warp's shared
// memory, 16-byte aligned.
__device__ __forceinline__ uint4 load_row(const BlockSpan& span, std::uint64_t at, unsigned lane,
                                          std::uint8_t* tile) {
  if (is_whole_row(span, at)) return *reinterpret_cast<const uint4*>(span.in + at + 16 * lane);
  const unsigned n = row_bytes(span, at);
  __syncwarp();
#pragma unroll 1
  for (unsigned i = lane; i < n; i += 32) tile[i] = span.in[at + i];
  __syncwarp();
  return reinterpret_cast<const uint4*>(tile)[lane];
}

// before_span: 8 bytes of the block before the span, from `at` on. load_half: 8 bytes at offset
// `at` in the span.
__device__ __forceinline__ uint2 before_span(const BlockSpan& span, unsigned at) {
  return {load_le<std::uint32_t>(span.before + at), load_le<std::uint32_t>(span.before + at + 4)};
}
__device__ __forceinline__ uint2 load_half(const BlockSpan& span, std::uint64_t at) {
  return *reinterpret_cast<const uint2*>(span.in + at);
}

// The bytes one block before this lane's chunk of the whole row `at` bytes into the span.
template <std::size_t kBlockBytes>
__device__ __forceinline__ uint4 load_before(const BlockSpan& span, std::uint64_t at,
                                             unsigned lane) {
  at += 16 * lane;
  const bool sent = at < kBlockBytes && !span.reads_before;
  if (kBlockBytes >= 16 && !sent) {
    return *reinterpret_cast<const uint4*>(span.in + at - kBlockBytes);
  }
  if constexpr (kBlockBytes > 16) {
    const auto here = static_cast<unsigned>(at);
    const uint2 a = before_span(span, here);
    const uint2 b = before_span(span, here + 8);
    return {a.x, a.y, b.x, b.y};
  }
  const uint2 a = sent ? before_span(span, 0) : load_half(span, at - kBlockBytes);
  const uint2 b = kBlockBytes == 8 ? load_half(span, at) : before_span(span, 8);
  return {a.x, a.y, b.x, b.y};
}

// A row that is partial or unaligned.
template <std::size_t kBlockBytes>
__device__ __forceinline__ void store_part_of_row(const BlockSpan& span, std::uint64_t at,
                                                  unsigned lane, uint4 chunk, std::uint8_t* tile) {
  const unsigned n = row_bytes(span, at);
  __syncwarp();
  reinterpret_cast<uint4*>(tile)[lane] = chunk;
  __syncwarp();
#pragma unroll 1
  for (unsigned i = lane; i < n; i += 32) {
    std::uint8_t byte = tile[i];
    if (span.chained) {
      const std::uint64_t here = at + i;
      byte ^= here < kBlockBytes && !span.reads_before ? span.before[here]
                                                       : span.in[here - kBlockBytes];
    }
    span.out[at + i] = byte;
  }
  // Shared memory keeps its content after the kernel, so the kernel wipes the plaintext.
  __syncwarp();
  reinterpret_cast<volatile std::uint32_t*>(tile)[lane] = 0;
  reinterpret_cast<volatile std::uint32_t*>(tile)[lane + 32] = 0;
  reinterpret_cast<volatile std::uint32_t*>(tile)[lane + 64] = 0;
  reinterpret_cast<volatile std::uint32_t*>(tile)[lane + 96] = 0;
}

template <std::size_t kBlockBytes>
__device__ __forceinline__ void store_row(const BlockSpan& span, std::uint64_t at, unsigned lane,
                                          uint4 chunk, std::uint8_t* tile) {
  if (!is_whole_row(span, at)) {
    store_part_of_row<kBlockBytes>(span, at, lane, chunk, tile);
    return;
  }
  if (span.chained) chunk = xor4(chunk, load_before<kBlockBytes>(span, at, lane));
  *reinterpret_cast<uint4*>(span.out + at + 16 * lane) = chunk;
}

}  // namespace gpuctr

#endif
