// Messages of a batch in a warp: their places, lengths and counters, and loads and stores of
// chunks of 16 bytes at any address.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_MESSAGES_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_MESSAGES_CUH

#include <cstdint>

#include "kernels/gpu/cuda/kernel/store.cuh"
#include "kernels/gpu/cuda/many/job.h"

namespace gpuctr::many {

using cuda::ManyJob;
using cuda::ManyPiece;
using cuda::ManyStep;

__device__ __forceinline__ bool is_aligned(const void* p, unsigned to) {
  return (reinterpret_cast<std::uintptr_t>(p) & (to - 1)) == 0;
}

// The first `n` of 16 bytes; the others are 0.
__device__ __forceinline__ uint4 load_chunk(const std::uint8_t* p, std::uint32_t n) {
  if (n >= 16) return load_any(p);
  std::uint32_t w[4] = {};
#pragma unroll 1
  for (unsigned i = 0; i < n; ++i) {
    const std::uint32_t byte = std::uint32_t{p[i]} << (8 * (i % 4));
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) w[j] |= i / 4 == j ? byte : 0;
  }
  return {w[0], w[1], w[2], w[3]};
}

__device__ __forceinline__ void store_chunk(std::uint8_t* p, const uint4& v, std::uint32_t n) {
  if (n >= 16 && is_aligned(p, 16)) {
    *reinterpret_cast<uint4*>(p) = v;
  } else if (n >= 16 && is_aligned(p, 4)) {
    auto* const words = reinterpret_cast<std::uint32_t*>(p);
    words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
  } else {
    store_part(v, nullptr, p, n < 16 ? n : 16);
  }
}

__device__ __forceinline__ std::uint32_t length_of(const ManyJob& job, std::uint32_t message) {
  return job.lengths == nullptr ? job.length : job.lengths[message];
}
__device__ __forceinline__ std::uint64_t offset_of(const ManyJob& job, std::uint32_t message) {
  return job.offsets == nullptr ? std::uint64_t{message} * job.length : job.offsets[message];
}

// A lane's piece of a tile.
struct Piece {
  std::uint32_t message = 0;
  std::uint32_t bytes = 0;  // 0: none
  std::uint64_t offset = 0;
  std::uint32_t start = 0;  // of the piece in its message
  bool is_there = false;
  bool is_bad = false;  // its tag is wrong

  __device__ __forceinline__ Piece(const ManyJob& job, std::uint64_t number, bool in_tile) {
    if (!in_tile || number >= job.pieces) return;
    is_there = true;
    std::uint32_t part = 0;
    const auto p = static_cast<std::uint32_t>(number);
    if (job.list != nullptr) {
      message = job.list[p].message;
      part = job.list[p].part;
    } else if (job.parts == 1) {
      message = p;
    } else {
      message = p / job.parts;
      part = p % job.parts;
    }
    start = part * job.piece_bytes;
    const std::uint32_t left = length_of(job, message) - start;
    bytes = left < job.piece_bytes ? left : job.piece_bytes;
    offset = offset_of(job, message) + start;
    is_bad = job.results != nullptr && job.results[message] == 0;
  }
};

// A counter block as numbers; an 8-byte block has words 2 and 3.
struct Counter {
  std::uint32_t word[4];

  template <unsigned kBlockBytes>
  __device__ __forceinline__ static Counter load(const std::uint8_t* p) {
    Counter c = {};
    if constexpr (kBlockBytes == 16) {
      const uint4 v = load_any(p);
      c.word[0] = __byte_perm(v.x, 0, 0x0123), c.word[1] = __byte_perm(v.y, 0, 0x0123);
      c.word[2] = __byte_perm(v.z, 0, 0x0123), c.word[3] = __byte_perm(v.w, 0, 0x0123);
    } else {
      for (unsigned i = 0; i < 4; ++i) c.word[2] = c.word[2] << 8 | p[i];
      for (unsigned i = 4; i < 8; ++i) c.word[3] = c.word[3] << 8 | p[i];
    }
    return c;
  }
  __device__ __forceinline__ Counter of_lane(unsigned lane) const {
    Counter c;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) c.word[i] = __shfl_sync(~0u, word[i], lane);
    return c;
  }
  template <unsigned kBlockBytes>
  __device__ __forceinline__ void add(std::uint32_t n, bool wraps_at_32) {
    word[3] += n;
    if (wraps_at_32 || word[3] >= n) return;
    if (++word[2] != 0 || kBlockBytes == 8) return;
    if (++word[1] == 0) ++word[0];
  }
  // The chunk with this number.
  template <unsigned kBlockBytes>
  __device__ __forceinline__ uint4 chunk(std::uint32_t number, bool wraps_at_32) const {
    Counter c = *this;
    c.template add<kBlockBytes>(number * (16 / kBlockBytes), wraps_at_32);
    const std::uint32_t high = __byte_perm(c.word[2], 0, 0x0123);
    const std::uint32_t low = __byte_perm(c.word[3], 0, 0x0123);
    if constexpr (kBlockBytes == 16) {
      return {__byte_perm(c.word[0], 0, 0x0123), __byte_perm(c.word[1], 0, 0x0123), high, low};
    }
    c.template add<kBlockBytes>(1, wraps_at_32);
    return {high, low, __byte_perm(c.word[2], 0, 0x0123), __byte_perm(c.word[3], 0, 0x0123)};
  }
};

__device__ __forceinline__ std::uint64_t of_lane(std::uint64_t v, unsigned lane) {
  const std::uint32_t low = __shfl_sync(~0u, static_cast<std::uint32_t>(v), lane);
  const std::uint32_t high = __shfl_sync(~0u, static_cast<std::uint32_t>(v >> 32), lane);
  return std::uint64_t{high} << 32 | low;
}

__device__ __forceinline__ std::uint32_t max_of_warp(std::uint32_t v) {
#pragma unroll
  for (unsigned by = 16; by != 0; by /= 2) v = max(v, __shfl_xor_sync(~0u, v, by));
  return v;
}

// The number of lanes that make a piece together: a power of two, as many as have `chunks_a_lane`
// chunks of the longest piece.
__device__ __forceinline__ unsigned team_lanes(std::uint32_t bytes, unsigned chunks_a_lane) {
  const std::uint32_t chunks = bytes / 16 + (bytes % 16 != 0 ? 1 : 0);
  unsigned lanes = 1;
  while (lanes < 32 && lanes * chunks_a_lane < chunks) lanes *= 2;
  return lanes;
}

}  // namespace gpuctr::many

#endif
