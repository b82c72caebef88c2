// GHASH as products of bit matrices, on tensor cores.
//
// Multiplication by a fixed power of H is a linear map of 128 bits. mma.m16n8k256 with operands of
// single bits counts, for 16 rows of 256 bits and 8 columns of 256, the ones of their AND; the
// lowest bit of a count is the product over GF(2). A lane's 16-byte block, as loaded, is the lane's
// part of operand A: row g takes words 0 and 2 of the blocks of lanes 4 g to 4 g + 3, row g + 8
// words 1 and
// 3. Operand B has the matrices of four powers of H, so that the four blocks of a row add up. Words
// 1 and 3 meet the matrices of words 0 and 2; what is missing is a factor x^32, which their rows
// get at the end.
//
// A warp goes through its blocks by Horner's rule: kHashSteps steps with falling powers of H add to
// the same counts; then the lowest bits are taken, and with the next turn they are multiplied by
// the power of H by which a turn of all warps moves on. The blocks before the first are zeros, so
// that the last turn is a whole one. At the end each row meets its power of H, then each warp.
//
// No address and no branch depends on data or key.
#include "kernels/gpu/cuda/ghash.h"

#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/gpu/cuda/kernel/store.cuh"

namespace gpuctr::cuda {
namespace {

constexpr unsigned kTiles = kHashTiles;
constexpr unsigned kSteps = kHashSteps;
constexpr unsigned kThreads = 32 * kHashWarps;
constexpr unsigned kAhead = 8;     // steps whose blocks are under way; divides kSteps
constexpr unsigned kColumns = 16;  // groups of 8 columns: the 128 bits of a product
static_assert(kSteps % kAhead == 0, "a turn ends with the ring at its start");

struct Tables {
  uint4 step[kSteps][kColumns / 2][32];  // a lane's part of B for two groups
  uint4 turn[kColumns / 4][32];          // and for four
  uint4 row[kHashRows];
  uint4 warp[kMostHashWarps];  // the last first
  uint4 before;                // the hash of what came before
  std::uint32_t sum[4];        // of all warps
  std::uint32_t ended;         // thread blocks
};
static_assert(sizeof(Tables) % sizeof(uint4) == 0, "they are wiped by uint4");

// Bit i of word w of a block in memory, words little-endian, is coefficient:
__device__ __forceinline__ unsigned coefficient(unsigned word, unsigned bit) {
  return 8 * (4 * word + bit / 8) + 7 - bit % 8;
}

__device__ __forceinline__ std::uint32_t big_endian(std::uint32_t x) {
  return __byte_perm(x, 0, 0x0123);
}
__device__ __forceinline__ uint4 big_endian(uint4 x) {
  return {big_endian(x.x), big_endian(x.y), big_endian(x.z), big_endian(x.w)};
}

// x v, of big-endian words.
__device__ __forceinline__ uint4 times_x(uint4 v) {
  const std::uint32_t carry = 0u - (v.w & 1);
  return {v.x >> 1 ^ (carry & 0xe1000000), __funnelshift_r(v.y, v.x, 1),
          __funnelshift_r(v.z, v.y, 1), __funnelshift_r(v.w, v.z, 1)};
}

// The product in the field, of big-endian words.
__device__ __noinline__ uint4 multiply(uint4 a, uint4 b) {
  const std::uint32_t words[4] = {a.x, a.y, a.z, a.w};
  uint4 sum = {0, 0, 0, 0};
#pragma unroll
  for (unsigned w = 0; w < 4; ++w) {
    std::uint32_t bits = words[w];
#pragma unroll 4
    for (unsigned i = 0; i < 32; ++i, bits <<= 1, b = times_x(b)) {
      const std::uint32_t taken = 0u - (bits >> 31);
      sum = {sum.x ^ (b.x & taken), sum.y ^ (b.y & taken), sum.z ^ (b.z & taken),
             sum.w ^ (b.w & taken)};
    }
  }
  return sum;
}

__device__ __forceinline__ uint4 load_power(const std::uint32_t* p) {
  return {p[0], p[1], p[2], p[3]};
}

__device__ __forceinline__ std::uint32_t word_of(uint4 v, unsigned i) {
  return i < 2 ? (i == 0 ? v.x : v.y) : (i == 2 ? v.z : v.w);
}

// Lane i has the word of B's column whose bit i is coefficient `of_word`, i of x^k times `power`:
// out(group, column, bits of the 32 rows) for all 128 columns. Column 8 t + j is bit
// 16 (j % 2) + t of word j / 2 of the product.
template <class Out>
__device__ __forceinline__ void transpose(uint4 power, unsigned of_word, Out out) {
  const unsigned lane = threadIdx.x % 32;
  uint4 v = big_endian(power);
  const unsigned times = coefficient(of_word, lane);
#pragma unroll 1
  for (unsigned k = 0; k < times; ++k) v = times_x(v);
  v = big_endian(v);
  __syncwarp();
#pragma unroll 1
  for (unsigned t = 0; t < kColumns; ++t) {
    for (unsigned j = 0; j < 8; ++j) {
      const std::uint32_t bits =
          __ballot_sync(0xffffffff, word_of(v, j / 2) >> (16 * (j % 2) + t) & 1);
      if (lane == j) out(t, j, bits);
    }
  }
}

struct TableJob {
  HashPowers powers;
  std::uint32_t before[4];
};

// Thread blocks of a warp: kSteps * 4 for the steps' matrices, 4 for the turn's, the others for the
// powers of rows and warps.
constexpr unsigned kStepBlocks = 4 * kSteps;
constexpr unsigned kMatrixBlocks = kStepBlocks + 4;

__global__ void __launch_bounds__(32)
    table_kernel(const __grid_constant__ TableJob job, unsigned warps, Tables* tables) {
  const HashPowers& powers = job.powers;
  const unsigned block = blockIdx.x;
  const unsigned lane = threadIdx.x;
  if (block < kStepBlocks) {
    const unsigned s = block / 4;
    const unsigned q = block % 4;
    auto* const words = reinterpret_cast<std::uint32_t*>(tables->step[s]);
    for (unsigned half = 0; half < 2; ++half) {
      transpose(load_power(powers.step[block]), 2 * half,
                [&](unsigned t, unsigned j, std::uint32_t bits) {
                  words[(t / 2 * 32 + 4 * j + q) * 4 + t % 2 * 2 + half] = bits;
                });
    }
  } else if (block < kMatrixBlocks) {
    const unsigned q = block - kStepBlocks;
    auto* const words = reinterpret_cast<std::uint32_t*>(tables->turn);
    transpose(load_power(powers.turn), q, [&](unsigned t, unsigned j, std::uint32_t bits) {
      words[(t / 4 * 32 + 4 * j + q) * 4 + t % 4] = bits;
    });
  } else {
    if (block == kMatrixBlocks && lane < kHashRows) {
      tables->row[lane] = big_endian(load_power(powers.row[lane]));
    }
    if (block == kMatrixBlocks && lane == 0) {
      tables->before = load_power(job.before);
      for (std::uint32_t& word : tables->sum) word = 0;
      tables->ended = 0;
    }
    const unsigned w = (block - kMatrixBlocks) * 32 + lane;
    if (w < warps) {
      tables->warp[w] = multiply(big_endian(load_power(powers.fine[w % 32])),
                                 big_endian(load_power(powers.coarse[w / 32])));
    }
  }
}

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
using Sums = std::uint32_t[kTiles][2];

struct HashJob {
  Tables* tables;
  const std::uint8_t* in;
  std::uint64_t blocks;
  unsigned turns;
  std::uint64_t zeros;  // blocks before the first
  const uint4* before;  // of `tables`; to compute it here takes registers
  uint4* to;
};

// The blocks of one lane, in the order in which its warp takes them. They are asked for long before
// they are used: nothing may touch them in between.
template <bool kAligned>
class Blocks {
 public:
  __device__ Blocks(const HashJob& job, std::uint64_t first_block)
      : in_(job.in), count_(job.blocks), at_(first_block - job.zeros) {}

