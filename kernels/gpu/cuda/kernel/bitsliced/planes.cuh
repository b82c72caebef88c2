// Ciphers on planes (kernels/cipher/des/cuda_bit_sliced.h) on a card: a plane is a register with
// one bit of each of 32 blocks. How masks come to them, and blocks.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_PLANES_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_PLANES_CUH

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/gpu/cuda/kernel/bitsliced/slices.cuh"
#include "kernels/gpu/cuda/kernel/blocks.cuh"
#include "kernels/gpu/cuda/kernel/store.cuh"
#include "kernels/gpu/cuda/plan.h"

namespace gpuctr {

struct Plane32 {
  std::uint32_t v;

  template <unsigned Map>
  __device__ __forceinline__ static Plane32 logic3(Plane32 a, Plane32 b, Plane32 c) {
    return {lop3<Map>(a.v, b.v, c.v)};
  }
};

// Masks and their signs, by way of a SliceKey: an XOR with one is an IMAD.
template <class Key>
struct SignedPlaneKeys {
  Key key;

  __device__ __forceinline__ SignedPlaneKeys from(unsigned bit) const {
    return {Key{key.masks, key.signs + 4 * bit, key.distance}};
  }
  __device__ __forceinline__ void masks(Plane32 (&m)[4], unsigned bit) const {
    std::uint32_t words[4];
    key.load_masks(words, bit);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) m[j].v = words[j];
  }
  __device__ __forceinline__ void flip(Plane32 (&x)[4], unsigned bit) const {
    std::uint32_t sign[4], mask[4];
    key.load_signs(sign, bit);
    key.load_masks(mask, bit);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) x[j].v = x[j].v * sign[j] + mask[j];
  }
};

using SharedPlaneKeys = SignedPlaneKeys<SliceKey<true>>;

// Masks as the bits that they are, 32 a word: slower, and right for a key that a warp uses once.
struct BitPlaneKeys {
  const std::uint32_t* words;

  __device__ __forceinline__ BitPlaneKeys from(unsigned bit) const { return {words + bit / 32}; }
  __device__ __forceinline__ void masks(Plane32 (&m)[4], unsigned bit) const {
    const std::uint32_t word = words[bit / 32];
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) m[j].v = spread(word, bit % 32 + j);
  }
  __device__ __forceinline__ void flip(Plane32 (&x)[4], unsigned bit) const {
    Plane32 mask[4];
    masks(mask, bit);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) x[j].v ^= mask[j].v;
  }
};

// A lane's 32 blocks of 8 bytes are 16 chunks, and 64 planes: plane 8 i + j has bit j of byte i.
constexpr unsigned kPlaneChunks = 16;

__device__ __forceinline__ void planes_of(const uint4 (&chunk)[kPlaneChunks], Plane32 (&x)[64]) {
  std::uint32_t word[2][32];
#pragma unroll
  for (unsigned q = 0; q < kPlaneChunks; ++q) {
    word[0][2 * q] = chunk[q].x;
    word[1][2 * q] = chunk[q].y;
    word[0][2 * q + 1] = chunk[q].z;
    word[1][2 * q + 1] = chunk[q].w;
  }
  transpose(word[0]);
  transpose(word[1]);
#pragma unroll
  for (unsigned p = 0; p < 64; ++p) x[p].v = word[p / 32][p % 32];
}

__device__ __forceinline__ void chunks_of(const Plane32 (&x)[64], uint4 (&chunk)[kPlaneChunks]) {
  std::uint32_t word[2][32];
#pragma unroll
  for (unsigned p = 0; p < 64; ++p) word[p / 32][p % 32] = x[p].v;
  transpose(word[0]);
  transpose(word[1]);
#pragma unroll
  for (unsigned q = 0; q < kPlaneChunks; ++q) {
    chunk[q] = {word[0][2 * q], word[1][2 * q], word[0][2 * q + 1], word[1][2 * q + 1]};
  }
}

// The counter blocks of this lane's chunks, 32 apart, of which the first is `first` blocks after
// the counter.
__device__ __forceinline__ void counter_chunks(const CounterParts& counter, std::uint32_t first,
                                               uint4 (&chunk)[kPlaneChunks]) {
#pragma unroll
  for (unsigned q = 0; q < kPlaneChunks; ++q) {
    const std::uint32_t number = counter.low + first + 64 * q;
    chunk[q] = {counter.high[0], __byte_perm(number, 0, 0x0123), counter.high[0],
                __byte_perm(number + 1, 0, 0x0123)};
  }
}

