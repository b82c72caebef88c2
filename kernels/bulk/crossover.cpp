#include "kernels/bulk/crossover.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/bulk/job.h"
#include "kernels/bulk/life.h"
#include "kernels/bulk/shared.h"
#include "kernels/bulk/xor.h"

namespace gpuctr::bulk {
namespace {

constexpr int kRepeats = 3;
constexpr int kTries = 5;
constexpr std::size_t kCpuBytes = 64u << 10;
constexpr std::size_t kSmall = 256u << 10;
constexpr std::size_t kLarge = 4u << 20;

// Seconds of the fastest of a few calls: what disturbs a measurement only ever slows it.
template <class Work>
double best_time(const Work& work) {
  double best = 1e9;
  for (int i = 0; i < kRepeats; ++i) {
    timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    work();
    clock_gettime(CLOCK_MONOTONIC, &b);
    best = std::min(best, static_cast<double>(b.tv_sec - a.tv_sec) +
                              1e-9 * static_cast<double>(b.tv_nsec - a.tv_nsec));
  }
  return best;
}

// Seconds a byte when one thread takes 4 KiB at a time out of a window, launching included.
double ahead_time(Shared* shared, const CipherSpec& cipher, const RoundKeys& keys,
                  std::uint8_t* data) {
  std::uint64_t ticket;
  Slot* const slot = shared->ring.take(0, &ticket);
  if (slot == nullptr) return 1e9;
  const std::size_t n = std::min(shared->ring.slot_bytes(), kLarge);
  const std::uint8_t counter[kMaxBlockBytes] = {};
  bool ok = true;
  const double launch = best_time([&] {
    ok = ok && (!slot->in_flight || shared->ring.wait(slot) == GpuStatus::kOk) &&
         shared->ring.launch(slot, cipher, keys, counter, n) == GpuStatus::kOk;
  });
  ok = ok && shared->ring.wait(slot) == GpuStatus::kOk;
  const double use = best_time([&] {
    CardSection section;
    ok = ok && section;
    for (std::size_t i = 0; ok && i + 4096 <= n; i += 4096) {
      xor_keystream(slot->memory + i, data + i, data + i, 4096, false);
    }
  });
  shared->ring.give(slot);
  return ok ? (launch + use) / static_cast<double>(n) : 1e9;
}

void measure_once(Shared* shared, const CipherSpec& cipher, Crossover* result) {
  const std::unique_ptr<std::uint8_t[]> data(new (std::nothrow) std::uint8_t[kLarge]);
  const std::unique_ptr<RoundKeys> keys(new (std::nothrow) RoundKeys);
  if (data == nullptr || keys == nullptr) return;
  std::memset(data.get(), 0, kLarge);
  const std::uint8_t key[kMaxKeyBytes] = {};
  cipher.expand(key, keys.get());
  const CipherOps& cpu = shared->key.cpu->ops[cipher.index];
  BulkSegment segment{keys.get(), {}, data.get(), data.get(), 0};

  const double core =
      best_time([&] { cpu.ctr(*keys, segment.counter, data.get(), data.get(), kCpuBytes); }) /
      static_cast<double>(kCpuBytes);
  const auto card = [&](std::size_t bytes) {
    segment.bytes = bytes;
    return best_time([&] {
      Job(shared, {cipher, cpu, &segment, 1, bytes}, JobCards::kForce, nullptr).run();
    });
  };
  card(kSmall);  // makes streams and threads, which later jobs find ready
  const double small = card(kSmall);
  const double large = card(kLarge);
  if (!shared->ready()) return;

  // card(n) = fixed + slope n, core(n) = core n: they meet at fixed / (core - slope).
  const double slope = std::max(large - small, 0.0) / static_cast<double>(kLarge - kSmall);
  const double fixed = std::max(small - slope * static_cast<double>(kSmall), 0.0);
  if (core > slope) {
    const double meet = fixed / (core - slope);
    if (meet < 1e15) result->bytes = std::max(static_cast<std::size_t>(meet), kSmall);
  }
  const auto piece = static_cast<std::size_t>(1e-4 / core) / 4096 * 4096;
  result->cpu_piece = std::clamp<std::size_t>(piece, 4096, 256u << 10);
  result->ahead_pays = ahead_time(shared, cipher, *keys, data.get()) < 0.9 * core;
}

}  // namespace

// A busy machine can make the card look slower than a core at any size. Nobody asks again, so the
// answer "never" is asked for several times.
void measure_crossover(Shared* shared, const CipherSpec& cipher, Crossover* result) {
  for (int i = 0; i < kTries && shared->ready() && result->bytes == SIZE_MAX; ++i) {
    const timespec pause = {0, i * 20'000'000L};
    nanosleep(&pause, nullptr);
    measure_once(shared, cipher, result);
  }
}

}  // namespace gpuctr::bulk
