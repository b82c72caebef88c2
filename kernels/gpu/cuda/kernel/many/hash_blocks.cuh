// What kernels that authenticate messages share: the blocks of GHASH, and the tags.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_HASH_BLOCKS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_HASH_BLOCKS_CUH

#include "kernels/gpu/cuda/kernel/ghash/field.cuh"
#include "kernels/gpu/cuda/kernel/many/messages.cuh"

namespace gpuctr::cuda {

using many::load_chunk;
using many::store_chunk;

// The tag of a message against the right one, in constant time.
__device__ __forceinline__ void end_message(const ManyJob& job, std::uint32_t m, uint4 tag) {
  std::uint8_t* const given = job.tags + std::uint64_t{m} * job.tag_bytes;
  if (job.encrypts) {
    store_chunk(given, tag, job.tag_bytes);
    if (job.results != nullptr) job.results[m] = 1;
    return;
  }
  const std::uint32_t words[4] = {tag.x, tag.y, tag.z, tag.w};
  std::uint32_t differs = 0;
#pragma unroll
  for (unsigned i = 0; i < 16; ++i) {
    if (i < job.tag_bytes) differs |= (words[i / 4] >> (8 * (i % 4)) & 0xff) ^ given[i];
  }
  job.results[m] = differs == 0 ? 1 : 0;
  if (differs != 0 && job.outcome != nullptr) {
    atomicAdd(job.outcome, 1u);
    atomicMin(job.outcome + 1, m);
  }
}

// The blocks that GHASH takes, by their number: associated data, text, lengths.
struct HashBlocks {
  const std::uint8_t* aad;
  const std::uint8_t* text;
  std::uint32_t aad_bytes;
  std::uint32_t bytes;

  __device__ __forceinline__ HashBlocks(const ManyJob& job, std::uint32_t m, const std::uint8_t* of)
      : text(of + many::offset_of(job, m)), bytes(many::length_of(job, m)) {
    aad_bytes = job.aad_lengths == nullptr ? job.aad_length : job.aad_lengths[m];
    aad = job.aad +
          (job.aad_offsets == nullptr ? std::uint64_t{m} * job.aad_length : job.aad_offsets[m]);
  }
  __device__ __forceinline__ static std::uint32_t blocks_of(std::uint32_t n) {
    return n / 16 + (n % 16 != 0 ? 1 : 0);
  }
  __device__ __forceinline__ std::uint32_t count() const {
    return blocks_of(aad_bytes) + blocks_of(bytes) + 1;
  }
  // The first block of text, and how many whole blocks of text lie at an aligned address.
  __device__ __forceinline__ std::uint32_t text_from() const { return blocks_of(aad_bytes); }
  __device__ __forceinline__ std::uint32_t aligned_text() const {
    return many::is_aligned(text, 16) ? bytes / 16 : 0;
  }
  // As in memory.
  __device__ __forceinline__ uint4 raw(std::uint32_t i) const {
    const std::uint32_t of_aad = blocks_of(aad_bytes);
    if (i < of_aad) return load_chunk(aad + 16 * std::uint64_t{i}, aad_bytes - 16 * i);
    i -= of_aad;
    if (i < blocks_of(bytes)) return load_chunk(text + 16 * std::uint64_t{i}, bytes - 16 * i);
    return big_endian(uint4{aad_bytes >> 29, aad_bytes << 3, bytes >> 29, bytes << 3});
  }
};

}  // namespace gpuctr::cuda

#endif