constexpr unsigned kPlaneUnitBytes = kPlaneChunks * kRowBytes;  // a warp's, at a time

// R: the cipher, as DesBitSliced.

template <class R, class K>
__device__ __forceinline__ void run_planes(const K& keys, unsigned passes,
                                           uint4 (&chunk)[kPlaneChunks]) {
  Plane32 x[64];
  planes_of(chunk, x);
  R::run(x, keys, passes);
  chunks_of(x, chunk);
}

// A unit of keystream, whose first block is `first` blocks after the counter, XORed with `in`
// unless that is nullptr, to any address. `left` bytes of it are the job's. `tile`: kRowBytes + 16
// of shared memory, this warp's, 16-byte aligned.
template <class R, class K>
__device__ __forceinline__ void ctr_unit(const K& keys, unsigned passes,
                                         const CounterParts& counter, std::uint32_t first,
                                         const std::uint8_t* in, std::uint8_t* out,
                                         std::uint64_t left, unsigned lane, std::uint8_t* tile) {
  uint4 chunk[kPlaneChunks];
  counter_chunks(counter, first + 2 * lane, chunk);
  run_planes<R>(keys, passes, chunk);
  const auto bits = reinterpret_cast<std::uintptr_t>(out) | reinterpret_cast<std::uintptr_t>(in);
  if (bits % 16 == 0 && left >= kPlaneUnitBytes) {
    store_aligned<kPlaneChunks>(chunk, in, out, kPlaneUnitBytes, lane);
    return;
  }
#pragma unroll
  for (unsigned q = 0; q < kPlaneChunks; ++q) {
    const unsigned at = q * kRowBytes;
    if (left <= at) return;
    const uint4 row[1] = {chunk[q]};
    store_any<1>(row, tile, in == nullptr ? nullptr : in + at, out + at, left - at, lane);
  }
}

// The unit of whole blocks `at` bytes into the span. `tile`: kRowBytes of shared memory. A unit
// whose rows are all whole has a way of its own, so that the code for others is not between them.
__device__ __forceinline__ bool is_whole_unit(const BlockSpan& span, std::uint64_t at) {
  return is_whole_row(span, at + (kPlaneUnitBytes - kRowBytes));
}

__device__ __forceinline__ void load_unit(const BlockSpan& span, std::uint64_t at, unsigned lane,
                                          std::uint8_t* tile, uint4 (&chunk)[kPlaneChunks]) {
  const auto* const from = reinterpret_cast<const uint4*>(span.in + at) + lane;
  if (is_whole_unit(span, at)) {
#pragma unroll
    for (unsigned q = 0; q < kPlaneChunks; ++q) chunk[q] = from[32 * q];
    return;
  }
#pragma unroll
  for (unsigned q = 0; q < kPlaneChunks; ++q) {
    chunk[q] = load_row(span, at + q * kRowBytes, lane, tile);
  }
}

__device__ __forceinline__ void store_unit(const BlockSpan& span, std::uint64_t at, unsigned lane,
                                           std::uint8_t* tile, uint4 (&chunk)[kPlaneChunks]) {
  auto* const to = reinterpret_cast<uint4*>(span.out + at) + lane;
  if (is_whole_unit(span, at)) {
    if (span.chained) {
#pragma unroll
      for (unsigned q = 0; q < kPlaneChunks; ++q) {
        chunk[q] = xor4(chunk[q], load_before<8>(span, at + q * kRowBytes, lane));
      }
    }
#pragma unroll
    for (unsigned q = 0; q < kPlaneChunks; ++q) to[32 * q] = chunk[q];
    return;
  }
#pragma unroll
  for (unsigned q = 0; q < kPlaneChunks; ++q) {
    store_row<8>(span, at + q * kRowBytes, lane, chunk[q], tile);
  }
}

template <class R, class K>
__device__ __forceinline__ void block_unit(const K& keys, unsigned passes, const BlockSpan& span,
                                           std::uint64_t at, unsigned lane, std::uint8_t* tile) {
  uint4 chunk[kPlaneChunks];
  load_unit(span, at, lane, tile, chunk);
  run_planes<R>(keys, passes, chunk);
  store_unit(span, at, lane, tile, chunk);
}

}  // namespace gpuctr

#endif
