#include "kernels/bulk/job/crossover.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/xor.h"
#include "kernels/bulk/job/job.h"
#include "kernels/bulk/job/shared.h"

namespace gpuctr::bulk {
namespace {

constexpr int kTries = 5;
constexpr std::size_t kCpuBytes = 64u << 10;
constexpr std::size_t kSmall = 256u << 10;
constexpr std::size_t kLarge = 4u << 20;
// Sizes of the jobs by all threads. For jobs larger than the caches, host memory limits both the
// device and the threads; these sizes do not show that. For such jobs the device leaves the cores
// free.
constexpr std::size_t kPooledSmall = 2u << 20;
constexpr std::size_t kPooledLarge = 32u << 20;
constexpr std::size_t kMostAlone = 128u << 20;

// Seconds a byte when one thread takes 4 KiB at a time from a window, including the launches.
double ahead_time(Shared* shared, const CipherSpec& cipher, const RoundKeys& keys,
                  std::uint8_t* data) {
  std::uint64_t ticket;
  Slot* const slot = shared->take_slot(0, &ticket);
  if (slot == nullptr) return 1e9;
  const std::size_t n = std::min(shared->ring.slot_bytes(), kLarge);
  const std::uint8_t counter[kMaxBlockBytes] = {};
  bool ok = true;
  const double launch = best_time([&] {
    ok = ok && (!slot->in_flight || shared->ring.wait(slot) == DeviceStatus::kOk) &&
         shared->ring.launch(slot, cipher, keys, counter, n) == DeviceStatus::kOk;
  });
  ok = ok && shared->ring.wait(slot) == DeviceStatus::kOk;
  const double use = best_time([&] {
    DeviceSection section;
    ok = ok && section;
    for (std::size_t i = 0; ok && i + 4096 <= n; i += 4096) {
      xor_keystream(slot->memory + i, data + i, data + i, 4096, false);
    }
  });
  shared->ring.give(slot);
  return ok ? (launch + use) / static_cast<double>(n) : 1e9;
}

// Times jobs of one cipher on the timer's own memory, in place.
class Timer {
 public:
  Timer(Shared* shared, const CipherSpec& cipher)
      : shared_(shared),
        cipher_(cipher),
        cpu_(shared->key.cpu->ops[cipher.index]),
        data_(new (std::nothrow) std::uint8_t[kPooledLarge]),
        keys_(new (std::nothrow) RoundKeys) {
    if (!good()) return;
    std::memset(data_.get(), 0, kPooledLarge);
    const std::uint8_t key[kMaxKeyBytes] = {};
    cipher.expand(key, keys_.get());
  }
  bool good() const { return data_ != nullptr && keys_ != nullptr; }
  const RoundKeys& keys() const { return *keys_; }
  std::uint8_t* data() { return data_.get(); }

  double core(std::size_t bytes) {
    const std::uint8_t counter[kMaxBlockBytes] = {};
    return best_time([&] { cpu_.ctr(*keys_, counter, data(), data(), bytes); });
  }
  double job(JobDevices devices, std::size_t bytes) {
    const BulkSegment segment{keys_.get(), {}, data(), data(), bytes};
    return best_time(
        [&] { CtrJob(shared_, cipher_, cpu_, &segment, 1, bytes, devices, nullptr).run(); });
  }
  CostLine line(JobDevices devices, std::size_t a, std::size_t b) {
    const double a_time = job(devices, a);
    return CostLine::through(a, a_time, b, job(devices, b));
  }

 private:
  Shared* const shared_;
  const CipherSpec& cipher_;
  const CipherOps& cpu_;
  const std::unique_ptr<std::uint8_t[]> data_;
  const std::unique_ptr<RoundKeys> keys_;
};

void measure_once(Shared* shared, const CipherSpec& cipher, Crossover* result) {
  Timer timer(shared, cipher);
  if (!timer.good()) return;
  const double core = timer.core(kCpuBytes) / static_cast<double>(kCpuBytes);
  timer.job(JobDevices::kForce, kSmall);  // makes the streams and threads that later jobs use
  const CostLine device = timer.line(JobDevices::kForce, kSmall, kLarge);
  const bool threads = shared->threads() > 1;
  const CostLine large =
      threads ? timer.line(JobDevices::kForce, kPooledSmall, kPooledLarge) : device;
  const CostLine alone =
      threads ? timer.line(JobDevices::kNone, kPooledSmall, kPooledLarge) : device;
  if (!shared->ready()) return;

  result->bytes = std::max(device.meets({0, core}), kSmall);
  if (threads) result->alone = std::min(large.meets(alone), kMostAlone);
  const auto piece = static_cast<std::size_t>(1e-4 / core) / 4096 * 4096;
  result->cpu_piece = std::clamp<std::size_t>(piece, 4096, 256u << 10);
  result->ahead_pays = ahead_time(shared, cipher, timer.keys(), timer.data()) < 0.9 * core;
}

}  // namespace

// A busy machine can make the device look slower than a core at any size. A measurement is final,
// so the answer "never" is measured several times.
void measure_crossover(Shared* shared, const CipherSpec& cipher, Crossover* result) {
  if (!shared->key.layer->takes(cipher)) return;
  for (int i = 0; i < kTries && shared->ready() && result->bytes == SIZE_MAX; ++i) {
    const timespec pause = {0, i * 20'000'000L};
    nanosleep(&pause, nullptr);
    measure_once(shared, cipher, result);
  }
}

}  // namespace gpuctr::bulk