  // The next step's.
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
    uint4 x = {0, 0, 0, 0};  // before the first: a number that wrapped
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

// The hash so far meets the first block, which is in the first turn.
__device__ __forceinline__ void add_hash_so_far(const HashJob& job, std::uint64_t first_block,
                                                unsigned step, uint4 (&x)[kTiles]) {
#pragma unroll
  for (unsigned m = 0; m < kTiles; ++m) {
    if (first_block + 32 * (kTiles * step + m) != job.zeros) continue;
    x[m] = xor4(x[m], *job.before);
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
      multiply_add(counts[m][t], sums[m], b.x);
      multiply_add(counts[m][t + 1], sums[m], b.y);
      multiply_add(counts[m][t + 2], sums[m], b.z);
      multiply_add(counts[m][t + 3], sums[m], b.w);
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

// The lowest bits of the counts: in this lane's word of its rows, where the next turn takes them.
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
      sums[m][i] = sum;
    }
  }
}

__device__ __forceinline__ std::uint32_t sum_of_warp(std::uint32_t x) {
#ifdef GPUCTR_BIT_MATRICES
  return __reduce_xor_sync(0xffffffff, x);
#else
  return x;
#endif
}

// `rows`: this warp's, in shared memory.
__device__ __forceinline__ void add_to_sum(const HashJob& job, unsigned warp, unsigned warps,
                                           const Sums& sums, std::uint32_t* rows) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned m = 0; m < kTiles; ++m) {
    for (unsigned i = 0; i < 2; ++i) {
      rows[(16 * m + 8 * i + lane / 4) * 4 + lane % 4] = sums[m][i];
    }
  }
  __syncwarp();
  uint4 sum = {0, 0, 0, 0};
  for (unsigned row = lane; row < kHashRows; row += 32) {
    const uint4 mine = big_endian(reinterpret_cast<const uint4*>(rows)[row]);
    sum = xor4(sum, multiply(mine, job.tables->row[row]));
  }
  __syncwarp();
  for (unsigned i = lane; i < 4 * kHashRows; i += 32) {
    static_cast<volatile std::uint32_t*>(rows)[i] = 0;
  }
  sum = {sum_of_warp(sum.x), sum_of_warp(sum.y), sum_of_warp(sum.z), sum_of_warp(sum.w)};
  if (lane != 0) return;
  sum = big_endian(multiply(sum, job.tables->warp[warps - 1 - warp]));
  atomicXor(job.tables->sum, sum.x);
  atomicXor(job.tables->sum + 1, sum.y);
  atomicXor(job.tables->sum + 2, sum.z);
  atomicXor(job.tables->sum + 3, sum.w);
}

