#include "kernels/bulk/engine.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/job/job.h"
#include "kernels/bulk/job/shared.h"

namespace gpuctr {
namespace {

const GpuLayer* layer_of(const EngineConfig& config) {
  if (config.gpu == GpuUse::kOff) return nullptr;
  return config.layer != nullptr ? config.layer : gpu_cuda_layer();
}

}  // namespace

Engine::Engine(const EngineConfig& config)
    : config_(config),
      cpu_(config.cpu != nullptr ? config.cpu : &best_backend()),
      layer_(layer_of(config)),
      policy_(config, layer_ != nullptr) {
  report_.note = config.note;
  report_.note_argument = config.note_argument;
  bulk::Pool::add_user();
  if (layer_ == nullptr) return;
  for (std::size_t i = 0; i < kCipherCount; ++i) has_kernels_[i] = layer_->takes(cipher_spec(i));
  auto* const devices = bulk::DeviceRuntime::get(layer_, config_.slot_bytes);
  if (devices != nullptr) devices->wish(config_.ring_bytes);
}

Engine::~Engine() { bulk::Pool::drop_user(); }

bulk::Shared* Engine::shared() {
  bulk::Shared* s = shared_.load(std::memory_order_acquire);
  if (s != nullptr && s->generation == bulk::process_generation()) return s;
  s = bulk::Shared::get(
      {layer_, cpu_, config_.gpus, config_.slot_bytes, config_.gpu_threshold, config_.threads});
  shared_.store(s, std::memory_order_release);
  return s;
}

// The part that is ready for use now, or nullptr: starts nothing.
bulk::Shared* Engine::ready_shared() const {
  bulk::Shared* const s = shared_.load(std::memory_order_acquire);
  // An ancestor's state may be read. It comes first because small updates ask where no card is.
  if (s == nullptr || s->state() != bulk::Shared::kReady) return nullptr;
  return s->generation == bulk::process_generation() && bulk::process_may_use_cards() ? s : nullptr;
}

BulkStatus Engine::missing_card(GpuStatus why, const char* where) {
  if (!bulk::process_may_use_cards()) where = "fork or exit";
  report_.fallback(why, where);
  return config_.gpu == GpuUse::kRequire ? BulkStatus::kGpuRequired : BulkStatus::kOk;
}

// A build without CUDA, or without kernels for a cipher, is no failure of a card, unless one was
// required.
BulkStatus Engine::without_kernels(bool must) {
  if (!must) return BulkStatus::kOk;
  return layer_ == nullptr ? missing_card(GpuStatus::kNoDriver, "build without CUDA")
                           : missing_card(GpuStatus::kUnsupported, "cipher on a card");
}

void Engine::run_on_cpu(const CipherSpec& cipher, const BulkSegment* segments, std::size_t count) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const BulkSegment& s = segments[i];
    const SegmentKeys keys(cipher, s.keys, s.key);
    cpu(cipher).ctr(*keys, s.counter, s.in, s.out, s.bytes);
    total += s.bytes;
  }
  report_.counters.cpu(total);
}

// Whether a card takes part in a job of this size, and starts it where it is the first such job.
BulkStatus Engine::plan(const CipherSpec& cipher, std::size_t total, bulk::JobCards* cards) {
  using bulk::JobCards;
  using bulk::Shared;
  *cards = JobCards::kNone;
  const bool large = policy_.large(total);
  const bool must = policy_.must(total);
  if (config_.gpu == GpuUse::kOff || policy_.cpu_only(total)) return BulkStatus::kOk;
  if (!has_kernels(cipher)) return without_kernels(must);
  Shared* const s = shared();
  if (s == nullptr) return BulkStatus::kOk;
  if (policy_.worth_starting(total, total)) s->start(must);
  switch (s->state()) {
    case Shared::kCold:
      return BulkStatus::kOk;
    case Shared::kStarting:
      if (large) *cards = JobCards::kMay;
      return BulkStatus::kOk;
    case Shared::kFailed:
      return large ? missing_card(s->failure(), "start") : BulkStatus::kOk;
    case Shared::kReady:
      s->wake();
      break;
  }
  if (!s->any_alive() || !bulk::process_may_use_cards()) {
    return large ? missing_card(s->last_failure(), "earlier") : BulkStatus::kOk;
  }
  *cards = policy_.job(s, cipher, total);
  return BulkStatus::kOk;
}

// Segments in ordinary memory, with the cards as planned, and as many threads as the job is large
// enough for.
BulkStatus Engine::run(const CipherSpec& cipher, const BulkSegment* segments, std::size_t count,
                       std::size_t total, bool* by_card) {
  using bulk::JobCards;
  *by_card = false;
  JobCards cards = JobCards::kNone;
  unsigned threads = config_.threads;
  if (count > 1 && policy_.too_short(total, count)) {
    threads = this->threads();  // those that serve a card otherwise
  } else {
    const BulkStatus status = plan(cipher, total, &cards);
    if (status != BulkStatus::kOk) return status;
    if (cards == JobCards::kMay && count == 1 &&
        policy_.threads_alone(ready_shared(), cipher, total)) {
      cards = JobCards::kNone;
      threads = this->threads();
    }
  }
  const bool pooled = bulk::Policy::pooled(threads, total);
  bulk::Shared* const s = cards != JobCards::kNone || pooled ? shared() : nullptr;
  if (s == nullptr) {
    run_on_cpu(cipher, segments, count);
    return BulkStatus::kOk;
  }
  bulk::CtrJob job(s, cipher, cpu(cipher), segments, count, total, cards, &report_);
  const bool done = job.run();
  *by_card = job.used_card();
  return done ? BulkStatus::kOk : BulkStatus::kGpuRequired;
}

