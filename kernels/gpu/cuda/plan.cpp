#include "kernels/gpu/cuda/plan.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"

namespace gpuctr {

CounterRuns::CounterRuns(const std::uint8_t* counter, std::size_t block_bytes, std::size_t bytes)
    : block_bytes_(block_bytes), left_(bytes) {
  std::memcpy(counter_, counter, block_bytes);
}

bool CounterRuns::next(std::uint32_t low, std::size_t* offset, std::size_t* bytes) {
  if (left_ == 0) return false;
  const std::uint64_t blocks = blocks_to_carry(low);
  *offset = offset_;
  *bytes = std::min<std::uint64_t>(left_, blocks * block_bytes_);
  offset_ += *bytes;
  left_ -= *bytes;
  if (left_ != 0) counter_add(counter_, block_bytes_, blocks);
  return true;
}

namespace {
std::uint64_t units_of(std::uint64_t bytes, std::uint64_t unit_bytes) {
  return (bytes + unit_bytes - 1) / unit_bytes;
}
}  // namespace

BatchSize measure_batch(const DeviceSegment* segments, std::size_t count, std::size_t block_bytes,
                        std::size_t unit_bytes) {
  BatchSize size = {0, 0, 0, true};
  for (std::size_t i = 0; i < count; ++i) {
    CounterRuns pieces(segments[i].counter, block_bytes, segments[i].bytes);
    for (CounterRun piece; pieces.next(&piece); ++size.runs) {
      const std::uint64_t units = units_of(piece.bytes, unit_bytes);
      if (size.runs == 0) size.even = units;
      if (units != size.even) size.even = 0;
      size.units += units;
    }
  }
  constexpr std::uint64_t kMost = 0xfffffff0;  // rounding up to a thread block stays in 32 bits
  size.fits = size.units <= kMost && size.runs <= kMost && count <= kMost;
  return size;
}

void lay_out_batch(const DeviceSegment* segments, std::size_t count, std::size_t block_bytes,
                   std::size_t unit_bytes, BatchRun* runs) {
  std::uint32_t next_unit = 0;
  for (std::size_t i = 0; i < count; ++i) {
    CounterRuns pieces(segments[i].counter, block_bytes, segments[i].bytes);
    for (CounterRun piece; pieces.next(&piece); ++runs) {
      const auto units = static_cast<std::uint32_t>(units_of(piece.bytes, unit_bytes));
      *runs = {piece.counter, static_cast<std::uint32_t>(i), next_unit,
               segments[i].offset + piece.offset, piece.bytes};
      next_unit += units;
    }
  }
}

}  // namespace gpuctr
