// Transfer of whole blocks between memory and a warp, for all block kernels. A row is 32 chunks of
// 16 bytes, one a lane.
//
// Partial rows and unaligned memory go through a row of shared memory byte by byte: this path is
// short code, and its speed does not matter. A warp loads its rows before it stores the first, so
// in == out is allowed. It is not allowed for CBC and CFB, where a lane also reads a neighbour's
// chunk.
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

// before_span: 8 bytes of the block before the span, from `at` on. load_half: 8 bytes at offset
// `at` in the span.
__device__ __forceinline__ uint2 before_span(const BlockSpan& span, unsigned at) {
  return {load_le<std::uint32_t>(span.before + at), load_le<std::uint32_t>(span.before + at + 4)};
}
__device__ __forceinline__ uint2 load_half(const BlockSpan& span, std::uint64_t at) {
  return *reinterpret_cast<const uint2*>(span.in + at);
}

// The 16 bytes one block before those at offset `at`, all of them in front of the span or in it.
template <std::size_t kBlockBytes>
__device__ __forceinline__ uint4 load_chunk_before(const BlockSpan& span, std::uint64_t at) {
  if constexpr (kBlockBytes >= 16) {
    return *reinterpret_cast<const uint4*>(span.in + at - kBlockBytes);
  }
  const uint2 a = load_half(span, at - kBlockBytes);
  const uint2 b = load_half(span, at);
  return {a.x, a.y, b.x, b.y};
}

// The bytes one block before this lane's chunk of the whole row `at` bytes into the span.
template <std::size_t kBlockBytes>
__device__ __forceinline__ uint4 load_before(const BlockSpan& span, std::uint64_t at,
                                             unsigned lane) {
  at += 16 * lane;
  const bool sent = at < kBlockBytes && !span.reads_before;
  if (!sent) return load_chunk_before<kBlockBytes>(span, at);
  const auto here = static_cast<unsigned>(at);
  const uint2 a = before_span(span, here);
  const uint2 b = kBlockBytes == 8 ? load_half(span, at) : before_span(span, here + 8);
  return {a.x, a.y, b.x, b.y};
}

// A byte one block before the byte `here` bytes into the span.
template <std::size_t kBlockBytes>
__device__ __forceinline__ std::uint8_t byte_before(const BlockSpan& span, std::uint64_t here) {
  return here < kBlockBytes && !span.reads_before ? span.before[here] : span.in[here - kBlockBytes];
}

// XTS: the mask of this lane's block, which the kernel XORs with the block before and after the
// rounds. It is the row's mask times x^lane: a shift, and x^128 = x^7 + x^2 + x + 1 (IEEE
// 1619 5.2).
__device__ __forceinline__ uint4 mask_of(const BlockSpan& span, std::uint64_t at, unsigned lane) {
  if (at >= span.bytes) return {0, 0, 0, 0};
  const uint4 m = span.masks[at / kRowBytes];
  const std::uint32_t out = __funnelshift_l(m.w, 0, lane);
  return {m.x << lane ^ out ^ out << 1 ^ out << 2 ^ out << 7,
          __funnelshift_l(m.x, m.y, lane) ^ out >> 31 ^ out >> 30 ^ out >> 25,
          __funnelshift_l(m.y, m.z, lane), __funnelshift_l(m.z, m.w, lane)};
}

// What is XORed with this lane's chunk of a whole row before it is stored: CBC and CFB.
template <std::size_t kBlockBytes>
__device__ __forceinline__ uint4 load_to_add(const BlockSpan& span, std::uint64_t at,
                                             unsigned lane) {
  if (span.chained) return load_before<kBlockBytes>(span, at, lane);
  if (span.feedback) return *reinterpret_cast<const uint4*>(span.in + at + 16 * lane);
  return {0, 0, 0, 0};
}

// This lane's chunk of the row `at` bytes into the span. `tile`: kRowBytes of this warp's shared
// memory, 16-byte aligned. kTransforms: the span may be one of CFB.
template <std::size_t kBlockBytes, bool kTransforms = true>
__device__ __forceinline__ uint4 load_row(const BlockSpan& span, std::uint64_t at, unsigned lane,
                                          std::uint8_t* tile) {
  uint4 chunk;
  const bool feedback = kTransforms && span.feedback;
  if (is_whole_row(span, at)) {
    chunk = feedback ? load_before<kBlockBytes>(span, at, lane)
                     : *reinterpret_cast<const uint4*>(span.in + at + 16 * lane);
  } else {
    const unsigned n = row_bytes(span, at);
    __syncwarp();
#pragma unroll 1
    for (unsigned i = lane; i < n; i += 32) {
      tile[i] = feedback ? byte_before<kBlockBytes>(span, at + i) : span.in[at + i];
    }
    __syncwarp();
    chunk = reinterpret_cast<const uint4*>(tile)[lane];
  }
  return chunk;
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
    if (span.chained) byte ^= byte_before<kBlockBytes>(span, at + i);
    if (span.feedback) byte ^= span.in[at + i];
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
  if (span.chained || span.feedback) chunk = xor4(chunk, load_to_add<kBlockBytes>(span, at, lane));
  *reinterpret_cast<uint4*>(span.out + at + 16 * lane) = chunk;
}

}  // namespace gpuctr

#endif
