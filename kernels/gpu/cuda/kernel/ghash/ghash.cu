// GHASH as products of bit matrices, on tensor cores.
//
// Multiplication by a fixed power of H is a linear map of 128 bits. mma.m16n8k256 with operands of
// single bits counts the ones of the AND of 16 rows of 256 bits with 8 columns of 256 bits. The
// lowest bit of a count is the product over GF(2). A lane's 16-byte block, as loaded, is the lane's
// part of operand A. Row g takes words 0 and 2 of the blocks of lanes 4 g to 4 g + 3, row g + 8
// words 1 and 3. Operand B has the matrices of four powers of H, so that the products of a row's
// four blocks are added. Words 1 and 3 are multiplied by the matrices of words 0 and 2. The missing
// factor x^32 is applied to their rows at the end.
//
// A warp processes its blocks by Horner's rule. The steps of a turn, with falling powers of H, add
// to the same counts. Then the lowest bits of the counts are taken. In the next turn they are
// multiplied by the power of H for the distance between two turns. Blocks before the first are
// zeros, so that the last turn is whole. At the end each row, and then each warp, is multiplied by
// its power of H.
//
// No address and no branch depends on data or key.
#include "kernels/gpu/cuda/ghash.h"

#include "kernels/gpu/cuda/kernel/early.cuh"
#include "kernels/gpu/cuda/kernel/ghash/sum.cuh"

