// The bit matrices of GHASH's kernels; each thread block makes them in its shared memory from the
// key's powers. `F` is a form of the product of bit matrices: ghash.cu has one form,
// kernel/ghash/wgmma.cuh the other. A form defines the order in which warps take the blocks
// (kOrder). It also defines where the words of a matrix lie (put_step, put_turn: of the column 8 t
// + j, of blocks 0 to 3, their first or second half).
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_GHASH_MATRICES_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_GHASH_MATRICES_CUH

#include <cstdint>

#include "kernels/gpu/cuda/ghash_columns.h"
#include "kernels/gpu/cuda/ghash_powers.h"
#include "kernels/gpu/cuda/kernel/ghash/field.cuh"

namespace gpuctr::cuda {

constexpr unsigned kColumns = 16;  // groups of 8 columns: the 128 bits of a product

template <class F>
struct HashMatrices {
  static constexpr unsigned kSteps = F::kOrder.steps();
  std::uint32_t step[kSteps][1024];  // 256 rows of 128 columns
  std::uint32_t turn[F::kTurnWords];
  uint4 warp[F::kOrder.warps];  // powers of the thread block's warps
  // The rows of the matrices, 32 in each HashRows; the last are those of the turn. Place q belongs
  // to the first word of block q, place 4 + q to its third word.
  HashRows rows[kSteps + 1][8];
};

__device__ __forceinline__ uint4 power_product(const std::uint32_t* a, const std::uint32_t* b) {
  return multiply(big_endian(load_power(a)), big_endian(load_power(b)));
}

// Makes the rows of an element that is given as a big-endian number.
__device__ __forceinline__ void make_rows_of(uint4 e, HashRows* to) {
  const std::uint32_t p[4] = {__brev(e.x), __brev(e.y), __brev(e.z), __brev(e.w)};
  HashRows rows;
  rows.make(p);
#pragma unroll
  for (unsigned i = 0; i < sizeof rows / sizeof(uint4); ++i) {
    reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(&rows)[i];
  }
}

// One thread makes the rows of one power.
template <class F>
__device__ __forceinline__ void make_rows(const HashPowers& powers, HashMatrices<F>* to) {
  constexpr HashOrder kOrder = F::kOrder;
  constexpr unsigned kSteps = kOrder.steps();
  static_assert(4 * kSteps + 4 <= 32 * kOrder.warps, "a thread each");
  const unsigned i = threadIdx.x;
  const unsigned q = i % 4;
  if (i < 4 * kSteps) {
    const unsigned step = i / 4;
    const uint4 e = power_product(powers.unit[step / kOrder.steps_a_unit],
                                  powers.step[4 * (step % kOrder.steps_a_unit) + q]);
    make_rows_of(e, &to->rows[step][q]);
    make_rows_of(times_x32(times_x32(e)), &to->rows[step][4 + q]);
  } else if (i < 4 * kSteps + 4) {
    // The turn has 128 rows, those of one block.
    uint4 e = big_endian(load_power(powers.turn));
#pragma unroll 1
    for (unsigned word = 0; word < q; ++word) e = times_x32(e);
    make_rows_of(e, &to->rows[kSteps][q]);
    make_rows_of({0, 0, 0, 0}, &to->rows[kSteps][4 + q]);
  }
}

// Called by one warp.
template <class F>
__device__ __forceinline__ void make_warp_powers(const HashPowers& powers, HashMatrices<F>* to) {
  constexpr unsigned kWarps = F::kOrder.warps;
  const unsigned lane = threadIdx.x % 32;
  if (lane >= kWarps) return;
  const unsigned behind = gridDim.x - 1 - blockIdx.x;
  to->warp[lane] =
      multiply(power_product(powers.fine[behind % kHashSide], powers.coarse[behind / kHashSide]),
               big_endian(load_power(powers.warp[kWarps - 1 - lane])));
}

// Makes half a matrix at a time, by all warps except the last. A lane makes four columns of the
// half, 32 apart, the first of which is number `column`. The lane's number modulo 4 decides with
// which of the four it begins. Bit 4 of `column` has both values in eight neighbouring lanes, so
// that Wgmma::put_step has no bank conflicts.
template <class F>
__device__ __forceinline__ void make_halves(unsigned first_step, HashMatrices<F>* to) {
  constexpr unsigned kSteps = F::kOrder.steps();
  const unsigned lane = threadIdx.x % 32;
  const unsigned column = (lane & 3) | (lane & 4) << 2 | (lane & 0x18) >> 1;
  unsigned pairs[4];
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) pairs[i] = HashRows::pair_of((i + lane) % 4, column);
#pragma unroll 1
  for (unsigned i = 2 * first_step + threadIdx.x / 32; i < 2 * (kSteps + 1);
       i += F::kOrder.warps - 1) {
    const unsigned step = i / 2;
    const unsigned half = i % 2;
    const HashRows* const rows = to->rows[step] + 4 * half;
    std::uint32_t* const matrix = step < kSteps ? to->step[step] : to->turn;
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      std::uint32_t of[4];  // of block q
#pragma unroll
      for (unsigned q = 0; q < 4; ++q) {
        const auto* const pair = reinterpret_cast<const uint2*>(rows[q].pair[0]) + pairs[k];
        of[q] = hash_column(pair->x, pair->y, column);
      }
      // Bit 16 j + t of word w of a product is column 8 t + 2 w + j of a matrix.
      const unsigned bit = 8 * (column / 8) + 7 - column % 8;
      const unsigned t = bit % 16;
      const unsigned j = 2 * ((k + lane) % 4) + bit / 16;
      if (step < kSteps) {
        F::put_step(matrix, t, j, half, {of[0], of[1], of[2], of[3]});
      } else {
        F::put_turn(matrix, t, j, half, {of[0], of[1], of[2], of[3]});
      }
    }
  }
}

// Called by all threads of a thread block, which must synchronise afterwards. The run does not need
// the matrices of steps before `first_step`. Not inlined: inlined code would cost the loop
// registers, and the loop has no spare register.
template <class F>
__device__ __noinline__ void make_matrices(const HashPowers& powers, unsigned first_step,
                                           HashMatrices<F>* to) {
  make_rows(powers, to);
  __syncthreads();
  if (threadIdx.x / 32 == F::kOrder.warps - 1) {
    make_warp_powers(powers, to);
  } else {
    make_halves(first_step, to);
  }
}

}  // namespace gpuctr::cuda

#endif
