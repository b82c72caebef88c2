// Bit-sliced ciphers on single bits (kernels/cipher/des/cuda_bit_sliced.h) on a device. A plane is
// a register with one bit of each of 32 blocks. This file loads masks and blocks into planes.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_BITS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_BITS_CUH

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/gpu/cuda/kernel/bitsliced/rows.cuh"
#include "kernels/gpu/cuda/kernel/bitsliced/word.cuh"
#include "kernels/gpu/cuda/kernel/blocks.cuh"
#include "kernels/gpu/cuda/kernel/store.cuh"
#include "kernels/gpu/cuda/plan.h"

namespace gpuctr {

struct BitslicedBit {
  std::uint32_t v;

  template <unsigned Map>
  __device__ __forceinline__ static BitslicedBit logic3(BitslicedBit a, BitslicedBit b,
                                                        BitslicedBit c) {
    return {lop3<Map>(a.v, b.v, c.v)};
  }
};

// Masks and their signs in shared memory: with s = 1 for m = 0 and s = -1 for m = ~0, x ^ m is
// x * s + m modulo 2^32, an IMAD. S-boxes do not keep a one in bit 0 as sums do (word.cuh).
struct SharedBitKeys {
  std::uint32_t signs;     // shared-window address of the first mask's sign
  std::uint32_t distance;  // from a sign to its mask, in bytes

  __device__ __forceinline__ SharedBitKeys from(unsigned bit) const {
    return {signs + 4 * bit, distance};
  }
  __device__ __forceinline__ void masks(BitslicedBit (&m)[4], unsigned bit) const {
    std::uint32_t words[4];
    load_shared(words, signs + distance + 4 * bit);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) m[j].v = words[j];
  }
  __device__ __forceinline__ void flip(BitslicedBit (&x)[4], unsigned bit) const {
    std::uint32_t sign[4], mask[4];
    load_shared(sign, signs + 4 * bit);
    load_shared(mask, signs + distance + 4 * bit);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) x[j].v = x[j].v * sign[j] + mask[j];
  }
};

// Masks as bits, 32 a word: slower, but better for a key that a warp uses only once.
struct PackedBitKeys {
  const std::uint32_t* words;

  __device__ __forceinline__ PackedBitKeys from(unsigned bit) const { return {words + bit / 32}; }
  __device__ __forceinline__ void masks(BitslicedBit (&m)[4], unsigned bit) const {
    const std::uint32_t word = words[bit / 32];
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) m[j].v = spread(word, bit % 32 + j);
  }
  __device__ __forceinline__ void flip(BitslicedBit (&x)[4], unsigned bit) const {
    BitslicedBit mask[4];
    masks(mask, bit);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) x[j].v ^= mask[j].v;
  }
};

// A lane's 32 blocks of 8 bytes are 16 chunks, and 64 planes: plane 8 i + j has bit j of byte i.
constexpr unsigned kBitslicedChunks = 16;

__device__ __forceinline__ void bits_of(const uint4 (&chunk)[kBitslicedChunks],
                                        BitslicedBit (&x)[64]) {
  std::uint32_t word[2][32];
  planes_of(chunk, word);
#pragma unroll
  for (unsigned p = 0; p < 64; ++p) x[p].v = word[p / 32][p % 32];
}

__device__ __forceinline__ void chunks_of(const BitslicedBit (&x)[64],
                                          uint4 (&chunk)[kBitslicedChunks]) {
  std::uint32_t word[2][32];
#pragma unroll
  for (unsigned p = 0; p < 64; ++p) word[p / 32][p % 32] = x[p].v;
  chunks_of(word, chunk);
}

// The counter blocks of this lane's chunks, 32 apart. The first counter block is `first` blocks
// after the counter.
__device__ __forceinline__ void counter_chunks(const CounterParts& counter, std::uint32_t first,
                                               uint4 (&chunk)[kBitslicedChunks]) {
#pragma unroll
  for (unsigned q = 0; q < kBitslicedChunks; ++q) {
    const std::uint32_t number = counter.low + first + 64 * q;
    chunk[q] = {counter.high[0], __byte_perm(number, 0, 0x0123), counter.high[0],
                __byte_perm(number + 1, 0, 0x0123)};
  }
}

