// Long jobs of keystream without data, on devices of compute capability 9.0: warps that look up in
// tables and bit-sliced warps, side by side. Look-ups alone fill the unit of shared memory, and
// leave a third of the issue slots free; bit-sliced rounds use these. The loops of both must fit
// the instruction cache together: with two blocks a lane at a time (40 KiB and more) AES-256 is 14
// % slower than walk_kernel.
//
// A tile is 32 blocks for each lane of a warp: 32 values of the counter's byte 14, and 32 of its
// last byte. The warps of a thread block take its tiles as they become free. As in walk_kernel the
// state after round 2 is a part that a lane fixes, XOR a row, which depends on byte 14 only; the
// rows are stored as words and as planes.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_MIXED_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_MIXED_CUH

#include <type_traits>

#include <cstdint>

#include "kernels/gpu/cuda/kernel/bitsliced/bits.cuh"
#include "kernels/gpu/cuda/kernel/tables/tables.cuh"

namespace gpuctr::tables {

// Whether a form has bit-sliced rounds, F::BitSliced.
template <class F, class = void>
struct HasBitSliced : std::false_type {};
template <class F>
struct HasBitSliced<F, std::void_t<typename F::BitSliced>> : std::true_type {};

constexpr unsigned kTableThreads = 384;
constexpr unsigned kBitThreads = 128;  // after the others
constexpr unsigned kMixedThreads = kTableThreads + kBitThreads;

constexpr unsigned kTileBlocks = 1024;
constexpr unsigned kGroupBlocks = 8 * kTileBlocks;  // 32 rows of 256 blocks
constexpr unsigned kPlanesOfRows = 128;

// Shared memory behind the tables. All of it depends on the key, and is wiped.
struct MixedMemory {
  uint4 rows[256];
  std::uint32_t planes[8][kPlanesOfRows];  // bit b: of row 32 * (first index) + b
  uint4 keys[16];                          // of the bit-sliced rounds, from the third
  unsigned next_tile;
};

// The mask of key bit 8 i + j.
template <unsigned kByte>
__device__ __forceinline__ std::uint32_t spread_sign(std::uint32_t x) {
#ifdef __CUDACC__
  std::uint32_t mask;
  asm("prmt.b32 %0, %1, 0, %2;" : "=r"(mask) : "r"(x), "n"(0x8888 + 0x1111 * kByte));
  return mask;
#else
  return 0u - (x >> (8 * kByte + 7) & 1u);
#endif
}
struct RoundMasks {
  uint4 words;

  __device__ __forceinline__ void operator()(unsigned i, BitslicedBit (&k)[8]) const {
    const std::uint32_t word = i < 4 ? words.x : i < 8 ? words.y : i < 12 ? words.z : words.w;
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) {
      const std::uint32_t signs = word << (7 - j);
      k[j].v = i % 4 == 0   ? spread_sign<0>(signs)
               : i % 4 == 1 ? spread_sign<1>(signs)
               : i % 4 == 2 ? spread_sign<2>(signs)
                            : spread_sign<3>(signs);
    }
  }
};

// By all threads, in two steps; the caller synchronises before, between and after.
template <class F, class Job>
__device__ __forceinline__ void make_rows(const Look& look, const Job& job, MixedMemory& memory) {
  if (threadIdx.x < 256) {
    const std::uint32_t counter[4] = {job.counter.high[0], job.counter.high[1], job.counter.high[2],
                                      0};
    std::uint32_t row[4];
    F::row(look, job.keys, counter, threadIdx.x, row);
    memory.rows[threadIdx.x] = {row[0], row[1], row[2], row[3]};
  } else if (threadIdx.x < 256 + 4 * (F::kRounds - 2)) {
    const unsigned i = threadIdx.x - 256;
    const std::uint32_t key = job.keys[12 + i];
    reinterpret_cast<std::uint32_t*>(memory.keys)[i] =
        i < 4 * (F::kRounds - 3) ? F::BeforeMix::unmix(key) : key;
  }
}
__device__ __forceinline__ void make_planes(MixedMemory& memory) {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(memory.rows);
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < 8 * kPlanesOfRows; i += kMixedThreads) {
    std::uint32_t plane = 0;
#pragma unroll
    for (unsigned b = 0; b < 32; ++b) {
      plane |= (words[4 * (i / kPlanesOfRows * 32 + b) + i % kPlanesOfRows / 32] >> i % 32 & 1)
               << b;
    }
    memory.planes[i / kPlanesOfRows][i % kPlanesOfRows] = plane;
  }
}

// The tiles of a job begin at a multiple of kGroupBlocks of the counter.
struct MixedTiles {
  std::uint32_t begin, end;  // of this thread block

  __device__ __forceinline__ MixedTiles(std::uint32_t low, std::uint64_t bytes) {
    const auto after = static_cast<std::uint32_t>(low + bytes / 16 - 1);
    const std::uint32_t all = 8 * (after / kGroupBlocks - low / kGroupBlocks + 1);
    const std::uint32_t each = (all + gridDim.x - 1) / gridDim.x;
    begin = min(all, each * blockIdx.x);
    end = begin + min(all - begin, each);
  }
  __device__ __forceinline__ static unsigned take(unsigned* next) {
    unsigned taken = 0;
    if (threadIdx.x % 32 == 0) taken = atomicAdd(next, 1);
    return __shfl_sync(0xffffffff, taken, 0);
  }
};

// A lane's blocks of a tile: block r is `first` + 256 r of the job, if that is at most `last`.
struct MixedPlace {
  std::uint32_t number;  // of block 0, by the counter's low word
  std::uint32_t first, last;
  long long at;

