#include <cstring>

#include "kernels/bulk/base/xor.h"
#include "kernels/bulk/job/job.h"

namespace gpuctr::bulk {
namespace {

// From this size on, outputs do not fit in the caches. Stores that bypass the caches avoid reading
// the output first.
constexpr std::size_t kBypassBytes = 4u << 20;

}  // namespace

void CtrJob::make(const Piece& piece) const {
  for (Parts part(queue_, piece); part.next();) {
    const BulkSegment& s = part.segment();
    const SegmentKeys keys(cipher_, s.keys, s.key);
    cpu_.ctr(*keys, s.counter, s.in, s.out, s.bytes);
  }
}

DeviceStatus CtrJob::launch(Slot* slot, const Piece& piece, DeviceSegment* batch) const {
  std::size_t count = 0, space = 0;
  for (Parts part(queue_, piece); part.next();) {
    const BulkSegment& s = part.segment();
    if (piece.parts == 1) {
      const SegmentKeys keys(cipher_, s.keys, s.key);
      return shared_->ring.launch(slot, cipher_, *keys, s.counter, s.bytes);
    }
    DeviceSegment& to = batch[count++];
    to = {s.keys, {}, part.at(), s.bytes, s.key};
    std::memcpy(to.counter, s.counter, sizeof to.counter);
    space = part.at() + s.bytes;
  }
  return shared_->ring.launch(slot, cipher_, batch, count, space);
}

void CtrJob::take(const Slot& slot, const Piece& piece) const {
  for (Parts part(queue_, piece); part.next();) {
    const BulkSegment& s = part.segment();
    xor_keystream(slot.memory + part.at(), s.in, s.out, s.bytes,
                  total_ >= kBypassBytes && s.in != s.out);
  }
}

// In place, a XOR with the same keystream restores an input that was overwritten.
void CtrJob::undo(const Piece& piece) const {
  for (Parts part(queue_, piece); part.next();) {
    const BulkSegment& s = part.segment();
    if (s.in == s.out) {
      const SegmentKeys keys(cipher_, s.keys, s.key);
      cpu_.ctr(*keys, s.counter, s.out, s.out, s.bytes);
    } else {
      std::memset(s.out, 0, s.bytes);
    }
  }
}

}  // namespace gpuctr::bulk
