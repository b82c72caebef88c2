// One large job: the threads that work on it, the slots they keep busy, and what happens when a
// card fails in the middle.
#ifndef GPUCTR_KERNELS_BULK_JOB_H
#define GPUCTR_KERNELS_BULK_JOB_H

#include <atomic>
#include <cstddef>
#include <memory>

#include "kernels/bulk/cursor.h"
#include "kernels/bulk/policy.h"
#include "kernels/bulk/pool.h"
#include "kernels/bulk/shared.h"
#include "kernels/bulk/stats.h"

namespace gpuctr::bulk {

struct JobWork {
  const CipherSpec& cipher;
  const CipherOps& cpu;
  const BulkSegment* segments;
  std::size_t count;
  std::size_t total;  // bytes of all segments
};

// Lives on its caller's stack. Host memory only.
class Job final : public PoolWork {
 public:
  // `report` may be nullptr: nothing is counted.
  Job(Shared* shared, const JobWork& work, JobCards cards, Report* report);

  // Does the whole job, with the caller's thread as one of the workers. False with kMust only: no
  // card was left, every output is as if nothing had been done (in place: the input again; else
  // zeros).
  bool run();
  // Whether a card did any of it.
  bool used_card() const { return used_card_.load(std::memory_order_relaxed); }

  void work() override { loop(false); }

 private:
  struct Lane;
  class Lanes;

  void loop(bool caller);
  bool cards_open();
  void offer();
  bool refuse();
  bool cpu_step();
  bool refill(Lanes* lanes);
  void finish(Lanes* lanes, GpuStatus status);
  GpuStatus launch(Lane* lane, GpuSegment* batch);
  void on_cpu(const Piece& piece);
  void from_slot(const Lane& lane);
  void failed(const Piece& piece, GpuStatus why, const char* where);
  std::size_t card_piece() const;
  std::size_t cpu_piece() const;
  void undo();

  Shared* const shared_;
  const JobWork work_;
  const JobCards cards_;
  Report* const report_;
  Cursor cursor_;
  bool offered_ = false;  // the caller's thread only
  std::atomic<bool> open_{false};
  std::atomic<bool> used_card_{false};
  std::atomic<bool> reported_{false};  // why a card did not do a piece
};

}  // namespace gpuctr::bulk

#endif