  template <class Job>
  __device__ __forceinline__ MixedPlace(const Job& job, unsigned tile) {
    const std::uint32_t low = job.counter.low;
    // Begins each row of a tile at a whole line of memory, so that no two warps share a sector.
    const auto shift =
        low - static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(job.out) / 16);
    const std::uint32_t column = (tile % 8 * 32 + threadIdx.x % 32 + shift % 8) % 256;
    const std::uint32_t offset = tile / 8 * kGroupBlocks + column;
    number = low / kGroupBlocks * kGroupBlocks + offset;
    first = number - low;
    last = static_cast<std::uint32_t>(job.bytes / 16 - 1);
    at = 16 * (static_cast<long long>(offset) - static_cast<long long>(low % kGroupBlocks));
  }
  __device__ __forceinline__ unsigned group() const { return number / kGroupBlocks % 8; }
  __device__ __forceinline__ bool has(unsigned r) const { return first + 256 * r <= last; }

  template <class F, class Job>
  __device__ __forceinline__ void fix(const Look& look, const Job& job,
                                      std::uint32_t (&fixed)[4]) const {
    const std::uint32_t counter[4] = {job.counter.high[0], job.counter.high[1], job.counter.high[2],
                                      big_endian(number & 0xffff00ff)};
    F::fix(look, job.keys, counter, fixed);
  }
};

template <class F, class Job>
__device__ __forceinline__ void look_up_tile(const Look& look, const Job& job,
                                             const MixedMemory& memory, unsigned tile) {
  const MixedPlace place(job, tile);
  std::uint32_t fixed[4];
  place.fix<F>(look, job, fixed);
  const uint4* row = memory.rows + 32 * place.group();
  std::uint8_t* out = job.out + place.at;
#pragma unroll 1
  for (unsigned r = 0; r < 32; ++r, ++row, out += 4096) {
    if (!place.has(r)) continue;
    std::uint32_t s[4] = {row->x, row->y, row->z, row->w};
    F::finish(look, job.keys, fixed, s);
    *reinterpret_cast<uint4*>(out) = {s[0], s[1], s[2], s[3]};
  }
}

template <class F, class Job>
__device__ __forceinline__ void bit_slice_tile(const Look& look, const Job& job,
                                               const MixedMemory& memory, unsigned tile) {
  using Rounds = typename F::BitSliced;
  BitslicedBit x[kPlanesOfRows];
  {
    const MixedPlace place(job, tile);
    std::uint32_t fixed[4];
    place.fix<F>(look, job, fixed);
    const auto* const planes = reinterpret_cast<const uint4*>(memory.planes[place.group()]);
#pragma unroll
    for (unsigned i = 0; i < kPlanesOfRows; i += 4) {
      const uint4 four = planes[i / 4];
      x[i].v = four.x ^ spread(fixed[i / 32], i % 32);
      x[i + 1].v = four.y ^ spread(fixed[i / 32], i % 32 + 1);
      x[i + 2].v = four.z ^ spread(fixed[i / 32], i % 32 + 2);
      x[i + 3].v = four.w ^ spread(fixed[i / 32], i % 32 + 3);
    }
  }
#pragma unroll 1
  for (unsigned round = 3; round < F::kRounds; ++round) {
    Rounds::round(x, RoundMasks{memory.keys[round - 3]});
  }
  Rounds::sub_shift_add(x, RoundMasks{memory.keys[F::kRounds - 3]});

  std::uint32_t word[4][32];
#pragma unroll
  for (unsigned i = 0; i < kPlanesOfRows; ++i) word[i / 32][i % 32] = x[i].v;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) transpose(word[i]);
  const MixedPlace place(job, tile);
#pragma unroll
  for (unsigned r = 0; r < 32; ++r) {
    if (!place.has(r)) continue;
    *reinterpret_cast<uint4*>(job.out + place.at + 4096 * r) = {word[0][r], word[1][r], word[2][r],
                                                                word[3][r]};
  }
}

// The registers of each thread of a warpgroup, from now on.
template <unsigned kCount, bool kMore>
__device__ __forceinline__ void set_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  if constexpr (kMore) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
  } else {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
  }
#endif
}

// The body is empty where registers cannot move: it would spill.
template <class F>
__global__ void __launch_bounds__(kMixedThreads, 1)
    mixed_kernel(const __grid_constant__ CtrParameters<typename F::Rounds> job) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || !defined(__CUDACC__)
  extern __shared__ __align__(128) std::uint8_t shared[];
  auto& memory = *reinterpret_cast<MixedMemory*>(shared + kTables * kTableBytes);
  const Look look = make_tables<F, kMixedThreads>(shared, job.keys);
  const MixedTiles tiles(job.counter.low, job.bytes);
  if (threadIdx.x == 0) memory.next_tile = tiles.begin;
  __syncthreads();
  make_rows<F>(look, job, memory);
  __syncthreads();
  make_planes(memory);
  __syncthreads();
  begin_behind_other_kernel();

  if (threadIdx.x < kTableThreads) {
    set_registers<88, false>();
#pragma unroll 1
    for (unsigned tile; (tile = MixedTiles::take(&memory.next_tile)) < tiles.end;) {
      look_up_tile<F>(look, job, memory, tile);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) make_last_part<typename F::Rounds>(look, job);
  } else {
    set_registers<240, true>();
#pragma unroll 1
    for (unsigned tile; (tile = MixedTiles::take(&memory.next_tile)) < tiles.end;) {
      bit_slice_tile<F>(look, job, memory, tile);
    }
  }
  wipe_shared<kMixedThreads>(&memory, sizeof(MixedMemory));
#endif
}

}  // namespace gpuctr::tables

#endif
