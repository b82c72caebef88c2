// The host part of the bit-sliced kernels, which make whole blocks; ctr.cuh and blocks.cuh have the
// device part.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_LAUNCH_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_LAUNCH_CUH

#include "kernels/gpu/cuda/kernel/bitsliced/blocks.cuh"
#include "kernels/gpu/cuda/kernel/bitsliced/job.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr {
inline namespace bitsliced_launch {

inline cudaError_t count_processors(unsigned* processors) {
  int device = 0;
  int count = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  }
  *processors = static_cast<unsigned>(count);
  return error;
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
  unsigned processors = 0;
  if (const cudaError_t error = count_processors(&processors)) return error;
  const auto* from = static_cast<const std::uint8_t*>(in);
  auto* to = static_cast<std::uint8_t*>(out);

  for (std::uint64_t blocks = bytes / kBlockBytes; blocks != 0;) {
    set_counter(next, &job);
    std::uint64_t part = (std::uint64_t{1} << 32) - job.first;
    if (part > blocks) part = blocks;
    if (part > kMostBlocks) part = kMostBlocks;
    set_tiles(static_cast<std::uint32_t>(part), &job);
    const unsigned grid = share_out(processors, in != nullptr, &job);
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

// One launch for each 2^21 tiles, 15 or 31 GiB.
template <class C, bool kEncrypt>
cudaError_t bitsliced_blocks_launch(cudaStream_t stream, const RoundKeys& keys,
                                    const BlockSpan& span) {
  constexpr unsigned kTileBytes = kBlockTileBytes<C>;
  constexpr std::uint64_t kMostTiles = std::uint64_t{1} << 21;
  static_assert(sizeof(BitslicedBlockParameters<C>) <= kShortParameters);
  Wiped<BitslicedBlockParameters<C>> job;
  set_keys(keys, &job.value.keys);
  job.value.span = span;
  unsigned processors = 0;
  cudaError_t error = count_processors(&processors);
  for (std::uint64_t tiles = span.bytes / kTileBytes; tiles != 0 && error == cudaSuccess;) {
    const std::uint64_t part = std::min(tiles, kMostTiles);
    job.value.keys.tiles = static_cast<std::uint32_t>(part);
    const unsigned grid = share_out(processors, true, &job.value.keys);
    bitsliced_blocks<C, kEncrypt><<<grid, kBitslicedThreads<C>, 0, stream>>>(job.value);
    error = cudaGetLastError();
    job.value.span.in += part * kTileBytes;
    job.value.span.out += part * kTileBytes;
    job.value.span.reads_before = true;
    tiles -= part;
  }
  return error;
}

// The first tiles of a job take 10 to 20 us, whatever the job's length. On an H100 the word-wise
// kernels are faster below these lengths.
template <class C>
constexpr bool kHas64BitBlocks = BitslicedParameters<C>::kBlockBits == 64;
template <class C>
constexpr std::size_t kBitslicedLeastBytes = std::size_t{kHas64BitBlocks<C> ? 4 : 12} << 20;
template <class C>
constexpr std::size_t kBitslicedLeastBlockBytes = std::size_t{kHas64BitBlocks<C> ? 2 : 10} << 20;
template <class C>
constexpr CudaTiles kBitslicedTiles = {
    16,
    kBitslicedLeastBytes<C>,
    bitsliced_ctr_launch<C>,
    {kBlockTileBytes<C>, kBitslicedLeastBlockBytes<C>, bitsliced_blocks_launch<C, true>,
     bitsliced_blocks_launch<C, false>}};

}  // namespace bitsliced_launch

}  // namespace gpuctr

#endif
