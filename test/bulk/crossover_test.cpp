// Who gets a job where nothing is configured: one core, all threads, or the device with them.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "test/bulk/support.h"

namespace gpuctr {
namespace {

using namespace test;
using bulk::CostLine;

TEST(CostLine, ThroughTwoPoints) {
  const CostLine line = CostLine::through(100, 7.0, 300, 11.0);
  EXPECT_DOUBLE_EQ(line.slope, 0.02);
  EXPECT_DOUBLE_EQ(line.fixed, 5.0);
  const CostLine falling = CostLine::through(100, 7.0, 300, 6.0);  // noise
  EXPECT_DOUBLE_EQ(falling.slope, 0.0);
  EXPECT_DOUBLE_EQ(falling.fixed, 7.0);
  EXPECT_DOUBLE_EQ(CostLine::through(100, 1.0, 200, 3.0).fixed, 0.0);
}

TEST(CostLine, Meets) {
  const CostLine core{0, 0.5}, device{100, 0.25};
  EXPECT_EQ(device.meets(core), 400u);
  EXPECT_EQ(core.meets(device), SIZE_MAX);         // faster at first, then no more
  EXPECT_EQ((CostLine{0, 0.25}.meets(core)), 0u);  // from the start on
  EXPECT_EQ((CostLine{100, 0.5}.meets(core)), SIZE_MAX);
  EXPECT_EQ((CostLine{1, 0.5}.meets({2, 0.5})), 0u);
  EXPECT_EQ((CostLine{1e9, 0.25}.meets({0, 0.25 + 1e-9})), SIZE_MAX);  // out of this world
}

// Measured, not configured: known after warm_up, the same for every engine of the process.
TEST(Crossover, MeasuredOnceForEachCipher) {
  EngineConfig c = config(fake_gpu());
  c.gpu_threshold = 0;
  Engine engine(c);
  EXPECT_EQ(engine.crossover(lea()), 0u);
  ASSERT_TRUE(engine.warm_up(lea()));
  const std::size_t measured = engine.crossover(lea());
  EXPECT_GE(measured, 256 * kKiB);
  EXPECT_EQ(engine.crossover(*find_cipher("HIGHT")), 0u);
  Engine second(c);
  EXPECT_TRUE(second.warm_up(lea()));
  EXPECT_EQ(second.crossover(lea()), measured);
  EXPECT_EQ(fake_calls(Call::kDeviceCount), 1u);
}

// The figures that all engines with this configuration have.
bulk::Crossover& figures(const EngineConfig& c, const CipherSpec& cipher) {
  return const_cast<bulk::Crossover&>(shared_by(c)->figures(cipher));
}

// Waits for the driver's start, which is in the background.
bool started() {
  for (int i = 0; i < 30000 && fake_calls(Call::kDeviceCount) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return fake_calls(Call::kDeviceCount) != 0;
}

// Without a threshold the device is started by kStartBytes of large updates together, and not
// before.
TEST(Crossover, TheDeviceIsStartedOnceThereWasEnoughWork) {
  EngineConfig c = config(fake_gpu());
  c.cpu = nullptr;
  c.gpu_threshold = 0;
  c.threads = 1;
  Engine engine(c);
  const Key key(lea());
  Bytes data(kStartBytes / 4);
  const auto job = [&](std::size_t n) {
    engine.ctr(key.cipher, key.keys, key.counter, nullptr, data.data(), n);
  };
  for (int i = 0; i < 3; ++i) job(data.size());
  for (int i = 0; i < 1000; ++i) job(kLeastShared - 1);  // too small to be counted
  job(data.size() - 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(fake_calls(), 0u);
  job(kLeastShared);
  EXPECT_TRUE(started());
  EXPECT_TRUE(engine.warm_up(lea()));  // calls none of the next test's fake
}

// Or of small ones in a stream, from its first MiB on.
TEST(Crossover, TheDeviceIsStartedByALongStream) {
  EngineConfig c = config(fake_gpu());
  c.cpu = nullptr;
  c.gpu_threshold = 0;
  Engine engine(c);
  const Key key(lea());
  BulkStream stream(&engine);
  Bytes data(64 * kKiB);
  const auto updates = [&](std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; at += data.size()) {
      stream.ctr(key.cipher, key.keys, key.at(at).data(), nullptr, data.data(), data.size());
    }
  };
  updates(0, kStartBytes);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(fake_calls(), 0u);
  updates(kStartBytes, kStartBytes + kMiB);
  EXPECT_TRUE(started());
  EXPECT_TRUE(engine.warm_up(lea()));  // calls none of the next test's fake
}

// As measured for a device that pays from 2 MiB on, or later than what counts as large. One thread:
// nobody else takes what is less.
TEST(Crossover, BelowItTheDeviceIsNotAsked) {
  for (const std::size_t from : {2 * kMiB, 9 * kMiB}) {
    EngineConfig c = config(fake_gpu());
    c.gpu_threshold = 0;
    c.threads = 1;
    Engine engine(c);
    ASSERT_TRUE(engine.warm_up(lea()));
    figures(c, lea()).bytes = from;
    const Key key(lea());
    Bytes data(from);
    engine.ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size() - 1);
    EXPECT_EQ(engine.stats().device_bytes, 0u) << from;
    engine.ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size());
    EXPECT_GT(engine.stats().device_bytes, 0u) << from;
  }
}

// As measured for a device that pays from 256 KiB on, but not beside so many threads below 2 MiB.
TEST(Crossover, ThreadsAloneWhereTheyAreFaster) {
  EngineConfig c = config(fake_gpu());
  c.gpu_threshold = 0;
  Engine engine(c);
  const Key key(lea());
  ASSERT_TRUE(engine.warm_up(lea()));
  figures(c, lea()).bytes = 256 * kKiB;
  figures(c, lea()).alone = 2 * kMiB;
  const Bytes in = random_bytes(2 * kMiB);
  std::uint64_t by_device = 0;
  const struct {
    std::size_t bytes;
    bool device;
  } jobs[] = {{kMiB - 64, true}, {kMiB, false}, {2 * kMiB - 1, false}, {2 * kMiB, true}};
  for (const auto& job : jobs) {
    Bytes out(job.bytes);
    engine.ctr(lea(), key.keys, key.counter, in.data(), out.data(), job.bytes);
    EXPECT_SAME(out, key.expect(Bytes(in.begin(), in.begin() + static_cast<long>(job.bytes))));
    EXPECT_EQ(engine.stats().device_bytes != by_device, job.device) << job.bytes;
    by_device = engine.stats().device_bytes;
  }
}

// A CPU whose CTR waits for a second thread to come, half a minute in all.
class TwoThreads {
 public:
  static const Backend* backend() {
    static const Backend one = [] {
      Backend m = *find_backend("scalar");
      m.name = "two-threads";
      for (CipherOps& ops : m.ops) ops.ctr = ctr;
      return m;
    }();
    return &one;
  }
  static std::size_t seen() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return threads_.size();
  }
  static void forget(bool wait) {
    const std::lock_guard<std::mutex> lock(mutex_);
    threads_.clear();
    wait_ = wait;
    deadline_ = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  }

