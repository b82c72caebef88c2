// Combines the sums of all warps into one hash, for both forms of GHASH's kernels (matrices.cuh).
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_GHASH_SUM_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_GHASH_SUM_CUH

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/gpu/cuda/ghash.h"
#include "kernels/gpu/cuda/kernel/ghash/matrices.cuh"
#include "kernels/gpu/cuda/kernel/store.cuh"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr::cuda {

// Device memory of a stream. It is all zeros between two runs: each run leaves zeros.
struct HashState {
  std::uint32_t sum[4];  // of all warps
  std::uint32_t ended;   // finished thread blocks
  std::uint32_t unused[3];
};
static_assert(sizeof(HashState) == kHashStateBytes, "the host clears it");

// Where a run's hash goes: the kernel writes the hash to `to` and then `ticket` to `flag`. The host
// may read the hash and reuse both as soon as it sees the ticket.
struct HashEnd {
  uint4* to;
  std::uint32_t* flag;
  std::uint32_t ticket;
};

// The parameters of a kernel that hashes a run of blocks.
template <class F>
struct HashRun {
  HashState* state;
  std::uint64_t blocks;
  std::uint64_t zeros;  // before the first block, so that all warps end with whole units
  unsigned units;       // units of each warp
  HashEnd end;

  static HashRun make(const HashPlace& place, std::size_t blocks) {
    const std::uint64_t at_once = F::kOrder.blocks_at_once(place.grid);
    const std::uint64_t units = (blocks + at_once - 1) / at_once;
    return {static_cast<HashState*>(place.state),
            blocks,
            units * at_once - blocks,
            static_cast<unsigned>(units),
            {static_cast<uint4*>(place.to), place.flag, place.ticket}};
  }
};

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

// Whether this thread block is the last to call this. Called by one thread after a barrier of the
// thread block: what its other threads wrote becomes visible first, and what other thread blocks
// wrote is visible.
__device__ __forceinline__ bool is_last_block(std::uint32_t* count) {
  std::uint32_t before = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(before) : "l"(count) : "memory");
#endif
  return before == gridDim.x - 1;
}

// Adds the sums of a thread block's warps to the device's sums. `block_vector` has the rows of each
// warp, and as much free room. Called by all threads of the thread block. Only one thread gets the
// result: whether this thread block is the last.
template <class F>
__device__ __forceinline__ bool add_to_sum(const HashPowers& powers, const HashMatrices<F>& made,
                                           HashState* state, uint4* rows) {
  constexpr unsigned kRows = F::kOrder.rows();
  constexpr unsigned kWarps = F::kOrder.warps;
  static_assert(kRows <= 32, "a thread each");
  uint4* const products = rows + kRows * kWarps;  // products of each row
  const unsigned i = threadIdx.x;
  __syncthreads();
  if (i < kRows * kWarps) {
    const unsigned row = i % kRows;
    products[row * kWarps + i / kRows] =
        multiply(big_endian(rows[i]), big_endian(load_power(powers.row[row])));
  }
  __syncthreads();
  uint4 sum = {0, 0, 0, 0};
  if (i < kWarps) {
#pragma unroll
    for (unsigned row = 0; row < kRows; ++row) sum = xor4(sum, products[row * kWarps + i]);
    sum = multiply(sum, made.warp[i]);
  }
  __syncthreads();  // shared memory is not used after this
  if (i >= 32) return false;
  sum = big_endian(sum_of_warp(sum));
  if (i != 0) return false;
  atomicXor(state->sum, sum.x);
  atomicXor(state->sum + 1, sum.y);
  atomicXor(state->sum + 2, sum.z);
  atomicXor(state->sum + 3, sum.w);
  return is_last_block(&state->ended);
}

// The last thread block writes the sum and leaves zeros.
__device__ __forceinline__ void hand_over(HashState* state, const HashEnd& end) {
  volatile std::uint32_t* const sum = state->sum;
  *end.to = {sum[0], sum[1], sum[2], sum[3]};
  for (unsigned i = 0; i < 4; ++i) sum[i] = 0;
  *static_cast<volatile std::uint32_t*>(&state->ended) = 0;
  __threadfence_system();
  *static_cast<volatile std::uint32_t*>(end.flag) = end.ticket;
}

// A lane's words of its warp's rows: of rows lane / 4 and lane / 4 + 8 of each tile.
template <class F>
struct RowWords {
  std::uint32_t of[F::kOrder.tiles][2];
};

// The end of a kernel, called by all threads of a thread block: adds the sums of its warps to the
// total. `block_vector` is free shared memory for twice the rows of the warps. Once a thread
// returns, no thread reads shared memory. Not inlined, like make_matrices().
template <class F>
__device__ __noinline__ void finish(const HashPowers& powers, const HashMatrices<F>& made,
                                    HashState* state, const HashEnd& end, uint4* rows,
                                    RowWords<F> words) {
  const unsigned lane = threadIdx.x % 32;
  auto* const mine = reinterpret_cast<std::uint32_t*>(rows + threadIdx.x / 32 * F::kOrder.rows());
#pragma unroll
  for (unsigned m = 0; m < F::kOrder.tiles; ++m) {
    mine[(16 * m + lane / 4) * 4 + lane % 4] = words.of[m][0];
    mine[(16 * m + lane / 4 + 8) * 4 + lane % 4] = words.of[m][1];
  }
  if (add_to_sum(powers, made, state, rows)) hand_over(state, end);
}

}  // namespace gpuctr::cuda

#endif
