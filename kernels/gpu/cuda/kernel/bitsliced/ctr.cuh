// Counter mode on bit-sliced words: 31 blocks a lane (32 for DES), 992 a warp.
//
// A warp's tile is 31 rows of 32 neighbouring counters, whose low five bits are the lane. Bit p of
// a bit-sliced register has the row p - 1, and bit 0 a one (word.cuh): so the bit-sliced counter is
// a pattern, turned by the first row, and a carry. After the registers are transposed back, the
// warp's store p is row p - 1.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_CTR_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_CTR_CUH

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cipher/registry.h"
#include "kernels/gpu/cuda/kernel/bitsliced/word.cuh"

namespace gpuctr {

// For architectures other than sm_90, where these kernels were measured, compilers need more
// registers. There the kernels avoid spilling at some cost in speed.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900
constexpr bool kSpareRegisters = true;
#else
constexpr bool kSpareRegisters = false;
#endif

template <class C>
constexpr unsigned kBitslicedTileBlocks = 32 * BitslicedRounds<C>::kLaneBlocks;
// Bits of a register below this have no block.
template <class C>
constexpr unsigned kSpareBits = 32 - BitslicedRounds<C>::kLaneBlocks;

// The parameters of a launch. All blocks of the launch have the same counter bits from 32 up.
template <class C>
struct BitslicedParameters {
  static constexpr unsigned kWordBits = 8 * sizeof(typename C::Word);
  static constexpr unsigned kBlockBits = C::kWords * kWordBits;

  static constexpr unsigned kKeyBits = C::kRoundKeyWords * kWordBits;
  static constexpr bool kInShared = BitslicedRounds<C>::kSignsInShared;

  alignas(16) std::uint32_t signs[kInShared ? 1 : kKeyBits];
  typename C::Word words[kInShared ? C::kRoundKeyWords : 1];
  std::uint32_t upper[kBlockBits - 32];  // counter bits from 32 up: signs, or masks for 32 blocks
  std::uint32_t first;                   // low 32 bits of the first counter
  std::uint32_t blocks;                  // at most 2^31
  std::uint32_t tiles;
  std::uint32_t block_tiles;            // tiles of a thread block; its n-th tile is
  std::uint32_t block_step, tile_step;  // block * block_step + n * tile_step
};

template <class C>
struct BitslicedKeys {
  using Parameters = BitslicedParameters<C>;
  static constexpr unsigned kBits = Parameters::kWordBits;
  static constexpr unsigned kKeyBits = Parameters::kKeyBits;
  static constexpr bool kInShared = Parameters::kInShared;
  static constexpr bool kMasksToo = kSpareBits<C> == 0;
  using Key = BitslicedKey<kInShared>;
  // HIGHT uses a loop of eight rounds: unrolled, its code and its keys do not fit their caches.
  static constexpr bool kLoops = true;
  using Shared = std::uint32_t[!kInShared ? 1 : kMasksToo ? 2 * kKeyBits : kKeyBits];

  const Parameters& job;
  std::uint32_t shared;  // signs, then masks, as an address in the shared window