 private:
  static void ctr(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      threads_.insert(std::this_thread::get_id());
      came_.notify_all();
      came_.wait_until(lock, deadline_, [] { return !wait_ || threads_.size() > 1; });
    }
    find_backend("scalar")->ops[lea().index].ctr(keys, counter, in, out, n);
  }
  static inline std::mutex mutex_;
  static inline std::condition_variable came_;
  static inline std::set<std::thread::id> threads_;
  static inline bool wait_ = false;
  static inline std::chrono::steady_clock::time_point deadline_;
};

// `threads = auto` is as many as serve the device, for what the CPU does without it too.
TEST(Crossover, AutomaticThreadsAloneAreThreads) {
  EngineConfig c = config(fake_gpu());
  c.cpu = TwoThreads::backend();
  c.threads = 0;
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(lea()));
  if (engine.threads() < 2) GTEST_SKIP() << "one core";
  const Key key(lea());
  Bytes out(2 * kMiB);
  std::vector<BulkSegment> segments(out.size() / 1024);  // too short for a device
  for (std::size_t i = 0; i < segments.size(); ++i) {
    segments[i] = {&key.keys, {}, nullptr, out.data() + 1024 * i, 1024};
    std::memcpy(segments[i].counter, key.at(1024 * i).data(), lea().block_bytes);
  }
  TwoThreads::forget(true);
  EXPECT_EQ(engine.ctr_batch(lea(), segments.data(), segments.size()), BulkStatus::kOk);
  EXPECT_GE(TwoThreads::seen(), 2u);
  TwoThreads::forget(false);
  EXPECT_SAME(out, key.expect(Bytes(out.size())));
}

}  // namespace
}  // namespace gpuctr
