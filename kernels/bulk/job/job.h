// One large job: the threads that work on it, the slots they keep busy, and what happens when a
// card fails in the middle.
#ifndef GPUCTR_KERNELS_BULK_JOB_JOB_H
#define GPUCTR_KERNELS_BULK_JOB_JOB_H

#include <atomic>
#include <cstddef>
#include <memory>

#include "kernels/bulk/base/stats.h"
#include "kernels/bulk/job/policy.h"
#include "kernels/bulk/job/pool.h"
#include "kernels/bulk/job/shared.h"
#include "kernels/bulk/job/work_queue.h"

namespace gpuctr::bulk {

// Lives on its caller's stack. Host memory only. What is done with a piece is the derived class's.
class Job : public PoolWork {
 public:
  // Does the whole job, with the caller's thread as one of the workers. False with kMust only: no
  // card was left, every output is as if nothing had been done (in place: the input again; else
  // zeros).
  bool run();
  // Whether a card did any of it.
  bool used_card() const { return used_card_.load(std::memory_order_relaxed); }

  void work() override;

 protected:
  // A job of `total` bytes in these segments. Pieces begin at multiples of `grain` bytes, itself a
  // multiple of kCut, from the start of a segment. `report` may be nullptr: nothing is counted.
  Job(Shared* shared, const CipherSpec& cipher, const BulkSegment* segments, std::size_t count,
      std::size_t total, std::size_t grain, JobCards cards, Report* report);
  ~Job() = default;

  // Does a piece on this thread.
  virtual void make(const Piece& piece) const = 0;
  // Has the slot's card begin with a piece. `batch` has room for WorkQueue::kMaxParts segments;
  // nullptr where the job has one.
  virtual GpuStatus launch(Slot* slot, const Piece& piece, GpuSegment* batch) const = 0;
  // Takes what the card made out of the slot.
  virtual void take(const Slot& slot, const Piece& piece) const = 0;
  // Undoes what was done from the start on, as run() says.
  virtual void undo(const Piece& piece) const = 0;
  // What a card that has failed was to make, for the report.
  virtual const char* product() const = 0;

  Shared* const shared_;
  const CipherSpec& cipher_;
  WorkQueue queue_;
  const std::size_t grain_;

 private:
  struct Launch;
  class Launches;

  bool cards_open();
  void offer();
  bool refuse();
  bool cpu_step();
  bool refill(Launches* launches);
  void finish(Launches* launches, GpuStatus status);
  void on_cpu(const Piece& piece);
  void failed(const Piece& piece, GpuStatus why, const char* where);
  std::size_t whole(std::size_t bytes) const { return bytes / grain_ * grain_; }
  std::size_t card_piece() const;
  std::size_t cpu_piece() const;

  const std::size_t count_;
  const JobCards cards_;
  Report* const report_;
  bool offered_ = false;  // written before another thread comes
  std::atomic<bool> open_{false};
  std::atomic<bool> used_card_{false};
  std::atomic<bool> reported_{false};  // why a card did not do a piece
};

// Counter mode: a card makes keystream, whoever holds the slot XORs it.
class CtrJob final : public Job {
 public:
  CtrJob(Shared* shared, const CipherSpec& cipher, const CipherOps& cpu,
         const BulkSegment* segments, std::size_t count, std::size_t total, JobCards cards,
         Report* report)
      : Job(shared, cipher, segments, count, total, kCut, cards, report),
        cpu_(cpu),
        total_(total) {}

 private:
  void make(const Piece& piece) const override;
  GpuStatus launch(Slot* slot, const Piece& piece, GpuSegment* batch) const override;
  void take(const Slot& slot, const Piece& piece) const override;
  void undo(const Piece& piece) const override;
  const char* product() const override { return "keystream"; }

  const CipherOps& cpu_;
  const std::size_t total_;
};

}  // namespace gpuctr::bulk

#endif
