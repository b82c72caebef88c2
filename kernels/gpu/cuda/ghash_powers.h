// The powers of GHASH's H that the kernels of ghash.cu and kernel/ghash/gcm.cuh multiply by. Made
// on the CPU, in constant time; no CUDA header.
#ifndef GPUCTR_KERNELS_GPU_CUDA_GHASH_POWERS_H
#define GPUCTR_KERNELS_GPU_CUDA_GHASH_POWERS_H

#include <cstddef>
#include <cstdint>

#include "kernels/cipher/word.h"

namespace gpuctr::cuda {

// How the warps of a device divide a run of blocks. A warp takes a unit: steps one after another,
// each of `tiles` tiles of 32 blocks, a 16-byte block a lane. It goes on behind the units of all
// other warps. `units` of them are a turn: all its products add up, and the sum is multiplied once
// before the next turn.
struct HashOrder {
  unsigned tiles;
  unsigned steps_a_unit;
  unsigned units;  // of a turn
  unsigned warps;  // of a thread block; a processor has one

  GPUCTR_HD constexpr unsigned steps() const { return steps_a_unit * units; }  // of a turn
  GPUCTR_HD constexpr unsigned unit_blocks() const { return 32 * tiles * steps_a_unit; }
  GPUCTR_HD constexpr unsigned turn_blocks() const { return unit_blocks() * units; }  // of a warp
  GPUCTR_HD constexpr unsigned rows() const { return 16 * tiles; }
  // A unit of all warps of `grid` thread blocks.
  GPUCTR_HD constexpr std::uint64_t blocks_at_once(unsigned grid) const {
    return std::uint64_t{grid} * warps * unit_blocks();
  }
};

// Of mma: a unit is the warp's whole turn.
constexpr HashOrder kMmaOrder = {2, 8, 1, 8};
// Of wgmma: what a warp encrypts at a time.
constexpr HashOrder kWgmmaOrder = {1, 4, 8, 16};

constexpr unsigned kMostUnits = 8;
constexpr unsigned kMostUnitSteps = 8;
constexpr unsigned kMostHashRows = 32;
constexpr unsigned kMostBlockWarps = 16;
constexpr unsigned kHashSide = 12;
constexpr unsigned kMostHashBlocks = kHashSide * kHashSide;  // thread blocks of a device

// 16 bytes in GCM's order each. Secret; their owner wipes them.
struct HashPowers {
  // Lane 4 g + q of step s in unit u has the product of unit[u] and step[4 s + q].
  std::uint32_t unit[kMostUnits][4];
  std::uint32_t step[4 * kMostUnitSteps][4];
  std::uint32_t turn[4];                // from one turn to the next
  std::uint32_t row[kMostHashRows][4];  // of a row of a warp's sums
  // A unit of each thread block comes after another, and then one of the next warp of each. The
  // warp with w warps of its thread block and b thread blocks behind it has the product of warp[w],
  // fine[b % kHashSide] and coarse[b / kHashSide].
  std::uint32_t warp[kMostBlockWarps][4];
  std::uint32_t fine[kHashSide][4];
  std::uint32_t coarse[kHashSide][4];
};

// For a device that runs `blocks` thread blocks, at most kMostHashBlocks, by the CPU's best form of
// GHASH. `h`: 16 bytes.
void make_hash_powers(const std::uint8_t* h, const HashOrder& order, unsigned blocks,
                      HashPowers* powers);

}  // namespace gpuctr::cuda

#endif
