// What GHASH's kernels keep of a key while they hash, how it is made on the card, and how a warp's
// sums become one. `F` is a form of the product of bit matrices: ghash.cu has one, kernel/wgmma.cuh
// the other. It says in which order warps go through the blocks (kOrder) and where a word of an
// operand lies (step_word, turn_word).
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_HASH_TABLES_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_HASH_TABLES_CUH

#include <cstddef>
#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/gpu/cuda/ghash.h"
#include "kernels/gpu/cuda/kernel/hash_field.cuh"
#include "kernels/gpu/cuda/kernel/store.cuh"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr::cuda {

constexpr unsigned kColumns = 16;  // groups of 8 columns: the 128 bits of a product

template <class F>
struct HashTables {
  std::uint32_t step[F::kOrder.steps()][1024];  // 256 rows of 128 columns
  std::uint32_t turn[F::kTurnWords];
  uint4 row[F::kOrder.rows()];
  uint4 warp[kMostHashBlocks * F::kOrder.warps];
  uint4 before;          // the hash of what came before
  std::uint32_t sum[4];  // of all warps
  std::uint32_t copied;  // thread blocks that have their copy of the matrices
  std::uint32_t ended;   // thread blocks
  std::uint32_t unused[2];
};

// A run of blocks to be hashed, as a kernel takes it.
template <class F>
struct HashRun {
  HashTables<F>* tables;
  std::uint64_t blocks;
  std::uint64_t zeros;  // blocks before the first: warps begin together and end with whole units
  unsigned units;       // that each warp takes
  uint4* to;

  static HashRun make(void* tables, std::size_t blocks, unsigned grid, void* to) {
    const std::uint64_t at_once = F::kOrder.blocks_at_once(grid);
    const std::uint64_t units = (blocks + at_once - 1) / at_once;
    return {static_cast<HashTables<F>*>(tables), blocks, units * at_once - blocks,
            static_cast<unsigned>(units), static_cast<uint4*>(to)};
  }
};

// Bit i of word w of a block in memory, words little-endian, is coefficient
// 8 * (4 * w + i / 8) + 7 - i % 8. Lane i has the word of a column whose bit i is coefficient
// `of_word`, i of x^k times `power`, which is big-endian: out(group, column, bits of the 32 rows)
// for all 128 columns. Column 8 t + j is bit 16 (j % 2) + t of word j / 2 of the product.
template <class Out>
__device__ __forceinline__ void transpose(uint4 power, unsigned of_word, Out out) {
  const unsigned lane = threadIdx.x % 32;
  uint4 v = power;
#pragma unroll 1
  for (unsigned i = 0; i < of_word; ++i) v = times_x32(v);
#pragma unroll 1
  for (unsigned i = 0; i < lane / 8; ++i) v = times_x8(v);
#pragma unroll 1
  for (unsigned i = lane % 8; i < 7; ++i) v = times_x(v);
  v = big_endian(v);
  __syncwarp();
#pragma unroll 4
  for (unsigned t = 0; t < kColumns; ++t) {
    std::uint32_t mine = 0;
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) {
      const std::uint32_t bits =
          __ballot_sync(0xffffffff, word_of(v, j / 2) >> (16 * (j % 2) + t) & 1);
      if (lane == j) mine = bits;
    }
    if (lane < 8) out(t, lane, mine);
  }
}

struct TableJob {
  HashPowers powers;
  std::uint32_t before[4];
};
static_assert(is_scrubbed(sizeof(TableJob) + 32, 0), "cuda_scrub overwrites no more");

__device__ __forceinline__ uint4 load_power(const std::uint32_t* p) {
  return {p[0], p[1], p[2], p[3]};
}
__device__ __forceinline__ uint4 power_product(const std::uint32_t* a, const std::uint32_t* b) {
  return multiply(big_endian(load_power(a)), big_endian(load_power(b)));
}

template <class F>
constexpr unsigned kStepBlocksOf = 8 * F::kOrder.steps();

