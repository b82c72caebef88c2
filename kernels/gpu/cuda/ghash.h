// GHASH (SP 800-38D 6.4) on cards whose tensor cores multiply matrices of bits, in two forms: by
// mma on sm_80 to sm_90, and by wgmma on sm_90, for builds with code for sm_90a.
//
// Everywhere: `tables` is what the card keeps of a key while it hashes, device memory, 16-byte
// aligned; `grid` is how many thread blocks hash, at most kMostHashBlocks. Work is queued on
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

std::size_t mma_table_bytes();
std::size_t wgmma_table_bytes();

// Makes the tables for one run of `blocks` blocks. The powers, made for the form's order and the
// same grid, and `before`, 16 bytes of host memory, are copied before the call returns: they are
// kernel parameters.
cudaError_t make_mma_tables(cudaStream_t stream, const HashPowers& powers,
                            const std::uint8_t* before, unsigned grid, void* tables);
cudaError_t make_wgmma_tables(cudaStream_t stream, const HashPowers& powers,
                              const std::uint8_t* before, unsigned grid, std::size_t blocks,
                              void* tables);

// to[0 .. 16) = (...((before ^ in[0]) H ^ in[1]) H ...) H for `blocks` blocks of 16 bytes, 1 or
// more, and the wiping of the tables. `to` is memory that the card can write, 16-byte aligned. By
// mma `in` is at any address; by wgmma it is 16-byte aligned and has at most kMostWgmmaBlocks.
cudaError_t hash_by_mma(cudaStream_t stream, void* tables, unsigned grid, const void* in,
                        std::size_t blocks, void* to);
// behind_tables: the kernel before it in the stream is the one that makes them.
cudaError_t hash_by_wgmma(cudaStream_t stream, void* tables, unsigned grid, const void* in,
                          std::size_t blocks, void* to, bool behind_tables);
constexpr std::size_t kMostWgmmaBlocks = std::size_t{1} << 31;

}  // namespace gpuctr::cuda

#endif
