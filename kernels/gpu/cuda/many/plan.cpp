#include "kernels/gpu/cuda/many/plan.h"

#include <algorithm>

namespace gpuctr::cuda {
namespace {

constexpr std::uint32_t kShort = 512;
constexpr std::uint32_t kMiddle = 4096;
constexpr std::uint32_t kTileBytes = 1u << 15;

std::uint32_t tile_of(std::uint64_t bytes, std::uint64_t pieces, unsigned warps) {
  std::uint32_t tile = ManyPlan::kTile;
  while (tile > 1 && tile * bytes > kTileBytes) tile /= 2;
  while (tile > 1 && pieces / tile < warps) tile /= 2;
  return tile;
}

}  // namespace

// The bit length of the number of bytes.
unsigned ManyPlan::bucket(std::uint32_t bytes) {
  unsigned bits = 0;
  while (bits < 32 && bytes > (std::uint64_t{1} << bits)) ++bits;
  return bits;
}

template <class Take>
void ManyPlan::each_piece(const std::uint32_t* lengths, std::size_t count, Take take) const {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t left = lengths[i];
    std::uint32_t part = 0;
    do {
      const std::uint32_t n = std::min(left, piece_bytes);
      take(n, ManyPiece{static_cast<std::uint32_t>(i), part++});
      left -= n;
    } while (left != 0);
  }
}

ManyPlan::ManyPlan(const std::uint32_t* lengths, std::uint32_t length, std::size_t count,
                   bool whole, unsigned warps)
    : piece_bytes(whole ? kWhole : kPieceBytes) {
  has_list = lengths != nullptr;
  if (!has_list) {
    longest = length;
    bytes = std::uint64_t{length} * count;
    parts = std::max<std::uint32_t>(1, length / piece_bytes + (length % piece_bytes != 0 ? 1 : 0));
    pieces = std::uint64_t{parts} * count;
    fits = pieces <= UINT32_MAX;
    of[0] = {0, static_cast<std::uint32_t>(pieces),
             tile_of(std::min(length, piece_bytes), pieces, warps)};
    return;
  }
  std::uint64_t sizes[kClasses] = {};
  each_piece(lengths, count, [&](std::uint32_t n, ManyPiece) {
    ++sizes[n <= kShort ? 0 : n <= kMiddle ? 1 : 2];
    longest = std::max(longest, n);
    bytes += n;
  });
  pieces = sizes[0] + sizes[1] + sizes[2];
  fits = pieces <= UINT32_MAX;
  classes = 0;
  std::uint32_t first = 0;
  constexpr std::uint32_t kMost[kClasses] = {kShort, kMiddle, kPieceBytes};
  for (unsigned i = 0; i < kClasses && fits; ++i) {
    if (sizes[i] == 0) continue;
    of[classes++] = {first, static_cast<std::uint32_t>(sizes[i]),
                     tile_of(kMost[i], sizes[i], warps)};
    first += static_cast<std::uint32_t>(sizes[i]);
  }
}

void ManyPlan::write(const std::uint32_t* lengths, std::size_t count, ManyPiece* list) const {
  std::uint32_t next[kBuckets] = {};
  each_piece(lengths, count, [&](std::uint32_t n, ManyPiece) { ++next[bucket(n) + 1]; });
  for (unsigned i = 1; i < kBuckets; ++i) next[i] += next[i - 1];
  each_piece(lengths, count,
             [&](std::uint32_t n, ManyPiece piece) { list[next[bucket(n)]++] = piece; });
}

}  // namespace gpuctr::cuda