// Thread blocks of a warp: 8 for each step's matrix, 4 for the turn's, the others for the powers of
// rows and warps. A kernel behind it may begin beside it. Steps before `first_step` are of no use
// to the run.
template <class F>
__global__ void __launch_bounds__(32)
    table_kernel(const __grid_constant__ TableJob job, unsigned grid, unsigned first_step,
                 HashTables<F>* tables) {
  constexpr HashOrder kOrder = F::kOrder;
  constexpr unsigned kStepBlocks = kStepBlocksOf<F>;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  const HashPowers& powers = job.powers;
  const unsigned block = blockIdx.x;
  const unsigned lane = threadIdx.x;
  const unsigned q = block % 4;
  if (block < kStepBlocks) {
    const unsigned step = block / 8;
    const unsigned half = block / 4 % 2;
    if (step < first_step) return;
    const uint4 power = power_product(powers.unit[step / kOrder.steps_a_unit],
                                      powers.step[4 * (step % kOrder.steps_a_unit) + q]);
    transpose(power, 2 * half, [&](unsigned t, unsigned j, std::uint32_t bits) {
      tables->step[step][F::step_word(t, j, q, half)] = bits;
    });
    return;
  }
  if (block < kStepBlocks + 4) {
    transpose(big_endian(load_power(powers.turn)), q,
              [&](unsigned t, unsigned j, std::uint32_t bits) {
                tables->turn[F::turn_word(t, j, q)] = bits;
                if (F::kTurnWords > 512) tables->turn[F::turn_word(t, j, q) + 32] = 0;
              });
    return;
  }
  if (block == kStepBlocks + 4) {
    if (lane < kOrder.rows()) tables->row[lane] = big_endian(load_power(powers.row[lane]));
    if (lane == 0) {
      tables->before = load_power(job.before);
      for (std::uint32_t& word : tables->sum) word = 0;
      tables->copied = tables->ended = 0;
    }
  }
  const unsigned warp = (block - kStepBlocks - 4) * 32 + lane;
  if (warp >= grid * kOrder.warps) return;
  const unsigned behind = grid - 1 - warp / kOrder.warps;
  const std::uint32_t* const in_block = powers.warp[kOrder.warps - 1 - warp % kOrder.warps];
  tables->warp[warp] =
      multiply(power_product(powers.fine[behind % kHashSide], powers.coarse[behind / kHashSide]),
               big_endian(load_power(in_block)));
}

template <class F>
cudaError_t make_tables_of(cudaStream_t stream, const HashPowers& powers,
                           const std::uint8_t* before, unsigned grid, unsigned first_step,
                           void* tables) {
  Wiped<TableJob> job;
  job.value.powers = powers;
  std::memcpy(job.value.before, before, sizeof job.value.before);
  const unsigned blocks = kStepBlocksOf<F> + 4 + (grid * F::kOrder.warps + 31) / 32;
  table_kernel<F>
      <<<blocks, 32, 0, stream>>>(job.value, grid, first_step, static_cast<HashTables<F>*>(tables));
  return cudaGetLastError();
}

__device__ __forceinline__ std::uint32_t sum_of_warp(std::uint32_t x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_xor_sync(0xffffffff, x);
#else
  return x;
#endif
}

__device__ __forceinline__ uint4 sum_of_warp(uint4 x) {
  return {sum_of_warp(x.x), sum_of_warp(x.y), sum_of_warp(x.z), sum_of_warp(x.w)};
}

