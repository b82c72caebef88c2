// Counter mode for long jobs of ciphers with blocks of 64 bits and four tables of words, over a
// form such as BlowfishTables of kernels/cipher/blowfish/cuda_tables.h.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_TABLES64_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_TABLES64_CUH

#include <cstdint>

#include "kernels/gpu/cuda/kernel/tables/tables.cuh"

namespace gpuctr::tables {

// A row is 256 blocks, one for each value of the counter's last byte. These rows belong to the job
// in whole: all its rows except a partial row at each end. They are numbered by the counter's low
// word, which does not wrap within a job.
struct WholeRows {
  std::uint32_t begin;
  std::uint32_t end;

  __device__ __forceinline__ WholeRows(std::uint32_t low, std::uint64_t bytes)
      : begin(static_cast<std::uint32_t>((std::uint64_t{low} + 255) >> 8)),
        end(static_cast<std::uint32_t>((low + bytes / 8) >> 8)) {}

  // Selects the rows of this multiprocessor: one run.
  __device__ __forceinline__ void take_part() {
    const std::uint32_t rows = end - begin;
    const std::uint32_t each = (rows + gridDim.x - 1) / gridDim.x;
    const std::uint32_t skipped = min(rows, each * blockIdx.x);
    begin += skipped;
    end = begin + min(rows - skipped, each);
  }
};

// The blocks of a job before its whole rows (fewer than 256) and after them (at most 256, the last
// may be partial), one a thread.
template <class R>
__device__ __forceinline__ void make_ends(const LookOf<R>& look, const CtrParameters<R>& job,
                                          const WholeRows& rows) {
  const unsigned place = threadIdx.x % 256;
  const std::uint64_t head = (std::uint64_t{rows.begin} << 8) - job.counter.low;
  const std::uint64_t tail = (std::uint64_t{rows.end} << 8) - job.counter.low;
  const std::uint64_t block = (threadIdx.x < 256 ? 0 : tail) + place;
  const std::uint64_t end = threadIdx.x < 256 ? head : (job.bytes + 7) / 8;
  if (threadIdx.x >= 512 || block >= end) return;
  std::uint32_t s[1][4] = {};
  s[0][0] = job.counter.high[0];
  s[0][1] = big_endian(job.counter.low + static_cast<std::uint32_t>(block));
  R::encrypt_blocks(look, job.keys, job.rounds, s);
  const std::uint64_t at = block * 8;
  store_part({s[0][0], s[0][1], 0, 0}, job.in == nullptr ? nullptr : job.in + at, job.out + at,
             static_cast<unsigned>(min(job.bytes - at, std::uint64_t{8})));
}

// in and out are 8-byte aligned, and there is at least one whole row. A thread makes several blocks
// at a time, each with a fixed last byte of the counter. These bytes are far enough apart for a
// warp's stores to lie side by side; a loop counts up the byte before. The part of the first rounds
// that does not depend on the last byte is hoisted: it is computed once for a strip of 256 rows.
// This saves 7.5 of Blowfish's 64 look-ups a block.
template <class F, bool kXor>
__global__ void __launch_bounds__(kThreads, 1)
    walk64_kernel(const __grid_constant__ CtrParameters<typename F::Rounds> job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const auto look = make_tables<F>(shared, job.keys);
  __syncthreads();

  constexpr unsigned kColumns = 256 / F::kTogether;
  constexpr unsigned kStep = kThreads / kColumns;
  const std::uint32_t column = threadIdx.x % kColumns;
  WholeRows rows(job.counter.low, job.bytes);
  if (blockIdx.x + 1 == gridDim.x) make_ends<typename F::Rounds>(look, job, rows);
  rows.take_part();
  std::uint32_t turn = rows.begin + threadIdx.x / kColumns;
#pragma unroll 1
  while (turn < rows.end) {
    std::uint32_t fixed[F::kFixedWords];
    const std::uint32_t strip = turn & ~0xffu;
    F::fix(look, job.keys, big_endian(job.counter.high[0]), strip << 8 | column, fixed);
    const std::uint64_t at = std::uint64_t{(turn << 8) + column - job.counter.low} * 8;
    const std::uint8_t* in = job.in + at;
    std::uint8_t* out = job.out + at;
    std::uint32_t byte_6 = (turn & 0xff) << 8;
    const std::uint32_t stop = min(rows.end - strip, 256u) << 8;
#pragma unroll 1
    for (; byte_6 < stop; byte_6 += kStep << 8, out += kStep * 2048, in += kStep * 2048) {
      uint2 data[F::kTogether];
#pragma unroll
      for (unsigned q = 0; q < F::kTogether; ++q) {
        data[q] = {0, 0};
        if (kXor) data[q] = *reinterpret_cast<const uint2*>(in + q * (kColumns * 8));
      }
      std::uint32_t block[F::kTogether][2];
      F::finish(look, job.keys, fixed, byte_6, block);
#pragma unroll
      for (unsigned q = 0; q < F::kTogether; ++q) {
        *reinterpret_cast<uint2*>(out + q * (kColumns * 8)) = {block[q][0] ^ data[q].x,
                                                               block[q][1] ^ data[q].y};
      }
    }
    turn = strip + (byte_6 >> 8);
  }
  wipe_tables<F>(shared);
}

}  // namespace gpuctr::tables

#endif
