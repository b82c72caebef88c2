// Counter mode on bit-sliced words: 32 blocks a thread, 1024 a warp.
//
// A warp's tile is 1024 counters that differ in their low ten bits: bits 0 to 4 are the lane, bits 5
// to 9 the position in the sliced registers. So the sliced counter needs no addition, and when the
// slices are transposed back, the warp's j-th store is 32 neighbouring blocks.
#ifndef GPUCTR_KERNELS_BACKEND_CUDA_BITSLICE_CUH
#define GPUCTR_KERNELS_BACKEND_CUDA_BITSLICE_CUH

#include <cuda_runtime_api.h>

// HIGHT's loop of eight rounds stays a loop: unrolled, its code and its keys miss their caches.
#define GPUCTR_UNROLL _Pragma("unroll 1")

#include "kernels/backend/cuda_slices.cuh"
#include "kernels/cipher/table.h"

namespace gpuctr {

constexpr unsigned kSliceTileBlocks = 1024;

// How a cipher's rounds are unrolled. Bits of a round number below kStaticBits are known to the
// compiler.
template <class C>
struct SliceRounds;

template <>
struct SliceRounds<Hight> {
  static constexpr unsigned kStaticBits = 0;
  static constexpr bool kMasksInShared = true;
  static constexpr unsigned kWarps = 16;
  template <class V, class K>
  __device__ __forceinline__ static void run(V (&x)[8], const K& rk) {
    Hight::encrypt(x, rk);
  }
};

// The round keys come round again after kRoundKeyWords rounds, so this many make the loop's body:
// their masks keep fixed places in the constant bank.
template <class W, unsigned KeyBits, unsigned Rounds>
struct SliceRounds<Cham<W, KeyBits, Rounds>> {
  using C = Cham<W, KeyBits, Rounds>;
  static constexpr unsigned kBody = C::kRoundKeyWords;
  static constexpr unsigned kStaticBits = kBody == 8 ? 3 : 4;
  static constexpr bool kMasksInShared = false;
  static constexpr unsigned kWarps = sizeof(W) == 2 ? 16 : 8;

  template <class V, class K>
  __device__ __forceinline__ static void eight(V (&x)[4], const K& rk, unsigned i) {
    C::template round_pair<0>(x, rk, i);
    C::template round_pair<2>(x, rk, i + 2);
    C::template round_pair<0>(x, rk, i + 4);
    C::template round_pair<2>(x, rk, i + 6);
  }

  template <class V, class K>
  __device__ __forceinline__ static void run(V (&x)[4], const K& rk) {
#pragma unroll 1
    for (unsigned i = 0; i < C::kRounds; i += kBody) {
      eight(x, rk, i);
      if (kBody == 16 && i + 8 < C::kRounds) eight(x, rk, i + 8);
    }
  }
};

// The parameters of a launch. All its blocks have the same counter bits from 32 up.
template <class C>
struct SliceJob {
  static constexpr unsigned kWordBits = 8 * sizeof(typename C::Word);
  static constexpr unsigned kBlockBits = C::kWords * kWordBits;

  alignas(16) std::uint32_t masks[C::kRoundKeyWords * kWordBits];
  std::uint32_t upper[kBlockBits - 32];  // counter bits from 32 up, as masks
  std::uint32_t first;                   // low 32 bits of the first counter
  std::uint32_t blocks;                  // at most 2^31
  std::uint32_t tiles;
};

template <class C>
struct SliceKeys {
  static constexpr unsigned kBits = SliceJob<C>::kWordBits;
  static constexpr unsigned kMasks = C::kRoundKeyWords * kBits;
  using Key = SliceKey<SliceRounds<C>::kMasksInShared>;
  // Signs, then masks where they are there too.
  using Shared = std::uint32_t[SliceRounds<C>::kMasksInShared ? 2 * kMasks : kMasks];

  const SliceJob<C>& job;
  std::uint32_t signs;

  __device__ __forceinline__ Key operator()(unsigned i) const {
    return {job.masks + kBits * i, signs + 4 * kBits * i, 4 * kMasks};
  }
  __device__ __forceinline__ static void fill(Shared& to, const SliceJob<C>& job) {
    for (unsigned i = threadIdx.x; i < kMasks; i += blockDim.x) {
      to[i] = job.masks[i] | 1u;
      if constexpr (SliceRounds<C>::kMasksInShared) to[kMasks + i] = job.masks[i];
    }
    __syncthreads();
  }
  // Shared memory outlives the kernel: leave no key in it.
  __device__ __forceinline__ static void wipe(Shared& to) {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < sizeof to / sizeof to[0]; i += blockDim.x) {
      *static_cast<volatile std::uint32_t*>(to + i) = 0;
    }
  }
};

template <class C>
using CipherSlices =
    Slices<SliceJob<C>::kWordBits, SliceRounds<C>::kStaticBits, typename SliceKeys<C>::Key>;

// Bit `bit` of x in all bits: a shift on the FMA pipe and one on the ALU.
__device__ __forceinline__ std::uint32_t spread(std::uint32_t x, unsigned bit) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(x << (31 - bit)) >> 31);
}

// The sliced counters of a tile; `tile` is the counter without its ten low bits.
template <class C>
__device__ __forceinline__ void load_counters(CipherSlices<C> (&x)[C::kWords],
                                              const SliceJob<C>& job, unsigned tile,
                                              unsigned lane) {
  constexpr unsigned kBits = SliceJob<C>::kWordBits;
  constexpr unsigned kBlock = SliceJob<C>::kBlockBits;
  constexpr std::uint32_t kPosition[5] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00,
                                          0xffff0000};
