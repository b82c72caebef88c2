// Kernels for counter mode and whole blocks of ciphers with table look-ups, over a form such as
// AesTables of kernels/cipher/aes/cuda_tables.h.
//
// The tables are in shared memory, with a private copy for each of its 32 banks: entry e of lane l
// is word 32 e + l. Each lane of a warp stays in its own bank, so the time of a look-up does not
// depend on the data. A table of 256 words takes 32 KiB. Four tables need fewer instructions and
// fit on data-centre devices; one table fits on every device.
//
// Some ciphers have tables of words that cannot be derived from one another (facts.h: tables). They
// have four tables on every device. If 32 copies do not fit, there are eight: entry e of lanes l, l
// + 8, l + 16, l + 24 is word 8 e + l, and these lanes take turns.
//
// Thread blocks are persistent, one a multiprocessor: each loads the tables once. The round keys of
// a job are kernel parameters; the round keys of a batch are read from device memory. launch.cuh is
// the host part.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_TABLES_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_TABLES_TABLES_CUH

#include <type_traits>

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/cuda/kernel/batch.cuh"
#include "kernels/gpu/cuda/kernel/blocks.cuh"
#include "kernels/gpu/cuda/kernel/early.cuh"
#include "kernels/gpu/cuda/kernel/store.cuh"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr::tables {

constexpr unsigned kThreads = 1024;
constexpr unsigned kWarps = kThreads / 32;
constexpr unsigned kChunks = 2;  // 16-byte blocks that a lane makes at a time
constexpr unsigned kUnitBytes = kChunks * 512;

constexpr unsigned kTableBytes = 256 * 32 * 4;
constexpr unsigned kTileBytes = 512 + 16;  // bytes of a warp, for store_any
constexpr unsigned kFirstRowsBytes = 256 * 16;

// Four tables, on devices with 163 KiB or more of shared memory. GPUCTR_ONE_TABLE tests the other
// form there.
#if defined(__CUDA_ARCH__) && !defined(GPUCTR_ONE_TABLE) && \
    (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
constexpr unsigned kTables = 4;
#else
constexpr unsigned kTables = 1;
#endif

// Whether the tables of a form are 4 times 256 independent words, and whether they are made from
// the key and so are key material.
template <class F>
constexpr bool kWordTables = F::Cipher::kFacts.tables;
template <class F, bool = kWordTables<F>>
struct TablesOfKey : std::false_type {};
template <class F>
struct TablesOfKey<F, true> : std::bool_constant<F::kTablesOfKey> {};
template <class F>
constexpr std::size_t kBlockBytes = BlockBytes<typename F::Cipher>::kValue;

// The 256 words from which the tables are made.
template <class F>
struct Stored {
  std::uint32_t words[256] = {};
  constexpr Stored() {
    for (unsigned x = 0; x < 256; ++x) words[x] = F::stored(x);
  }
};

// R: the rounds of the longest key; they work for every shorter key.
template <class R>
struct CtrParameters {
  // Output of a block.
  __device__ __forceinline__ static constexpr unsigned chunk_bytes() { return 16; }

  alignas(16) std::uint32_t keys[R::kKeyWords];
  unsigned rounds;
  CounterParts counter;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t bytes;
};

// Loads from addresses in shared memory.
#ifdef __CUDACC__
template <unsigned kOffset>
__device__ __forceinline__ std::uint32_t load_word(std::uint32_t address) {
  std::uint32_t word;
  asm volatile("ld.shared.u32 %0, [%1 + %2];" : "=r"(word) : "r"(address), "n"(kOffset));
  return word;
}
template <unsigned kOffset>
__device__ __forceinline__ void load_word_if(bool mine, std::uint32_t address,
                                             std::uint32_t* word) {
  asm volatile(
      "{ .reg .pred mine;\n\t"
      "setp.ne.u32 mine, %3, 0;\n\t"
      "@mine ld.shared.u32 %0, [%1 + %2]; }"
      : "+r"(*word)
      : "r"(address), "n"(kOffset), "r"(static_cast<std::uint32_t>(mine)));
}
template <unsigned kOffset>
__device__ __forceinline__ std::uint32_t load_byte(std::uint32_t address) {
  std::uint32_t byte;
  asm volatile("ld.shared.u8 %0, [%1 + %2];" : "=r"(byte) : "r"(address), "n"(kOffset));
  return byte;
}
#else  // a test runs the kernels on the CPU, and has these
template <unsigned kOffset>
std::uint32_t load_word(std::uint32_t address);
template <unsigned kOffset>
void load_word_if(bool mine, std::uint32_t address, std::uint32_t* word);
template <unsigned kOffset>
std::uint32_t load_byte(std::uint32_t address);
#endif

// A lane's own copy of the tables. One IDP.4A computes an address: it multiplies one byte of the
// word by 128 and adds the lane's base.
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

// Like Look, for four tables of words.
struct WordLook {
  static constexpr unsigned kCopies = 8 * kTables;
  std::uint32_t base;

  template <unsigned kTable, unsigned kByte>
  __device__ __forceinline__ std::uint32_t word(std::uint32_t x) const {
    constexpr unsigned kOffset = kTable * 256 * kCopies * 4;
    const std::uint32_t address = __dp4a(x, 4 * kCopies << (8 * kByte), base);
    if constexpr (kCopies == 32) return load_word<kOffset>(address);
    std::uint32_t loaded = 0;
#pragma unroll
    for (unsigned turn = 0; turn < 32; turn += kCopies) {
      load_word_if<kOffset>((threadIdx.x & 31 & ~(kCopies - 1)) == turn, address, &loaded);
    }
    return loaded;
  }
};

template <class F>
using LookOf = std::conditional_t<kWordTables<F>, WordLook, Look>;

// Fills the tables, by kMembers threads; the caller synchronises.
template <class F, unsigned kMembers = kThreads>
__device__ __forceinline__ LookOf<F> make_tables(std::uint8_t* memory, const std::uint32_t* keys) {
  auto* const words = reinterpret_cast<std::uint32_t*>(memory);
  constexpr unsigned kCopies = kWordTables<F> ? WordLook::kCopies : 32;
  if constexpr (kWordTables<F>) {
    for (unsigned i = threadIdx.x; i < 4 * 256 * kCopies; i += kMembers)
      words[i] = F::table_words(keys)[i / kCopies];
  } else {
    constexpr unsigned kEach = 256 * 32 / kMembers;
    static_assert(kEach * kMembers == 256 * 32, "each thread makes as many entries");
    std::uint32_t stored[kEach];  // issue all loads together
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      stored[k] = F::stored_words()[(threadIdx.x + k * kMembers) / 32];
    }
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      for (unsigned j = 0; j < kTables; ++j) {
        words[j * (kTableBytes / 4) + threadIdx.x + k * kMembers] =
            kTables == 1 ? stored[k] : F::entry(j, stored[k]);
      }
    }
  }
  return {static_cast<std::uint32_t>(__cvta_generic_to_shared(memory)) + threadIdx.x % kCopies * 4};
}