// The thread block that ends last hands the sum over and wipes what the card keeps of the key. All
// threads of a block come here, and need nothing more of the tables. A function of its own:
// inlined, it costs the loop registers, of which it has none left.
__device__ __noinline__ void hand_over(Tables* tables, uint4* to) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&tables->ended, 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  if (threadIdx.x == 0) {
    const volatile std::uint32_t* const sum = tables->sum;
    *to = {sum[0], sum[1], sum[2], sum[3]};
  }
  __syncthreads();
  auto* const words = reinterpret_cast<uint4*>(tables);
  for (unsigned i = threadIdx.x; i < sizeof(Tables) / sizeof(uint4); i += kThreads) {
    words[i] = {0, 0, 0, 0};
  }
}

struct Shared {
  uint4 step[kSteps * kColumns / 2][32];
  uint4 turn[kColumns / 4][32];
  alignas(16) std::uint32_t rows[kHashWarps][kHashRows * 4];
};

template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 1) hash_kernel(const HashJob job) {
  extern __shared__ uint4 dynamic[];
  auto& shared = *reinterpret_cast<Shared*>(dynamic);
  auto& step = shared.step;
  auto& turn = shared.turn;
  auto& rows = shared.rows;
#pragma unroll 8
  for (unsigned i = threadIdx.x; i < kSteps * kColumns / 2 * 32; i += kThreads)
    step[0][i] = job.tables->step[0][0][i];
  for (unsigned i = threadIdx.x; i < kColumns / 4 * 32; i += kThreads)
    turn[0][i] = job.tables->turn[0][i];
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  const unsigned warps = gridDim.x * kHashWarps;
  const unsigned warp = blockIdx.x * kHashWarps + threadIdx.x / 32;
  const std::uint64_t first_block = std::uint64_t{warp} * kHashWarpBlocks + lane;
  Blocks<kAligned> blocks(job, first_block);
  const std::uint64_t to_next_turn = std::uint64_t{warps - 1} * kHashWarpBlocks;
  uint4 x[kAhead][kTiles];
#pragma unroll
  for (unsigned i = 0; i < kAhead; ++i) blocks.next(x[i], to_next_turn);
  Sums sums = {};
#pragma unroll 1
  for (unsigned t = 0; t < job.turns; ++t) {
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
  add_to_sum(job, warp, warps, sums, rows[threadIdx.x / 32]);
  hand_over(job.tables, job.to);
  // Shared memory outlives the kernel, and the matrices are the key's.
  for (unsigned i = threadIdx.x; i < kSteps * kColumns / 2 * 32; i += kThreads) {
    auto* const words = reinterpret_cast<volatile std::uint32_t*>(&step[0][i]);
    for (unsigned j = 0; j < 4; ++j) words[j] = 0;
  }
  for (unsigned i = threadIdx.x; i < kColumns / 4 * 32; i += kThreads) {
    auto* const words = reinterpret_cast<volatile std::uint32_t*>(&turn[0][i]);
    for (unsigned j = 0; j < 4; ++j) words[j] = 0;
  }
}

}  // namespace

