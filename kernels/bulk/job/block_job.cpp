#include "kernels/bulk/job/block_job.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "kernels/base/wipe.h"

namespace gpuctr::bulk {
namespace {

// CBC and CFB decryption may be cut at multiples of this size; one core takes 5 to 30 us for it.
constexpr std::size_t kChainGranularity = 32u << 10;
static_assert(kChainGranularity % kCut == 0);

// A device takes whole chunks of kChainGranularity.
std::size_t granularity_of(Shared* shared, const BlockWork& work, JobDevices devices) {
  if (!work.chained()) return kCut;
  if (devices == JobDevices::kNone || !shared->ready()) return kChainGranularity;
  return std::min(kChainGranularity, shared->ring.slot_bytes());
}

}  // namespace

BlockJob::BlockJob(Shared* shared, const BlockWork& work, JobDevices devices, Report* report)
    : Job(shared, work.cipher, &whole_, 1, work.bytes, granularity_of(shared, work, devices),
          devices, report),
      work_(work),
      whole_{&work.keys, {}, work.in, work.out, work.bytes} {}

bool BlockJob::prepare() {
  if (!work_.chained() || !work_.in_place() || work_.bytes <= granularity_) return true;
  const std::size_t block = cipher_.block_bytes;
  const std::size_t count = (work_.bytes - 1) / granularity_;
  kept_.reset(new (std::nothrow) std::uint8_t[count * block]);
  if (kept_ == nullptr) return false;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(kept_.get() + i * block, work_.in + (i + 1) * granularity_ - block, block);
  }
  return true;
}

// The ciphertext block before the chunk that starts at `at`.
const std::uint8_t* BlockJob::before(std::size_t at) const {
  if (at == 0 || !work_.chained()) return work_.before;
  const std::size_t block = cipher_.block_bytes;
  return kept_ == nullptr ? work_.in + at - block : kept_.get() + (at / granularity_ - 1) * block;
}

// A piece as a BlockWork.
BlockWork BlockJob::part(const Piece& piece) const {
  return work_.part(piece.offset, piece.bytes, before(piece.offset));
}

void BlockJob::make(const Piece& piece) const { run_blocks(part(piece)); }

// For CBC the device only decrypts the blocks, for CFB it encrypts the blocks before them; the
// thread that takes the piece does the XOR.
DeviceStatus BlockJob::launch(Slot* slot, const Piece& piece, DeviceSegment*) const {
  const DeviceOperation operation = work_.operation == BlockOperation::kEncrypt
                                        ? DeviceOperation::kEncrypt
                                        : DeviceOperation::kDecrypt;
  const std::uint8_t* const first = work_.is_cfb() ? before(piece.offset) : nullptr;
  return shared_->ring.launch(slot, cipher_, work_.keys, operation, first, work_.in + piece.offset,
                              piece.bytes);
}

void BlockJob::take(const Slot& slot, const Piece& piece) const {
  finish_blocks(part(piece), slot.memory);
}

// In place, the inverse operation restores an input that was overwritten.
void BlockJob::undo(const Piece& piece) const {
  const std::size_t count = piece.bytes / cipher_.block_bytes;
  if (!work_.in_place()) {
    std::memset(work_.out, 0, piece.bytes);
  } else if (work_.chained()) {
    undo_chain(piece.bytes);
  } else if (work_.operation == BlockOperation::kDecrypt) {
    work_.cpu.encrypt(work_.keys, work_.out, work_.out, count);
  } else {
    work_.cpu.decrypt(work_.keys, work_.out, work_.out, count);
  }
}

// CBC or CFB encryption of several chunks at a time, because within a chunk each block depends on
// the block before.
void BlockJob::undo_chain(std::size_t bytes) const {
  constexpr std::size_t kChains = 64;
  const std::size_t block = cipher_.block_bytes;
  const bool cfb = work_.is_cfb();
  Wiped<std::uint8_t[kChains * kMaxBlockBytes]> x;
  for (std::size_t first = 0; first < bytes; first += kChains * granularity_) {
    std::size_t chains = std::min(kChains, (bytes - first + granularity_ - 1) / granularity_);
    std::uint8_t* const out = work_.out + first;
    for (std::size_t at = 0; at < granularity_; at += block) {
      if (first + (chains - 1) * granularity_ + at >= bytes) --chains;  // the last can be short
      if (chains == 0) break;
      for (std::size_t i = 0; i < chains; ++i) {
        const std::uint8_t* const plain = out + i * granularity_ + at;
        const std::uint8_t* const last = at == 0 ? before(first + i * granularity_) : plain - block;
        for (std::size_t j = 0; j < block; ++j) {
          x.value[i * block + j] = static_cast<std::uint8_t>(cfb ? last[j] : plain[j] ^ last[j]);
        }
      }
      work_.cpu.encrypt(work_.keys, x.value, x.value, chains);
      for (std::size_t i = 0; i < chains; ++i) {
        std::uint8_t* const to = out + i * granularity_ + at;
        for (std::size_t j = 0; j < block; ++j) {
          to[j] = static_cast<std::uint8_t>(x.value[i * block + j] ^ (cfb ? to[j] : 0));
        }
      }
    }
  }
}

}  // namespace gpuctr::bulk
