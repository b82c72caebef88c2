// GHASH (SP 800-38D 6.4) on cards whose tensor cores multiply matrices of bits: sm_80 to sm_90.
#ifndef GPUCTR_KERNELS_GPU_CUDA_GHASH_H
#define GPUCTR_KERNELS_GPU_CUDA_GHASH_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/cuda/ghash_powers.h"

namespace gpuctr::cuda {

// What the card keeps of a key while it hashes, in device memory: 16-byte aligned.
std::size_t hash_table_bytes();

// Queues a kernel that makes the tables for a card with `processors`. The powers and `before`, 16
// bytes of host memory, are copied before it returns: they are kernel parameters.
cudaError_t make_hash_tables(cudaStream_t stream, const HashPowers& powers,
                             const std::uint8_t* before, unsigned processors, void* tables);

// Queues to[0 .. 16) = (...((before ^ in[0]) H ^ in[1]) H ...) H for `blocks` blocks of 16 bytes, 1
// or more, at any address, and the wiping of the tables. `to` is memory that the card can write,
// 16-byte aligned.
cudaError_t hash_blocks(cudaStream_t stream, void* tables, unsigned processors, const void* in,
                        std::size_t blocks, void* to);

// How many warps of a card hash: what the powers are made for.
unsigned hash_warps(unsigned processors);

}  // namespace gpuctr::cuda

#endif
