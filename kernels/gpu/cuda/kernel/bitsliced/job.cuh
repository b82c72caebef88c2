// The parameters of a launch of the bit-sliced kernels, by the host.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_JOB_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_JOB_CUH

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/cipher/registry.h"
#include "kernels/gpu/cuda/kernel/bitsliced/ctr.cuh"

namespace gpuctr {
inline namespace bitsliced_job {

template <class C>
void set_keys(const RoundKeys& keys, BitslicedParameters<C>* job) {
  constexpr unsigned kBits = BitslicedParameters<C>::kWordBits;
  const auto* const words = keys.words<typename C::Word>();
  if constexpr (BitslicedParameters<C>::kInShared) {
    std::memcpy(job->words, words, sizeof job->words);
  } else {
    for (unsigned i = 0; i < BitslicedParameters<C>::kKeyBits; ++i) {
      job->signs[i] = (0u - ((words[i / kBits] >> (i % kBits)) & 1u)) | 1u;
    }
  }
  // cuda_scrub overwrites this much of the driver's parameter memory.
  static_assert(sizeof(BitslicedParameters<C>) <= 4032);
}

template <class C>
void set_counter(const std::uint8_t* counter, BitslicedParameters<C>* job) {
  constexpr unsigned kBytes = BitslicedParameters<C>::kBlockBits / 8;
  constexpr unsigned kSpare = (1u << kSpareBits<C>)-1;
  job->first = 0;
  for (unsigned i = kBytes - 4; i < kBytes; ++i) job->first = job->first << 8 | counter[i];
  for (unsigned n = 32; n < 8 * kBytes; ++n) {
    job->upper[n - 32] = (0u - ((counter[kBytes - 1 - n / 8] >> (n % 8)) & 1u)) | kSpare;
  }
}

// The counters begin in the row of job->first.
template <class C>
void set_tiles(std::uint32_t blocks, BitslicedParameters<C>* job) {
  constexpr std::uint64_t kTile = kBitslicedTileBlocks<C>;
  job->blocks = blocks;
  job->tiles = static_cast<std::uint32_t>((job->first % 32 + blocks + (kTile - 1)) / kTile);
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

}  // namespace bitsliced_job
}  // namespace gpuctr

#endif