// Counts what was done in a card's memory, or why it was not.
BulkStatus Engine::device_result(GpuStatus status, std::size_t n) {
  if (status == GpuStatus::kOk) {
    report_.counters.gpu(n);
    return BulkStatus::kOk;
  }
  report_.fallback(status, "device memory");
  return BulkStatus::kGpuRequired;
}

BulkStatus Engine::run_on_device(const CipherSpec& cipher, const BulkSegment& s, std::size_t skip) {
  bulk::Shared* const shared = ready_shared();
  GpuStatus status = GpuStatus::kNoDevice;
  if (shared != nullptr) {
    status = shared->device_memory.ctr(cipher, cpu(cipher), *s.keys, s.counter, skip, s.in, s.out,
                                       s.bytes);
  }
  return device_result(status, s.bytes);
}

BulkStatus Engine::gcm_on_device(const bulk::GcmWork& work) {
  bulk::Shared* const s = ready_shared();
  return device_result(s != nullptr ? s->device_memory.gcm(work) : GpuStatus::kNoDevice,
                       work.bytes);
}

BulkStatus Engine::ctr(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                       const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
  if (n == 0) return BulkStatus::kOk;
  const BulkSegment one = segment(cipher, keys, counter, in, out, n);
  if (is_device(out) || is_device(in)) return run_on_device(cipher, one, 0);
  bool by_card;
  return run(cipher, &one, 1, n, &by_card);
}

BulkStatus Engine::ctr_batch(const CipherSpec& cipher, const BulkSegment* segments,
                             std::size_t count) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) total += segments[i].bytes;
  if (total == 0) return BulkStatus::kOk;
  if (is_device(segments[0].out) || is_device(segments[0].in)) {
    bulk::Shared* const s = ready_shared();
    const GpuStatus status = s == nullptr
                                 ? GpuStatus::kNoDevice
                                 : s->device_memory.ctr_batch(cipher, cpu(cipher), segments, count);
    return device_result(status, total);
  }
  bool by_card;
  return run(cipher, segments, count, total, &by_card);
}

BulkStatus Engine::ctr_at(const CipherSpec& cipher, const RoundKeys& keys,
                          const std::uint8_t* counter, std::size_t skip, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t n) {
  if (skip == 0 || n == 0) return ctr(cipher, keys, counter, in, out, n);
  if (is_device(out) || is_device(in)) {
    return run_on_device(cipher, segment(cipher, keys, counter, in, out, n), skip);
  }
  const std::size_t head = std::min(n, cipher.block_bytes - skip);
  std::uint8_t next[kMaxBlockBytes];
  copy_block(next, counter, cipher.block_bytes);
  counter_add(next, cipher.block_bytes, 1);
  // The rest first: it alone can be refused, and then nothing may have been written.
  if (n > head) {
    const BulkStatus status =
        ctr(cipher, keys, next, in == nullptr ? nullptr : in + head, out + head, n - head);
    if (status != BulkStatus::kOk) return status;
  }
  Wiped<std::uint8_t[kMaxBlockBytes]> block;
  cpu(cipher).ctr(keys, counter, nullptr, block.value, cipher.block_bytes);
  for (std::size_t i = 0; i < head; ++i) {
    out[i] = static_cast<std::uint8_t>(block.value[skip + i] ^ (in != nullptr ? in[i] : 0));
  }
  report_.counters.cpu(head);
  return BulkStatus::kOk;
}

unsigned Engine::threads() const {
  if (config_.threads != 0) return config_.threads;
  const bulk::Shared* const s = ready_shared();
  return s != nullptr ? s->threads() : 1;
}

bool Engine::shares(const void* out, std::size_t n) { return is_device(out) || policy_.shares(n); }

bool Engine::is_device(const void* pointer) {
  if (pointer == nullptr || !may_have_device_memory()) return false;
  bulk::Shared* s = shared_.load(std::memory_order_acquire);
  if (s == nullptr || !s->has_started()) {
    if (config_.gpu_pointers != GpuPointers::kYes) return false;
    s = shared();
    if (s == nullptr) return false;
    s->start(true);
  }
  if (s->generation != bulk::process_generation() || !bulk::process_may_use_cards()) return false;
  // Our start may have failed, for want of pinned memory say, where the application has a card of
  // its own: its memory is known all the same, so that the CPU does not touch it.
  if (s->has_no_card()) return false;
  return s->device_memory.place(pointer).kind == GpuPointerKind::kDevice;
}

BulkStats Engine::stats() const { return report_.counters.read(); }

bool Engine::warm_up(const CipherSpec& cipher) {
  if (layer_ == nullptr) return false;
  bulk::Shared* const s = shared();
  if (s == nullptr) return false;
  s->start(true);
  if (s->state() == bulk::Shared::kReady) s->wake();
  if (!s->ready()) return false;
  static_cast<void>(s->crossover(cipher, true));
  return s->ready();
}

std::size_t Engine::crossover(const CipherSpec& cipher) {
  return policy_.crossover(ready_shared(), cipher);
}

}  // namespace gpuctr
