// Whole blocks: encrypted or decrypted each for itself, or CBC decryption. On one thread, or as a
// job that all threads and cards share.
#ifndef GPUCTR_KERNELS_BULK_BLOCK_WORK_H
#define GPUCTR_KERNELS_BULK_BLOCK_WORK_H

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/bulk/engine.h"
#include "kernels/bulk/job.h"
#include "kernels/cpu/backend.h"

namespace gpuctr::bulk {

struct BlockWork {
  const CipherSpec& cipher;
  const CipherOps& cpu;
  const RoundKeys& keys;
  BlockVerb verb;
  // CBC decryption: the ciphertext block before in[0], host memory; nullptr: each block for itself.
  const std::uint8_t* before;
  const std::uint8_t* in;
  std::uint8_t* out;  // == in is allowed, no other overlap
  std::size_t bytes;  // a multiple of block_bytes

  bool chained() const { return before != nullptr && verb == BlockVerb::kDecrypt; }
};

// Host memory only. Cannot fail, leaves no secret on the stack.
void run_blocks(const BlockWork& work);

class BlockJob final : public Job {
 public:
  // Prepare comes before run().
  BlockJob(Shared* shared, const BlockWork& work, JobCards cards, Report* report);

  // False: no memory for what the job keeps of its input.
  bool prepare();

 private:
  void make(const Piece& piece) const override;
  GpuStatus launch(Slot* slot, const Piece& piece, GpuSegment* batch) const override;
  void take(const Slot& slot, const Piece& piece) const override;
  void undo(const Piece& piece) const override;
  BlockWork part(const Piece& piece) const;

  const BlockWork work_;
  const BulkSegment whole_;  // what the cursor deals out
  // CBC decryption in place: the ciphertext block before each grain but the first. Whoever makes
  // the grain before may overwrite it first.
  std::unique_ptr<std::uint8_t[]> kept_;
};

}  // namespace gpuctr::bulk

#endif