// Called at the end of a kernel by all its threads: shared memory keeps its content after the
// kernel.
template <unsigned kMembers = kThreads>
__device__ __forceinline__ void wipe_shared(void* memory, unsigned bytes) {
  __syncthreads();
  auto* const words = static_cast<volatile std::uint32_t*>(memory);
  for (unsigned i = threadIdx.x; i < bytes / 4; i += kMembers) words[i] = 0;
}
template <class F>
__device__ __forceinline__ void wipe_tables(std::uint8_t* memory) {
  if constexpr (TablesOfKey<F>::value) wipe_shared(memory, kTables * kTableBytes);
}

__device__ __forceinline__ std::uint32_t big_endian(std::uint32_t x) {
  return __byte_perm(x, 0, 0x0123);
}

__device__ __forceinline__ bool both_aligned(const std::uint8_t* in, const std::uint8_t* out) {
  return (reinterpret_cast<std::uintptr_t>(out) | reinterpret_cast<std::uintptr_t>(in)) % 16 == 0;
}

// The counter blocks of the job's 16-byte chunk with this number.
template <class R>
__device__ __forceinline__ void counter_chunk(const CounterParts& counter, std::uint32_t chunk,
                                              std::uint32_t (&s)[4]) {
  if constexpr (kBlockBytes<R> == 16) {
    s[0] = counter.high[0], s[1] = counter.high[1], s[2] = counter.high[2];
    s[3] = big_endian(counter.low + chunk);
  } else {
    s[0] = s[2] = counter.high[0];
    s[1] = big_endian(counter.low + 2 * chunk), s[3] = big_endian(counter.low + 2 * chunk + 1);
  }
}

