// Kernels for counter mode and whole blocks of ciphers that look bytes up in tables, over a form
// such as AesTables of kernels/cipher/aes/tables.h.
//
// The tables are in shared memory, in a private copy for each of its 32 banks: entry e of lane l is
// word 32 e + l. Whatever the lanes of a warp look up, each stays in its own bank, so that the time
// of a look-up does not depend on the data. A table of 256 words takes 32 KiB; four of them, which
// need fewer instructions, fit data-centre parts, one fits every card.
//
// Blocks are persistent, one a processor: each loads the tables once. Round keys of a job are
// kernel parameters, those of a batch are read from device memory.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_CUH

#include <algorithm>
#include <type_traits>

#include "kernels/base/wipe.h"
#include "kernels/gpu/cuda/kernel/batch.cuh"
#include "kernels/gpu/cuda/kernel/blocks.cuh"
#include "kernels/gpu/cuda/kernel/store.cuh"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr::tables {

constexpr unsigned kThreads = 1024;
constexpr unsigned kWarps = kThreads / 32;
constexpr unsigned kChunks = 2;  // 16-byte blocks that a lane makes at a time
constexpr unsigned kUnitBytes = kChunks * 512;

constexpr unsigned kTableBytes = 256 * 32 * 4;
constexpr unsigned kTileBytes = 512 + 16;  // a warp's, for store_any
constexpr unsigned kFirstRowsBytes = 256 * 16;

