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

const DeviceLayer* layer_of(const EngineConfig& config) {
  if (config.gpu == GpuUse::kOff) return nullptr;
  return config.layer != nullptr ? config.layer : cuda_layer();
}

}  // namespace

Engine::Engine(const EngineConfig& config)
    : config_(config),
      cpu_(config.cpu != nullptr ? config.cpu : &best_backend()),
      layer_(layer_of(config)),
      may_have_device_memory_(layer_ != nullptr && config.gpu_pointers == GpuPointers::kYes),
      policy_(config, layer_ != nullptr) {
  report_.note = config.note;
  report_.note_argument = config.note_argument;
  bulk::Pool::add_user();
  if (layer_ == nullptr) return;
  for (std::size_t i = 0; i < kCipherCount; ++i) has_kernels_[i] = layer_->takes(cipher_spec(i));
  auto* const devices = bulk::DeviceRuntime::get(layer_, config_.slot_bytes);
  if (devices != nullptr) devices->request_ring(config_.ring_bytes);
}

Engine::~Engine() { bulk::Pool::drop_user(); }

bulk::Shared* Engine::shared() {
  bulk::Shared* s = shared_.load(std::memory_order_acquire);
  if (s != nullptr && s->generation == bulk::process_generation()) return s;
  s = bulk::Shared::get(
      {layer_, cpu_, config_.gpus, config_.slot_bytes, config_.gpu_threshold, config_.threads});
  shared_.store(s, std::memory_order_release);
  may_have_device_memory_ = layer_ != nullptr && config_.gpu_pointers != GpuPointers::kNo;
  return s;
}

// The shared part of the engine if it is ready now, else nullptr. Starts nothing.
bulk::Shared* Engine::ready_shared() const {
  bulk::Shared* const s = shared_.load(std::memory_order_acquire);
  // This check comes first, because small updates make it on machines without a device. An
  // ancestor's state may be read.
  if (s == nullptr || s->state() != bulk::Shared::kReady) return nullptr;
  return s->generation == bulk::process_generation() && bulk::process_may_use_devices() ? s
                                                                                        : nullptr;
}

bool Engine::has_no_device() const {
  const bulk::Shared* const s = shared_.load(std::memory_order_acquire);
  return s != nullptr && s->has_no_device();
}

BulkStatus Engine::missing_device(DeviceStatus why, const char* where) {
  if (!bulk::process_may_use_devices()) where = "fork or exit";
  report_.fallback(why, where);
  return config_.gpu == GpuUse::kRequire ? BulkStatus::kGpuRequired : BulkStatus::kOk;
}

// A build without CUDA, or without kernels for a cipher, is no device failure unless a device is
// required.
BulkStatus Engine::without_kernels(bool must) {
  if (!must) return BulkStatus::kOk;
  return layer_ == nullptr ? missing_device(DeviceStatus::kNoDriver, "build without CUDA")
                           : missing_device(DeviceStatus::kUnsupported, "cipher on a device");
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

// Whether a device takes part in a job of this size. The first such job starts the device.
BulkStatus Engine::plan(const CipherSpec& cipher, std::size_t total, bulk::JobDevices* devices) {
  using bulk::JobDevices;
  using bulk::Shared;
  *devices = JobDevices::kNone;
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
      if (large) *devices = JobDevices::kMay;
      return BulkStatus::kOk;
    case Shared::kFailed:
      return large ? missing_device(s->failure(), "start") : BulkStatus::kOk;
    case Shared::kReady:
      s->wake();
      break;
  }
  if (!s->any_alive() || !bulk::process_may_use_devices()) {
    return large ? missing_device(s->last_failure(), "earlier") : BulkStatus::kOk;
  }
  *devices = policy_.job(s, cipher, total);
  return BulkStatus::kOk;
}

