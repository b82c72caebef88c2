// Word-wise kernels for counter mode and whole blocks: one template for every cipher, over its
// Form.
//
// A warp makes a unit of keystream at a time: 32 lanes of F::kChunks chunks. The round keys of a
// job are kernel parameters: they lie in the constant bank, and an instruction reads an operand
// from there at no cost. A batch has too many keys for that: its kernel reads them from device
// memory, at one address for the warp.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_WORDWISE_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_WORDWISE_CUH

#include <algorithm>

#include <cstddef>
#include <cstdint>

#include "kernels/base/wipe.h"
#include "kernels/gpu/cuda/kernel/batch.cuh"
#include "kernels/gpu/cuda/kernel/blocks.cuh"
#include "kernels/gpu/cuda/kernel/store.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/exchange.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/forms.cuh"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr::wordwise {

constexpr unsigned kWarps = 8;  // in a thread block

template <class F>
constexpr std::size_t kUnitBytes = F::kChunks* std::size_t{512};

// Shared memory of a warp for store_any, and for the exchange of blocks larger than a chunk.
template <class F>
constexpr std::size_t kTileBytes = std::max<std::size_t>(kUnitBytes<F> + 16, kExchangeBytes<F>);

template <class F>
constexpr std::size_t kBlockBytes = BlockBytes<typename F::Cipher>::kValue;

// The size of a unit as a form's `first` counts it: in chunks, or in blocks if blocks are larger.
template <class F>
constexpr unsigned kUnitCount = 32 * F::kChunks / kChunksABlock<typename F::Cipher>;

// The size of a key in a batch, in 16-byte steps.
template <class F>
constexpr unsigned kKeyWords = (KeysOf<F>::kWords + 3) / 4 * 4;

// Whether the device expands keys itself: only for 32-bit words, which it uses as they are.
template <class F>
constexpr bool kExpands = sizeof(typename F::Cipher::Word) == 4;
template <class F>
constexpr std::size_t kRawKeyBytes = (F::Cipher::kKeyBytes + 15) / 16 * 16;

template <class F>
struct CtrParameters {
  alignas(16) std::uint32_t keys[kKeyWords<F>];
  CounterOf<F> counter;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t bytes;
  std::uint32_t rounds;  // units of one warp
};

enum class Memory { kFill, kXor, kAny };

// The second bound of each kernel limits the registers. Without it the compiler keeps ctr_kernel to
// 40 registers and spills, and batch_kernel loads a whole schedule ahead.
template <class F, Memory kMemory>
__global__ void __launch_bounds__(32 * kWarps, 1)
    ctr_kernel(const __grid_constant__ CtrParameters<F> job) {
  constexpr bool kTiled = kMemory == Memory::kAny || kExchangeBytes<F> != 0;
  __shared__ alignas(16) std::uint8_t tiles[kTiled ? kWarps : 1][kTiled ? kTileBytes<F> : 16];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  std::uint8_t* const tile = tiles[kTiled ? warp : 0];
  for (unsigned i = 0; i < job.rounds; ++i) {
    const std::uint64_t unit = (std::uint64_t{blockIdx.x} * job.rounds + i) * kWarps + warp;
    const std::uint64_t start = unit * kUnitBytes<F>;
    if (start >= job.bytes) return;
    uint4 chunk[F::kChunks];
    F::template chunks<kMemory == Memory::kAny>(
        job.keys, job.counter, static_cast<std::uint32_t>(unit) * kUnitCount<F> + lane, chunk);
    if constexpr (kExchangeBytes<F> != 0) blocks_to_rows<F>(chunk, tile, lane);
    const std::uint64_t left = job.bytes - start;
    const std::uint8_t* const in =
        kMemory == Memory::kFill || job.in == nullptr ? nullptr : job.in + start;
    if (kMemory == Memory::kAny) {
      store_any<F::kChunks>(chunk, tile, in, job.out + start, left, lane);
    } else {
      store_aligned<F::kChunks>(chunk, in, job.out + start, left, lane);
    }
  }
}

template <class F>
__global__ void __launch_bounds__(32 * kWarps, 4) batch_kernel(const CudaBatch batch) {
  __shared__ alignas(16) std::uint8_t tile[kWarps][kUnitBytes<F> + 16];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const std::uint32_t unit = blockIdx.x * kWarps + warp;
  if (unit >= batch.units) return;
  const BatchRun& run = batch.runs[find_run(batch, unit)];
  const std::uint32_t inner = unit - run.first_unit;
  const auto* const keys =
      static_cast<const std::uint32_t*>(batch.keys) + std::size_t{run.key} * kKeyWords<F>;
  uint4 chunk[F::kChunks];
  F::template chunks<false>(keys, run.counter, inner * (32 * F::kChunks) + lane, chunk);
  const std::uint64_t start = inner * std::uint64_t{kUnitBytes<F>};
  const std::uint64_t left = run.bytes - start;
  std::uint8_t* const out = static_cast<std::uint8_t*>(batch.out) + run.offset + start;
  const std::uint8_t* const in =
      batch.in == nullptr ? nullptr
                          : static_cast<const std::uint8_t*>(batch.in) + run.offset + start;
  if ((reinterpret_cast<std::uintptr_t>(out) | reinterpret_cast<std::uintptr_t>(in)) % 16 == 0) {
    store_aligned<F::kChunks>(chunk, in, out, left, lane);
  } else {
    store_any<F::kChunks>(chunk, tile[warp], in, out, left, lane);
  }
}