// Adds the sums of a thread block's warps, which lie in `rows`, 16 bytes each in shared memory that
// is the warp's own, to the card's; wipes them there.
template <class F>
__device__ __forceinline__ void add_to_sum(HashTables<F>* tables, std::uint32_t* rows) {
  constexpr unsigned kRows = F::kOrder.rows();
  constexpr unsigned kWarps = F::kOrder.warps;
  __shared__ uint4 of_warps[kWarps];
  const unsigned lane = threadIdx.x % 32;
  __syncwarp();
  uint4 sum = {0, 0, 0, 0};
  if (lane < kRows) {
    sum = multiply(big_endian(reinterpret_cast<const uint4*>(rows)[lane]), tables->row[lane]);
  }
  __syncwarp();
  for (unsigned i = lane; i < 4 * kRows; i += 32) static_cast<volatile std::uint32_t*>(rows)[i] = 0;
  sum = sum_of_warp(sum);
  if (lane == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = {0, 0, 0, 0};
  if (lane < kWarps) {
    sum = multiply(of_warps[lane], tables->warp[blockIdx.x * kWarps + lane]);
    auto* const words = reinterpret_cast<volatile std::uint32_t*>(of_warps + lane);
    for (unsigned i = 0; i < 4; ++i) words[i] = 0;
  }
  sum = big_endian(sum_of_warp(sum));
  if (lane != 0) return;
  atomicXor(tables->sum, sum.x);
  atomicXor(tables->sum + 1, sum.y);
  atomicXor(tables->sum + 2, sum.z);
  atomicXor(tables->sum + 3, sum.w);
}

template <class F>
__device__ __forceinline__ void wipe_tables(HashTables<F>* tables, std::size_t from,
                                            std::size_t to) {
  static_assert(sizeof(HashTables<F>) % sizeof(uint4) == 0, "they are wiped by uint4");
  auto* const words = reinterpret_cast<uint4*>(tables);
  for (std::size_t i = from / sizeof(uint4) + threadIdx.x; i < to / sizeof(uint4);
       i += blockDim.x) {
    words[i] = {0, 0, 0, 0};
  }
}

// Whether this thread block is the last to come here; by all its threads.
__device__ __forceinline__ bool is_last_block(std::uint32_t* count) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(count, 1) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  return is_last;
}

// When a block has its copy of the matrices: the last wipes the card's.
template <class F>
__device__ __forceinline__ void matrices_copied(HashTables<F>* tables) {
  if (is_last_block(&tables->copied)) wipe_tables(tables, 0, offsetof(HashTables<F>, row));
}

// The thread block that ends last hands the sum over and wipes what the card keeps of the key. All
// threads of a block come here, and need nothing more of the tables.
template <class F>
__device__ __forceinline__ void hand_over(HashTables<F>* tables, uint4* to) {
  if (!is_last_block(&tables->ended)) return;
  if (threadIdx.x == 0) {
    const volatile std::uint32_t* const sum = tables->sum;
    *to = {sum[0], sum[1], sum[2], sum[3]};
  }
  __syncthreads();
  wipe_tables(tables, offsetof(HashTables<F>, row), sizeof(HashTables<F>));
}

// A lane's words of its warp's rows: of rows lane / 4 and lane / 4 + 8 of each tile.
template <class F>
struct RowWords {
  std::uint32_t of[F::kOrder.tiles][2];
};

// The end of a kernel: the sums of this warp, of all, and the wiping of the tables. `rows` is
// shared memory, F::kRowsBytes for each warp of the block. A function of its own: inlined, it costs
// the loop registers, of which it has none left.
template <class F>
__device__ __noinline__ void finish(HashTables<F>* tables, uint4* to, std::uint8_t* rows,
                                    RowWords<F> words) {
  const unsigned lane = threadIdx.x % 32;
  auto* const mine = reinterpret_cast<std::uint32_t*>(rows + threadIdx.x / 32 * F::kRowsBytes);
#pragma unroll
  for (unsigned m = 0; m < F::kOrder.tiles; ++m) {
    mine[(16 * m + lane / 4) * 4 + lane % 4] = words.of[m][0];
    mine[(16 * m + lane / 4 + 8) * 4 + lane % 4] = words.of[m][1];
  }
  add_to_sum(tables, mine);
  hand_over(tables, to);
}

}  // namespace gpuctr::cuda

#endif
