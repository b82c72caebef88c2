// One large job in ordinary memory: its threads, its slots, and recovery if a device fails during
// the job.
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

// Lives on its caller's stack and does not own the data. A derived class defines what to do with a
// piece. run() is called once, by one thread; several threads call the piece functions at once.
class Job : public PoolWork {
 public:
  // Does the whole job; the calling thread is one of the workers. False, only with
  // JobDevices::kMust: no device took part, or the last one was lost. Then the pieces that were
  // done are undone: in place the input is restored, elsewhere the output is zeros.
  bool run();
  // Whether a device did a part of the job.
  bool used_device() const { return used_device_.load(std::memory_order_relaxed); }

  void work() override;

 protected:
  // A job of `total` bytes in these segments. Pieces begin at multiples of `granularity` bytes,
  // itself a multiple of kCut, from the start of a segment. `report` may be nullptr: nothing is
  // counted.
  Job(Shared* shared, const CipherSpec& cipher, const BulkSegment* segments, std::size_t count,
      std::size_t total, std::size_t granularity, JobDevices devices, Report* report);
  ~Job() = default;

  // Does a piece on this thread.
  virtual void make(const Piece& piece) const = 0;
  // Starts a piece on the slot's device. `batch` has room for WorkQueue::kMaxParts segments; it is
  // nullptr if the job has one segment.
  virtual DeviceStatus launch(Slot* slot, const Piece& piece, DeviceSegment* batch) const = 0;
  // Writes the output of a piece that the device has made in the slot.
  virtual void take(const Slot& slot, const Piece& piece) const = 0;
  // Undoes a piece, as described at run().
  virtual void undo(const Piece& piece) const = 0;
  // The name of what the device makes, for the report of a failure.
  virtual const char* product() const = 0;

  Shared* const shared_;
  const CipherSpec& cipher_;
  WorkQueue queue_;
  const std::size_t granularity_;

 private:
  struct Launch;
  class Launches;

  bool devices_open();
  void offer();
  bool refuse();
  bool cpu_step();
  bool refill(Launches* launches);
  void finish(Launches* launches, DeviceStatus status);
  void on_cpu(const Piece& piece);
  void failed(const Piece& piece, DeviceStatus why, const char* where);
  std::size_t whole(std::size_t bytes) const { return bytes / granularity_ * granularity_; }
  std::size_t device_piece() const;
  std::size_t cpu_piece() const;

  const std::size_t count_;
  const JobDevices devices_;
  Report* const report_;
  bool offered_ = false;  // written before other threads enter
  std::atomic<bool> open_{false};
  std::atomic<bool> used_device_{false};
  std::atomic<bool> reported_{false};  // a failure of a device was reported
};

// Counter mode: a device makes keystream, and the thread that holds the slot XORs it.
class CtrJob final : public Job {
 public:
  CtrJob(Shared* shared, const CipherSpec& cipher, const CipherOps& cpu,
         const BulkSegment* segments, std::size_t count, std::size_t total, JobDevices devices,
         Report* report)
      : Job(shared, cipher, segments, count, total, kCut, devices, report),
        cpu_(cpu),
        total_(total) {}

 private:
  void make(const Piece& piece) const override;
  DeviceStatus launch(Slot* slot, const Piece& piece, DeviceSegment* batch) const override;
  void take(const Slot& slot, const Piece& piece) const override;
  void undo(const Piece& piece) const override;
  const char* product() const override { return "keystream"; }

  const CipherOps& cpu_;
  const std::size_t total_;
};

}  // namespace gpuctr::bulk

#endif
