// GHASH (SP 800-38D 6.4) on devices whose tensor cores multiply matrices of bits. There are two
// forms: mma on sm_80 to sm_90, and wgmma on sm_90, for builds with code for sm_90a. Work is queued
// on `stream`.
#ifndef GPUCTR_KERNELS_GPU_CUDA_GHASH_H
#define GPUCTR_KERNELS_GPU_CUDA_GHASH_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/cuda/ghash_powers.h"

namespace gpuctr::cuda {

constexpr std::size_t kHashStateBytes = 32;

// The state and the output of a run of the hash, which `grid` thread blocks compute.
struct HashPlace {
  const HashPowers& powers;  // for the form's order and `grid`
  // Device memory of one stream, kHashStateBytes, 16-byte aligned; zeros before the first run.
  void* state;
  unsigned grid;        // at most kMostHashBlocks
  void* to;             // 16 bytes that the device can write, 16-byte aligned
  std::uint32_t* flag;  // set to `ticket` once `to` is written; same kind of memory as `to`
  std::uint32_t ticket;
  // The previous kernel of the stream is counter mode, not another hash: the hash kernel may begin
  // where the thread blocks of the previous kernel end.
  bool behind_counter;
};

// A run of one or more blocks of 16 bytes. `before`, 16 bytes of host memory, is the hash of the
// blocks before the run. `before` and the powers are kernel parameters, copied before a call
// returns.
struct HashSpan {
  HashPlace place;
  const std::uint8_t* before;
  const void* in;
  std::size_t blocks;
};

// to[0 .. 16) = (...((before ^ in[0]) H ^ in[1]) H ...) H. For mma `in` may have any address; for
// wgmma `in` is 16-byte aligned and has at most kMostWgmmaBlocks blocks.
cudaError_t hash_by_mma(cudaStream_t stream, const HashSpan& span);
cudaError_t hash_by_wgmma(cudaStream_t stream, const HashSpan& span);
constexpr std::size_t kMostWgmmaBlocks = std::size_t{1} << 31;

}  // namespace gpuctr::cuda

#endif