  __device__ __forceinline__ Key operator()(unsigned i) const {
    return {job.signs + (kInShared ? 0 : kBits * i), shared + 4 * kBits * i};
  }
  __device__ __forceinline__ static void fill(Shared& to, const Parameters& job) {
    if constexpr (kInShared) {
      for (unsigned i = threadIdx.x; i < kKeyBits; i += blockDim.x) {
        const std::uint32_t mask = spread(job.words[i / kBits], i % kBits);
        to[i] = mask | 1u;
        if constexpr (kMasksToo) to[kKeyBits + i] = mask;
      }
    }
    __syncthreads();
  }
  // Shared memory keeps its content after the kernel, so the kernel wipes the key.
  __device__ __forceinline__ static void wipe(Shared& to) {
    if constexpr (kInShared) {
      __syncthreads();
      for (unsigned i = threadIdx.x; i < sizeof to / sizeof to[0]; i += blockDim.x) {
        *static_cast<volatile std::uint32_t*>(to + i) = 0;
      }
    }
  }
};

template <class C>
using BitslicedCipherWord =
    BitslicedWord<BitslicedParameters<C>::kWordBits, BitslicedRounds<C>::kStaticBits,
                  typename BitslicedKeys<C>::Key>;

// The bit-sliced counters of a tile. `before`: the row of bit 0, one before the first, in bits 5 to
// 31 of a counter (of the first row for 32 blocks a lane).
template <class C>
__device__ __forceinline__ void load_counters(BitslicedCipherWord<C> (&x)[C::kWords],
                                              const BitslicedParameters<C>& job, unsigned before,
                                              unsigned lane) {
  constexpr unsigned kBits = BitslicedParameters<C>::kWordBits;
  constexpr unsigned kBlock = BitslicedParameters<C>::kBlockBits;
  constexpr std::uint32_t kSpare = (1u << kSpareBits<C>)-1;
  constexpr std::uint32_t kPosition[5] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00,
                                          0xffff0000};
  const auto slice = [&](unsigned n) -> std::uint32_t& {
    const unsigned place = (kBlock - 8 - n / 8 * 8) + n % 8;  // the block is big-endian
    return x[place / kBits].bit[place % kBits];
  };
  // Rows whose number carries out of its low five bits, and the bits above that this changes.
  const std::uint32_t carries = ~(0xffffffffu >> (before % 32));
  const std::uint32_t above = before / 32;
  const std::uint32_t changes = above ^ (above + 1);
#pragma unroll
  for (unsigned n = 0; n < kBlock; ++n) {
    if (n < 5) {
      slice(n) = spread(lane, n) | kSpare;
    } else if (n < 10) {
      slice(n) = __funnelshift_r(kPosition[n - 5], kPosition[n - 5], before) | kSpare;
    } else if (n < 32) {
      slice(n) = spread(above, n - 10) | kSpare;
    } else {
      slice(n) = job.upper[n - 32];
    }
  }
  constexpr unsigned kOften = 3;  // one tile of eight changes more bits
#pragma unroll
  for (unsigned n = 0; n < kOften; ++n) slice(n + 10) ^= spread(changes, n) & carries;
  if (changes >> kOften != 0) {
#pragma unroll
    for (unsigned n = kOften; n < 22; ++n) {
      slice(n + 10) ^= spread(changes, n) & carries;
    }
  }
}

template <unsigned Words>
struct BitslicedBlock;
template <>
struct BitslicedBlock<2> {
  using Type = uint2;
};
template <>
struct BitslicedBlock<4> {
  using Type = uint4;
};
__device__ __forceinline__ uint2 operator^(uint2 a, uint2 b) {
  return make_uint2(a.x ^ b.x, a.y ^ b.y);
}
__device__ __forceinline__ uint4 operator^(uint4 a, uint4 b) {
  return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w);
}
template <unsigned Words>
__device__ __forceinline__ typename BitslicedBlock<Words>::Type block_of(
    const std::uint32_t (&word)[Words][32], unsigned j) {
  if constexpr (Words == 2) {
    return make_uint2(word[0][j], word[1][j]);
  } else {
    return make_uint4(word[0][j], word[1][j], word[2][j], word[3][j]);
  }
}

// One lane's place in a tile. `first` is the number in the job of the block that bit 0 would have.
// Where a first tile is not whole, a block's number is negative. As an unsigned number it is then
// out of range, like a number past the end.
struct TilePlace {
  unsigned first;
  unsigned blocks;  // in the job
  bool whole;       // all blocks of the tile belong to the job

  __device__ __forceinline__ bool has(unsigned j) const { return whole || first + 32 * j < blocks; }
};

// The data for a tile's keystream, loaded one batch of blocks before its use.
template <bool Xor, unsigned Words>
struct TileData {
  using Block = typename BitslicedBlock<Words>::Type;
  static constexpr unsigned kBatch = Xor ? (kSpareRegisters ? 4 : 32) / Words : 32;
  const Block* from;
  Block data[Xor ? kBatch : 1];

  __device__ __forceinline__ void load(const TilePlace& at, unsigned j) {
    if constexpr (Xor) {
#pragma unroll
      for (unsigned b = 0; b < kBatch && j + b < 32; ++b) {
        if (at.has(j + b)) data[b] = from[32 * (j + b)];
      }
    }
  }
};

// Stores a tile. The next batch's data is loaded before this batch is stored. That is correct for
// in == out too, because each word is read before it is written.
template <bool Xor, unsigned kFirst, unsigned Words>
__device__ __forceinline__ void store_tile(const std::uint32_t (&word)[Words][32],
                                           TileData<Xor, Words> ready, void* out,
                                           const TilePlace& at) {
  using Data = TileData<Xor, Words>;
  auto* const to = static_cast<typename Data::Block*>(out) + static_cast<int>(at.first);
#pragma unroll
  for (unsigned j = kFirst; j < 32; j += Data::kBatch) {
    Data next = ready;
    if (j + Data::kBatch < 32) next.load(at, j + Data::kBatch);
#pragma unroll
    for (unsigned b = 0; b < Data::kBatch && j + b < 32; ++b) {
      auto block = block_of(word, j + b);
      if constexpr (Xor) block = block ^ ready.data[b];
      if (at.has(j + b)) to[32 * (j + b)] = block;
    }
    ready = next;
  }
}

