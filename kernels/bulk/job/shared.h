// State shared by engines with equal settings: their set of the process's devices, the number of
// threads, and the measured crossovers.
//
// Made at the first bulk use and never destroyed, because threads and devices may outlive static
// objects at exit. A forked child finds another process generation and makes its own. All functions
// may be called from any thread.
#ifndef GPUCTR_KERNELS_BULK_JOB_SHARED_H
#define GPUCTR_KERNELS_BULK_JOB_SHARED_H

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "kernels/bulk/batch/work.h"
#include "kernels/bulk/device/devices.h"
#include "kernels/bulk/device/runtime.h"
#include "kernels/bulk/job/crossover.h"
#include "kernels/bulk/job/pool.h"

namespace gpuctr {
struct EngineConfig;
}

namespace gpuctr::bulk {

// Engines with equal keys share one Shared.
struct SharedKey {
  const DeviceLayer* layer;  // nullptr: threads only
  const Backend* cpu;
  std::uint64_t gpus;
  std::size_t slot_bytes;
  std::size_t threshold;
  unsigned threads;

  bool operator==(const SharedKey& o) const {
    return layer == o.layer && cpu == o.cpu && gpus == o.gpus && slot_bytes == o.slot_bytes &&
           threshold == o.threshold && threads == o.threads;
  }
};

class Shared {
 public:
  enum State : int { kCold, kStarting, kReady, kFailed };

  // The object for this key in this process; made at the first call. Takes no lock. nullptr: no
  // memory.
  static Shared* get(const SharedKey& key);

  const SharedKey key;
  const std::uint64_t generation;

  State state() const { return static_cast<State>(state_.load(std::memory_order_acquire)); }
  bool ready() const { return state() == kReady && any_alive(); }
  // Whether any device of this set is alive, once the set is ready.
  bool any_alive() const { return devices.any_alive(set_); }
  // The ordinal of a device of this set that is alive; 0: there is none.
  int any_ordinal() const {
    for (unsigned i = 0; i < devices.count(); ++i) {
      if ((set_ >> i & 1) != 0 && devices.alive(i)) return devices.ordinal(i);
    }
    return 0;
  }
  DeviceStatus last_failure() const { return devices.last_failure(set_); }
  Slot* take_slot(std::size_t spare, std::uint64_t* ticket) {
    return ring.take(spare, set_, ticket);
  }
  // Only in the state kFailed: why there is no device.
  DeviceStatus failure() const { return failure_; }
  bool has_started() const { return state() == kReady || state() == kFailed; }
  // True only after the start: nothing in this process can use a device.
  bool has_no_device() const {
    return state() == kFailed &&
           (failure() == DeviceStatus::kNoDriver || failure() == DeviceStatus::kNoDevice);
  }
  // Whether a later job may have devices although this job has none.
  bool may_come_back() const {
    return state() == kReady ? devices.any_resting(set_) : device_status_passes(failure());
  }
  // Called at the start of a job, once the set is ready: its resting devices may be used again.
  void wake() { devices.wake(set_); }

  // Starts the devices in the background; with `wait`, returns when the start has ended. If a start
  // failed for a transient reason, such as too little device memory, later calls repeat it. Without
  // `wait`, the second call after the failure starts again, then the fourth after that and so on;
  // with `wait`, every call does.
  void start(bool wait);

  // A device does this cipher's work from this many bytes on; SIZE_MAX while not known. A cipher
  // that is not known yet is measured in the background, or with `wait` before the call returns.
  // The devices must be ready.
  std::size_t crossover(const CipherSpec& cipher, bool wait = false);
  const Crossover& figures(const CipherSpec& cipher) const { return crossovers_[cipher.index]; }
  // The same for batches of a mode, in weight; measure() returns it.
  using MeasureBatches = std::size_t (*)(Shared* shared, const CipherSpec& cipher, BatchMode mode);
  std::size_t batch_crossover(const CipherSpec& cipher, BatchMode mode, MeasureBatches measure,
                              bool wait = false);
  const BatchCrossover& batch_figures(const CipherSpec& cipher, BatchMode mode) const {
    return batch_crossovers_[cipher.index][static_cast<int>(mode)];
  }
  bool known(const CipherSpec& cipher) const {
    return figures(cipher).state.load(std::memory_order_acquire) == Crossover::kKnown;
  }

  std::size_t cpu_piece(const CipherSpec& cipher) const {
    return known(cipher) ? figures(cipher).cpu_piece : std::size_t{64} << 10;
  }

  // Threads of one job, the calling thread included.
  unsigned threads() const { return threads_.load(std::memory_order_relaxed); }

  // The devices of the process.
  Devices& devices;
  Ring& ring;
  DeviceMemory& device_memory;
  Pool& pool;

 private:
  Shared(const SharedKey& k, DeviceRuntime* runtime, Pool* threads);
  static void* run_start(void* self);
  struct Measurement;  // of a cipher, or of its batches of a mode
  static void* run_measurement(void* argument);
  void forget_failure(bool wait);
  void open();
  void measure(const Measurement& of, bool wait);

  DeviceRuntime& runtime_;
  std::uint64_t set_ = 0;  // this object's devices; written before kReady
  std::atomic<int> state_{kCold};
  std::atomic<DeviceStatus> failure_{DeviceStatus::kOk};  // written before kFailed
  std::atomic<unsigned> calls_since_failure_{0};
  std::atomic<unsigned> next_start_{2};  // the call that starts the devices again
  std::atomic<unsigned> threads_{1};
  Crossover crossovers_[kCipherCount];
  BatchCrossover batch_crossovers_[kCipherCount][kBatchModes];
  std::mutex mutex_;
  std::condition_variable changed_;
  Shared* next_ = nullptr;
};

}  // namespace gpuctr::bulk

#endif
