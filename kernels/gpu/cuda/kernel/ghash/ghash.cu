// GHASH of one text on tensor cores (mma.cuh).
#include "kernels/gpu/cuda/ghash.h"

#include "kernels/gpu/cuda/kernel/early.cuh"
#include "kernels/gpu/cuda/kernel/ghash/mma.cuh"

namespace gpuctr::cuda {
inline namespace ghash_cuda {

constexpr unsigned kAhead = 8;  // steps whose blocks are being loaded; divides kSteps
static_assert(kSteps % kAhead == 0, "a turn ends with the ring at its start");

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

struct Shared {
  HashMatrices<Mma> hash;
  uint4 rows[2 * kMmaOrder.warps * kMmaOrder.rows()];
};

template <bool kAligned>
__global__ void __launch_bounds__(kMmaThreads, 1) hash_kernel(const __grid_constant__ HashJob job) {
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
  for (unsigned i = threadIdx.x; i < sizeof(Shared) / 4; i += kMmaThreads) words[i] = 0;
}

}  // namespace ghash_cuda

cudaError_t hash_by_mma(cudaStream_t stream, const HashSpan& span) {
  Wiped<HashJob> job;
  job.value.powers = span.place.powers;
  std::memcpy(&job.value.before, span.before, 16);
  job.value.run = HashRun<Mma>::make(span.place, span.blocks);
  job.value.in = static_cast<const std::uint8_t*>(span.in);
  const bool aligned = reinterpret_cast<std::uintptr_t>(span.in) % 16 == 0;
  return launch_early(aligned ? hash_kernel<true> : hash_kernel<false>, span.place.grid,
                      kMmaThreads, sizeof(Shared), stream, span.place.behind_counter, job.value);
}

}  // namespace gpuctr::cuda
