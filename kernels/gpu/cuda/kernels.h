// The CUDA backend: the kernels of each cipher that the layer in kernels/gpu/cuda/layer.cpp
// launches.
//
// There are two kinds of kernel. CudaOps take any length and any alignment: word-wise or by table
// look-ups. A cipher may also have a faster kernel that takes only whole tiles (bit-sliced: 32
// blocks a thread). The layer uses that kernel for the aligned body of a long job, and CudaOps for
// head and tail.
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
#include "kernels/gpu/cuda/many/job.h"
#include "kernels/gpu/cuda/plan.h"
#include "kernels/random/numbers.h"

namespace gpuctr {

// Whether this build has code for sm_90a.
#ifdef GPUCTR_SM90A
constexpr bool kBuiltForSm90a = true;
#else
constexpr bool kBuiltForSm90a = false;
#endif

// CTR: out = keystream, or in ^ keystream if in is not nullptr, for `bytes` bytes from counter
// block `counter`. The counter has the cipher's block_bytes, is big-endian and in host memory, and
// counts with full carry modulo 2^(8 block_bytes). in == out is allowed. Queues on `stream` (of the
// current device) and returns the launch's own error; keys and counter are copied before it
// returns.
using CudaCtr = cudaError_t (*)(cudaStream_t stream, const RoundKeys& keys,
                                const std::uint8_t* counter, const void* in, void* out,
                                std::size_t bytes);

// A batch as laid out on the device. Run i of BatchRun (plan.h) uses the round keys at keys +
// run.key * key_bytes. With raw_keys it uses the key at keys + run.key * raw_key_bytes.
struct CudaBatch {
  const BatchRun* runs;  // device memory, in order of first_unit
  const void* keys;      // device memory
  bool raw_keys;
  std::uint32_t count;
  std::uint32_t units;  // in the whole batch
  std::uint32_t even;   // the number of units of every run if all are equal, else 0
  const void* in;
  void* out;
};

// Whole blocks: `bytes` bytes from `in` to `out`, any alignment. ECB unless one of these is set:
// - chained (CBC decryption): each result is XORed with the block of `in` before it.
// - feedback (CFB decryption, for `encrypt`): each block of `in` is XORed with the encrypted block
//   before it.
// - masks (XTS, blocks of 16 bytes): each block is XORed with a mask before and after. The mask of
//   the first of each 32 blocks of the span is masks[block / 32], in device memory; the next are
//   that times x, x^2 ... in XTS's field.
// With chained and feedback, in and out must not overlap; otherwise in == out is allowed. The block
// before the first is `before`, or, if `reads_before`, lies in front of `in`. Queues on `stream`
// and returns the launch's own error; keys and blocks are copied before it returns.
struct BlockSpan {
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t bytes;
  bool chained;
  bool reads_before;
  std::uint8_t before[kMaxBlockBytes];
  bool feedback = false;
  const uint4* masks = nullptr;
};
using CudaBlocks = cudaError_t (*)(cudaStream_t stream, const RoundKeys& keys,
                                   const BlockSpan& span);

// A kernel for whole tiles. `bytes` is a multiple of tile_bytes and not 0; in and out are 16-byte
// aligned; tile_bytes is a multiple of 16. Below least_bytes the word-wise kernel is faster.
struct CudaBlockTiles {
  std::size_t tile_bytes;
  std::size_t least_bytes;
  CudaBlocks encrypt;
  CudaBlocks decrypt;
};
struct CudaTiles {
  std::size_t tile_bytes;
  std::size_t least_bytes;
  CudaCtr ctr;
  CudaBlockTiles blocks = {};  // all 0: CudaOps makes all whole blocks
};

// The tile kernel of cipher C. Only folders with such a kernel define this function.
template <class C>
const CudaTiles* cuda_tiles_of();

// GCM in one pass, on a device whose tensor cores hash by wgmma. The whole blocks of the text, 1 to
// kMostWgmmaBlocks of them (cuda/ghash.h), go from `in` to `out`, both 16-byte aligned (in == out
// is allowed). The last 32 bits of counter block `counter` count and do not wrap. The ciphertext is
// hashed as in hash_by_wgmma. Queues on `stream` and returns the launch's own error; keys and
// counter are copied before it returns.
struct GcmSpan {
  const std::uint8_t* counter;  // 16 bytes
  bool encrypts;
  void* out;
  cuda::HashSpan hash;
};
using CudaGcm = cudaError_t (*)(cudaStream_t stream, const RoundKeys& keys, const GcmSpan& span);

// DeviceLayer::ctr_numbers, for every distribution but uniform and normal float64, and an output
// that is aligned to 16 bytes. Queues on `stream` and returns the launch's own error; keys and
// counter are copied before it returns.
using CudaNumbers = cudaError_t (*)(cudaStream_t stream, const RoundKeys& keys,
                                    const std::uint8_t* counter, const Distribution& what,
                                    void* out, std::size_t* count);

// One cipher's word-wise kernels.
struct CudaOps {
  CudaCtr ctr;  // any length, any alignment
  // nullptr: the layer calls ctr for each segment, and the members down to raw_key_bytes are 0. If
  // not nullptr, the block has at most 16 bytes.
  cudaError_t (*batch)(cudaStream_t stream, const CudaBatch& batch);
  std::size_t unit_bytes;  // keystream that one warp of `batch` makes at a time
  std::size_t key_bytes;   // size of one key in a batch, multiple of 16
  // Writes the round keys into host memory in the layout of `batch`: key_bytes bytes.
  void (*lay_out_keys)(const RoundKeys& keys, void* out);
  // A batch may have raw keys, which the device expands, if all its runs have the same number of
  // units, at least raw_units. 0: never.
  std::uint32_t raw_units;
  std::size_t raw_key_bytes;  // multiple of 16
  CudaBlocks encrypt;
  CudaBlocks decrypt;
  const CudaTiles* (*tiles)();    // nullptr: none
  CudaGcm gcm = nullptr;          // nullptr: counter mode and hash are two passes
  CudaNumbers numbers = nullptr;  // nullptr: counter mode and numbers are two passes
  // Many messages under keys of their own; nullptr: none.
  const cuda::CudaMany* many = nullptr;
};
constexpr CudaOps with_many(CudaOps ops, const cuda::CudaMany* many) {
  ops.many = many;
  return ops;
}
constexpr CudaOps with_gcm(CudaOps ops, CudaGcm gcm) {
  ops.gcm = gcm;
  return ops;
}
constexpr CudaOps with_numbers(CudaOps ops, CudaNumbers numbers) {
  ops.numbers = numbers;
  return ops;
}

// Whether a cipher without a cuda.cu runs on kernel/wordwise/plain.cuh.
template <class C>
struct HasPlainForm : std::bool_constant<!C::kFacts.boxes && !C::kFacts.legacy &&
                                         BlockBytes<C>::kValue <= kMaxCudaBlockBytes> {};

// Defined for each cipher C in its folder's cuda.cu, or by kernel/wordwise/plain.cuh.
template <class C>
const CudaOps& cuda_ops_of();

// A function that returns a cipher's CudaOps; nullptr if the cipher has none.
using CudaOpsFunction = const CudaOps& (*)();

// The CudaOps of the cipher with this index in AllCiphers, or nullptr if it has none.
const CudaOps* cuda_ops(std::size_t cipher);

// Queues a launch whose parameters are zeros, as large as any kernel's parameters, so that the
// driver's parameter memory does not keep the last key. With `long_keys` queues a second launch,
// for ciphers with round keys of more than kShortKeyBytes.
constexpr std::size_t kShortKeyBytes = 3072;
constexpr std::size_t kShortParameters = 4032;  // under 4 KiB with a launch's own bookkeeping
constexpr std::size_t kLongParameters = 4608;
constexpr bool is_scrubbed(std::size_t parameter_bytes, std::size_t key_bytes) {
  return parameter_bytes <= (key_bytes > kShortKeyBytes ? kLongParameters : kShortParameters);
}
cudaError_t cuda_scrub(cudaStream_t stream, bool long_keys = false);

// DeviceLayer::numbers. Queues on `stream` and returns the launch's own error.
cudaError_t cuda_numbers(cudaStream_t stream, const Distribution& what, const void* random,
                         void* out, std::size_t count);

// Queues a kernel that zeroes memory that the device can reach, including pinned host memory.
// 16-byte aligned; `bytes` is rounded up to whole 16 bytes.
cudaError_t cuda_wipe(cudaStream_t stream, void* memory, std::size_t bytes);

}  // namespace gpuctr

#endif
