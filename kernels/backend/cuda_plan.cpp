#include "kernels/backend/cuda_plan.h"

#include <algorithm>
#include <cstring>

#include "kernels/counter.h"

namespace gpuctr {

Pieces::Pieces(const std::uint8_t* counter, std::size_t block_bytes, std::size_t bytes)
    : block_bytes_(block_bytes), left_(bytes) {
  std::memcpy(counter_, counter, block_bytes);
}

bool Pieces::next(Piece* piece) {
  if (left_ == 0) return false;
  piece->counter = split_counter(counter_, block_bytes_);
  const std::uint64_t blocks = blocks_to_carry(piece->counter.low);
  piece->offset = offset_;
  piece->bytes = std::min<std::uint64_t>(left_, blocks * block_bytes_);
  counter_add(counter_, block_bytes_, blocks);
  offset_ += piece->bytes;
  left_ -= piece->bytes;
  return true;
}

}  // namespace gpuctr
