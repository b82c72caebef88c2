// A batch on the CPU: pieces of it for the calling thread and its helpers.
#ifndef GPUCTR_KERNELS_BULK_BATCH_CPU_WORK_H
#define GPUCTR_KERNELS_BULK_BATCH_CPU_WORK_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "kernels/base/wipe.h"
#include "kernels/bulk/batch/work.h"
#include "kernels/bulk/job/pool.h"
#include "kernels/cpu/backend.h"
#include "kernels/cpu/base/many.h"

namespace gpuctr::bulk {

class Shared;

// A checked batch in ordinary memory. Lives on its caller's stack. Several threads work on it.
class BatchWork final : public PoolWork {
 public:
  // `threads`: the calling thread and its helpers, at least 1.
  BatchWork(const Batch& batch, const Backend& cpu, unsigned threads);

  // How many helpers have something to do.
  unsigned useful_helpers() const;
  void work() override;

  // After the last thread has returned from work(): the messages with a wrong tag, and the first.
  std::size_t wrong() const { return wrong_.load(std::memory_order_relaxed); }
  std::size_t first_wrong() const { return first_wrong_.load(std::memory_order_relaxed); }

 private:
  // The messages that one thread takes at a time. text_at, aad_at: where the data of the next
  // message begin, if they come one after the other.
  struct Piece {
    std::size_t first = 0, count = 0;
    std::uint64_t text_at = 0, aad_at = 0;
  };

  bool take(Piece* piece);
  struct Scratch;
  void run(Piece* piece, std::size_t count, Scratch* scratch);
  void set_text(std::size_t message, ManyText* text) const;
  void run_xts(Piece* piece, std::size_t count);
  std::uint64_t place_of(std::size_t message, const Piece& piece) const {
    return batch_.offsets != nullptr ? batch_.offsets[message] : piece.text_at;
  }
  void finish_tag(std::size_t message, const ManyText& text);

  const Batch& batch_;
  const Backend& cpu_;
  const std::size_t most_;  // messages of a piece
  ManyBatch many_;
  Wiped<std::uint8_t[16]> own_hash_;  // GCM's hash key of the context's own key
  Wiped<GhashKey> own_powers_;        // its powers
  bool has_own_powers_ = false;
  std::mutex mutex_;
  Piece next_;  // guarded by mutex_; count is not used
  std::atomic<std::size_t> wrong_{0};
  std::atomic<std::size_t> first_wrong_{SIZE_MAX};
};

// Does the work by the calling thread and threads - 1 of the pool; shared: nullptr for threads = 1.
void run_by_threads(Shared* shared, BatchWork* work, unsigned threads);

}  // namespace gpuctr::bulk

#endif
