// Whole blocks of one data unit of XTS in ordinary memory, as a job that threads share.
#ifndef GPUCTR_KERNELS_BULK_JOB_XTS_JOB_H
#define GPUCTR_KERNELS_BULK_JOB_XTS_JOB_H

#include <cstddef>
#include <cstdint>

#include "kernels/bulk/base/xts.h"
#include "kernels/bulk/job/job.h"

namespace gpuctr::bulk {

// The mask of a piece is the first block's mask times a power of x, so each thread begins where it
// likes. Devices take no part.
class XtsJob final : public Job {
 public:
  // `mask` is the first block's.
  XtsJob(Shared* shared, const CipherSpec& cipher, const XtsWork& work, const std::uint8_t* mask,
         Report* report)
      : Job(shared, cipher, &whole_, 1, work.bytes, kCut, JobDevices::kNone, report),
        work_(work),
        mask_(mask),
        whole_{&work.keys, {}, work.in, work.out, work.bytes} {}

 private:
  void make(const Piece& piece) const override;
  DeviceStatus launch(Slot*, const Piece&, DeviceSegment*) const override {
    return DeviceStatus::kUnsupported;
  }
  void take(const Slot&, const Piece&) const override {}
  void undo(const Piece&) const override {}
  const char* product() const override { return "blocks"; }

  const XtsWork work_;
  const std::uint8_t* const mask_;
  const BulkSegment whole_;  // the segment that the queue divides
};

}  // namespace gpuctr::bulk

#endif
