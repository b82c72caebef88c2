// The masks of XTS's data units (IEEE 1619 5.3): the mask of the first block of each row of 32
// blocks. The block kernels make the others (mask_of in blocks.cuh).
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_XTS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_XTS_CUH

#include <cstdint>

#include "kernels/gpu/cuda/kernel/ghash/field.cuh"
#include "kernels/gpu/cuda/xts.h"

namespace gpuctr::cuda {
inline namespace xts_masks {

// A unit has at most 2^20 blocks: 2^10 groups of 32 rows. kGroups.power[k] is x^(1024 2^k), in
// GHASH's order of bits, which is XTS's reversed.
constexpr unsigned kGroupBits = 10;
struct GroupPowers {
  std::uint32_t power[kGroupBits][4];
};
constexpr GroupPowers kGroupPowers = {{
    {0x80808000, 0x00000080, 0x00000000, 0x00000000},
    {0x80008000, 0x80000000, 0x00000000, 0x00008000},
    {0x80000000, 0x80000000, 0x80000000, 0xe1000000},
    {0x61000000, 0x00000000, 0x57538400, 0x00000000},
    {0x13f3efc9, 0x75384000, 0x00000000, 0x00000000},
    {0x020aaa0a, 0xa8aaa082, 0x2a220a80, 0x20000000},
    {0x0ef71e96, 0x9867f188, 0x86908888, 0x88008008},
    {0xe19e18ae, 0xe34963c9, 0x6361282a, 0x4b028061},
    {0x785720fb, 0x88718657, 0x80a6b48c, 0xd90a96d1},
    {0x2d88cd0c, 0xb4ac0b53, 0x1aa6aeed, 0x729aa8ed},
}};

__device__ __forceinline__ uint4 reversed(uint4 v) {
  return {__brev(v.x), __brev(v.y), __brev(v.z), __brev(v.w)};
}

// times x^32
__device__ __forceinline__ uint4 next_row(uint4 m) {
  const std::uint32_t out = m.w;
  return {out ^ out << 1 ^ out << 2 ^ out << 7, m.x ^ out >> 31 ^ out >> 30 ^ out >> 25, m.y, m.z};
}

// A thread makes the rows of one group. A unit has `groups` groups.
__global__ void rows_kernel(const XtsRows job, const std::uint64_t groups,
                            const __grid_constant__ GroupPowers powers) {
  const std::uint64_t number = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t unit = number / groups;
  const auto group = static_cast<std::uint32_t>(number % groups);
  std::uint64_t row = std::uint64_t{group} * kXtsGroupRows;
  const std::uint64_t first = unit * job.unit_rows;
  if (first + row >= job.rows) return;
  uint4 mask = job.tweaks[unit];
  if (group != 0) {
    uint4 turned = reversed(mask);
#pragma unroll 1
    for (unsigned k = 0; k < kGroupBits; ++k) {
      if ((group >> k & 1) != 0) turned = multiply(turned, load_power(powers.power[k]));
    }
    mask = reversed(turned);
  }
#pragma unroll 1
  for (unsigned i = 0; i < kXtsGroupRows; ++i, ++row) {
    if (row >= job.unit_rows || first + row >= job.rows) return;
    job.masks[first + row] = mask;
    mask = next_row(mask);
  }
}

}  // namespace xts_masks
}  // namespace gpuctr::cuda

#endif
