// For blocks larger than a chunk of 16 bytes: a lane computes whole blocks, but loads and stores of
// a warp must be neighbouring chunks. Both directions go through shared memory.
//
// The order "blocks" is a lane's order for computing: the chunks of block `lane`, then those of
// block 32 + lane. The order "rows" is a lane's order for loads and stores: chunks lane, 32 + lane,
// 64 + lane, ...
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_EXCHANGE_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_EXCHANGE_CUH

#include <cstdint>

#include "kernels/cipher/facts.h"

namespace gpuctr {

template <class C>
constexpr unsigned kChunksABlock = BlockBytes<C>::kValue < 16 ? 1 : BlockBytes<C>::kValue / 16;

// Shared memory of a warp for the exchange: room for 32 blocks, each padded by one chunk, so that
// lanes which write the same chunk of their blocks have no bank conflict. 0: no exchange.
template <class F>
constexpr unsigned kExchangeBytes = kChunksABlock<typename F::Cipher> == 1
                                        ? 0
                                        : 32 * 16 * (kChunksABlock<typename F::Cipher> + 1);

// `tile`: kExchangeBytes<F> of this warp's shared memory, 16-byte aligned. Keystream may stay in
// it.
template <class F>
__device__ __forceinline__ void blocks_to_rows(uint4 (&chunk)[F::kChunks], std::uint8_t* tile,
                                               unsigned lane) {
  constexpr unsigned kEach = kChunksABlock<typename F::Cipher>;
  auto* const shared = reinterpret_cast<uint4*>(tile);
#pragma unroll
  for (unsigned first = 0; first < F::kChunks; first += kEach) {
    __syncwarp();
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) shared[(kEach + 1) * lane + j] = chunk[first + j];
    __syncwarp();
    const uint4* const mine = shared + (kEach + 1) * (lane / kEach) + lane % kEach;
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) chunk[first + j] = mine[(kEach + 1) * (32 / kEach) * j];
  }
}

template <class F>
__device__ __forceinline__ void rows_to_blocks(uint4 (&chunk)[F::kChunks], std::uint8_t* tile,
                                               unsigned lane) {
  constexpr unsigned kEach = kChunksABlock<typename F::Cipher>;
  auto* const shared = reinterpret_cast<uint4*>(tile);
#pragma unroll
  for (unsigned first = 0; first < F::kChunks; first += kEach) {
    __syncwarp();
    uint4* const mine = shared + (kEach + 1) * (lane / kEach) + lane % kEach;
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) mine[(kEach + 1) * (32 / kEach) * j] = chunk[first + j];
    __syncwarp();
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) chunk[first + j] = shared[(kEach + 1) * lane + j];
  }
}

// Shared memory keeps its content after the kernel, so the kernel wipes the plaintext. In PTX,
// because the compiler drops stores that are never read.
template <unsigned kBytes>
__device__ __forceinline__ void wipe_tile(std::uint8_t* tile, unsigned lane) {
  __syncwarp();
#pragma unroll
  for (unsigned i = 0; i < kBytes; i += 512) {
    auto* const chunk = reinterpret_cast<uint4*>(tile + i) + lane;
#ifdef __CUDA_ARCH__
    asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(
                     static_cast<std::uint32_t>(__cvta_generic_to_shared(chunk))),
                 "r"(0)
                 : "memory");
#else
    *chunk = uint4{0, 0, 0, 0};
#endif
  }
}

}  // namespace gpuctr

#endif
