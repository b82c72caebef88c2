// The one place that hands a job out: pieces of a list of segments, each byte once, from any
// number of threads.
#ifndef GPUCTR_KERNELS_BULK_JOB_WORK_QUEUE_H
#define GPUCTR_KERNELS_BULK_JOB_WORK_QUEUE_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/bulk/base/work.h"

namespace gpuctr::bulk {

// A job is cut at multiples of this: a cache line, and a block of every cipher.
constexpr std::size_t kCut = std::max<std::size_t>(64, kMaxBlockBytes);
static_assert(kCut % kMaxBlockBytes == 0 && (kCut & (kCut - 1)) == 0);
constexpr std::size_t whole_cuts(std::size_t bytes) { return bytes / kCut * kCut; }

// From `offset` in segment `first` on, through as many segments as it takes.
struct Piece {
  std::size_t first = 0;
  std::size_t offset = 0;
  std::size_t runs = 0;   // segments touched
  std::size_t bytes = 0;  // in all
};

// Where a segment starts within a slot: aligned for vector loads.
constexpr std::size_t kRunAlign = 16;
constexpr std::size_t run_space(std::size_t bytes) {
  return (bytes + kRunAlign - 1) / kRunAlign * kRunAlign;
}

// The part of one segment that belongs to a piece.
struct Run {
  const RoundKeys* keys;  // or nullptr, and
  const std::uint8_t* key;
  std::uint8_t counter[kMaxBlockBytes];
  const std::uint8_t* in;  // nullptr: keystream alone
  std::uint8_t* out;
  std::size_t bytes;
  std::size_t at;  // where it lies in a slot
};

class WorkQueue {
 public:
  // A piece touches at most this many segments.
  static constexpr std::size_t kMaxRuns = 1024;

  WorkQueue(const CipherSpec& cipher, const BulkSegment* segments, std::size_t count,
            std::size_t total)
      : cipher_(cipher), segments_(segments), count_(count), left_(total) {}

  // The next piece of at most `want` bytes of slot space (a multiple of kCut, not 0). False
  // when nothing is left or the queue is closed.
  bool take(std::size_t want, Piece* piece);

  // Nothing more is taken.
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

  // Calls visit(const Run&) for each run of the piece.
  template <class Visit>
  void each(const Piece& piece, const Visit& visit) const {
    std::size_t bytes = piece.bytes;
    std::size_t offset = piece.offset;
    std::size_t at = 0;
    for (std::size_t i = piece.first; bytes != 0; ++i, offset = 0) {
      const BulkSegment& s = segments_[i];
      Run run;
      run.bytes = std::min(bytes, s.bytes - offset);
      if (run.bytes == 0) continue;
      run.keys = s.keys;
      run.key = s.key;
      std::memcpy(run.counter, s.counter, cipher_.block_bytes);
      counter_add(run.counter, cipher_.block_bytes, offset / cipher_.block_bytes);
      run.in = s.in == nullptr ? nullptr : s.in + offset;
      run.out = s.out + offset;
      run.at = at;
      visit(static_cast<const Run&>(run));
      wipe(run.counter, sizeof run.counter);  // CTR_DRBG's V
      at += run_space(run.bytes);
      bytes -= run.bytes;
    }
  }

 private:
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

}  // namespace gpuctr::bulk

#endif
