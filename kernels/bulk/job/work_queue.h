// Cuts a job, a list of segments, into pieces and hands out each byte once. Owns nothing; the
// segments must outlive the queue. Any number of threads.
#ifndef GPUCTR_KERNELS_BULK_JOB_WORK_QUEUE_H
#define GPUCTR_KERNELS_BULK_JOB_WORK_QUEUE_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/bulk/base/work.h"

namespace gpuctr::bulk {

// A job is cut at multiples of this size: a multiple of the cache line and of every block size.
constexpr std::size_t kCut = std::max<std::size_t>(64, kMaxBlockBytes);
static_assert(kCut % kMaxBlockBytes == 0 && (kCut & (kCut - 1)) == 0);
constexpr std::size_t whole_cuts(std::size_t bytes) { return bytes / kCut * kCut; }

// The part of a job that one thread takes at a time: from `offset` in segment `first`, across as
// many segments as fit.
struct Piece {
  std::size_t first = 0;
  std::size_t offset = 0;
  std::size_t parts = 0;  // segments touched
  std::size_t bytes = 0;  // total
};

// A segment starts at a multiple of this within a slot: the alignment of vector loads.
constexpr std::size_t kPartAlign = 16;
constexpr std::size_t part_space(std::size_t bytes) {
  return (bytes + kPartAlign - 1) / kPartAlign * kPartAlign;
}

class WorkQueue {
 public:
  // A piece touches at most this many segments.
  static constexpr std::size_t kMaxParts = 1024;

  WorkQueue(const CipherSpec& cipher, const BulkSegment* segments, std::size_t count,
            std::size_t total)
      : cipher_(cipher), segments_(segments), count_(count), left_(total) {}

  // Takes the next piece of at most `want` bytes of slot space (a multiple of kCut, not 0). False
  // if no work is left or the queue is closed.
  bool take(std::size_t want, Piece* piece);

  // No further pieces are handed out.
  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  bool closed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return closed_;
  }
  std::size_t left() const { return left_.load(std::memory_order_relaxed); }

  // All that was taken so far, as one piece.
  Piece taken();

 private:
  friend class Parts;

  const CipherSpec& cipher_;
  const BulkSegment* const segments_;
  const std::size_t count_;
  std::atomic<std::size_t> left_;
  std::mutex mutex_;
  std::size_t segment_ = 0;  // guarded by mutex_, like all below
  std::size_t offset_ = 0;
  std::size_t taken_ = 0;
  bool closed_ = false;
};

// The parts of a piece in order, one for each segment that the piece touches:
//
//   for (Parts part(queue, piece); part.next();) use(part.segment(), part.at());
//
// The round keys and the key are the segment's; the destructor wipes its own counter (CTR_DRBG's
// V).
class Parts {
 public:
  Parts(const WorkQueue& queue, const Piece& piece)
      : queue_(queue),
        segment_(queue.segments_ + piece.first),
        offset_(piece.offset),
        left_(piece.bytes) {}
  ~Parts() { wipe(part_.counter, sizeof part_.counter); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  // False: no part is left.
  bool next() {
    at_ += part_space(part_.bytes);
    part_.bytes = 0;
    for (; left_ != 0 && part_.bytes == 0; ++segment_, offset_ = 0) {
      const std::size_t n = std::min(left_, segment_->bytes - offset_);
      if (n == 0) continue;
      const std::size_t block = queue_.cipher_.block_bytes;
      part_ = *segment_;
      counter_add(part_.counter, block, offset_ / block);
      if (part_.in != nullptr) part_.in += offset_;
      part_.out += offset_;
      part_.bytes = n;
      left_ -= n;
    }
    return part_.bytes != 0;
  }
  const BulkSegment& segment() const { return part_; }
  std::size_t at() const { return at_; }  // where the part lies in a slot

 private:
  const WorkQueue& queue_;
  const BulkSegment* segment_;
  std::size_t offset_;
  std::size_t left_;
  std::size_t at_ = 0;
  BulkSegment part_{};
};

}  // namespace gpuctr::bulk

#endif
