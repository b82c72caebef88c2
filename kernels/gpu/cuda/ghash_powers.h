// The powers of GHASH's H that kernels/gpu/cuda/ghash.cu multiplies by. Made on the CPU, in
// constant time; no CUDA header.
#ifndef GPUCTR_KERNELS_GPU_CUDA_GHASH_POWERS_H
#define GPUCTR_KERNELS_GPU_CUDA_GHASH_POWERS_H

#include <cstddef>
#include <cstdint>

namespace gpuctr::cuda {

// How a card divides a run of blocks. A warp takes kWarpBlocks of them in a turn: kSteps steps of
// kTiles tiles, each a 16-byte block a lane; then it goes on behind the blocks of all other warps.
constexpr unsigned kHashTiles = 2;
constexpr unsigned kHashSteps = 8;
constexpr unsigned kHashWarps = 8;  // of a thread block
constexpr unsigned kHashWarpBlocks = 32 * kHashTiles * kHashSteps;
constexpr unsigned kHashRows = 16 * kHashTiles;
constexpr unsigned kMostHashWarps = 2048;  // of a card

// 16 bytes in GCM's order each. Secret; their owner wipes them.
struct HashPowers {
  std::uint32_t step[4 * kHashSteps][4];  // of lane 4 g + q in step s: entry 4 s + q
  std::uint32_t turn[4];                  // from one turn to the next
  std::uint32_t row[kHashRows][4];        // of a row of a warp's sums
  // The warp with w others behind it has the product of fine[w % 32] and coarse[w / 32].
  std::uint32_t fine[32][4];
  std::uint32_t coarse[kMostHashWarps / 32][4];
};

// For a card with `warps` warps, at most kMostHashWarps. `h`: 16 bytes.
void make_hash_powers(const std::uint8_t* h, unsigned warps, HashPowers* powers);

}  // namespace gpuctr::cuda

#endif