// Where 163 KiB or more of shared memory are. GPUCTR_ONE_TABLE tests the other form there.
#if defined(__CUDA_ARCH__) && !defined(GPUCTR_ONE_TABLE) && \
    (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
constexpr unsigned kTables = 4;
#else
constexpr unsigned kTables = 1;
#endif

// Those 256 words of which the tables are made.
template <class F>
struct Stored {
  std::uint32_t words[256] = {};
  constexpr Stored() {
    for (unsigned x = 0; x < 256; ++x) words[x] = F::stored(x);
  }
};

// R: the rounds of the longest key, and so of every other.
template <class R>
struct CtrParameters {
  alignas(16) std::uint32_t keys[R::kKeyWords];
  unsigned rounds;
  CounterParts counter;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t bytes;
  std::uint32_t strip_bits;  // of walk_kernel: a strip has so many bits of block numbers
};

template <unsigned kOffset>
__device__ __forceinline__ std::uint32_t load_word(std::uint32_t address) {
  std::uint32_t word;
  asm volatile("ld.shared.u32 %0, [%1 + %2];" : "=r"(word) : "r"(address), "n"(kOffset));
  return word;
}
template <unsigned kOffset>
__device__ __forceinline__ std::uint32_t load_byte(std::uint32_t address) {
  std::uint32_t byte;
  asm volatile("ld.shared.u8 %0, [%1 + %2];" : "=r"(byte) : "r"(address), "n"(kOffset));
  return byte;
}

// A lane's own copy of the tables. One IDP.4A makes an address: it takes a byte of the word,
// multiplies it by 128 and adds the lane's base.
struct Look {
  static constexpr bool kFour = kTables == 4;
  std::uint32_t base;

  template <unsigned kByte>
  __device__ __forceinline__ std::uint32_t address(std::uint32_t x) const {
    return __dp4a(x, 128u << (8 * kByte), base);
  }
  template <unsigned kTable, unsigned kByte>
  __device__ __forceinline__ std::uint32_t word(std::uint32_t x) const {
    return load_word < kFour ? kTable * kTableBytes : 0 > (address<kByte>(x));
  }
  template <unsigned kBox, unsigned kByte>
  __device__ __forceinline__ std::uint32_t byte(std::uint32_t x) const {
    return load_byte<kBox>(address<kByte>(x));
  }
};

// Fills the tables; the caller synchronises.
template <class F>
__device__ __forceinline__ Look make_tables(std::uint8_t* shared) {
  auto* const words = reinterpret_cast<std::uint32_t*>(shared);
  for (unsigned i = threadIdx.x; i < 256 * 32; i += kThreads) {
    const std::uint32_t stored = F::stored_words()[i / 32];
    for (unsigned j = 0; j < kTables; ++j) {
      words[j * (kTableBytes / 4) + i] = kTables == 1 ? stored : F::entry(j, stored);
    }
  }
  return {static_cast<std::uint32_t>(__cvta_generic_to_shared(shared)) + threadIdx.x % 32 * 4};
}

__device__ __forceinline__ std::uint32_t big_endian(std::uint32_t x) {
  return __byte_perm(x, 0, 0x0123);
}

__device__ __forceinline__ bool both_aligned(const std::uint8_t* in, const std::uint8_t* out) {
  return (reinterpret_cast<std::uintptr_t>(out) | reinterpret_cast<std::uintptr_t>(in)) % 16 == 0;
}

// A unit whose first block is `first` blocks after the counter, to any address.
template <class R>
__device__ __forceinline__ void make_unit(const Look& look, const std::uint32_t* keys,
                                          unsigned rounds, const CounterParts& counter,
                                          std::uint32_t first, const std::uint8_t* in,
                                          std::uint8_t* out, std::uint64_t left,
                                          std::uint8_t* tile) {
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t s[kChunks][4];
#pragma unroll
  for (unsigned q = 0; q < kChunks; ++q) {
    s[q][0] = counter.high[0], s[q][1] = counter.high[1], s[q][2] = counter.high[2];
    s[q][3] = big_endian(counter.low + first + 32 * q + lane);
  }
  R::encrypt_blocks(look, keys, rounds, s);
  const bool aligned = both_aligned(in, out);
#pragma unroll
  for (unsigned q = 0; q < kChunks; ++q) {
    if (left <= 512 * q) return;
    const uint4 chunk[1] = {{s[q][0], s[q][1], s[q][2], s[q][3]}};
    const std::uint8_t* const from = in == nullptr ? nullptr : in + 512 * q;
    if (aligned) {
      store_aligned<1>(chunk, from, out + 512 * q, left - 512 * q, lane);
    } else {
      store_any<1>(chunk, tile, from, out + 512 * q, left - 512 * q, lane);
    }
  }
}

// Any length and alignment.
template <class R>
__global__ void __launch_bounds__(kThreads, 1)
    job_kernel(const __grid_constant__ CtrParameters<R> job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const Look look = make_tables<R>(shared);
  std::uint8_t* const tile = shared + kTables * kTableBytes + threadIdx.x / 32 * kTileBytes;
  __syncthreads();
#pragma unroll 1
  for (std::uint64_t unit = blockIdx.x * kWarps + threadIdx.x / 32;; unit += gridDim.x * kWarps) {
    const std::uint64_t start = unit * kUnitBytes;
    if (start >= job.bytes) return;
    make_unit<R>(look, job.keys, job.rounds, job.counter, static_cast<std::uint32_t>(start / 16),
                 job.in == nullptr ? nullptr : job.in + start, job.out + start, job.bytes - start,
                 tile);
  }
}

struct Batch {
  CudaBatch units;
  unsigned rounds;
  unsigned key_words;  // from one key to the next
};

template <class R>
__global__ void __launch_bounds__(kThreads, 1) batch_kernel(const Batch job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const CudaBatch& batch = job.units;
  const Look look = make_tables<R>(shared);
  std::uint8_t* const tile = shared + kTables * kTableBytes + threadIdx.x / 32 * kTileBytes;
  __syncthreads();
#pragma unroll 1
  for (std::uint64_t unit = blockIdx.x * kWarps + threadIdx.x / 32; unit < batch.units;
       unit += gridDim.x * kWarps) {
    const BatchRun& run = batch.runs[find_run(batch, static_cast<std::uint32_t>(unit))];
    const std::uint64_t start = (unit - run.first_unit) * kUnitBytes;
    const std::uint64_t at = run.offset + start;
    const auto* const keys = static_cast<const std::uint32_t*>(__builtin_assume_aligned(
        static_cast<const std::uint32_t*>(batch.keys) + std::size_t{run.key} * job.key_words, 16));
    make_unit<R>(look, keys, job.rounds, run.counter, static_cast<std::uint32_t>(start / 16),
                 batch.in == nullptr ? nullptr : static_cast<const std::uint8_t*>(batch.in) + at,
                 static_cast<std::uint8_t*>(batch.out) + at, run.bytes - start, tile);
  }
}

// Long jobs in aligned memory. A lane keeps the last byte of the counter, a loop walks the one
// before it, and what rounds 1 and 2 make of all but that byte is computed once for a strip: 32 of
// AES-128's 160 look-ups a block are saved, 25 of ARIA-128's 192. What they make of that byte is
// the same for all strips of a job, and lies in shared memory.
template <class F, bool kXor>
__global__ void __launch_bounds__(kThreads, 1)
    walk_kernel(const __grid_constant__ CtrParameters<typename F::Rounds> job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const Look look = make_tables<F>(shared);
  auto* const rows = reinterpret_cast<uint4*>(shared + kTables * kTableBytes);
  std::uint32_t counter[4] = {job.counter.high[0], job.counter.high[1], job.counter.high[2], 0};
  __syncthreads();
  if (threadIdx.x < 256) {
    std::uint32_t row[4];
    F::row(look, job.keys, counter, threadIdx.x, row);
    rows[threadIdx.x] = {row[0], row[1], row[2], row[3]};
  }
  __syncthreads();

  // Block numbers here are the counter's low word; `at` counts from the job's first block.
  const std::uint32_t low = job.counter.low;
  const auto last = static_cast<std::uint32_t>((job.bytes - 1) / 16);
  const unsigned column = threadIdx.x % 256;
  const unsigned strip_rows = 1u << (job.strip_bits - 8);
#pragma unroll 1
  for (std::uint32_t strip = (low >> job.strip_bits) + blockIdx.x;
       strip <= (low + last) >> job.strip_bits; strip += gridDim.x) {
    const std::uint32_t first = strip << job.strip_bits;
    std::uint32_t fixed[F::kFixedWords];
    counter[3] = big_endian((first & 0xffff0000) + column);
    F::fix(look, job.keys, counter, fixed);
#pragma unroll 1
    for (unsigned row = threadIdx.x / 256; row < strip_rows; row += kThreads / 256) {
      const std::uint32_t block = first + row * 256 + column;
      const std::uint32_t at = block - low;
      const bool whole = at < last || (at == last && job.bytes % 16 == 0);
      const std::uint64_t byte = std::uint64_t{at} * 16;
      uint4 data = {0, 0, 0, 0};
      if (kXor && whole) data = *reinterpret_cast<const uint4*>(job.in + byte);
      const uint4 start = rows[block >> 8 & 0xff];
      std::uint32_t s[4] = {start.x, start.y, start.z, start.w};
      F::finish(look, job.keys, fixed, s);
      const uint4 chunk = {s[0], s[1], s[2], s[3]};
      if (whole) {
        *reinterpret_cast<uint4*>(job.out + byte) = kXor ? xor4(chunk, data) : chunk;
      } else if (at == last) {
        store_part(chunk, kXor ? job.in + byte : nullptr, job.out + byte,
                   static_cast<unsigned>(job.bytes % 16));
      }
    }
  }
  // Shared memory outlives the kernel, and the rows depend on the key.
  __syncthreads();
  if (threadIdx.x < 256) {
    auto* const words = reinterpret_cast<volatile std::uint32_t*>(rows + threadIdx.x);
    for (unsigned i = 0; i < 4; ++i) words[i] = 0;
  }
}

template <class F>
struct BlockParameters {
  alignas(16) std::uint32_t keys[F::kKeyWords];
  unsigned rounds;
  BlockSpan span;
};

template <class F>
__global__ void __launch_bounds__(kThreads, 1)
    block_kernel(const __grid_constant__ BlockParameters<F> job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const Look look = make_tables<F>(shared);
  std::uint8_t* const tile = shared + kTables * kTableBytes + threadIdx.x / 32 * kRowBytes;
  __syncthreads();
#pragma unroll 1
  for (std::uint64_t unit = blockIdx.x * kWarps + threadIdx.x / 32;; unit += gridDim.x * kWarps) {
    const std::uint64_t start = unit * kUnitBytes;
    if (start >= job.span.bytes) return;
    const unsigned lane = threadIdx.x % 32;
    std::uint32_t s[kChunks][4];
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      const uint4 chunk = load_row(job.span, start + q * kRowBytes, lane, tile);
      s[q][0] = chunk.x, s[q][1] = chunk.y, s[q][2] = chunk.z, s[q][3] = chunk.w;
    }
    F::encrypt_blocks(look, job.keys, job.rounds, s);
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      const uint4 chunk = {s[q][0], s[q][1], s[q][2], s[q][3]};
      store_row<16>(job.span, start + q * kRowBytes, lane, chunk, tile);
    }
  }
}

