// The host part of the bit-sliced kernels, which make whole blocks; ctr.cuh has the device part.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_LAUNCH_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_LAUNCH_CUH

#include "kernels/gpu/cuda/kernel/bitsliced/ctr.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr {
inline namespace bitsliced_launch {

template <class C>
void set_keys(const RoundKeys& keys, BitslicedParameters<C>* job) {
  constexpr unsigned kBits = BitslicedParameters<C>::kWordBits;
  std::memcpy(job->words, keys.words<typename C::Word>(), sizeof job->words);
  if constexpr (BitslicedRounds<C>::kMasksAsParameters) {
    for (unsigned i = 0; i < BitslicedParameters<C>::kMasks; ++i) {
      job->masks[i] = 0u - ((job->words[i / kBits] >> (i % kBits)) & 1u);
    }
  }
  // cuda_scrub overwrites this much of the driver's parameter memory.
  static_assert(sizeof(BitslicedParameters<C>) <= 4032);
}

template <class C>
void set_counter(const std::uint8_t* counter, BitslicedParameters<C>* job) {
  constexpr unsigned kBytes = BitslicedParameters<C>::kBlockBits / 8;
  job->first = 0;
  for (unsigned i = kBytes - 4; i < kBytes; ++i) job->first = job->first << 8 | counter[i];
  for (unsigned n = 32; n < 8 * kBytes; ++n) {
    job->upper[n - 32] = 0u - ((counter[kBytes - 1 - n / 8] >> (n % 8)) & 1u);
  }
}

// Divides the tiles among thread blocks and returns their number. If a thread block fills a
// multiprocessor, each multiprocessor gets one, which takes tiles at a fixed stride. Otherwise a
// thread block has at least one tile a warp. In a long job it has more tiles, to set up the keys
// less often, but each place on the device still gets 16 thread blocks in turn. With data, one tile
// a warp is best: thread blocks that come and go spread loads and stores over time.
template <class C>
unsigned share_out(unsigned processors, bool data, BitslicedParameters<C>* job) {
  using Rounds = BitslicedRounds<C>;
  if (Rounds::kBlocksAnSm == 1) {
    const unsigned blocks = std::min(processors, job->tiles);
    job->block_tiles = (job->tiles + blocks - 1) / blocks;
    job->block_step = 1;
    job->tile_step = blocks;
    return blocks;
  }
  const unsigned places = processors * Rounds::kBlocksAnSm * Rounds::kWarps;
  const unsigned each = data ? 1 : std::clamp(job->tiles / (16 * places), 1u, 8u);
  job->block_tiles = Rounds::kWarps * each;
  job->block_step = job->block_tiles;
  job->tile_step = 1;
  return (job->tiles + job->block_tiles - 1) / job->block_tiles;
}

// One launch for each run of counters with the same bits from 32 up. `job` has its keys.
template <class C>
cudaError_t bitsliced_ctr_launches(cudaStream_t stream, BitslicedParameters<C>& job,
                                   const std::uint8_t* counter, const void* in, void* out,
                                   std::size_t bytes) {
  constexpr unsigned kBlockBytes = BitslicedParameters<C>::kBlockBits / 8;
  constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 31;
  std::uint8_t next[kBlockBytes];
  std::memcpy(next, counter, kBlockBytes);
  int device = 0, processors = 0;
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  if (const cudaError_t error =
          cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device)) {
    return error;
  }
  const auto* from = static_cast<const std::uint8_t*>(in);
  auto* to = static_cast<std::uint8_t*>(out);

  for (std::uint64_t blocks = bytes / kBlockBytes; blocks != 0;) {
    set_counter(next, &job);
    std::uint64_t part = (std::uint64_t{1} << 32) - job.first;
    if (part > blocks) part = blocks;
    if (part > kMostBlocks) part = kMostBlocks;
    job.blocks = static_cast<std::uint32_t>(part);
    const std::uint64_t last = job.first + part - 1;
    job.tiles = static_cast<std::uint32_t>(last / kBitslicedTileBlocks) -
                job.first / kBitslicedTileBlocks + 1;
    const unsigned grid = share_out(static_cast<unsigned>(processors), in != nullptr, &job);
    if (from != nullptr) {
      bitsliced_ctr<C, true><<<grid, kBitslicedThreads<C>, 0, stream>>>(job, from, to);
      from += part * kBlockBytes;
    } else {
      bitsliced_ctr<C, false><<<grid, kBitslicedThreads<C>, 0, stream>>>(job, nullptr, to);
    }
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    to += part * kBlockBytes;
    blocks -= part;
    counter_add(next, kBlockBytes, part);
  }
  return cudaSuccess;
}

template <class C>
cudaError_t bitsliced_ctr_launch(cudaStream_t stream, const RoundKeys& keys,
                                 const std::uint8_t* counter, const void* in, void* out,
                                 std::size_t bytes) {
  Wiped<BitslicedParameters<C>> job;
  set_keys(keys, &job.value);
  return bitsliced_ctr_launches(stream, job.value, counter, in, out, bytes);
}

// The first tiles of a job take 10 to 20 us, whatever the job's length. On an H200 the word-wise
// kernels are faster below these lengths.
template <class C>
constexpr std::size_t kBitslicedLeastBytes =
    std::size_t{BitslicedParameters<C>::kBlockBits == 64 ? 4 : 12} << 20;
template <class C>
constexpr CudaTiles kBitslicedTiles = {16, kBitslicedLeastBytes<C>, bitsliced_ctr_launch<C>};

}  // namespace bitsliced_launch

}  // namespace gpuctr

#endif