#pragma unroll
  for (unsigned n = 0; n < kBlock; ++n) {
    const unsigned place = (kBlock - 8 - n / 8 * 8) + n % 8;  // the block is big-endian
    std::uint32_t& slice = x[place / kBits].bit[place % kBits];
    if (n < 5) {
      slice = spread(lane, n);
    } else if (n < 10) {
      slice = kPosition[n - 5];
    } else if (n < 32) {
      slice = spread(tile, n - 10);
    } else {
      slice = job.upper[n - 32];
    }
  }
}

template <unsigned Words>
struct SliceBlock;
template <>
struct SliceBlock<2> {
  using Type = uint2;
};
template <>
struct SliceBlock<4> {
  using Type = uint4;
};
__device__ __forceinline__ uint2 operator^(uint2 a, uint2 b) {
  return make_uint2(a.x ^ b.x, a.y ^ b.y);
}
__device__ __forceinline__ uint4 operator^(uint4 a, uint4 b) {
  return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w);
}
template <unsigned Words>
__device__ __forceinline__ typename SliceBlock<Words>::Type block_of(
    const std::uint32_t (&word)[Words][32], unsigned j) {
  if constexpr (Words == 2) {
    return make_uint2(word[0][j], word[1][j]);
  } else {
    return make_uint4(word[0][j], word[1][j], word[2][j], word[3][j]);
  }
}

// Stores a tile. `n` is the number of this lane's first block in the job, which a first tile that
// is not whole makes negative; unsigned, such numbers are out of range like those past the end.
template <bool Xor, bool Whole, unsigned Words>
__device__ __forceinline__ void store_tile(const std::uint32_t (&word)[Words][32],
                                           const void* in, void* out, unsigned n,
                                           unsigned blocks) {
  using Block = typename SliceBlock<Words>::Type;
  constexpr unsigned kBatch = Xor ? 16 / Words : 32;  // loads in flight: in may be out
  const long long signed_n = static_cast<int>(n);
  const Block* const from = static_cast<const Block*>(in) + signed_n;
  Block* const to = static_cast<Block*>(out) + signed_n;
#pragma unroll
  for (unsigned j = 0; j < 32; j += kBatch) {
    Block data[kBatch];
    if constexpr (Xor) {
#pragma unroll
      for (unsigned b = 0; b < kBatch; ++b) {
        if (Whole || n + 32 * (j + b) < blocks) data[b] = from[32 * (j + b)];
      }
    }
#pragma unroll
    for (unsigned b = 0; b < kBatch; ++b) {
      const Block keystream = block_of(word, j + b);
      if (Whole || n + 32 * (j + b) < blocks) {
        to[32 * (j + b)] = Xor ? keystream ^ data[b] : keystream;
      }
    }
  }
}

// Asks for a tile's data ahead of its rounds: 128 bytes a lane and step.
template <unsigned BlockBytes>
__device__ __forceinline__ void prefetch_tile(const void* in, long long first, unsigned lane,
                                              unsigned blocks) {
#pragma unroll
  for (unsigned i = 0; i < kSliceTileBlocks * BlockBytes / 4096; ++i) {
    const long long n = first + (i * 32 + lane) * (128 / BlockBytes);
    if (n >= 0 && n < blocks) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(in) + n * BlockBytes));
    }
  }
}

// One block a multiprocessor, as many warps as its registers hold. The warps of a block draw tiles
// as they come free: the scheduler favours some, and fixed shares would leave it idle at the end.
template <class C, bool Xor>
__global__ void __launch_bounds__(32 * SliceRounds<C>::kWarps, 1)
    slice_ctr(const __grid_constant__ SliceJob<C> job, const void* in, void* out) {
  constexpr unsigned kWordBits = SliceJob<C>::kWordBits;
  constexpr unsigned kWords = SliceJob<C>::kBlockBits / 32;
  __shared__ alignas(16) typename SliceKeys<C>::Shared key_memory;
  __shared__ unsigned next_draw;
  if (threadIdx.x == 0) next_draw = 0;
  SliceKeys<C>::fill(key_memory, job);
  const SliceKeys<C> keys{job, static_cast<std::uint32_t>(__cvta_generic_to_shared(key_memory))};
  const unsigned lane = threadIdx.x % 32;

#pragma unroll 1
  for (;;) {
    unsigned draw = 0;
    if (lane == 0) draw = atomicAdd(&next_draw, 1);
    const unsigned number = __shfl_sync(0xffffffff, draw, 0) * gridDim.x + blockIdx.x;
    if (number >= job.tiles) break;
    const unsigned tile = job.first / kSliceTileBlocks + number;
    const unsigned start = tile * kSliceTileBlocks - job.first;  // negative as an int, or not
    CipherSlices<C> x[C::kWords];
    load_counters<C>(x, job, tile, lane);
    if constexpr (Xor) {
      prefetch_tile<SliceJob<C>::kBlockBits / 8>(in, static_cast<int>(start), lane, job.blocks);
    }
    SliceRounds<C>::run(x, keys);
    std::uint32_t word[kWords][32];
#pragma unroll
    for (unsigned i = 0; i < 32 * kWords; ++i) {
      word[i / 32][i % 32] = x[i / kWordBits].bit[i % kWordBits];
    }
#pragma unroll
    for (unsigned i = 0; i < kWords; ++i) transpose(word[i]);
    if (static_cast<int>(start) >= 0 && start + kSliceTileBlocks <= job.blocks) {
      store_tile<Xor, true>(word, in, out, start + lane, job.blocks);
    } else {
      store_tile<Xor, false>(word, in, out, start + lane, job.blocks);
    }
  }
  SliceKeys<C>::wipe(key_memory);
}

}  // namespace gpuctr

#endif