namespace gpuctr::cuda {
inline namespace ghash_cuda {

struct Mma {
  static constexpr HashOrder kOrder = kMmaOrder;
  static constexpr unsigned kTurnWords = 512;
  // A lane's part of B: two groups of columns for a step, four for the turn.
  __device__ __forceinline__ static void put_step(std::uint32_t* matrix, unsigned t, unsigned j,
                                                  unsigned half, uint4 of_blocks) {
    std::uint32_t* const to = matrix + (t / 2 * 32 + 4 * j) * 4 + t % 2 * 2 + half;
    to[0] = of_blocks.x, to[4] = of_blocks.y, to[8] = of_blocks.z, to[12] = of_blocks.w;
  }
  __device__ __forceinline__ static void put_turn(std::uint32_t* matrix, unsigned t, unsigned j,
                                                  unsigned half, uint4 of_words) {
    if (half != 0) return;
    std::uint32_t* const to = matrix + (t / 4 * 32 + 4 * j) * 4 + t % 4;
    to[0] = of_words.x, to[4] = of_words.y, to[8] = of_words.z, to[12] = of_words.w;
  }
};

constexpr unsigned kTiles = kMmaOrder.tiles;
constexpr unsigned kSteps = kMmaOrder.steps();
constexpr unsigned kThreads = 32 * kMmaOrder.warps;
constexpr unsigned kAhead = 8;  // steps whose blocks are being loaded; divides kSteps
static_assert(kSteps % kAhead == 0, "a turn ends with the ring at its start");

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000
#define GPUCTR_BIT_MATRICES 1
#endif

// counts += A B
__device__ __forceinline__ void multiply_add(int (&c)[4], uint4 a, std::uint32_t b0,
                                             std::uint32_t b1) {
#ifdef GPUCTR_BIT_MATRICES
  asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
#endif
}
__device__ __forceinline__ void multiply_add(int (&c)[4], const std::uint32_t (&a)[2],
                                             std::uint32_t b) {
#ifdef GPUCTR_BIT_MATRICES
  asm("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5}, "
      "{%6}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
#endif
}

using Counts = int[kTiles][kColumns][4];
using Sums = RowWords<Mma>;

struct HashJob {
  HashPowers powers;
  uint4 before;
  HashRun<Mma> run;
  const std::uint8_t* in;
};
static_assert(is_scrubbed(sizeof(HashJob), 0), "cuda_scrub overwrites no more");

// The blocks of one lane, in the order in which its warp takes them. Each load is issued long
// before its use: no code may touch the registers in between.
template <bool kAligned>
class Blocks {
 public:
  __device__ Blocks(const HashJob& job, std::uint64_t first_block)
      : in_(job.in), count_(job.run.blocks), at_(first_block - job.run.zeros) {}

  // Loads the blocks of the next step.
  __device__ __forceinline__ void next(uint4 (&x)[kTiles], std::uint64_t to_next_turn) {
#pragma unroll
    for (unsigned m = 0; m < kTiles; ++m) x[m] = load(at_ + 32 * m);
    at_ += 32 * kTiles;
    if (++step_ == kSteps) {
      step_ = 0;
      at_ += to_next_turn;
    }
  }

 private:
  __device__ __forceinline__ uint4 load(std::uint64_t i) const {
    uint4 x = {0, 0, 0, 0};  // stays 0 before the first block, where the number has wrapped
    if (i < count_) {
      x = kAligned ? __ldcs(reinterpret_cast<const uint4*>(in_) + i) : load_any(in_ + 16 * i);
    }
    return x;
  }

  const std::uint8_t* in_;
  std::uint64_t count_;
  std::uint64_t at_;
  unsigned step_ = 0;
};

// XORs the hash so far into the first block, which is in the first turn.
__device__ __forceinline__ void add_hash_so_far(const HashJob& job, std::uint64_t first_block,
                                                unsigned step, uint4 (&x)[kTiles]) {
#pragma unroll
  for (unsigned m = 0; m < kTiles; ++m) {
    if (first_block + 32 * (kTiles * step + m) != job.run.zeros) continue;
    x[m] = xor4(x[m], job.before);
  }
}

__device__ __forceinline__ void begin_turn(const uint4 (*turn)[32], unsigned lane, const Sums& sums,
                                           Counts& counts) {
#pragma unroll
  for (unsigned m = 0; m < kTiles; ++m) {
#pragma unroll
    for (unsigned t = 0; t < kColumns; ++t) {
      counts[m][t][0] = counts[m][t][1] = counts[m][t][2] = counts[m][t][3] = 0;
    }
  }
#pragma unroll
  for (unsigned t = 0; t < kColumns; t += 4) {
    const uint4 b = turn[t / 4][lane];
#pragma unroll
    for (unsigned m = 0; m < kTiles; ++m) {
      multiply_add(counts[m][t], sums.of[m], b.x);
      multiply_add(counts[m][t + 1], sums.of[m], b.y);
      multiply_add(counts[m][t + 2], sums.of[m], b.z);
      multiply_add(counts[m][t + 3], sums.of[m], b.w);
    }
  }
}

__device__ __forceinline__ void make_step(const uint4 (*step)[32], unsigned lane,
                                          const uint4 (&x)[kTiles], Counts& counts) {
#pragma unroll
  for (unsigned t = 0; t < kColumns; t += 2) {
    const uint4 b = step[t / 2][lane];
#pragma unroll
    for (unsigned m = 0; m < kTiles; ++m) {
      multiply_add(counts[m][t], x[m], b.x, b.y);
      multiply_add(counts[m][t + 1], x[m], b.z, b.w);
    }
  }
}

// Takes the lowest bits of the counts into this lane's word of its rows, where the next turn reads
// them.
__device__ __forceinline__ void end_turn(const Counts& counts, Sums& sums) {
#pragma unroll
  for (unsigned m = 0; m < kTiles; ++m) {
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
      std::uint32_t sum = 0;
#pragma unroll
      for (unsigned t = 0; t < kColumns; ++t) {
        const std::uint32_t two =
            __byte_perm(static_cast<std::uint32_t>(counts[m][t][2 * i]),
                        static_cast<std::uint32_t>(counts[m][t][2 * i + 1]), 0x5410);
        sum |= (two & 0x00010001) << t;
      }
      sums.of[m][i] = sum;
    }
  }
}

struct Shared {
  HashMatrices<Mma> hash;
  uint4 rows[2 * kMmaOrder.warps * kMmaOrder.rows()];
};

template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 1) hash_kernel(const __grid_constant__ HashJob job) {
  extern __shared__ uint4 dynamic[];
  auto& shared = *reinterpret_cast<Shared*>(dynamic);
  make_matrices(job.powers, 0, &shared.hash);
  __syncthreads();
  const auto* const step = reinterpret_cast<const uint4(*)[32]>(shared.hash.step);
  const auto* const turn = reinterpret_cast<const uint4(*)[32]>(shared.hash.turn);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warps = gridDim.x * kMmaOrder.warps;
  const unsigned warp = threadIdx.x / 32 * gridDim.x + blockIdx.x;
  const std::uint64_t first_block = std::uint64_t{warp} * kMmaOrder.turn_blocks() + lane;
  Blocks<kAligned> blocks(job, first_block);
  const std::uint64_t to_next_turn = std::uint64_t{warps - 1} * kMmaOrder.turn_blocks();
  begin_behind_other_kernel();
  uint4 x[kAhead][kTiles];
#pragma unroll
  for (unsigned i = 0; i < kAhead; ++i) blocks.next(x[i], to_next_turn);
  Sums sums = {};
#pragma unroll 1
  for (unsigned t = 0; t < job.run.units; ++t) {
    Counts counts;
    begin_turn(turn, lane, sums, counts);
#pragma unroll 1
    for (unsigned s = 0; s < kSteps; s += kAhead) {
#pragma unroll
      for (unsigned i = 0; i < kAhead; ++i) {
        if (t == 0) add_hash_so_far(job, first_block, s + i, x[i]);
        make_step(step + (s + i) * (kColumns / 2), lane, x[i], counts);
        blocks.next(x[i], to_next_turn);
      }
    }
    end_turn(counts, sums);
  }
  finish(job.powers, shared.hash, job.run.state, job.run.end, shared.rows, sums);
  // Shared memory keeps its content after the kernel, and the matrices depend on the key.
  auto* const words = reinterpret_cast<volatile std::uint32_t*>(dynamic);
  for (unsigned i = threadIdx.x; i < sizeof(Shared) / 4; i += kThreads) words[i] = 0;
}

}  // namespace ghash_cuda

cudaError_t hash_by_mma(cudaStream_t stream, const HashSpan& span) {
  Wiped<HashJob> job;
  job.value.powers = span.place.powers;
  std::memcpy(&job.value.before, span.before, 16);
  job.value.run = HashRun<Mma>::make(span.place, span.blocks);
  job.value.in = static_cast<const std::uint8_t*>(span.in);
  const bool aligned = reinterpret_cast<std::uintptr_t>(span.in) % 16 == 0;
  return launch_early(aligned ? hash_kernel<true> : hash_kernel<false>, span.place.grid, kThreads,
                      sizeof(Shared), stream, span.place.behind_counter, job.value);
}

}  // namespace gpuctr::cuda