constexpr unsigned kBitslicedUnitBytes = kBitslicedChunks * kRowBytes;  // of a warp, at a time

// R: the cipher, as DesBitSliced.

template <class R, class K>
__device__ __forceinline__ void run_bitsliced(const K& keys, unsigned passes,
                                              uint4 (&chunk)[kBitslicedChunks]) {
  BitslicedBit x[64];
  bits_of(chunk, x);
  R::run(x, keys, passes);
  chunks_of(x, chunk);
}

// A unit of keystream, written to any address; its first block is `first` blocks after the counter.
// Unless `in` is nullptr, the keystream is XORed with `in`. The first `left` bytes belong to the
// job. `tile`: kRowBytes + 16 bytes of this warp's shared memory, 16-byte aligned.
template <class R, class K>
__device__ __forceinline__ void ctr_unit(const K& keys, unsigned passes,
                                         const CounterParts& counter, std::uint32_t first,
                                         const std::uint8_t* in, std::uint8_t* out,
                                         std::uint64_t left, unsigned lane, std::uint8_t* tile) {
  uint4 chunk[kBitslicedChunks];
  counter_chunks(counter, first + 2 * lane, chunk);
  run_bitsliced<R>(keys, passes, chunk);
  const auto bits = reinterpret_cast<std::uintptr_t>(out) | reinterpret_cast<std::uintptr_t>(in);
  if (bits % 16 == 0 && left >= kBitslicedUnitBytes) {
    store_aligned<kBitslicedChunks>(chunk, in, out, kBitslicedUnitBytes, lane);
    return;
  }
#pragma unroll
  for (unsigned q = 0; q < kBitslicedChunks; ++q) {
    const unsigned at = q * kRowBytes;
    if (left <= at) return;
    const uint4 row[1] = {chunk[q]};
    store_any<1>(row, tile, in == nullptr ? nullptr : in + at, out + at, left - at, lane);
  }
}

// The unit of whole blocks `at` bytes into the span. `tile`: kRowBytes of shared memory. A unit
// with only whole rows has its own code path, so that the code for partial rows does not lie
// between its instructions.
__device__ __forceinline__ bool is_whole_unit(const BlockSpan& span, std::uint64_t at) {
  return is_whole_row(span, at + (kBitslicedUnitBytes - kRowBytes));
}

__device__ __forceinline__ void load_unit(const BlockSpan& span, std::uint64_t at, unsigned lane,
                                          std::uint8_t* tile, uint4 (&chunk)[kBitslicedChunks]) {
  if (is_whole_unit(span, at)) {
    load_rows<8>(span, at, lane, chunk);
    return;
  }
#pragma unroll
  for (unsigned q = 0; q < kBitslicedChunks; ++q) {
    chunk[q] = load_row<8>(span, at + q * kRowBytes, lane, tile);
  }
}

__device__ __forceinline__ void store_unit(const BlockSpan& span, std::uint64_t at, unsigned lane,
                                           std::uint8_t* tile, uint4 (&chunk)[kBitslicedChunks]) {
  if (is_whole_unit(span, at)) {
    store_rows<8>(span, at, lane, chunk);
    return;
  }
#pragma unroll
  for (unsigned q = 0; q < kBitslicedChunks; ++q) {
    store_row<8>(span, at + q * kRowBytes, lane, chunk[q], tile);
  }
}

template <class R, class K>
__device__ __forceinline__ void block_unit(const K& keys, unsigned passes, const BlockSpan& span,
                                           std::uint64_t at, unsigned lane, std::uint8_t* tile) {
  uint4 chunk[kBitslicedChunks];
  load_unit(span, at, lane, tile, chunk);
  run_bitsliced<R>(keys, passes, chunk);
  store_unit(span, at, lane, tile, chunk);
}

}  // namespace gpuctr

#endif