// The current card.
struct Card {
  unsigned processors;
  unsigned table_bytes;  // as much as a kernel's code for this card may take, or more

  cudaError_t ask() {
    int device = 0;
    int most = 0;
    int count = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
      error = cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
      error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    processors = static_cast<unsigned>(count);
    table_bytes = most >= 160 * 1024 ? 4 * kTableBytes : kTableBytes;
    return error;
  }
};

template <class Kernel, class Argument>
cudaError_t launch(Kernel kernel, unsigned grid, unsigned shared, cudaStream_t stream,
                   const Argument& argument) {
  const cudaError_t error = cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
  if (error != cudaSuccess) return error;
  kernel<<<grid, kThreads, shared, stream>>>(argument);
  return cudaGetLastError();
}

// From here on walk_kernel: below, its strips are too few for a card.
constexpr std::size_t kWalkBytes = std::size_t{4} << 20;
constexpr unsigned kMostStripBits = 14;
constexpr unsigned kLeastStripBits = 10;

template <class F>
cudaError_t launch_piece(cudaStream_t stream, const Card& card,
                         CtrParameters<typename F::Rounds>* job) {
  const auto bits =
      reinterpret_cast<std::uintptr_t>(job->in) | reinterpret_cast<std::uintptr_t>(job->out);
  if (job->bytes < kWalkBytes || bits % 16 != 0) {
    const std::uint64_t blocks = (job->bytes + kWarps * kUnitBytes - 1) / (kWarps * kUnitBytes);
    const auto grid = static_cast<unsigned>(std::min<std::uint64_t>(blocks, card.processors));
    return launch(job_kernel<typename F::Rounds>, grid, card.table_bytes + kWarps * kTileBytes,
                  stream, *job);
  }
  // Long strips save more of the first rounds; four for each processor keep them all busy.
  job->strip_bits = kMostStripBits;
  while (job->strip_bits > kLeastStripBits &&
         job->bytes / 16 >> job->strip_bits < 4 * card.processors) {
    --job->strip_bits;
  }
  const unsigned shared = card.table_bytes + kFirstRowsBytes;
  return job->in == nullptr ? launch(walk_kernel<F, false>, card.processors, shared, stream, *job)
                            : launch(walk_kernel<F, true>, card.processors, shared, stream, *job);
}

