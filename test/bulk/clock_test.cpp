// What the engine makes of the times that it measures. Its clock is the test's: each measurement
// takes as long as the test says, whatever this machine is busy with.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <mutex>

#include "test/bulk/support.h"

namespace {

std::mutex mutex;
std::vector<std::int64_t> durations;  // in ns, of what comes between two readings
std::size_t readings;
std::int64_t now = 7'999'900'000;  // soon 8 s

}  // namespace

extern "C" int __real_clock_gettime(clockid_t clock, timespec* t);
extern "C" int __wrap_clock_gettime(clockid_t clock, timespec* t);
int __wrap_clock_gettime(clockid_t clock, timespec* t) {
  if (clock != CLOCK_MONOTONIC) return __real_clock_gettime(clock, t);
  const std::lock_guard<std::mutex> lock(mutex);
  if (readings % 2 == 1) now += readings / 2 < durations.size() ? durations[readings / 2] : 0;
  ++readings;
  *t = {static_cast<time_t>(now / 1'000'000'000), static_cast<long>(now % 1'000'000'000)};
  return 0;
}

namespace gpuctr {
namespace {

using namespace test;

// What n bytes take, in ns.
struct Cost {
  double fixed;
  double slope;

  std::int64_t of(std::size_t n) const {
    return static_cast<std::int64_t>(fixed + slope * static_cast<double>(n));
  }
};

// Each measurement is the best of three: the middle one here.
void measure(std::int64_t best) { durations.insert(durations.end(), {3 * best, best, 2 * best}); }

// As crossover.cpp measures: one core, a job that makes threads and streams ready, the device.
void measure_device(const Cost& core, const Cost& device) {
  measure(core.of(64 * kKiB));
  measure(1);
  measure(device.of(256 * kKiB));
  measure(device.of(4 * kMiB));
}
void measure_pooled(const Cost& job) {
  measure(job.of(2 * kMiB));
  measure(job.of(32 * kMiB));
}
void measure_ahead(std::int64_t launch, std::int64_t use) {
  measure(launch);
  measure(use);
}

class Clock : public testing::Test {
 protected:
  Clock() {
    durations.clear();
    readings = 0;
  }

  // One thread, of which nothing pooled is measured, unless the test says otherwise.
  static EngineConfig measured(unsigned threads = 1) {
    EngineConfig c = config(fake_gpu());
    c.cpu = find_backend("scalar");
    c.gpu_threshold = 0;
    c.threads = threads;
    return c;
  }
  static const bulk::Crossover& figures(Engine* engine, const EngineConfig& c) {
    EXPECT_TRUE(engine->warm_up(lea()));
    EXPECT_EQ(readings, 2 * durations.size()) << "the test's list is not what is measured";
    return shared_by(c)->figures(lea());
  }
};

constexpr Cost kCore = {0, 1};         // ns
constexpr Cost kDevice = {1e6, 0.25};  // pays from 1e6 / 0.75 bytes on
constexpr Cost kNever = {1e6, 1.25};   // slower than the core at any size

TEST_F(Clock, TheDevicePaysWhereItsLineMeetsTheCores) {
  measure_device(kCore, kDevice);
  measure_ahead(20'000, 30'000);
  const EngineConfig c = measured();
  Engine engine(c);
  const bulk::Crossover& found = figures(&engine, c);
  EXPECT_NEAR(static_cast<double>(found.bytes), 1e6 / 0.75, 100);
  EXPECT_EQ(found.cpu_piece, 98304u);  // of 0.1 ms, in pages
  EXPECT_EQ(found.alone, 0u);
  EXPECT_TRUE(found.ahead_pays);  // 50,000 ns for a slot of 65,536 bytes
}

TEST_F(Clock, ReadingAheadHasToBeATenthFaster) {
  measure_device(kCore, kDevice);
  measure_ahead(30'000, 30'000);  // 0.92 ns a byte
  const EngineConfig c = measured();
  Engine engine(c);
  EXPECT_FALSE(figures(&engine, c).ahead_pays);
}

// Less than what was measured is not assumed.
TEST_F(Clock, ASmallJobIsTheCores) {
  measure_device(kCore, {1e3, 0.25});
  measure_ahead(20'000, 30'000);
  const EngineConfig c = measured();
  Engine engine(c);
  EXPECT_EQ(figures(&engine, c).bytes, 256 * kKiB);
}

TEST_F(Clock, ThreadsAloneUpToWhereTheDeviceHelpsThem) {
  measure_device(kCore, kDevice);
  measure_pooled({2e6, 0.125});
  measure_pooled({0, 0.25});
  measure_ahead(20'000, 30'000);
  const EngineConfig c = measured(4);
  Engine engine(c);
  const bulk::Crossover& found = figures(&engine, c);
  EXPECT_NEAR(static_cast<double>(found.bytes), 1e6 / 0.75, 100);
  EXPECT_NEAR(static_cast<double>(found.alone), 16e6, 1000);
}

TEST_F(Clock, ThreadsAloneHaveABound) {
  measure_device(kCore, kDevice);
  measure_pooled({2e6, 0.25});
  measure_pooled({0, 0.25});
  measure_ahead(20'000, 30'000);
  const EngineConfig c = measured(4);
  Engine engine(c);
  EXPECT_EQ(figures(&engine, c).alone, 128 * kMiB);
}

// A busy machine: the answer "never" is asked for again, five times in all.
TEST_F(Clock, NeverIsAskedAgain) {
  for (int i = 0; i < 2; ++i) {
    measure_device(kCore, kNever);
    measure_ahead(20'000, 30'000);
  }
  measure_device(kCore, kDevice);
  measure_ahead(20'000, 30'000);
  const EngineConfig c = measured();
  Engine engine(c);
  EXPECT_NEAR(static_cast<double>(figures(&engine, c).bytes), 1e6 / 0.75, 100);
}

TEST_F(Clock, NeverAfterFiveTries) {
  for (int i = 0; i < 5; ++i) {
    measure_device(kCore, kNever);
    measure_ahead(20'000, 30'000);
  }
  const EngineConfig c = measured();
  Engine engine(c);
  EXPECT_EQ(figures(&engine, c).bytes, SIZE_MAX);
}

}  // namespace
}  // namespace gpuctr