// Runs segments in ordinary memory on the planned devices, with as many threads as the job's size
// allows.
BulkStatus Engine::run(const CipherSpec& cipher, const BulkSegment* segments, std::size_t count,
                       std::size_t total, bool* by_device) {
  using bulk::JobDevices;
  *by_device = false;
  JobDevices devices = JobDevices::kNone;
  unsigned threads = config_.threads;
  if (count > 1 && policy_.too_short(total, count)) {
    threads = this->threads();  // threads that otherwise serve a device
  } else {
    const BulkStatus status = plan(cipher, total, &devices);
    if (status != BulkStatus::kOk) return status;
    if (devices == JobDevices::kMay && count == 1 &&
        policy_.threads_alone(ready_shared(), cipher, total)) {
      devices = JobDevices::kNone;
      threads = this->threads();
    }
  }
  const bool pooled = bulk::Policy::pooled(threads, total);
  bulk::Shared* const s = devices != JobDevices::kNone || pooled ? shared() : nullptr;
  if (s == nullptr) {
    run_on_cpu(cipher, segments, count);
    return BulkStatus::kOk;
  }
  bulk::CtrJob job(s, cipher, cpu(cipher), segments, count, total, devices, &report_);
  const bool done = job.run();
  *by_device = job.used_device();
  return done ? BulkStatus::kOk : BulkStatus::kGpuRequired;
}

// Counts the bytes done in device memory, or the reason why they were not.
BulkStatus Engine::device_result(DeviceStatus status, std::size_t n) {
  if (status == DeviceStatus::kOk) {
    report_.counters.gpu(n);
    return BulkStatus::kOk;
  }
  report_.fallback(status, "device memory");
  return BulkStatus::kGpuRequired;
}

BulkStatus Engine::run_on_device(const CipherSpec& cipher, const BulkSegment& s, std::size_t skip) {
  bulk::Shared* const shared = ready_shared();
  DeviceStatus status = DeviceStatus::kNoDevice;
  if (shared != nullptr) {
    status = shared->device_memory.ctr(cipher, cpu(cipher), *s.keys, s.counter, skip, s.in, s.out,
                                       s.bytes);
  }
  return device_result(status, s.bytes);
}

BulkStatus Engine::gcm_on_device(const bulk::GcmWork& work) {
  bulk::Shared* const s = ready_shared();
  return device_result(s != nullptr ? s->device_memory.gcm(work) : DeviceStatus::kNoDevice,
                       work.bytes);
}

BulkStatus Engine::ctr(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                       const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
  if (n == 0) return BulkStatus::kOk;
  const BulkSegment one = segment(cipher, keys, counter, in, out, n);
  if (is_device(out, in)) return run_on_device(cipher, one, 0);
  bool by_device;
  return run(cipher, &one, 1, n, &by_device);
}

BulkStatus Engine::ctr_batch(const CipherSpec& cipher, const BulkSegment* segments,
                             std::size_t count) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) total += segments[i].bytes;
  if (total == 0) return BulkStatus::kOk;
  if (is_device(segments[0].out, segments[0].in)) {
    bulk::Shared* const s = ready_shared();
    const DeviceStatus status =
        s == nullptr ? DeviceStatus::kNoDevice
                     : s->device_memory.ctr_batch(cipher, cpu(cipher), segments, count);
    return device_result(status, total);
  }
  bool by_device;
  return run(cipher, segments, count, total, &by_device);
}

BulkStatus Engine::ctr_at(const CipherSpec& cipher, const RoundKeys& keys,
                          const std::uint8_t* counter, std::size_t skip, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t n) {
  if (skip == 0 || n == 0) return ctr(cipher, keys, counter, in, out, n);
  if (is_device(out, in)) {
    return run_on_device(cipher, segment(cipher, keys, counter, in, out, n), skip);
  }
  const std::size_t head = std::min(n, cipher.block_bytes - skip);
  std::uint8_t next[kMaxBlockBytes];
  copy_block(next, counter, cipher.block_bytes);
  counter_add(next, cipher.block_bytes, 1);
  // The rest comes first: only the rest can be refused, and then nothing may have been written.
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
  if (s->generation != bulk::process_generation() || !bulk::process_may_use_devices()) return false;
  // The engine's start may have failed, for example because pinned memory is short, although the
  // application has its own device. The device's memory is still recognised, so that the CPU does
  // not touch it.
  if (s->has_no_device()) {
    may_have_device_memory_ = false;
    return false;
  }
  return s->device_memory.place(pointer).kind == PointerKind::kDevice;
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
