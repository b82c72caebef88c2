// BulkStream: detects a long sequence of small updates and has the device read ahead of it.
#include <algorithm>
#include <cstring>
#include <new>

#include "kernels/base/counter.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/engine.h"
#include "kernels/bulk/job/shared.h"
#include "kernels/bulk/read_ahead.h"
#include "kernels/cpu/base/gcm_text.h"

namespace gpuctr {
namespace {

// If there is no window yet, the stream checks again after this many bytes. In between small
// updates take the short path.
constexpr std::uint64_t kLook = 64u << 10;

// Compares counter blocks of a cipher's block size, by whole words: a comparison by bytes is a
// function call, which slows updates of 16 bytes.
bool equal(const std::uint8_t* a, const std::uint8_t* b, std::size_t block_bytes) {
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < block_bytes; i += sizeof difference) {
    std::uint64_t x, y;
    std::memcpy(&x, a + i, sizeof x);
    std::memcpy(&y, b + i, sizeof y);
    difference |= x ^ y;
  }
  return difference == 0;
}
static_assert(kMaxBlockBytes % sizeof(std::uint64_t) == 0);

// `to` becomes the counter block `blocks` after `from`.
void step(const std::uint8_t* from, std::uint64_t blocks, std::size_t block_bytes,
          std::uint8_t* to) {
  copy_block(to, from, block_bytes);
  counter_add(to, block_bytes, blocks);
}

void gcm_by_cpu(const bulk::GcmWork& work) {
  const std::size_t blocks = work.bytes / kGcmBlock;
  if (in_one_loop(work.cpu, work.ghash)) {
    work.cpu.gcm->crypt(work.keys, work.encrypts, work.key, work.y,
                        {work.counter, nullptr, nullptr, work.in, work.out, blocks, nullptr});
    return;
  }
  if (!work.encrypts) work.ghash.update(work.key, work.y, work.in, blocks);
  work.cpu.ctr(work.keys, work.counter, work.in, work.out, work.bytes);
  if (work.encrypts) work.ghash.update(work.key, work.y, work.out, blocks);
}

}  // namespace

BulkStream::BulkStream(Engine* engine) : engine_(engine), look_from_(kSequence) {}
BulkStream::BulkStream(const BulkStream& other) : BulkStream(other.engine_) {}
BulkStream::~BulkStream() {
  if (uncounted_ != 0) count_now();
}

void BulkStream::drop_ahead() { ahead_.reset(); }

// The next n bytes start at the counter block: drops what was read ahead at another position.
void BulkStream::go_on(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                       std::size_t n) {
  const std::size_t block = cipher.block_bytes;
  const std::size_t size = std::min(block, kNextBytes);
  const std::uint8_t* const end = counter + block - size;
  if (cipher_ == nullptr) {
    // The first bytes, or those after made_next().
  } else if (cipher_ != &cipher) {
    reset();
  } else if (!equal(end, next_, size)) {
    step(next_, 1, size, next_);
    if (!equal(end, next_, size)) {
      reset();
    } else if (ahead_ != nullptr && !ahead_->skip(cipher, keys, block)) {
      ahead_.reset();
    }
  }
  if (ahead_ != nullptr && !ahead_->is_next(cipher, counter)) reset();
  cipher_ = &cipher;
  step(end, (n + block - 1) / block, size, next_);
  run_ += n;
}

BulkStatus BulkStream::ctr_in(bool device, const CipherSpec& cipher, const RoundKeys& keys,
                              const std::uint8_t* counter, const std::uint8_t* in,
                              std::uint8_t* out, std::size_t n) {
  if (n == 0) return BulkStatus::kOk;
  go_on(cipher, keys, counter, n);
  if (!device && ahead_ == nullptr && run_ < look_from_ && engine_->policy_.cpu_only(n)) {
    engine_->cpu(cipher).ctr(keys, counter, in, out, n);  // like run(), in less time
    made_small(n);
    return BulkStatus::kOk;
  }
  return follow(device, cipher, keys, counter, in, out, n);
}

// Work that only the calling thread does is done in one loop, if the CPU has such a loop for this
// cipher. A later update may still find a device and its windows.
BulkStatus BulkStream::gcm(const bulk::GcmWork& work) {
  const CipherSpec& cipher = work.cipher;
  go_on(cipher, work.keys, work.counter, work.bytes);
  if (ahead_ == nullptr && engine_->policy_.cpu_only(work.bytes)) {
    if (run_ >= look_from_) {
      const bool in_window =
          engine_->policy_.in_window(engine_->ready_shared(), cipher, work.bytes);
      const BulkStatus status = look(cipher, work.keys, next_, in_window);
      if (status != BulkStatus::kOk) return status;
    }
    gcm_by_cpu(work);
    made_small(work.bytes);
    return BulkStatus::kOk;
  }
  const std::size_t blocks = work.bytes / kGcmBlock;
  if (!work.encrypts) work.ghash.update(work.key, work.y, work.in, blocks);
  const BulkStatus status =
      follow(false, cipher, work.keys, work.counter, work.in, work.out, work.bytes);
  if (status == BulkStatus::kOk && work.encrypts) {
    work.ghash.update(work.key, work.y, work.out, blocks);
  }
  return status;
}