// A batch whose runs are all long: a thread block makes one run, with the round keys in shared
// memory. One load from shared memory takes four words.
template <class F>
__global__ void __launch_bounds__(32 * kWarps, 4) run_kernel(const CudaBatch batch) {
  __shared__ alignas(16) std::uint8_t tile[kWarps][kUnitBytes<F> + 16];
  __shared__ alignas(16) std::uint32_t keys[kKeyWords<F>];
  const unsigned lane = threadIdx.x % 32;
  const BatchRun& run = batch.runs[blockIdx.x];
  if (!batch.raw_keys) {
    const auto* const from =
        static_cast<const std::uint32_t*>(batch.keys) + std::size_t{run.key} * kKeyWords<F>;
    for (unsigned i = threadIdx.x; i < kKeyWords<F>; i += 32 * kWarps) keys[i] = from[i];
  } else if (threadIdx.x == 0) {
    if constexpr (kExpands<F>) {
      expand_key<typename F::Cipher>(
          static_cast<const std::uint8_t*>(batch.keys) + std::size_t{run.key} * kRawKeyBytes<F>,
          keys);
    }
  }
  const CounterParts counter = run.counter;
  const std::uint64_t bytes = run.bytes;
  std::uint8_t* const out = static_cast<std::uint8_t*>(batch.out) + run.offset;
  const std::uint8_t* const in =
      batch.in == nullptr ? nullptr : static_cast<const std::uint8_t*>(batch.in) + run.offset;
  const bool aligned =
      (reinterpret_cast<std::uintptr_t>(out) | reinterpret_cast<std::uintptr_t>(in)) % 16 == 0;
  __syncthreads();
#pragma unroll 1
  for (unsigned unit = threadIdx.x / 32; unit < batch.even; unit += kWarps) {
    uint4 chunk[F::kChunks];
    F::template chunks<false>(keys, counter, unit * (32 * F::kChunks) + lane, chunk);
    const std::uint64_t start = unit * std::uint64_t{kUnitBytes<F>};
    const std::uint8_t* const data = in == nullptr ? nullptr : in + start;
    if (aligned) {
      store_aligned<F::kChunks>(chunk, data, out + start, bytes - start, lane);
    } else {
      store_any<F::kChunks>(chunk, tile[threadIdx.x / 32], data, out + start, bytes - start, lane);
    }
  }
  // Shared memory keeps its content after the kernel, so the kernel wipes the key.
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kKeyWords<F>; i += 32 * kWarps) {
    *static_cast<volatile std::uint32_t*>(keys + i) = 0;
  }
}

template <class F>
void lay_out_keys(const RoundKeys& keys, void* out) {
  KeysOf<F>::lay_out(keys, static_cast<std::uint32_t*>(out));
}

// The most units that a warp makes in a long job. The compiler hoists code out of the loop over
// units, and the warp pays for that code once. 8 gained 2 % over 1 on an H200; 16 and more lost
// that gain. Short jobs need the parallelism.
constexpr std::uint32_t kMaxRounds = 8;
constexpr std::uint32_t kManyBlocks = 1 << 14;

template <class F>
cudaError_t launch_piece(cudaStream_t stream, CtrParameters<F>* job) {
  const std::uint64_t units = (job->bytes + kUnitBytes<F> - 1) / kUnitBytes<F>;
  const std::uint64_t rounds = units / (std::uint64_t{kWarps} * kManyBlocks);
  job->rounds = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rounds, 1, kMaxRounds));
  const std::uint64_t a_block = std::uint64_t{kWarps} * job->rounds;
  const auto grid = static_cast<unsigned>((units + a_block - 1) / a_block);
  const bool aligned =
      (reinterpret_cast<std::uintptr_t>(job->out) | reinterpret_cast<std::uintptr_t>(job->in)) %
          16 ==
      0;
  if (!aligned) {
    ctr_kernel<F, Memory::kAny><<<grid, 32 * kWarps, 0, stream>>>(*job);
  } else if (job->in == nullptr) {
    ctr_kernel<F, Memory::kFill><<<grid, 32 * kWarps, 0, stream>>>(*job);
  } else {
    ctr_kernel<F, Memory::kXor><<<grid, 32 * kWarps, 0, stream>>>(*job);
  }
  return cudaGetLastError();
}

