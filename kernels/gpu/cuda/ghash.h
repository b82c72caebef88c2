// GHASH (SP 800-38D 6.4) on devices whose tensor cores multiply matrices of bits, in two forms: by
// mma on sm_80 to sm_90, and by wgmma on sm_90, for builds with code for sm_90a. Work is queued on
// `stream`.
#ifndef GPUCTR_KERNELS_GPU_CUDA_GHASH_H
#define GPUCTR_KERNELS_GPU_CUDA_GHASH_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/cuda/ghash_powers.h"

namespace gpuctr::cuda {

// Whether this build has code for sm_90a.
#ifdef GPUCTR_SM90A
constexpr bool kBuiltForWgmma = true;
#else
constexpr bool kBuiltForWgmma = false;
#endif

constexpr std::size_t kHashStateBytes = 32;

// What a run of the hash needs besides its data, by `grid` thread blocks.
struct HashPlace {
  const HashPowers& powers;  // for the form's order and `grid`
  // Device memory of one stream, kHashStateBytes, 16-byte aligned; zeros before the first run.
  void* state;
  unsigned grid;        // at most kMostHashBlocks
  void* to;             // 16 bytes that the device can write, 16-byte aligned
  std::uint32_t* flag;  // becomes `ticket` when they are written: memory as of `to`
  std::uint32_t ticket;
  // The kernel before it in the stream is of counter mode, and not another hash: this one begins
  // where that one's thread blocks end.
  bool behind_counter;
};

// A run of blocks of 16 bytes, 1 or more. `before`, 16 bytes of host memory, is the hash of what
// came before; it and the powers are kernel parameters, copied before a call returns.
struct HashSpan {
  HashPlace place;
  const std::uint8_t* before;
  const void* in;
  std::size_t blocks;
};

// to[0 .. 16) = (...((before ^ in[0]) H ^ in[1]) H ...) H. By mma `in` is at any address; by wgmma
// it is 16-byte aligned and has at most kMostWgmmaBlocks.
cudaError_t hash_by_mma(cudaStream_t stream, const HashSpan& span);
cudaError_t hash_by_wgmma(cudaStream_t stream, const HashSpan& span);
constexpr std::size_t kMostWgmmaBlocks = std::size_t{1} << 31;

}  // namespace gpuctr::cuda

#endif