template <class F>
cudaError_t ctr(cudaStream_t stream, const RoundKeys& keys, const std::uint8_t* counter,
                const void* in, void* out, std::size_t bytes) {
  Card card = {};
  if (const cudaError_t error = card.ask()) return error;
  Wiped<CtrParameters<typename F::Rounds>> job;
  F::lay_out_keys(keys, job.value.keys);
  job.value.rounds = F::kRounds;
  CounterRuns pieces(counter, 16, bytes);
  for (CounterRun piece; pieces.next(&piece);) {
    job.value.counter = piece.counter;
    job.value.in = in == nullptr ? nullptr : static_cast<const std::uint8_t*>(in) + piece.offset;
    job.value.out = static_cast<std::uint8_t*>(out) + piece.offset;
    job.value.bytes = piece.bytes;
    if (const cudaError_t error = launch_piece<F>(stream, card, &job.value)) return error;
  }
  return cudaSuccess;
}

template <class F>
cudaError_t batch(cudaStream_t stream, const CudaBatch& b) {
  if (b.units == 0) return cudaSuccess;
  Card card = {};
  if (const cudaError_t error = card.ask()) return error;
  const unsigned grid = std::min((b.units + kWarps - 1) / kWarps, card.processors);
  return launch(batch_kernel<typename F::Rounds>, grid, card.table_bytes + kWarps * kTileBytes,
                stream, Batch{b, F::kRounds, F::kKeyWords});
}

template <class F>
void lay_out_keys(const RoundKeys& keys, void* out) {
  F::lay_out_keys(keys, static_cast<std::uint32_t*>(out));
}

// By the rounds of F, the form for the longest key, with round keys as Keys lays them out.
template <class F, class Keys>
cudaError_t blocks(cudaStream_t stream, const RoundKeys& keys, const BlockSpan& span) {
  static_assert(sizeof(BlockParameters<F>) <= 4032, "cuda_scrub overwrites no more");
  Card card = {};
  if (const cudaError_t error = card.ask()) return error;
  Wiped<BlockParameters<F>> job;
  static_assert(Keys::kKeyWords <= F::kKeyWords);
  Keys::lay_out_keys(keys, job.value.keys);
  job.value.rounds = Keys::kRounds;
  job.value.span = span;
  const std::uint64_t blocks = (span.bytes + kWarps * kUnitBytes - 1) / (kWarps * kUnitBytes);
  const auto grid = static_cast<unsigned>(std::min<std::uint64_t>(blocks, card.processors));
  return launch(block_kernel<F>, grid, card.table_bytes + kWarps * kRowBytes, stream, job.value);
}

// Decryption is the rounds that Inverse names, with its keys.
template <class F, class Inverse>
constexpr CudaOps kOps = {ctr<F>,
                          batch<F>,
                          kUnitBytes,
                          F::kKeyWords* std::size_t{4},
                          lay_out_keys<F>,
                          0,
                          0,
                          blocks<typename F::Rounds, F>,
                          blocks<typename Inverse::Rounds, Inverse>,
                          nullptr};

}  // namespace gpuctr::tables

#endif
