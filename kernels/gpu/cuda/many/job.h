// The steps of a batch of messages on a device, and what a kernel gets.
#ifndef GPUCTR_KERNELS_GPU_CUDA_MANY_JOB_H
#define GPUCTR_KERNELS_GPU_CUDA_MANY_JOB_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/cipher/registry.h"
#include "kernels/gpu/cuda/many/plan.h"

namespace gpuctr::cuda {

// All pointers are to memory that the device reaches, any alignment unless stated.
struct ManyJob {
  // Keys: one laid-out row for all messages (row != nullptr, 16-byte aligned), or keys of
  // CipherSpec::key_bytes: of message i the key number i, or number index[i].
  const std::uint32_t* row;
  const std::uint8_t* keys;
  const std::uint32_t* index;  // aligned; nullptr: i
  std::uint32_t key_bytes;

  const std::uint8_t* blocks;  // a counter block or an IV a message
  std::uint32_t first_block;   // CTR: number of the first block, counted from the counter
  bool wraps_at_32;            // CTR: the last 32 bits count and do not carry

  const std::uint32_t* lengths;  // aligned; nullptr: all have `length`
  const std::uint64_t* offsets;  // aligned; nullptr: i * length
  std::uint32_t length;
  const std::uint8_t* in;
  std::uint8_t* out;

  // The pieces, `pieces` of them. list == nullptr: piece p is part p % parts of message p / parts.
  const ManyPiece* list;
  std::uint32_t pieces;
  std::uint32_t parts;
  std::uint32_t piece_bytes;  // multiple of 16
  std::uint32_t tile;         // pieces that a warp takes at a time, 1 to 32
  std::uint32_t longest;      // no piece has more bytes

  // Authentication.
  const std::uint8_t* aad;
  const std::uint64_t* aad_offsets;  // aligned; nullptr: i * aad_length
  const std::uint32_t* aad_lengths;  // aligned; nullptr: all have aad_length
  std::uint32_t aad_length;
  std::uint32_t tag_bytes;
  std::uint8_t* tags;  // tag_bytes a message
  bool encrypts;
  std::uint8_t* results;   // a byte a message; CTR: zeros instead of text where 0
  std::uint32_t* outcome;  // {number of wrong tags, the first}, device memory
  uint4* hash_keys;        // GCM: H of each message
  uint4* masks;            // what is XORed on to the hash; CCM: the tag
};

enum class ManyStep {
  kCtr,         // the text
  kSeeds,       // hash_keys = E(0), masks = E(blocks)
  kCbcEncrypt,  // the text
  kCbcDecrypt,  // the text; in place only in whole messages
  kCcmMac,      // masks = E(blocks) XOR the CBC-MAC of `in`; blocks: A0 of SP 800-38C
};

// The kernels of one cipher.
struct CudaMany {
  std::size_t row_bytes;  // of a laid-out row, multiple of 16
  // Writes the row for a step.
  void (*lay_out)(const RoundKeys& keys, ManyStep step, std::uint32_t* row);
  // Queues a step and returns the launch's own error.
  cudaError_t (*run)(cudaStream_t stream, ManyStep step, const ManyJob& job);
};

// The text of counter mode, bit-sliced (kernel/many/sliced.cuh). Only the bitslice.cu of folders
// with such a kernel define this function.
template <class C>
cudaError_t sliced_ctr(cudaStream_t stream, const ManyJob& job);

// Kernels for all ciphers (kernel/many/common.cu).
enum class ManyBlocks { kPadded, kGcm, kCcm };
// Makes one block a message from an IV of iv_bytes. kPadded: zeros precede the IV. kGcm: 12 bytes
// of IV, then 1. kCcm: A0.
cudaError_t many_blocks(cudaStream_t stream, ManyBlocks kind, const std::uint8_t* ivs,
                        std::uint32_t iv_bytes, std::uint32_t block_bytes, std::uint8_t* blocks,
                        std::uint32_t count);
// GCM's first counter block from an IV of any length, under the hash key of each message.
cudaError_t many_hashed_blocks(cudaStream_t stream, const std::uint8_t* ivs, std::uint32_t iv_bytes,
                               const uint4* hash_keys, uint4* blocks, std::uint32_t count);
// GHASH of associated data, `text` and lengths; writes or compares the tags.
cudaError_t many_hash(cudaStream_t stream, const ManyJob& job, const std::uint8_t* text);
// The same under one hash key `h`, 16 bytes of host memory, on devices whose tensor cores multiply
// matrices of bits. It is a kernel parameter: the caller scrubs.
cudaError_t many_hash_pages(cudaStream_t stream, const ManyJob& job, const std::uint8_t* text,
                            const std::uint8_t* h, unsigned processors);
// Writes or compares the tags that are in `masks`.
cudaError_t many_tags(cudaStream_t stream, const ManyJob& job);
// Sets the counts of ManyJob::outcome to none, and adds them to `seen`, pinned memory.
cudaError_t many_begin_outcome(cudaStream_t stream, std::uint32_t* counted);
cudaError_t many_end_outcome(cudaStream_t stream, std::uint32_t* counted, std::uint32_t* seen);
// Zeroes the texts whose result is 0.
cudaError_t many_zero(cudaStream_t stream, const ManyJob& job);

}  // namespace gpuctr::cuda

#endif