std::size_t hash_table_bytes() { return sizeof(Tables); }

unsigned hash_warps(unsigned processors) {
  const unsigned warps = processors * kHashWarps;
  return warps < kMostHashWarps ? warps : kMostHashWarps;
}

cudaError_t make_hash_tables(cudaStream_t stream, const HashPowers& powers,
                             const std::uint8_t* before, unsigned processors, void* tables) {
  const unsigned warps = hash_warps(processors);
  Wiped<TableJob> job;
  job.value.powers = powers;
  std::memcpy(job.value.before, before, sizeof job.value.before);
  table_kernel<<<kMatrixBlocks + (warps + 31) / 32, 32, 0, stream>>>(job.value, warps,
                                                                     static_cast<Tables*>(tables));
  return cudaGetLastError();
}

cudaError_t hash_blocks(cudaStream_t stream, void* tables, unsigned processors, const void* in,
                        std::size_t blocks, void* to) {
  const unsigned warps = hash_warps(processors);
  const std::uint64_t of_a_turn = std::uint64_t{warps} * kHashWarpBlocks;
  const std::uint64_t turns = (blocks + of_a_turn - 1) / of_a_turn;
  auto* const of_key = static_cast<Tables*>(tables);
  const HashJob job = {of_key,
                       static_cast<const std::uint8_t*>(in),
                       blocks,
                       static_cast<unsigned>(turns),
                       turns * of_a_turn - blocks,
                       &of_key->before,
                       static_cast<uint4*>(to)};
  const bool aligned = reinterpret_cast<std::uintptr_t>(in) % 16 == 0;
  const auto kernel = aligned ? hash_kernel<true> : hash_kernel<false>;
  constexpr unsigned kBytes = sizeof(Shared);
  if (const cudaError_t error =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes)) {
    return error;
  }
  kernel<<<warps / kHashWarps, kThreads, kBytes, stream>>>(job);
  return cudaGetLastError();
}

}  // namespace gpuctr::cuda
