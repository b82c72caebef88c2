#include "kernels/bulk/job/block_job.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "kernels/base/wipe.h"

namespace gpuctr::bulk {
namespace {

// Where CBC decryption may be cut: what one core does in 5 to 30 us.
constexpr std::size_t kChainGrain = 32u << 10;
static_assert(kChainGrain % kCut == 0);

// A card takes no part of a grain.
std::size_t grain_of(Shared* shared, const BlockWork& work, JobCards cards) {
  if (!work.chained()) return kCut;
  if (cards == JobCards::kNone || !shared->ready()) return kChainGrain;
  return std::min(kChainGrain, shared->ring.slot_bytes());
}

}  // namespace

BlockJob::BlockJob(Shared* shared, const BlockWork& work, JobCards cards, Report* report)
    : Job(shared, work.cipher, &whole_, 1, work.bytes, grain_of(shared, work, cards), cards,
          report),
      work_(work),
      whole_{&work.keys, {}, work.in, work.out, work.bytes} {}

bool BlockJob::prepare() {
  if (!work_.chained() || !work_.in_place() || work_.bytes <= grain_) return true;
  const std::size_t block = cipher_.block_bytes;
  const std::size_t count = (work_.bytes - 1) / grain_;
  kept_.reset(new (std::nothrow) std::uint8_t[count * block]);
  if (kept_ == nullptr) return false;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(kept_.get() + i * block, work_.in + (i + 1) * grain_ - block, block);
  }
  return true;
}

// The block of ciphertext before `at`, the start of a grain.
const std::uint8_t* BlockJob::before(std::size_t at) const {
  if (at == 0 || !work_.chained()) return work_.before;
  const std::size_t block = cipher_.block_bytes;
  return kept_ == nullptr ? work_.in + at - block : kept_.get() + (at / grain_ - 1) * block;
}

// A piece as work of its own.
BlockWork BlockJob::part(const Piece& piece) const {
  return work_.part(piece.offset, piece.bytes, before(piece.offset));
}

void BlockJob::make(const Piece& piece) const { run_blocks(part(piece)); }

// What is chained is XORed by whoever takes it.
GpuStatus BlockJob::launch(Slot* slot, const Piece& piece, GpuSegment*) const {
  const GpuVerb verb = work_.verb == BlockVerb::kEncrypt ? GpuVerb::kEncrypt : GpuVerb::kDecrypt;
  return shared_->ring.launch(slot, cipher_, work_.keys, verb, work_.in + piece.offset,
                              piece.bytes);
}

void BlockJob::take(const Slot& slot, const Piece& piece) const {
  finish_blocks(part(piece), slot.memory);
}

// The inverse verb restores an input that was overwritten in place.
void BlockJob::undo(const Piece& piece) const {
  const std::size_t count = piece.bytes / cipher_.block_bytes;
  if (!work_.in_place()) {
    std::memset(work_.out, 0, piece.bytes);
  } else if (work_.chained()) {
    undo_chain(piece.bytes);
  } else if (work_.verb == BlockVerb::kDecrypt) {
    work_.cpu.encrypt(work_.keys, work_.out, work_.out, count);
  } else {
    work_.cpu.decrypt(work_.keys, work_.out, work_.out, count);
  }
}

// CBC encryption, of as many grains at a time as a backend likes to have blocks: in each of them a
// block waits for the one before.
void BlockJob::undo_chain(std::size_t bytes) const {
  constexpr std::size_t kChains = 64;
  const std::size_t block = cipher_.block_bytes;
  Wiped<std::uint8_t[kChains * kMaxBlockBytes]> x;
  for (std::size_t first = 0; first < bytes; first += kChains * grain_) {
    std::size_t chains = std::min(kChains, (bytes - first + grain_ - 1) / grain_);
    std::uint8_t* const out = work_.out + first;
    for (std::size_t at = 0; at < grain_; at += block) {
      if (first + (chains - 1) * grain_ + at >= bytes) --chains;  // the last may be shorter
      if (chains == 0) break;
      for (std::size_t i = 0; i < chains; ++i) {
        const std::uint8_t* const plain = out + i * grain_ + at;
        const std::uint8_t* const last = at == 0 ? before(first + i * grain_) : plain - block;
        for (std::size_t j = 0; j < block; ++j) {
          x.value[i * block + j] = static_cast<std::uint8_t>(plain[j] ^ last[j]);
        }
      }
      work_.cpu.encrypt(work_.keys, x.value, x.value, chains);
      for (std::size_t i = 0; i < chains; ++i) {
        std::memcpy(out + i * grain_ + at, x.value + i * block, block);
      }
    }
  }
}

}  // namespace gpuctr::bulk
