// The host's part of the bit-sliced kernels, which make whole blocks; bitslice.cuh has the
// device's.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_LAUNCH_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_LAUNCH_CUH

#include "kernels/gpu/cuda/kernel/bitsliced/bitslice.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr {
inline namespace bitslice_launch {

template <class C>
void set_keys(const RoundKeys& keys, SliceParameters<C>* job) {
  constexpr unsigned kBits = SliceParameters<C>::kWordBits;
  std::memcpy(job->words, keys.words<typename C::Word>(), sizeof job->words);
  if constexpr (SliceRounds<C>::kMasksAsParameters) {
    for (unsigned i = 0; i < SliceParameters<C>::kMasks; ++i) {
      job->masks[i] = 0u - ((job->words[i / kBits] >> (i % kBits)) & 1u);
    }
  }
  // cuda_scrub overwrites this much of the driver's parameter memory.
  static_assert(sizeof(SliceParameters<C>) <= 4032);
}

template <class C>
void set_counter(const std::uint8_t* counter, SliceParameters<C>* job) {
  constexpr unsigned kBytes = SliceParameters<C>::kBlockBits / 8;
  job->first = 0;
  for (unsigned i = kBytes - 4; i < kBytes; ++i) job->first = job->first << 8 | counter[i];
  for (unsigned n = 32; n < 8 * kBytes; ++n) {
    job->upper[n - 32] = 0u - ((counter[kBytes - 1 - n / 8] >> (n % 8)) & 1u);
  }
}

// Shares the tiles out among thread blocks and returns their number. Where a block fills a
// multiprocessor there is one each, with every so many-th tile. Otherwise a block has at least a
// tile a warp, and more in a long job, to set up the keys less often, but so few that each place on
// the card gets 16 blocks one after the other. With data, one a warp is best: blocks that come and
// go keep the card's loads and stores spread over time.
template <class C>
unsigned share_out(unsigned processors, bool data, SliceParameters<C>* job) {
  using Rounds = SliceRounds<C>;
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

// One launch for each stretch of counters with the same bits from 32 up. `job` has its keys.
template <class C>
cudaError_t slice_ctr_launches(cudaStream_t stream, SliceParameters<C>& job,
                               const std::uint8_t* counter, const void* in, void* out,
                               std::size_t bytes) {
  constexpr unsigned kBlockBytes = SliceParameters<C>::kBlockBits / 8;
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
    job.tiles =
        static_cast<std::uint32_t>(last / kSliceTileBlocks) - job.first / kSliceTileBlocks + 1;
    const unsigned grid = share_out(static_cast<unsigned>(processors), in != nullptr, &job);
    if (from != nullptr) {
      slice_ctr<C, true><<<grid, kSliceThreads<C>, 0, stream>>>(job, from, to);
      from += part * kBlockBytes;
    } else {
      slice_ctr<C, false><<<grid, kSliceThreads<C>, 0, stream>>>(job, nullptr, to);
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
cudaError_t slice_ctr_launch(cudaStream_t stream, const RoundKeys& keys,
                             const std::uint8_t* counter, const void* in, void* out,
                             std::size_t bytes) {
  Wiped<SliceParameters<C>> job;
  set_keys(keys, &job.value);
  return slice_ctr_launches(stream, job.value, counter, in, out, bytes);
}

// The first tiles of a job take 10 to 20 us whatever its length. Measured on an H200, the word-wise
// kernels are faster below these lengths.
template <class C>
constexpr std::size_t kSliceLeastBytes =
    std::size_t{SliceParameters<C>::kBlockBits == 64 ? 4 : 12} << 20;
template <class C>
constexpr CudaTiles kSliceTiles = {16, kSliceLeastBytes<C>, slice_ctr_launch<C>};

}  // namespace bitslice_launch

}  // namespace gpuctr

#endif
