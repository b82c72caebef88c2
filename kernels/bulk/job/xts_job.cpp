#include "kernels/bulk/job/xts_job.h"

#include <cstring>

#include "kernels/base/wipe.h"

namespace gpuctr::bulk {

void XtsJob::make(const Piece& piece) const {
  Wiped<std::uint8_t[kXtsBlock]> mask;
  std::memcpy(mask.value, mask_, kXtsBlock);
  xts_skip(mask.value, piece.offset / kXtsBlock);
  xts_blocks(work_.part(piece.offset, piece.bytes), mask.value);
}

}  // namespace gpuctr::bulk
