// GHASH of many messages under one key, on tensor cores (kernel/ghash/mma.cuh). A thread block
// makes the matrices of the key once. A warp hashes one message after the other: zeros precede a
// message, so that it has whole turns. Blocks of the next turn, or of the next message, are loaded
// while the warp multiplies. The launch has the powers of the key as parameters.
#include "kernels/cpu/ghash.h"
#include "kernels/gpu/cuda/kernel/ghash/mma.cuh"
#include "kernels/gpu/cuda/kernel/many/hash_blocks.cuh"

namespace gpuctr::cuda {
inline namespace many_pages {

constexpr unsigned kTurnBlocks = kMmaOrder.turn_blocks();
constexpr unsigned kRows = kMmaOrder.rows();
static_assert(kRows == 32, "a lane each");

struct PagesJob {
  HashPowers powers;  // for one warp
  ManyJob messages;
  const std::uint8_t* text;
};
static_assert(is_scrubbed(sizeof(PagesJob), 0), "cuda_scrub overwrites no more");

struct PagesShared {
  HashMatrices<Mma> hash;
  uint4 row_powers[kRows];  // big-endian, times H
  uint4 rows[kMmaOrder.warps][kRows];
};

__device__ __forceinline__ std::uint32_t turns_of(std::uint32_t blocks) {
  return blocks / kTurnBlocks + (blocks % kTurnBlocks != 0 ? 1 : 0);
}

// Not inlined: its loops would stand between the loads.
__device__ __noinline__ uint4 slow_block(HashBlocks blocks, std::uint32_t i) {
  return blocks.raw(i);
}

// The blocks of a step of a warp: a row of 32 in each tile.
constexpr std::uint32_t kStepBlocks = 32 * kTiles;

// The blocks of one lane, message after message.
class Feed {
 public:
  __device__ __forceinline__ Feed(const PagesJob& job, std::uint32_t first, std::uint32_t step)
      : job_(job), message_(first), step_(step), blocks_(job.messages, 0, job.text) {
    begin();
  }
  // A condition for both tiles would be slower: loads of later steps would be waited for.
  __device__ __forceinline__ void next(uint4 (&x)[kTiles]) {
#pragma unroll
    for (unsigned m = 0; m < kTiles; ++m) {
      const std::uint32_t row = at_ + 32 * m;
      const std::uint32_t i = row + threadIdx.x % 32;
      if (row >= text_ && row + 32 <= text_end_) {
        x[m] = __ldcs(text_at_ + (row - text_));
      } else {
        x[m] = i >= zeros_ && i < end_ ? slow_block(blocks_, i - zeros_) : uint4{0, 0, 0, 0};
      }
    }
    at_ += kStepBlocks;
  }
  // After the steps of a turn, with which a message ends.
  __device__ __forceinline__ void end_turn() {
    if (at_ < end_) return;
    message_ += step_;
    begin();
  }

 private:
  __device__ __forceinline__ void begin() {
    at_ = 0;
    end_ = zeros_ = text_ = text_end_ = 0;
    if (message_ >= job_.messages.pieces) return;
    blocks_ = HashBlocks(job_.messages, static_cast<std::uint32_t>(message_), job_.text);
    const std::uint32_t count = blocks_.count();
    end_ = turns_of(count) * kTurnBlocks;
    zeros_ = end_ - count;
    text_ = zeros_ + blocks_.text_from();
    text_end_ = text_ + blocks_.aligned_text();
    text_at_ = reinterpret_cast<const uint4*>(blocks_.text) + threadIdx.x % 32;
  }

  const PagesJob& job_;
  std::uint64_t message_;
  std::uint32_t step_;
  HashBlocks blocks_;
  const uint4* text_at_ = nullptr;  // the lane's block of a row that begins at text_
  std::uint32_t at_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t zeros_ = 0;  // blocks before the message
  std::uint32_t text_ = 0;   // from here to text_end_ are whole blocks of aligned text
  std::uint32_t text_end_ = 0;
};

// The hash of a message from the sums of its warp.
__device__ __noinline__ void end_page(const PagesJob& job, PagesShared* shared,
                                      std::uint32_t message, Sums sums) {
  const unsigned lane = threadIdx.x % 32;
  uint4* const rows = shared->rows[threadIdx.x / 32];
  auto* const words = reinterpret_cast<std::uint32_t*>(rows);
  __syncwarp();
#pragma unroll
  for (unsigned m = 0; m < kTiles; ++m) {
    words[(16 * m + lane / 4) * 4 + lane % 4] = sums.of[m][0];
    words[(16 * m + lane / 4 + 8) * 4 + lane % 4] = sums.of[m][1];
  }
  __syncwarp();
  const uint4 product = multiply(big_endian(rows[lane]), shared->row_powers[lane]);
  const uint4 hash = big_endian(sum_of_warp(product));
  if (lane == 0) end_message(job.messages, message, xor4(hash, job.messages.masks[message]));
}

__global__ void __launch_bounds__(kMmaThreads, 1)
    pages_kernel(const __grid_constant__ PagesJob job) {
  extern __shared__ uint4 dynamic[];
  auto& shared = *reinterpret_cast<PagesShared*>(dynamic);
  make_matrices(job.powers, 0, &shared.hash);
  if (threadIdx.x < kRows) {
    shared.row_powers[threadIdx.x] =
        power_product(job.powers.row[threadIdx.x], job.powers.coarse[0]);
  }
  __syncthreads();
  const auto* const step = reinterpret_cast<const uint4(*)[32]>(shared.hash.step);
  const auto* const turn = reinterpret_cast<const uint4(*)[32]>(shared.hash.turn);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warps = gridDim.x * kMmaOrder.warps;
  const unsigned warp = threadIdx.x / 32 * gridDim.x + blockIdx.x;
  Feed feed(job, warp, warps);
  uint4 x[kSteps][kTiles];
#pragma unroll
  for (unsigned i = 0; i < kSteps; ++i) feed.next(x[i]);
  feed.end_turn();
#pragma unroll 1
  for (std::uint64_t message = warp; message < job.messages.pieces; message += warps) {
    const auto m = static_cast<std::uint32_t>(message);
    const std::uint32_t count = HashBlocks(job.messages, m, job.text).count();
    const std::uint32_t end = turns_of(count) * kTurnBlocks;
    Sums sums = {};
#pragma unroll 1
    for (std::uint32_t at = 0; at < end; at += kTurnBlocks) {
      Counts counts;
      begin_turn(turn, lane, sums, counts);
#pragma unroll
      for (unsigned i = 0; i < kSteps; ++i) {
        if (at + (i + 1) * kStepBlocks > end - count)
          make_step(step + i * (kColumns / 2), lane, x[i], counts);
        feed.next(x[i]);
      }
      feed.end_turn();
      end_turn(counts, sums);
    }
    end_page(job, &shared, m, sums);
  }
  // Shared memory keeps its content after the kernel, and the matrices depend on the key.
  __syncthreads();
  auto* const words = reinterpret_cast<volatile std::uint32_t*>(dynamic);
  for (unsigned i = threadIdx.x; i < sizeof(PagesShared) / 4; i += kMmaThreads) words[i] = 0;
}

}  // namespace many_pages

cudaError_t many_hash_pages(cudaStream_t stream, const ManyJob& job, const std::uint8_t* text,
                            const std::uint8_t* h, unsigned processors) {
  constexpr HashOrder kOneWarp = {kMmaOrder.tiles, kMmaOrder.steps_a_unit, 1, 1};
  Wiped<PagesJob> pages;
  make_hash_powers(h, kOneWarp, 1, &pages.value.powers);
  pages.value.messages = job;
  pages.value.text = text;
  const unsigned blocks = (job.pieces + kMmaOrder.warps - 1) / kMmaOrder.warps;
  return launch_early(pages_kernel, blocks < processors ? blocks : processors, kMmaThreads,
                      sizeof(PagesShared), stream, false, pages.value);
}

}  // namespace gpuctr::cuda