// A unit that begins `first` chunks after the counter; any address.
template <class R>
__device__ __forceinline__ void make_unit(const LookOf<R>& look, const std::uint32_t* keys,
                                          unsigned rounds, const CounterParts& counter,
                                          std::uint32_t first, const std::uint8_t* in,
                                          std::uint8_t* out, std::uint64_t left,
                                          std::uint8_t* tile) {
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t s[kChunks][4];
#pragma unroll
  for (unsigned q = 0; q < kChunks; ++q) counter_chunk<R>(counter, first + 32 * q + lane, s[q]);
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

// Jobs of any length and alignment.
template <class R>
__global__ void __launch_bounds__(kThreads, 1)
    job_kernel(const __grid_constant__ CtrParameters<R> job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const auto look = make_tables<R>(shared, job.keys);
  std::uint8_t* const tile = shared + kTables * kTableBytes + threadIdx.x / 32 * kTileBytes;
  __syncthreads();
#pragma unroll 1
  for (std::uint64_t unit = blockIdx.x * kWarps + threadIdx.x / 32;; unit += gridDim.x * kWarps) {
    const std::uint64_t start = unit * kUnitBytes;
    if (start >= job.bytes) break;
    make_unit<R>(look, job.keys, job.rounds, job.counter, static_cast<std::uint32_t>(start / 16),
                 job.in == nullptr ? nullptr : job.in + start, job.out + start, job.bytes - start,
                 tile);
  }
  wipe_tables<R>(shared);
}

struct Batch {
  CudaBatch units;
  unsigned rounds;
  unsigned key_words;  // distance between two keys
};

template <class R>
__global__ void __launch_bounds__(kThreads, 1) batch_kernel(const Batch job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const CudaBatch& batch = job.units;
  const Look look = make_tables<R>(shared, nullptr);
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

// A row is 256 blocks, one for each value of the counter's last byte. Turns is the range of rows
// that this multiprocessor makes and in which this thread's block is whole and belongs to the job.
// Blocks and rows are numbered by the counter's low word, which does not wrap within a job.
struct Turns {
  std::uint32_t begin;
  std::uint32_t end;

  __device__ __forceinline__ Turns(std::uint32_t low, std::uint64_t bytes, unsigned column) {
    const auto after = static_cast<std::uint32_t>(low + bytes / 16 - 1);  // the last whole block
    const std::uint32_t first_row = low >> 8;
    const std::uint32_t rows = (after >> 8) - first_row + 1;
    const std::uint32_t each = (rows + gridDim.x - 1) / gridDim.x;
    const std::uint32_t skipped = min(rows, each * blockIdx.x);
    begin = first_row + skipped;
    end = begin + min(rows - skipped, each);
    if (begin == first_row && column < (low & 0xff)) ++begin;
    if (end == first_row + rows && column > (after & 0xff)) --end;
  }
};

// The bytes of a job after its last whole block, by one thread.
template <class R>
__device__ __forceinline__ void make_last_part(const Look& look, const CtrParameters<R>& job) {
  const unsigned part = static_cast<unsigned>(job.bytes % 16);
  if (part == 0) return;
  const std::uint64_t at = job.bytes - part;
  std::uint32_t s[1][4] = {{job.counter.high[0], job.counter.high[1], job.counter.high[2],
                            big_endian(job.counter.low + static_cast<std::uint32_t>(at / 16))}};
  R::encrypt_blocks(look, job.keys, job.rounds, s);
  store_part({s[0][0], s[0][1], s[0][2], s[0][3]}, job.in == nullptr ? nullptr : job.in + at,
             job.out + at, part);
}

// Long jobs in aligned memory. A thread keeps the last byte of the counter; a loop counts up the
// byte before it. The part of rounds 1 and 2 that does not depend on the last byte is hoisted: it
// is computed once for a strip of 256 rows. This saves 32 of AES-128's 160 look-ups a block, 25 of
// ARIA-128's 192. The part that depends only on the last byte is the same for all strips of a job,
// and lies in shared memory. Each multiprocessor makes one run of the job, and each thread computes
// its bounds before a strip.
//
// Job: CtrParameters, or a struct derived from it whose put() takes the place of the store. The
// output of a block stands at job.out + job.chunk_bytes() * (its number).
template <class F, class Job = CtrParameters<typename F::Rounds>>
__global__ void __launch_bounds__(kThreads, 1) walk_kernel(const __grid_constant__ Job job) {
  constexpr bool kPuts = !std::is_same_v<Job, CtrParameters<typename F::Rounds>>;
  const unsigned each = job.chunk_bytes();
  const bool adds = !kPuts && job.in != nullptr;
  extern __shared__ __align__(128) std::uint8_t shared[];
  const Look look = make_tables<F>(shared, job.keys);
  auto* const rows = reinterpret_cast<uint4*>(shared + kTables * kTableBytes);
  std::uint32_t counter[4] = {job.counter.high[0], job.counter.high[1], job.counter.high[2], 0};
  __syncthreads();
  if (threadIdx.x < 256) {
    std::uint32_t row[4];
    F::row(look, job.keys, counter, threadIdx.x, row);
    rows[threadIdx.x] = {row[0], row[1], row[2], row[3]};
  }
  __syncthreads();
  begin_behind_other_kernel();

  const unsigned column = threadIdx.x % 256;
  const Turns turns(job.counter.low, job.bytes, column);
  constexpr unsigned kStep = kThreads / 256;
  std::uint32_t turn = turns.begin + (threadIdx.x / 256 - turns.begin) % kStep;
#pragma unroll 1
  while (turn < turns.end) {
    std::uint32_t fixed[F::kFixedWords];
    counter[3] = big_endian((turn << 8 & 0xffff0000) | column);
    F::fix(look, job.keys, counter, fixed);
    const std::uint64_t block = (turn << 8) + column - job.counter.low;
    const std::uint8_t* in = job.in + block * 16;
    std::uint8_t* out = job.out + block * each;
    const uint4* start = rows + (turn & 0xff);
    const uint4* const stop = start + (min(turns.end, (turn | 0xff) + 1) - turn);
    turn = (turn | 0xff) + 1 + threadIdx.x / 256;
#pragma unroll 1
    for (; start < stop; start += kStep, out += kStep * 256 * each, in += kStep * 4096) {
      uint4 data = {0, 0, 0, 0};
      if (adds) data = *reinterpret_cast<const uint4*>(in);
      std::uint32_t s[4] = {start->x, start->y, start->z, start->w};
      F::finish(look, job.keys, fixed, s);
      const uint4 chunk = {s[0], s[1], s[2], s[3]};
      if constexpr (kPuts) {
        job.put(chunk, out);
      } else {
        *reinterpret_cast<uint4*>(out) = xor4(chunk, data);
      }
    }
  }
  if (!kPuts && blockIdx.x == 0 && threadIdx.x == 0) {
    make_last_part<typename F::Rounds>(look, job);
  }

  wipe_shared(rows, kFirstRowsBytes);  // they depend on the key
}

template <class F>
struct BlockParameters {
  alignas(16) std::uint32_t keys[F::kKeyWords];
  unsigned rounds;
  BlockSpan span;
};

// kTransforms: CBC decryption, CFB decryption and XTS. What is added to each block is loaded before
// the rounds, which hide its latency. The registers for this load would cost ECB 4 %.
template <class F, bool kTransforms>
__global__ void __launch_bounds__(kThreads, 1)
    block_kernel(const __grid_constant__ BlockParameters<F> job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const auto look = make_tables<F>(shared, job.keys);
  std::uint8_t* const tile = shared + kTables * kTableBytes + threadIdx.x / 32 * kRowBytes;
  __syncthreads();
#pragma unroll 1
  for (std::uint64_t unit = blockIdx.x * kWarps + threadIdx.x / 32;; unit += gridDim.x * kWarps) {
    const std::uint64_t start = unit * kUnitBytes;
    if (start >= job.span.bytes) break;
    const unsigned lane = threadIdx.x % 32;
    std::uint32_t s[kChunks][4];
    uint4 to_add[kChunks];
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      const std::uint64_t at = start + q * kRowBytes;
      uint4 chunk = load_row<kBlockBytes<F>, kTransforms>(job.span, at, lane, tile);
      if (kTransforms && job.span.masks != nullptr) {
        to_add[q] = mask_of(job.span, at, lane);
        chunk = xor4(chunk, to_add[q]);
      } else if (kTransforms && is_whole_row(job.span, at)) {
        to_add[q] = load_to_add<kBlockBytes<F>>(job.span, at, lane);
      }
      s[q][0] = chunk.x, s[q][1] = chunk.y, s[q][2] = chunk.z, s[q][3] = chunk.w;
    }
    F::encrypt_blocks(look, job.keys, job.rounds, s);
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      const std::uint64_t at = start + q * kRowBytes;
      uint4 chunk = {s[q][0], s[q][1], s[q][2], s[q][3]};
      if (is_whole_row(job.span, at)) {
        *reinterpret_cast<uint4*>(job.span.out + at + 16 * lane) =
            kTransforms ? xor4(chunk, to_add[q]) : chunk;
      } else {
        if (kTransforms && job.span.masks != nullptr) chunk = xor4(chunk, to_add[q]);
        store_part_of_row<kBlockBytes<F>>(job.span, at, lane, chunk, tile);
      }
    }
  }
  wipe_tables<F>(shared);
}

}  // namespace gpuctr::tables

#endif
