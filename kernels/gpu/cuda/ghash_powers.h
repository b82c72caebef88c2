// The powers of GHASH's H for the kernels of ghash.cu and kernel/ghash/gcm.cuh. The CPU computes
// them, in constant time; no CUDA header.
#ifndef GPUCTR_KERNELS_GPU_CUDA_GHASH_POWERS_H
#define GPUCTR_KERNELS_GPU_CUDA_GHASH_POWERS_H

#include <cstddef>
#include <cstdint>

#include "kernels/cipher/word.h"

namespace gpuctr::cuda {

// How the warps of a device divide a run of blocks. A warp takes one unit at a time: a sequence of
// steps, each of `tiles` tiles of 32 blocks, one 16-byte block a lane. Its next unit comes after
// the units of all other warps. `units` units are a turn: all products of a turn are added, and the
// sum is multiplied once before the next turn.
struct HashOrder {
  unsigned tiles;
  unsigned steps_a_unit;
  unsigned units;  // in a turn
  unsigned warps;  // in a thread block; a multiprocessor runs one thread block

  GPUCTR_HD constexpr unsigned steps() const { return steps_a_unit * units; }  // in a turn
  GPUCTR_HD constexpr unsigned unit_blocks() const { return 32 * tiles * steps_a_unit; }
  GPUCTR_HD constexpr unsigned turn_blocks() const { return unit_blocks() * units; }  // of one warp
  GPUCTR_HD constexpr unsigned rows() const { return 16 * tiles; }
  // The blocks of one unit of each warp, for `grid` thread blocks.
  GPUCTR_HD constexpr std::uint64_t blocks_at_once(unsigned grid) const {
    return std::uint64_t{grid} * warps * unit_blocks();
  }
};

// The order for mma: a unit is the warp's whole turn.
constexpr HashOrder kMmaOrder = {2, 8, 1, 8};
// The order for wgmma: a unit is what a warp encrypts at a time.
constexpr HashOrder kWgmmaOrder = {1, 4, 8, 16};

constexpr unsigned kMostUnits = 8;
constexpr unsigned kMostUnitSteps = 8;
constexpr unsigned kMostHashRows = 32;
constexpr unsigned kMostBlockWarps = 16;
constexpr unsigned kHashSide = 12;
constexpr unsigned kMostHashBlocks = kHashSide * kHashSide;  // thread blocks on a device

// 16 bytes each, in GCM's bit order. Secret; the owner wipes them.
struct HashPowers {
  // Lane 4 g + q in step s of unit u is multiplied by unit[u] times step[4 s + q].
  std::uint32_t unit[kMostUnits][4];
  std::uint32_t step[4 * kMostUnitSteps][4];
  std::uint32_t turn[4];                // from one turn to the next
  std::uint32_t row[kMostHashRows][4];  // for each row of a warp's sums
  // The units of one warp index follow each other across thread blocks; then come the units of the
  // next warp index. A warp with w warps of its thread block and b thread blocks behind it is
  // multiplied by warp[w] times fine[b % kHashSide] times coarse[b / kHashSide].
  std::uint32_t warp[kMostBlockWarps][4];
  std::uint32_t fine[kHashSide][4];
  std::uint32_t coarse[kHashSide][4];
};

// Computes the powers for a device that runs `blocks` thread blocks, at most kMostHashBlocks, with
// the CPU's best form of GHASH. `h`: 16 bytes.
void make_hash_powers(const std::uint8_t* h, const HashOrder& order, unsigned blocks,
                      HashPowers* powers);

}  // namespace gpuctr::cuda

#endif
