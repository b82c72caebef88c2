#include "kernels/bulk/job/shared.h"

#include <algorithm>
#include <bitset>
#include <memory>
#include <new>

#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"

namespace gpuctr::bulk {
namespace {

std::atomic<Shared*> g_first{nullptr};

}  // namespace

Shared::Shared(const SharedKey& k, DeviceRuntime* runtime, Pool* threads)
    : key(k),
      generation(runtime->generation),
      devices(runtime->devices),
      ring(runtime->ring),
      device_memory(runtime->device_memory),
      pool(*threads),
      runtime_(*runtime) {
  threads_.store(std::max(key.threads, 1u), std::memory_order_relaxed);
}

Shared* Shared::get(const SharedKey& key) {
  Shared* head = g_first.load(std::memory_order_acquire);
  Shared* fresh = nullptr;
  for (;;) {
    for (Shared* s = head; s != nullptr; s = s->next_) {
      if (s->generation != process_generation() || !(s->key == key)) continue;
      delete fresh;
      return s;
    }
    if (fresh == nullptr) {
      DeviceRuntime* const runtime = DeviceRuntime::get(key.layer, key.slot_bytes);
      Pool* const pool = Pool::of_process();
      if (runtime == nullptr || pool == nullptr) return nullptr;
      fresh = new (std::nothrow) Shared(key, runtime, pool);
    }
    if (fresh == nullptr) return nullptr;
    fresh->next_ = head;
    if (g_first.compare_exchange_strong(head, fresh, std::memory_order_acq_rel)) return fresh;
  }
}

void Shared::start(bool wait) {
  const CancelDisabled guard;
  if (state() == kFailed) forget_failure(wait);
  int cold = kCold;
  // The mark comes first: a child forked after this line must not wait for this start.
  if (state() == kCold) process_has_devices();
  if (state_.compare_exchange_strong(cold, kStarting)) {
    // Without a device to start, as in a child, there is nothing to do in the background.
    if (!process_may_use_devices() || !start_thread(run_start, this)) run_start(this);
  }
  if (!wait) return;
  std::unique_lock<std::mutex> lock(mutex_);
  while (state() == kStarting) wait_for_change(&changed_, &lock);
}

void Shared::forget_failure(bool wait) {
  constexpr unsigned kMost = 1024;
  if (!device_status_passes(failure()) || !process_may_use_devices()) return;
  const unsigned due = next_start_.load(std::memory_order_relaxed);
  const unsigned calls = calls_since_failure_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!wait && calls < due) return;
  int failed = kFailed;
  if (!state_.compare_exchange_strong(failed, kCold)) return;
  calls_since_failure_.store(0, std::memory_order_relaxed);
  next_start_.store(std::min(2 * due, kMost), std::memory_order_relaxed);
}

void* Shared::run_start(void* self) {
  static_cast<Shared*>(self)->open();
  return nullptr;
}

void Shared::open() {
  DeviceStatus status = process_may_use_devices() ? DeviceStatus::kOk : DeviceStatus::kNoDevice;
  if (status == DeviceStatus::kOk) status = runtime_.open(key.gpus, &set_);
  if (status == DeviceStatus::kOk) {
    if (key.threads == 0) {
      // One thread XORs some 12 GB/s of a device's keystream; 16 threads about match the device's
      // link, 51 GB/s.
      const auto mine = static_cast<unsigned>(std::bitset<64>(set_).count());
      threads_.store(std::min({usable_cores(), 16 * mine, 64u}), std::memory_order_relaxed);
    }
  } else {
    failure_ = status;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  state_.store(status == DeviceStatus::kOk ? kReady : kFailed, std::memory_order_release);
  changed_.notify_all();
}

struct Shared::Measurement {
  Shared* shared;
  const CipherSpec* cipher;
  std::atomic<int>* state;
  std::size_t* result;     // SIZE_MAX: no device is faster
  MeasureBatches batches;  // nullptr: counter mode
  BatchMode mode;

  void make() const {
    if (batches != nullptr) {
      *result = batches(shared, *cipher, mode);
    } else {
      measure_crossover(shared, *cipher, &shared->crossovers_[cipher->index]);
    }
    const std::lock_guard<std::mutex> lock(shared->mutex_);
    // A device that was resting was not measured: the next job measures it.
    const bool again = *result == SIZE_MAX && shared->devices.any_resting(shared->set_);
    state->store(again ? Crossover::kUnknown : Crossover::kKnown, std::memory_order_release);
    shared->changed_.notify_all();
  }
};

std::size_t Shared::crossover(const CipherSpec& cipher, bool wait) {
  if (key.threshold != 0) return key.threshold;
  Crossover& c = crossovers_[cipher.index];
  if (!known(cipher)) measure({this, &cipher, &c.state, &c.bytes, nullptr, BatchMode::kCtr}, wait);
  return known(cipher) ? c.bytes : SIZE_MAX;
}

std::size_t Shared::batch_crossover(const CipherSpec& cipher, BatchMode mode,
                                    MeasureBatches batches, bool wait) {
  BatchCrossover& c = batch_crossovers_[cipher.index][static_cast<int>(mode)];
  const auto is_known = [&] {
    return c.state.load(std::memory_order_acquire) == Crossover::kKnown;
  };
  if (!is_known()) measure({this, &cipher, &c.state, &c.weight, batches, mode}, wait);
  return is_known() ? c.weight : SIZE_MAX;
}

void Shared::measure(const Measurement& of, bool wait) {
  const CancelDisabled guard;
  int unknown = Crossover::kUnknown;
  if (of.state->load(std::memory_order_relaxed) == unknown &&
      of.state->compare_exchange_strong(unknown, Crossover::kMeasuring)) {
    std::unique_ptr<Measurement> task(new (std::nothrow) Measurement(of));
    if (task != nullptr && start_thread(run_measurement, task.get())) {
      static_cast<void>(task.release());
    } else {
      of.make();
    }
  }
  if (!wait) return;
  std::unique_lock<std::mutex> lock(mutex_);
  while (of.state->load(std::memory_order_acquire) == Crossover::kMeasuring)
    wait_for_change(&changed_, &lock);
}

void* Shared::run_measurement(void* argument) {
  const std::unique_ptr<Measurement> task(static_cast<Measurement*>(argument));
  task->make();
  return nullptr;
}

}  // namespace gpuctr::bulk
