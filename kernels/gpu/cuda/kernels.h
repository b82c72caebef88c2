// The CUDA backend: what the layer in kernels/gpu/cuda/layer.cpp launches, cipher by cipher.
//
// Two kinds of kernel stand behind the same contract. CudaOps take any length and any alignment:
// word-wise or by look-ups in tables. A cipher may have a faster kernel besides that only takes
// whole tiles (bit-sliced: 32 blocks a thread); the layer gives it the aligned body of a long job
// and does head and tail by CudaOps.
//
// Only kernels/gpu/cuda/ and the ciphers' cuda.cu include this file.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNELS_H
#define GPUCTR_KERNELS_GPU_CUDA_KERNELS_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cipher/registry.h"
#include "kernels/gpu/cuda/ghash.h"
#include "kernels/gpu/cuda/plan.h"

namespace gpuctr {

// CTR: out = keystream, or in ^ keystream where in is not nullptr, `bytes` bytes from counter block
// `counter` (block_bytes of the cipher, big-endian, host memory), with any carry, modulo
// 2^(8 block_bytes). in == out is allowed. Queues on `stream` (of the current device) and returns
// the launch's own error; keys and counter are copied before it returns.
using CudaCtr = cudaError_t (*)(cudaStream_t stream, const RoundKeys& keys,
                                const std::uint8_t* counter, const void* in, void* out,
                                std::size_t bytes);

// A kernel for whole tiles. `bytes` is a multiple of tile_bytes and not 0; in and out are 16-byte
// aligned; tile_bytes is a multiple of 16. Below least_bytes the word-wise kernel is faster.
struct CudaTiles {
  std::size_t tile_bytes;
  std::size_t least_bytes;
  CudaCtr ctr;
};

// Defined in the folders that have such kernels, for their cuda.cu.
template <class C>
const CudaTiles* cuda_tiles_of();

// A batch laid out on the card: run i of BatchRun (plan.h) uses the round keys at
// keys + run.key * key_bytes, or, with raw_keys, the key at keys + run.key * raw_key_bytes.
struct CudaBatch {
  const BatchRun* runs;  // device memory, in order of first_unit
  const void* keys;      // device memory
  bool raw_keys;
  std::uint32_t count;
  std::uint32_t units;  // in the whole batch
  std::uint32_t even;   // units of every run where all have the same number, else 0
  const void* in;
  void* out;
};

// Whole blocks: `bytes` of them from `in` to `out`, any alignment, each for itself (in == out is
// allowed), or, with `chained`, XORed with the block of `in` before it (in and out apart; of the
// first with `before`, unless `reads_before` says that it is to be read before `in`). Queues on
// `stream` and returns the launch's own error; keys and blocks are copied before it returns.
struct BlockSpan {
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t bytes;
  bool chained;
  bool reads_before;
  std::uint8_t before[kMaxBlockBytes];
};
using CudaBlocks = cudaError_t (*)(cudaStream_t stream, const RoundKeys& keys,
                                   const BlockSpan& span);

// GCM in one pass, on a card whose tensor cores hash by wgmma: the text's whole blocks, 1 to
// kMostWgmmaBlocks of them (cuda/ghash.h), from `in` to `out`, both 16-byte aligned (in == out is
// allowed), by counter mode from counter block `counter`, whose last 32 bits count and do not wrap,
// and the hash of the ciphertext, as hash_by_wgmma does.
// Queues on `stream` and returns the launch's own error; keys and counter are copied before it
// returns.
struct GcmSpan {
  const std::uint8_t* counter;  // 16 bytes
  bool encrypts;
  void* out;
  cuda::HashSpan hash;
};
using CudaGcm = cudaError_t (*)(cudaStream_t stream, const RoundKeys& keys, const GcmSpan& span);

// One cipher's word-wise kernels.
struct CudaOps {
  CudaCtr ctr;  // any length, any alignment
  // nullptr: the layer calls ctr for each segment, and the rest down to raw_key_bytes is 0. Where
  // it is not, the block has 16 bytes at most.
  cudaError_t (*batch)(cudaStream_t stream, const CudaBatch& batch);
  std::size_t unit_bytes;  // keystream that one warp of `batch` makes at a time
  std::size_t key_bytes;   // of one key in a batch, multiple of 16
  // Writes the round keys into host memory as `batch` wants them: key_bytes bytes.
  void (*lay_out_keys)(const RoundKeys& keys, void* out);
  // A batch whose runs all have the same number of units, this or more, may have raw keys, which
  // the card expands. Never with 0.
  std::uint32_t raw_units;
  std::size_t raw_key_bytes;  // multiple of 16
  CudaBlocks encrypt;
  CudaBlocks decrypt;
  const CudaTiles* (*tiles)();  // nullptr: none
  CudaGcm gcm = nullptr;        // nullptr: counter mode and hash are two passes
};
constexpr CudaOps with_gcm(CudaOps ops, CudaGcm gcm) {
  ops.gcm = gcm;
  return ops;
}

// Whether a cipher without a cuda.cu runs on kernel/wordwise/plain.cuh.
template <class C>
struct HasPlainForm : std::bool_constant<!C::kFacts.boxes && !C::kFacts.legacy &&
                                         BlockBytes<C>::kValue <= kMaxCudaBlockBytes> {};

// Defined for each cipher C in its folder's cuda.cu, or by kernel/wordwise/plain.cuh.
template <class C>
const CudaOps& cuda_ops_of();

// One of them, or nullptr where the cipher has none.
using CudaOpsFunction = const CudaOps& (*)();

// Those of the cipher with this index in AllCiphers, or nullptr where it has none.
const CudaOps* cuda_ops(std::size_t cipher);

// Queues a launch whose parameters are zeros as large as any kernel's, so that the driver's
// parameter memory does not keep the last key; with `long_keys` another for those of ciphers with
// round keys of more than kShortKeyBytes.
constexpr std::size_t kShortKeyBytes = 3072;
constexpr std::size_t kShortParameters = 4032;  // with a launch's own bookkeeping under 4 KiB
constexpr std::size_t kLongParameters = 4608;
constexpr bool is_scrubbed(std::size_t parameter_bytes, std::size_t key_bytes) {
  return parameter_bytes <= (key_bytes > kShortKeyBytes ? kLongParameters : kShortParameters);
}
cudaError_t cuda_scrub(cudaStream_t stream, bool long_keys = false);

// Queues a kernel that zeroes memory the card can reach, pinned host memory too. 16-byte aligned;
// `bytes` is rounded up to whole 16 bytes.
cudaError_t cuda_wipe(cudaStream_t stream, void* memory, std::size_t bytes);

}  // namespace gpuctr

#endif
