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
  while (segment_ < count_ && want != 0 && piece->runs < kMaxRuns) {
    const std::size_t rest = segments_[segment_].bytes - offset_;
    if (rest <= want) {
      piece->bytes += rest;
      want -= std::min(want, run_space(rest));
      if (rest != 0) ++piece->runs;
      ++segment_;
      offset_ = 0;
      continue;
    }
    const std::size_t part = whole_cuts(want);
    if (part != 0) ++piece->runs;
    piece->bytes += part;
    offset_ += part;
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