// Prefetches a tile's data before its rounds: 128 bytes a lane and step.
template <unsigned kTileBlocks, unsigned BlockBytes>
__device__ __forceinline__ void prefetch_tile([[maybe_unused]] const void* in, long long first,
                                              unsigned lane, unsigned blocks) {
#pragma unroll
  for (unsigned i = 0; i < (kTileBlocks * BlockBytes + 4095) / 4096; ++i) {
    const long long n = first + (i * 32 + lane) * (128 / BlockBytes);
    if (n >= 0 && n < blocks) {
#ifdef __CUDA_ARCH__
      asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(in) + n * BlockBytes));
#endif
    }
  }
}

template <class C>
constexpr unsigned kBitslicedThreads = 32 * BitslicedRounds<C>::kWarps;

// The number of the warp's next tile; at least job.tiles if the thread block has no more.
// `next_tile` is in shared memory.
template <class C>
__device__ __forceinline__ unsigned take_tile(const BitslicedParameters<C>& job,
                                              unsigned* next_tile, unsigned lane) {
  unsigned taken = 0;
  if (lane == 0) taken = atomicAdd(next_tile, 1);
  taken = __shfl_sync(0xffffffff, taken, 0);
  const unsigned number = blockIdx.x * job.block_step + taken * job.tile_step;
  return taken < job.block_tiles ? number : job.tiles;
}

// A thread block's warps take its tiles as warps become free. There are many more thread blocks
// than fit at once. So the warps of a multiprocessor are at different stages, and its stores spread
// over time.
template <class C, bool Xor>
__global__ void __launch_bounds__(kBitslicedThreads<C>, BitslicedRounds<C>::kBlocksAnSm)
    bitsliced_ctr(const __grid_constant__ BitslicedParameters<C> job, const void* in, void* out) {
  constexpr unsigned kWordBits = BitslicedParameters<C>::kWordBits;
  constexpr unsigned kWords = BitslicedParameters<C>::kBlockBits / 32;
  constexpr unsigned kTile = kBitslicedTileBlocks<C>;
  using Data = TileData<Xor, kWords>;
  alignas(16) __shared__ typename BitslicedKeys<C>::Shared key_memory;
  __shared__ unsigned next_tile;
  if (threadIdx.x == 0) next_tile = 0;
  BitslicedKeys<C>::fill(key_memory, job);
  const BitslicedKeys<C> keys{job,
                              static_cast<std::uint32_t>(__cvta_generic_to_shared(key_memory))};
  const unsigned lane = threadIdx.x % 32;

#pragma unroll 1
  for (;;) {
    const unsigned number = take_tile(job, &next_tile, lane);
    if (number >= job.tiles) break;
    const unsigned start = number * kTile - job.first % 32;  // negative as an int, or not
    if constexpr (Xor) {
      prefetch_tile<kTile, BitslicedParameters<C>::kBlockBits / 8>(in, static_cast<int>(start),
                                                                   lane, job.blocks);
    }
    BitslicedCipherWord<C> x[C::kWords];
    load_counters<C>(x, job, job.first / 32 + number * (kTile / 32) - kSpareBits<C>, lane);
    BitslicedRounds<C>::encrypt(x, keys);

    const TilePlace at{start - 32 * kSpareBits<C> + lane, job.blocks,
                       static_cast<int>(start) >= 0 && start + kTile <= job.blocks};
    Data data;
    data.from = static_cast<const typename Data::Block*>(in) + static_cast<int>(at.first);
    data.load(at, kSpareBits<C>);
    std::uint32_t word[kWords][32];
#pragma unroll
    for (unsigned i = 0; i < 32 * kWords; ++i) {
      word[i / 32][i % 32] = x[i / kWordBits].bit[i % kWordBits];
    }
#pragma unroll
    for (unsigned i = 0; i < kWords; ++i) transpose(word[i]);
    if (at.whole) {
      store_tile<Xor, kSpareBits<C>>(word, data, out, TilePlace{at.first, at.blocks, true});
    } else {
      store_tile<Xor, kSpareBits<C>>(word, data, out, TilePlace{at.first, at.blocks, false});
    }
  }
  BitslicedKeys<C>::wipe(key_memory);
}

}  // namespace gpuctr

#endif
