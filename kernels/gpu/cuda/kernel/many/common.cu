// Launches of the kernels in common.cuh.
#include "kernels/gpu/cuda/kernel/many/common.cuh"

namespace gpuctr::cuda {

inline unsigned grid_of(std::uint64_t threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

cudaError_t many_blocks(cudaStream_t stream, ManyBlocks kind, const std::uint8_t* ivs,
                        std::uint32_t iv_bytes, std::uint32_t block_bytes, std::uint8_t* blocks,
                        std::uint32_t count) {
  blocks_kernel<<<grid_of(count), kThreads, 0, stream>>>(kind, ivs, iv_bytes, block_bytes, blocks,
                                                         count);
  return cudaGetLastError();
}

cudaError_t many_hashed_blocks(cudaStream_t stream, const std::uint8_t* ivs, std::uint32_t iv_bytes,
                               const uint4* hash_keys, uint4* blocks, std::uint32_t count) {
  hashed_blocks_kernel<<<grid_of(count), kThreads, 0, stream>>>(ivs, iv_bytes, hash_keys, blocks,
                                                                count);
  return cudaGetLastError();
}

// A team is as large as keeps the powers of H cheap beside the steps.
cudaError_t many_hash(cudaStream_t stream, const ManyJob& job, const std::uint8_t* text) {
  unsigned team = 1;
  while (team < 32 && team * std::uint64_t{512} < job.length) team *= 2;
  hash_kernel<<<grid_of(std::uint64_t{job.pieces} * team), kThreads, 0, stream>>>(job, text, team);
  return cudaGetLastError();
}

cudaError_t many_tags(cudaStream_t stream, const ManyJob& job) {
  tags_kernel<<<grid_of(job.pieces), kThreads, 0, stream>>>(job, job.pieces);
  return cudaGetLastError();
}

cudaError_t many_begin_outcome(cudaStream_t stream, std::uint32_t* counted) {
  no_outcome_kernel<<<1, 1, 0, stream>>>(counted);
  return cudaGetLastError();
}
cudaError_t many_end_outcome(cudaStream_t stream, std::uint32_t* counted, std::uint32_t* seen) {
  outcome_kernel<<<1, 1, 0, stream>>>(counted, seen);
  return cudaGetLastError();
}

cudaError_t many_zero(cudaStream_t stream, const ManyJob& job) {
  zero_kernel<<<grid_of(std::uint64_t{job.pieces} * 32), kThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

}  // namespace gpuctr::cuda