BulkStatus BulkStream::ctr_within(const CipherSpec& cipher, const RoundKeys& keys,
                                  const std::uint8_t* counter, std::size_t skip,
                                  const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
  if (n == 0) return BulkStatus::kOk;
  const std::size_t block = cipher.block_bytes;
  const std::size_t head = std::min(n, block - skip);
  if (n > head) {
    // This part comes first, because only this part can be refused.
    std::uint8_t rest[kMaxBlockBytes];
    step(counter, 1, block, rest);
    const BulkStatus status =
        ctr(cipher, keys, rest, in == nullptr ? nullptr : in + head, out + head, n - head);
    if (status != BulkStatus::kOk) return status;
  }
  return engine_->ctr_at(cipher, keys, counter, skip, in, out, head);
}

bool BulkStream::is_device_in(std::uintptr_t region, const void* pointer) {
  if (engine_->is_device(pointer)) return true;
  if (engine_->ready_shared() != nullptr || engine_->has_no_device()) {
    host_[1] = host_[0];
    host_[0] = region;
  }
  return false;
}

BulkStatus BulkStream::follow(bool device, const CipherSpec& cipher, const RoundKeys& keys,
                              const std::uint8_t* counter, const std::uint8_t* in,
                              std::uint8_t* out, std::size_t n) {
  const BulkSegment one = Engine::segment(cipher, keys, counter, in, out, n);
  if (device) {
    ahead_.reset();
    return served(engine_->run_on_device(cipher, one, 0), true);
  }
  BulkStatus status = BulkStatus::kOk;
  bool by_device = false;
  const bool in_window = engine_->policy_.in_window(engine_->ready_shared(), cipher, n);
  if (!in_window) ahead_.reset();
  if (ahead_ != nullptr) {
    if (!ahead_->use(cipher, engine_->cpu(cipher), keys, counter, in, out, n, &by_device)) {
      ahead_.reset();
      look_from_ = run_ + kSequence;
    }
  } else {
    // The windows start behind this update; the CPU does the update while the device makes the
    // windows.
    if (run_ >= look_from_) {
      std::uint8_t next[kMaxBlockBytes];
      step(counter, (n + cipher.block_bytes - 1) / cipher.block_bytes, cipher.block_bytes, next);
      status = look(cipher, keys, next, in_window);
    }
    if (status == BulkStatus::kOk) status = engine_->run(cipher, &one, 1, n, &by_device);
  }
  return served(status, by_device);
}

// A refused update leaves served_by() unchanged.
BulkStatus BulkStream::served(BulkStatus status, bool by_device) {
  const DeviceLayer* const layer = by_device ? engine_->layer_ : nullptr;
  if (status == BulkStatus::kOk) {
    served_by_ = layer != nullptr ? layer->name : engine_->cpu_backend().name;
  }
  return status;
}

// Whether to check for windows now. Under `gpu = require` each update checks.
BulkStatus BulkStream::look(const CipherSpec& cipher, const RoundKeys& keys,
                            const std::uint8_t* next, bool in_window) {
  const bool must = engine_->policy_.must(run_);
  const std::uint64_t passed = run_ - look_from_ + kLook;
  if (!engine_->policy_.requires_device()) look_from_ = run_ + kLook;
  return in_window ? begin_ahead(cipher, keys, next, passed, must) : BulkStatus::kOk;
}

// Starts windows if the device is ready and reading ahead is faster; starts the device if enough
// bytes have passed.
BulkStatus BulkStream::begin_ahead(const CipherSpec& cipher, const RoundKeys& keys,
                                   const std::uint8_t* next, std::uint64_t passed, bool must) {
  using bulk::Shared;
  Engine& e = *engine_;
  if (!e.has_kernels(cipher)) return e.without_kernels(must);
  Shared* const s = e.shared();
  if (s == nullptr) return BulkStatus::kOk;
  if (e.policy_.worth_starting(run_, passed)) s->start(must);
  if (s->state() == Shared::kCold || s->state() == Shared::kStarting) return BulkStatus::kOk;
  if (s->state() == Shared::kReady) s->wake();
  if (!s->ready() || !bulk::process_may_use_devices()) {
    if (!must && !s->may_come_back()) look_from_ = UINT64_MAX;
    const bool never = s->state() == Shared::kFailed;
    return e.missing_device(never ? s->failure() : s->last_failure(), never ? "start" : "earlier");
  }
  const bulk::Ahead ahead = e.policy_.ahead(s, cipher, must);
  if (ahead == bulk::Ahead::kNever) look_from_ = UINT64_MAX;
  if (ahead != bulk::Ahead::kNow) return BulkStatus::kOk;
  ahead_.reset(new (std::nothrow) bulk::ReadAhead(s, &e.report_, e.config_.read_ahead));
  if (ahead_ == nullptr || !ahead_->begin(cipher, keys, next)) {
    ahead_.reset();
    look_from_ = run_ + kSequence;
  }
  return BulkStatus::kOk;
}

}  // namespace gpuctr
