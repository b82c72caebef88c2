// Whole blocks in ordinary memory, as a job that all threads and devices share.
#ifndef GPUCTR_KERNELS_BULK_JOB_BLOCK_JOB_H
#define GPUCTR_KERNELS_BULK_JOB_BLOCK_JOB_H

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/bulk/base/work.h"
#include "kernels/bulk/job/job.h"

namespace gpuctr::bulk {

class BlockJob final : public Job {
 public:
  // The caller calls prepare() before run().
  BlockJob(Shared* shared, const BlockWork& work, JobDevices devices, Report* report);

  // Saves the input blocks that the job needs later. False: no memory for them.
  bool prepare();

 private:
  void make(const Piece& piece) const override;
  DeviceStatus launch(Slot* slot, const Piece& piece, DeviceSegment* batch) const override;
  void take(const Slot& slot, const Piece& piece) const override;
  void undo(const Piece& piece) const override;
  const char* product() const override { return "blocks"; }
  BlockWork part(const Piece& piece) const;
  const std::uint8_t* before(std::size_t at) const;
  void undo_chain(std::size_t bytes) const;

  const BlockWork work_;
  const BulkSegment whole_;  // the segment that the queue divides
  // CBC or CFB decryption in place: the ciphertext block before each chunk except the first. The
  // thread that makes the previous chunk may overwrite that block first.
  std::unique_ptr<std::uint8_t[]> kept_;
};

}  // namespace gpuctr::bulk

#endif
