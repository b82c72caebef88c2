#include <cstring>

#include "kernels/bulk/base/xor.h"
#include "kernels/bulk/job/job.h"

namespace gpuctr::bulk {
namespace {

// From here on outputs outgrow the caches, so writing round them saves reading them first.
constexpr std::size_t kBypassBytes = 4u << 20;

}  // namespace

void CtrJob::make(const Piece& piece) const {
  queue_.each(piece, [&](const Run& run) {
    const SegmentKeys keys(cipher_, run.keys, run.key);
    cpu_.ctr(*keys, run.counter, run.in, run.out, run.bytes);
  });
}

GpuStatus CtrJob::launch(Slot* slot, const Piece& piece, GpuSegment* batch) const {
  GpuStatus status = GpuStatus::kOk;
  std::size_t n = 0;
  std::size_t space = 0;
  queue_.each(piece, [&](const Run& run) {
    space = run.at + run.bytes;
    if (piece.runs == 1) {
      const SegmentKeys keys(cipher_, run.keys, run.key);
      status = shared_->ring.launch(slot, cipher_, *keys, run.counter, run.bytes);
      return;
    }
    GpuSegment& s = batch[n++];
    s.keys = run.keys;
    s.key = run.key;
    std::memcpy(s.counter, run.counter, sizeof s.counter);
    s.offset = run.at;
    s.bytes = run.bytes;
  });
  if (piece.runs == 1) return status;
  return shared_->ring.launch(slot, cipher_, batch, n, space);
}

void CtrJob::take(const Slot& slot, const Piece& piece) const {
  queue_.each(piece, [&](const Run& run) {
    xor_keystream(slot.memory + run.at, run.in, run.out, run.bytes,
                  total_ >= kBypassBytes && run.in != run.out);
  });
}

// XOR with the same keystream again restores an input that was overwritten in place.
void CtrJob::undo(const Piece& piece) const {
  queue_.each(piece, [&](const Run& run) {
    if (run.in == run.out) {
      const SegmentKeys keys(cipher_, run.keys, run.key);
      cpu_.ctr(*keys, run.counter, run.out, run.out, run.bytes);
    } else {
      std::memset(run.out, 0, run.bytes);
    }
  });
}

}  // namespace gpuctr::bulk
