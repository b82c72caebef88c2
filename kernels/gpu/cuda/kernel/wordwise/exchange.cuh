// Blocks larger than a chunk of 16 bytes: a lane computes whole blocks, memory wants the chunks of
// a warp side by side. Both ways go through shared memory.
//
// "Blocks" is a lane's chunks as it computes them: those of block `lane`, in order, then those of
// block 32 + lane. "Rows" is as it loads and stores them: chunks lane, 32 + lane, 64 + lane, ...
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_EXCHANGE_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_EXCHANGE_CUH

#include <cstdint>

#include "kernels/cipher/facts.h"

namespace gpuctr {

template <class C>
constexpr unsigned kChunksABlock = BlockBytes<C>::kValue < 16 ? 1 : BlockBytes<C>::kValue / 16;

// Shared memory of a warp that the exchange takes: 32 blocks, each a chunk longer than it is, so
// that lanes which write the same chunk of theirs meet in no bank. 0: no exchange.
template <class F>
constexpr unsigned kExchangeBytes = kChunksABlock<typename F::Cipher> == 1
                                        ? 0
                                        : 32 * 16 * (kChunksABlock<typename F::Cipher> + 1);

// `tile`: kExchangeBytes<F> of this warp's, 16-byte aligned. Keystream may stay in it.
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

// Shared memory outlives the kernel: leave no plaintext in it. In PTX, because the compiler drops
// stores that nobody reads.
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
