#include "kernels/bulk/block_job.h"

#include <cstring>
#include <new>

namespace gpuctr::bulk {
namespace {

// Where CBC decryption may be cut: what one core does in 5 to 30 us.
constexpr std::size_t kChainGrain = 32u << 10;
static_assert(kChainGrain % kCut == 0);

}  // namespace

BlockJob::BlockJob(Shared* shared, const BlockWork& work, JobCards cards, Report* report)
    : Job(shared, work.cipher, &whole_, 1, work.bytes, work.chained() ? kChainGrain : kCut, cards,
          report),
      work_(work),
      whole_{&work.keys, {}, work.in, work.out, work.bytes} {}

bool BlockJob::prepare() {
  if (!work_.chained() || !work_.in_place() || work_.bytes <= kChainGrain) return true;
  const std::size_t block = cipher_.block_bytes;
  const std::size_t count = (work_.bytes - 1) / kChainGrain;
  kept_.reset(new (std::nothrow) std::uint8_t[count * block]);
  if (kept_ == nullptr) return false;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(kept_.get() + i * block, work_.in + (i + 1) * kChainGrain - block, block);
  }
  return true;
}

// A piece as work of its own.
BlockWork BlockJob::part(const Piece& piece) const {
  const std::uint8_t* last = work_.before;
  if (work_.chained() && piece.offset != 0) {
    const std::size_t block = cipher_.block_bytes;
    last = kept_ == nullptr ? work_.in + piece.offset - block
                            : kept_.get() + (piece.offset / kChainGrain - 1) * block;
  }
  return work_.part(piece.offset, piece.bytes, last);
}

void BlockJob::make(const Piece& piece) const { run_blocks(part(piece)); }

GpuStatus BlockJob::launch(Slot*, const Piece&, GpuSegment*) const {
  return GpuStatus::kUnsupported;
}

void BlockJob::take(const Slot&, const Piece&) const {}

void BlockJob::undo(const Piece&) const {}

}  // namespace gpuctr::bulk
