#include "kernels/bulk/job/work_queue.h"

#include <algorithm>

namespace gpuctr::bulk {

bool WorkQueue::take(std::size_t want, Piece* piece) {
  const std::lock_guard<std::mutex> lock(mutex_);
  *piece = Piece{};
  if (closed_) return false;
  while (segment_ < count_ && segments_[segment_].bytes == offset_) {
    ++segment_;
    offset_ = 0;
  }
  piece->first = segment_;
  piece->offset = offset_;
  while (segment_ < count_ && want != 0 && piece->parts < kMaxParts) {
    const std::size_t rest = segments_[segment_].bytes - offset_;
    if (rest <= want) {
      piece->bytes += rest;
      want -= std::min(want, part_space(rest));
      if (rest != 0) ++piece->parts;
      ++segment_;
      offset_ = 0;
      continue;
    }
    const std::size_t n = whole_cuts(want);
    if (n != 0) ++piece->parts;
    piece->bytes += n;
    offset_ += n;
    break;
  }
  taken_ += piece->bytes;
  left_.fetch_sub(piece->bytes, std::memory_order_relaxed);
  return piece->bytes != 0;
}

Piece WorkQueue::taken() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Piece all;
  all.bytes = taken_;
  return all;
}

}  // namespace gpuctr::bulk
