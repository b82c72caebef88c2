// The parts of a batch of messages that no cipher is needed for: first blocks from IVs, GHASH with
// a hash key for each message, tags, and zeros for texts with wrong tags.
//
// A team of 1 to 32 lanes hashes a message. Lane l takes every block whose number from the end, the
// length block included, is team - 1 - l modulo the size of the team. Each step multiplies by
// H^team, the last by the power for the lane's place; the sum of the lanes is the hash. No address
// and no branch depends on a key or on data.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_COMMON_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_COMMON_CUH

#include "kernels/gpu/cuda/kernel/many/hash_blocks.cuh"

namespace gpuctr::cuda {
inline namespace many_common {

constexpr unsigned kThreads = 128;

__device__ __forceinline__ std::uint64_t thread_number() {
  return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

__global__ void blocks_kernel(const ManyBlocks kind, const std::uint8_t* ivs,
                              const std::uint32_t iv_bytes, const std::uint32_t block_bytes,
                              std::uint8_t* blocks, const std::uint32_t count) {
  const std::uint64_t m = thread_number();
  if (m >= count) return;
  const std::uint8_t* const iv = ivs + m * iv_bytes;
  std::uint8_t* const block = blocks + m * block_bytes;
  const std::uint32_t from = kind == ManyBlocks::kPadded ? block_bytes - iv_bytes
                             : kind == ManyBlocks::kCcm  ? 1
                                                         : 0;
#pragma unroll 1
  for (std::uint32_t i = 0; i < block_bytes; ++i) {
    std::uint32_t byte = i >= from && i - from < iv_bytes ? iv[i - from] : 0;
    if (kind == ManyBlocks::kGcm && i == 15) byte = 1;
    if (kind == ManyBlocks::kCcm && i == 0) byte = 14 - iv_bytes;
    block[i] = static_cast<std::uint8_t>(byte);
  }
}

__global__ void hashed_blocks_kernel(const std::uint8_t* ivs, const std::uint32_t iv_bytes,
                                     const uint4* hash_keys, uint4* blocks,
                                     const std::uint32_t count) {
  const std::uint64_t m = thread_number();
  if (m >= count) return;
  const uint4 h = big_endian(hash_keys[m]);
  const std::uint8_t* const iv = ivs + m * iv_bytes;
  uint4 y = {0, 0, 0, 0};
#pragma unroll 1
  for (std::uint32_t at = 0; at < iv_bytes; at += 16) {
    y = multiply(xor4(y, big_endian(load_chunk(iv + at, iv_bytes - at))), h);
  }
  y = multiply(xor4(y, uint4{0, 0, 0, 8 * iv_bytes}), h);
  blocks[m] = big_endian(y);
}

__global__ void __launch_bounds__(kThreads)
    hash_kernel(const __grid_constant__ ManyJob job, const std::uint8_t* text,
                const unsigned team) {
  const std::uint64_t number = thread_number() / team;
  const unsigned place = threadIdx.x % team;
  const bool is_there = number < job.pieces;
  const std::uint32_t m = !is_there             ? 0
                          : job.list != nullptr ? job.list[number].message
                                                : static_cast<std::uint32_t>(number);
  const uint4 h = big_endian(job.hash_keys[m]);
  // H^team for the steps, H^(team - place) for the last one.
  uint4 step = h;
  uint4 last = {0x80000000, 0, 0, 0};
#pragma unroll 1
  for (unsigned bit = 1; bit < team; bit *= 2) {
    const uint4 with = multiply(last, step);
    if (((team - place) & bit) != 0) last = with;
    step = multiply(step, step);
  }
  if (place == 0) last = step;
  const HashBlocks blocks(job, m, text);
  const std::uint32_t count = is_there ? blocks.count() : 0;
  // The first blocks may be missing, so that the last step of all lanes has blocks.
  const std::uint32_t steps = count / team + (count % team != 0 ? 1 : 0);
  const std::uint32_t missing = steps * team - count;
  uint4 y = {0, 0, 0, 0};
#pragma unroll 1
  for (std::uint32_t s = 0; s < steps; ++s) {
    const std::uint32_t i = s * team + place;
    if (i >= missing) y = xor4(y, big_endian(blocks.raw(i - missing)));
    y = multiply_here(y, s == steps - 1 ? last : step);
  }
  for (unsigned by = team / 2; by != 0; by /= 2) {
    y = xor4(y, uint4{__shfl_xor_sync(~0u, y.x, by), __shfl_xor_sync(~0u, y.y, by),
                      __shfl_xor_sync(~0u, y.z, by), __shfl_xor_sync(~0u, y.w, by)});
  }
  if (is_there && place == 0) end_message(job, m, xor4(big_endian(y), job.masks[m]));
}

__global__ void tags_kernel(const __grid_constant__ ManyJob job, const std::uint32_t count) {
  const std::uint64_t m = thread_number();
  if (m < count) end_message(job, static_cast<std::uint32_t>(m), job.masks[m]);
}

// One thread adds what the batch has counted to what the host sees.
__global__ void outcome_kernel(std::uint32_t* counted, std::uint32_t* seen) {
  seen[0] += counted[0];
  if (counted[1] < seen[1]) seen[1] = counted[1];
}
__global__ void no_outcome_kernel(std::uint32_t* counted) {
  counted[0] = 0;
  counted[1] = ~0u;
}

__global__ void zero_kernel(const __grid_constant__ ManyJob job) {
  const std::uint64_t number = thread_number() / 32;
  if (number >= job.pieces) return;
  const std::uint32_t m =
      job.list != nullptr ? job.list[number].message : static_cast<std::uint32_t>(number);
  if (job.results[m] != 0) return;
  const std::uint32_t bytes = many::length_of(job, m);
  std::uint8_t* const out = job.out + many::offset_of(job, m);
#pragma unroll 1
  for (std::uint32_t i = threadIdx.x % 32; i < bytes; i += 32) out[i] = 0;
}

}  // namespace many_common
}  // namespace gpuctr::cuda

#endif
