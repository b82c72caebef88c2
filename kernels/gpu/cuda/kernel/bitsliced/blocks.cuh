// Whole blocks on bit-sliced words: ECB in both directions, CBC and CFB decryption. A warp's tile
// is rows of 512 bytes, all of them whole: 31 of blocks of 16 bytes, 15 of two blocks of 8 bytes a
// lane, whose place in bits 0 and 1 stays empty.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_BLOCKS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_BLOCKS_CUH

#include "kernels/gpu/cuda/kernel/bitsliced/ctr.cuh"
#include "kernels/gpu/cuda/kernel/bitsliced/rows.cuh"

namespace gpuctr {

template <class C>
constexpr unsigned kTileRows = BitslicedParameters<C>::kBlockBits / 4 - 1;
template <class C>
constexpr unsigned kBlockTileBytes = kTileRows<C>* kRowBytes;

template <class C>
struct BitslicedBlockParameters {
  BitslicedParameters<C> keys;  // and the division into tiles
  BlockSpan span;
};

// A warp's place, read again after the rounds: nothing but the state is in registers then.
__device__ __forceinline__ unsigned lane_again() {
#ifdef __CUDA_ARCH__
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
#else
  return threadIdx.x % 32;  // for a test on the CPU
#endif
}

// A warp prefetches its next tile's data before the rounds of a tile, or has only one tile
// (share_out).
template <class C, bool kEncrypt>
__global__ void __launch_bounds__(kBitslicedThreads<C>, BitslicedRounds<C>::kBlocksAnSm)
    bitsliced_blocks(const __grid_constant__ BitslicedBlockParameters<C> job) {
  constexpr unsigned kWordBits = BitslicedParameters<C>::kWordBits;
  constexpr unsigned kWords = BitslicedParameters<C>::kBlockBits / 32;
  constexpr unsigned kBlock = 4 * kWords;
  constexpr unsigned kTileBytes = kBlockTileBytes<C>;
  constexpr bool kManyTiles = BitslicedRounds<C>::kBlocksAnSm == 1;
  alignas(16) __shared__ typename BitslicedKeys<C>::Shared key_memory;
  __shared__ unsigned next_tile;
  __shared__ volatile unsigned place[kBitslicedThreads<C>];  // each lane's tile, during the rounds
  if (threadIdx.x == 0) next_tile = 0;
  BitslicedKeys<C>::fill(key_memory, job.keys);
  const BitslicedKeys<C> keys{job.keys,
                              static_cast<std::uint32_t>(__cvta_generic_to_shared(key_memory))};
  const unsigned lane = threadIdx.x % 32;

  unsigned tile = take_tile(job.keys, &next_tile, lane);
#pragma unroll 1
  while (tile < job.keys.tiles) {
    place[threadIdx.x] = tile;
    uint4 chunk[kTileRows<C>];
    load_rows<kBlock>(job.span, std::uint64_t{tile} * kTileBytes, lane, chunk);
    if (kManyTiles) tile = take_tile(job.keys, &next_tile, lane);
    if (kManyTiles && tile < job.keys.tiles) {
      prefetch_tile<kTileBytes / kBlock, kBlock>(
          job.span.in, static_cast<long long>(tile) * (kTileBytes / kBlock), lane,
          job.keys.tiles * (kTileBytes / kBlock));
    }
    std::uint32_t word[kWords][32];
    planes_of(chunk, word);
    BitslicedCipherWord<C> x[C::kWords];
#pragma unroll
    for (unsigned i = 0; i < 32 * kWords; ++i) {
      x[i / kWordBits].bit[i % kWordBits] = word[i / 32][i % 32];
    }
    if constexpr (kEncrypt) {
      BitslicedRounds<C>::encrypt(x, keys);
    } else {
      BitslicedRounds<C>::decrypt(x, keys);
    }
#pragma unroll
    for (unsigned i = 0; i < 32 * kWords; ++i) {
      word[i / 32][i % 32] = x[i / kWordBits].bit[i % kWordBits];
    }
    chunks_of(word, chunk);
    store_rows<kBlock>(job.span, std::uint64_t{place[threadIdx.x]} * kTileBytes, lane_again(),
                       chunk);
    if (!kManyTiles) break;
  }
  BitslicedKeys<C>::wipe(key_memory);
}

}  // namespace gpuctr

#endif