template <class F>
cudaError_t ctr(cudaStream_t stream, const RoundKeys& keys, const std::uint8_t* counter,
                const void* in, void* out, std::size_t bytes) {
  static_assert(sizeof(CtrParameters<F>) <= 4032, "cuda_scrub overwrites no more");
  Wiped<CtrParameters<RoundsOf<F>>> job;
  lay_out_keys<F>(keys, job.value.keys);
  CounterRuns pieces(counter, kBlockBytes<F>, bytes);
  for (CounterRunOf<CounterOf<F>> piece; pieces.next(&piece);) {
    job.value.counter = piece.counter;
    job.value.in = in == nullptr ? nullptr : static_cast<const std::uint8_t*>(in) + piece.offset;
    job.value.out = static_cast<std::uint8_t*>(out) + piece.offset;
    job.value.bytes = piece.bytes;
    const cudaError_t error = launch_piece<RoundsOf<F>>(stream, &job.value);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

// From this many units on, a thread block has work for all its warps.
constexpr std::uint32_t kRunUnits = kWarps;

template <class F>
cudaError_t batch(cudaStream_t stream, const CudaBatch& b) {
  if (b.units == 0) return cudaSuccess;
  if (b.even >= kRunUnits) {
    run_kernel<F><<<b.count, 32 * kWarps, 0, stream>>>(b);
  } else {
    batch_kernel<F><<<(b.units + kWarps - 1) / kWarps, 32 * kWarps, 0, stream>>>(b);
  }
  return cudaGetLastError();
}

template <class F>
struct BlockParameters {
  alignas(16) std::uint32_t keys[kKeyWords<F>];
  BlockSpan span;
};

template <class F>
constexpr unsigned kRowTileBytes = std::max(kRowBytes, kExchangeBytes<F>);

// One unit a warp: two units share no values that a loop could keep. XTS has kernels of its own,
// because the registers of its masks cost the other modes 5 %.
template <class F, bool kEncrypt, bool kMasked>
__global__ void __launch_bounds__(32 * kWarps, 1)
    block_kernel(const __grid_constant__ BlockParameters<F> job) {
  constexpr unsigned kExchange = kExchangeBytes<F>;
  __shared__ alignas(16) std::uint8_t tiles[kWarps][kRowTileBytes<F>];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  std::uint8_t* const tile = tiles[warp];
  const std::uint64_t start = (std::uint64_t{blockIdx.x} * kWarps + warp) * kUnitBytes<F>;
  if (start >= job.span.bytes) return;
  uint4 chunk[F::kChunks];
#pragma unroll
  for (unsigned q = 0; q < F::kChunks; ++q) {
    chunk[q] = load_row<kBlockBytes<F>>(job.span, start + q * kRowBytes, lane, tile);
  }
  if constexpr (kExchange != 0) rows_to_blocks<F>(chunk, tile, lane);
  uint4 mask[F::kChunks];
  if constexpr (kMasked) {
#pragma unroll
    for (unsigned q = 0; q < F::kChunks; ++q) {
      mask[q] = mask_of(job.span, start + q * kRowBytes, lane);
      chunk[q] = xor4(chunk[q], mask[q]);
    }
  }
  F::template blocks<kEncrypt>(job.keys, chunk);
  if constexpr (kMasked) {
#pragma unroll
    for (unsigned q = 0; q < F::kChunks; ++q) chunk[q] = xor4(chunk[q], mask[q]);
  }
  if constexpr (kExchange != 0) {
    blocks_to_rows<F>(chunk, tile, lane);
    wipe_tile<kExchange>(tile, lane);
  }
#pragma unroll
  for (unsigned q = 0; q < F::kChunks; ++q) {
    store_row<kBlockBytes<F>>(job.span, start + q * kRowBytes, lane, chunk[q], tile);
  }
}

template <class F, bool kEncrypt>
cudaError_t blocks(cudaStream_t stream, const RoundKeys& keys, const BlockSpan& span) {
  static_assert(sizeof(BlockParameters<F>) <= 4032, "cuda_scrub overwrites no more");
  Wiped<BlockParameters<F>> job;
  lay_out_keys<F>(keys, job.value.keys);
  job.value.span = span;
  const std::uint64_t a_block = kWarps * kUnitBytes<F>;
  const auto grid = static_cast<unsigned>((span.bytes + a_block - 1) / a_block);
  if constexpr (kBlockBytes<F> == 16) {
    if (span.masks != nullptr) {
      block_kernel<F, kEncrypt, true><<<grid, 32 * kWarps, 0, stream>>>(job.value);
      return cudaGetLastError();
    }
  }
  block_kernel<F, kEncrypt, false><<<grid, 32 * kWarps, 0, stream>>>(job.value);
  return cudaGetLastError();
}

// Whole-job kernels over F, batch kernels over B, because short segments need smaller units.
// Whole-block kernels over W.
template <class F, class B, class W, const CudaTiles* (*kTiles)() = nullptr>
constexpr CudaOps kOps = {ctr<F>,           batch<B>,
                          kUnitBytes<B>,    kKeyWords<B> * sizeof(std::uint32_t),
                          lay_out_keys<B>,  kExpands<B> ? kRunUnits : 0,
                          kRawKeyBytes<B>,  blocks<W, true>,
                          blocks<W, false>, kTiles};

// The same without kernels for batches: for ciphers that no generator uses.
template <class F, class W>
constexpr CudaOps kOpsWithoutBatch = {ctr<F>,          nullptr,          0,      0, nullptr, 0, 0,
                                      blocks<W, true>, blocks<W, false>, nullptr};

}  // namespace gpuctr::wordwise

#endif
