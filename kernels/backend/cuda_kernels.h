// The CUDA machine: what the layer in kernels/gpu_cuda.cpp launches, cipher by cipher.
//
// Two kinds of kernel stand behind the same contract. Word-wise kernels take any length and any
// alignment, and every cipher has one. A cipher may have a faster kernel besides that only takes
// whole tiles (bit-sliced: 32 blocks a thread); the layer gives it the aligned body of a long job
// and does head and tail word-wise.
//
// Only kernels/backend/cuda* and kernels/gpu_cuda.* include this file.
#ifndef GPUCTR_KERNELS_BACKEND_CUDA_KERNELS_H
#define GPUCTR_KERNELS_BACKEND_CUDA_KERNELS_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/cipher/table.h"

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

// The tile kernel of the cipher with this index in AllCiphers, or nullptr where it has none.
const CudaTiles* cuda_tiles(std::size_t cipher);

// A segment of a batch as the card sees it. The round keys lie in device memory, `key_stride` bytes
// apart, segment i's at keys + i * key_stride. `first` is the number of the first work unit (see
// CudaBatch) of this segment in the whole batch.
struct CudaSegment {
  std::uint64_t counter_high;  // counter block as one integer; high is 0 for 64-bit blocks
  std::uint64_t counter_low;
  std::uint64_t offset;  // bytes, into out and in
  std::uint64_t bytes;
  std::uint64_t first;
};

struct CudaBatch {
  const CudaSegment* segments;  // device memory, in order of `first`
  const std::uint8_t* keys;     // device memory
  std::uint32_t count;
  std::uint64_t units;  // in the whole batch
  const void* in;
  void* out;
};

// One cipher's word-wise kernels.
struct CudaOps {
  CudaCtr ctr;  // any length, any alignment
  cudaError_t (*batch)(cudaStream_t stream, const CudaBatch& batch);
  // Keystream bytes in a work unit of `batch`: a segment has ceil(bytes / unit_bytes) of them.
  std::size_t unit_bytes;
  std::size_t key_stride;  // bytes, multiple of 16
};

const CudaOps& cuda_ops(std::size_t cipher);

// Queues a launch whose parameters are zeros as large as any kernel's round keys, so that the
// driver's parameter memory does not keep the last key.
cudaError_t cuda_scrub(cudaStream_t stream);

}  // namespace gpuctr

#endif
