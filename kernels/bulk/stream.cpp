// BulkStream: notices a long sequence of small updates and lets the card work ahead of it.
#include <algorithm>
#include <new>

#include "kernels/bulk.h"
#include "kernels/bulk/life.h"
#include "kernels/bulk/read_ahead.h"
#include "kernels/bulk/shared.h"

namespace gpuctr {
namespace {

// No window before this much has gone by in sequence, nor this soon after one was lost.
constexpr std::uint64_t kSequence = 1u << 20;

struct Count {
  std::uint64_t high;
  std::uint64_t low;
};

std::uint64_t load_be64(const std::uint8_t* p) {
  std::uint64_t v = 0;
  for (int i = 0; i < 8; ++i) v = v << 8 | p[i];
  return v;
}

Count count_of(const std::uint8_t* counter, std::size_t block_bytes) {
  if (block_bytes == 8) return {0, load_be64(counter)};
  return {load_be64(counter), load_be64(counter + 8)};
}

// Modulo 2^(8 block_bytes).
Count add(Count c, std::uint64_t blocks, std::size_t block_bytes) {
  const std::uint64_t low = c.low + blocks;
  return {block_bytes == 8 ? 0 : c.high + (low < blocks ? 1 : 0), low};
}

void store_count(Count c, std::size_t block_bytes, std::uint8_t* counter) {
  for (std::size_t i = block_bytes; i-- != 0;) {
    counter[i] = static_cast<std::uint8_t>(c.low);
    c.low = c.low >> 8 | c.high << 56;
    c.high >>= 8;
  }
}

bool equal(Count a, Count b) { return a.high == b.high && a.low == b.low; }

}  // namespace

BulkStream::BulkStream(Engine* engine) : engine_(engine) {}
BulkStream::BulkStream(const BulkStream& other) : engine_(other.engine_) {}
BulkStream& BulkStream::operator=(const BulkStream& other) {
  if (this == &other) return *this;
  reset();
  engine_ = other.engine_;
  return *this;
}
BulkStream::~BulkStream() = default;

void BulkStream::reset() {
  ahead_.reset();
  cipher_ = nullptr;
  run_ = 0;
  try_from_ = 0;
  host_[0] = host_[1] = 0;
}

BulkStatus BulkStream::ctr(const CipherSpec& cipher, const RoundKeys& keys,
                           const std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                           std::size_t n) {
  if (n == 0) return BulkStatus::kOk;
  const std::size_t block = cipher.block_bytes;
  const Count at = count_of(counter, block);
  const Count next{next_high_, next_low_};
  if (cipher_ != &cipher) {
    reset();
  } else if (!equal(at, next)) {
    if (!equal(at, add(next, 1, block))) {
      reset();
    } else if (ahead_ != nullptr && !ahead_->skip(cipher, keys, block)) {
      ahead_.reset();
    }
  }
  cipher_ = &cipher;
  const Count after = add(at, (n + block - 1) / block, block);
  next_high_ = after.high;
  next_low_ = after.low;
  run_ += n;
  if (ahead_ == nullptr && run_ < kSequence && engine_->cpu_only(n) && !is_device(out) &&
      !is_device(in)) {
    engine_->by_cpu(cipher, keys, counter, in, out, n);
    served_by_ = engine_->cpu_->name;
    return BulkStatus::kOk;
  }
  return follow(cipher, keys, counter, in, out, n);
}

BulkStatus BulkStream::ctr_at(const CipherSpec& cipher, const RoundKeys& keys,
                              const std::uint8_t* counter, std::size_t skip, const std::uint8_t* in,
                              std::uint8_t* out, std::size_t n) {
  if (skip == 0 || n == 0) return ctr(cipher, keys, counter, in, out, n);
  const std::size_t block = cipher.block_bytes;
  const std::size_t head = std::min(n, block - skip);
  const Count next = add(count_of(counter, block), 1, block);
  if (n > head) {
    // First, because it alone can be refused.
    std::uint8_t rest[kMaxBlockBytes];
    store_count(next, block, rest);
    const BulkStatus status =
        ctr(cipher, keys, rest, in == nullptr ? nullptr : in + head, out + head, n - head);
    if (status != BulkStatus::kOk) return status;
  }
  return engine_->ctr_at(cipher, keys, counter, skip, in, out, head);
}

bool BulkStream::is_device_in(std::uintptr_t region, const void* pointer) {
  if (engine_->is_device(pointer)) return true;
  if (engine_->ready_shared() != nullptr) {
    host_[1] = host_[0];
    host_[0] = region;
  }
  return false;
}

// Whether an update is better served out of a window than as a job of its own.
bool BulkStream::small(const CipherSpec& cipher, std::size_t n) const {
  if (n >= engine_->config_.read_ahead) return false;
  const std::size_t crossover = engine_->crossover(cipher);
  return crossover == 0 || n < crossover;
}

BulkStatus BulkStream::follow(const CipherSpec& cipher, const RoundKeys& keys,
                              const std::uint8_t* counter, const std::uint8_t* in,
                              std::uint8_t* out, std::size_t n) {
  const BulkSegment one = Engine::segment(cipher, keys, counter, in, out, n);
  if (is_device(out) || is_device(in)) {
    ahead_.reset();
    return served(engine_->run_on_device(cipher, one, 0), true);
  }
  BulkStatus status = BulkStatus::kOk;
  bool by_card = false;
  const bool in_window = small(cipher, n);
  if (!in_window) ahead_.reset();
  if (ahead_ != nullptr) {
    if (!ahead_->use(cipher, engine_->cpu(cipher), keys, counter, in, out, n, &by_card)) {
      ahead_.reset();
      try_from_ = run_ + kSequence;
    }
  } else {
    // The windows start behind this update, which the CPU does while they are made.
    if (in_window && run_ >= kSequence && run_ >= try_from_) {
      status = begin_ahead(cipher, keys, n);
    }
    if (status == BulkStatus::kOk) status = engine_->run(cipher, &one, 1, n, &by_card);
  }
  return served(status, by_card);
}

// What was refused was served by nobody.
BulkStatus BulkStream::served(BulkStatus status, bool by_card) {
  if (status == BulkStatus::kOk) {
    served_by_ = by_card ? engine_->layer_->name : engine_->cpu_machine().name;
  }
  return status;
}

// Starts windows where the card is up and reading ahead pays; starts the card when it is time.
BulkStatus BulkStream::begin_ahead(const CipherSpec& cipher, const RoundKeys& keys, std::size_t n) {
  using bulk::Shared;
  Engine& e = *engine_;
  const bool long_enough = run_ >= e.large_bytes();
  const bool must = e.config_.gpu == GpuUse::kRequire && long_enough;
  if (e.layer_ == nullptr) {
    return must ? e.missing_card(GpuStatus::kNoDriver, "build without CUDA") : BulkStatus::kOk;
  }
  Shared* const s = e.shared();
  if (s == nullptr) return BulkStatus::kOk;
  if (e.worth_starting(run_, n)) s->start(must);
  if (s->state() == Shared::kCold || s->state() == Shared::kStarting) return BulkStatus::kOk;
  if (!s->ready() || !bulk::life_may_use_cards()) {
    if (!must) try_from_ = UINT64_MAX;
    const bool never = s->state() == Shared::kFailed;
    return e.missing_card(never ? s->failure() : s->last_failure(), never ? "start" : "earlier");
  }
  if (e.config_.gpu_threshold == 0 && !must) {
    static_cast<void>(s->crossover(cipher));
    if (!s->known(cipher)) return BulkStatus::kOk;
    if (!s->figures(cipher).ahead_pays) try_from_ = UINT64_MAX;
    if (!s->figures(cipher).ahead_pays) return BulkStatus::kOk;
  }
  std::uint8_t counter[kMaxBlockBytes];
  store_count({next_high_, next_low_}, cipher.block_bytes, counter);
  ahead_.reset(new (std::nothrow) bulk::ReadAhead(s, &e.report_, e.config_.read_ahead));
  if (ahead_ == nullptr || !ahead_->begin(cipher, keys, counter)) {
    ahead_.reset();
    try_from_ = run_ + kSequence;
  }
  return BulkStatus::kOk;
}

}  // namespace gpuctr
