// What a process has once, however many engines there are and however they are set: helper threads
// and pinned memory.
#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

#include "test/bulk/sanitizers.h"
#include "test/bulk/support.h"
#include "test/support/raw_fork.h"

namespace gpuctr {
namespace {

using namespace test;

std::size_t threads_now() {
  std::size_t n = 0;
  DIR* const tasks = opendir("/proc/self/task");
  while (const dirent* const entry = readdir(tasks)) n += entry->d_name[0] != '.' ? 1 : 0;
  closedir(tasks);
  return n;
}

// Threads that were told to end are still seen for a moment.
std::size_t threads_at_most(std::size_t n) {
  for (int i = 0; i < 30000 && threads_now() > n; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return threads_now();
}

EngineConfig cpu_only(unsigned threads, std::size_t threshold = 0) {
  EngineConfig c;
  c.gpu = GpuUse::kOff;
  c.threads = threads;
  c.gpu_threshold = threshold;
  return c;
}

class Process : public testing::Test {
 protected:
  bool right(Engine* engine) const { return run(engine, key_, in_) == want_; }

  const Key key_{lea()};
  const Bytes in_ = random_bytes(2 * kMiB);
  const Bytes want_ = key_.expect(in_);
  // The thread sanitizer has one of its own.
  const std::size_t before_ = threads_at_most(kThreadSanitized ? 2 : 1);
};

TEST_F(Process, OneSetOfThreadsForAllSettings) {
  if (kThreadSanitized) GTEST_SKIP() << "the thread sanitizer has a thread of its own";
  std::vector<std::unique_ptr<Engine>> engines;
  for (unsigned i = 1; i <= 20; ++i) {
    engines.push_back(std::make_unique<Engine>(cpu_only(i % 2 == 0 ? 8 : 3, i * kMiB)));
    EXPECT_TRUE(right(engines.back().get()));
    EXPECT_EQ(threads_now(), before_ + (i == 1 ? 2 : 7)) << "the largest request, less the caller";
  }
  // They stay while anyone may want them, and end with the last.
  while (engines.size() > 1) engines.erase(engines.begin());
  EXPECT_TRUE(right(engines.back().get()));
  EXPECT_EQ(threads_now(), before_ + 7);
  engines.clear();
  EXPECT_EQ(threads_at_most(before_), before_);
}

TEST_F(Process, TheNextEngineHasThreadsAgain) {
  if (kThreadSanitized) GTEST_SKIP() << "the thread sanitizer has a thread of its own";
  for (int i = 0; i < 50; ++i) {
    Engine engine(cpu_only(5));
    ASSERT_TRUE(right(&engine));
    ASSERT_GE(threads_now(), before_ + 4);
  }
  EXPECT_EQ(threads_at_most(before_), before_);
}

// Engines of several threads come and go while they work.
TEST_F(Process, EnginesOfManyThreadsComeAndGo) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (unsigned t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (unsigned i = 0; i < 25; ++i) {
        Engine engine(cpu_only(2 + t, (1 + i) * kMiB));
        if (!right(&engine)) ++wrong;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
  if (!kThreadSanitized) {
    EXPECT_EQ(threads_at_most(before_), before_);
  }
}

// Who worked on a job: `threads` is the bound of each engine, whatever another one has started.
class Workers {
 public:
  static const Backend* backend() {
    static const Backend one = [] {
      Backend m = *find_backend("scalar");
      for (CipherOps& ops : m.ops) ops.ctr = ctr;
      return m;
    }();
    return &one;
  }
  static std::size_t take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t n = ids_.size();
    ids_.clear();
    return n;
  }

 private:
  static void ctr(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ids_.insert(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    find_backend("scalar")->ops[lea().index].ctr(keys, counter, in, out, n);
  }
  static inline std::mutex mutex_;
  static inline std::set<std::thread::id> ids_;
};

TEST_F(Process, AnEngineTakesNoMoreThreadsThanItsOwnSetting) {
  EngineConfig many = cpu_only(6);
  many.cpu = Workers::backend();
  EngineConfig few = cpu_only(2);
  few.cpu = Workers::backend();
  Engine first(many);
  Engine second(few);
  EXPECT_TRUE(right(&first));
  EXPECT_GT(Workers::take(), 2u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(right(&second));
    EXPECT_LE(Workers::take(), 2u);
  }
}

// 0: all is well. A child has none of its parent's threads, makes its own, and ends only those.
int child_of_threads(Engine* engine, const std::function<bool(Engine*)>& right, bool with_job) {
  if (threads_now() != 1) return 1;
  if (with_job && !right(engine)) return 2;
  if (threads_now() != (with_job ? 4u : 1u)) return 3;
  engine->~Engine();
  return threads_at_most(1) == 1 ? 0 : 4;
}

TEST_F(Process, Fork) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's threads are not the engine's";
  alignas(Engine) std::uint8_t memory[sizeof(Engine)];
  auto* const engine = new (memory) Engine(cpu_only(4));
  ASSERT_TRUE(right(engine));
  ASSERT_EQ(threads_now(), before_ + 3);
  for (const bool with_job : {false, true}) {
    // By the C library, and without its handlers.
    for (const bool raw : {false, true}) {
      const pid_t child = raw ? raw_fork() : fork();
      if (child == 0) {
        _exit(child_of_threads(
            engine, [this](Engine* e) { return right(e); }, with_job));
      }
      int status = 0;
      for (int i = 0; i < 30000 && waitpid(child, &status, WNOHANG) == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      kill(child, SIGKILL);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << raw << with_job << status;
      EXPECT_TRUE(right(engine));
      EXPECT_EQ(threads_now(), before_ + 3) << "the parent's stay";
    }
  }
  engine->~Engine();
  EXPECT_EQ(threads_at_most(before_), before_);
}

class ProcessDevices : public testing::Test {
 protected:
  const Key key_{lea()};
  const Bytes in_ = random_bytes(2 * kMiB);
  const Bytes want_ = key_.expect(in_);
};

// One allocation of pinned memory, as large as the largest request of the engines there are.
TEST_F(ProcessDevices, OneRingForAllSettings) {
  const DeviceLayer* const layer = fake_gpu();
  std::vector<std::unique_ptr<Engine>> engines;
  for (const std::size_t ring : {kMiB, 3 * kMiB, 2 * kMiB}) {
    for (const unsigned threads : {2u, 3u}) {
      EngineConfig c = config(layer);
      c.ring_bytes = ring;
      c.threads = threads;
      c.gpu_threshold = kThreshold + ring;
      c.slot_bytes = 0;
      engines.push_back(std::make_unique<Engine>(c));
    }
  }
  for (auto& engine : engines) {
    ASSERT_TRUE(engine->warm_up(lea()));
    Bytes data(8 * kMiB);
    const Bytes want = key_.expect(data);
    EXPECT_EQ(engine->ctr(lea(), key_.keys, key_.counter, nullptr, data.data(), data.size()),
              BulkStatus::kOk);
    EXPECT_SAME(data, want);
    EXPECT_GT(engine->stats().device_bytes, 0u);
    EXPECT_EQ(fake_pinned_bytes(), 3 * kMiB);
  }
  EXPECT_EQ(fake_calls(Call::kPinnedAlloc), 1u);
}

// Engines with other devices share the ring, and each keeps to its own devices.
TEST_F(ProcessDevices, EachEngineHasItsDevices) {
  FakeOptions three;
  three.devices = 3;
  three.kernel_us = 200;
  const DeviceLayer* const layer = fake_gpu(three);
  const auto with = [&](std::uint64_t devices) {
    EngineConfig c = config(layer);
    c.gpus = devices;
    return c;
  };
  Engine first(with(0b001));
  Engine second(with(0b010));
  Engine both(with(0b011));
  Engine all(with(0));
  const Bytes in = random_bytes(8 * kMiB);
  const Bytes want = key_.expect(in);
  const struct {
    Engine* engine;
    unsigned devices;
  } jobs[] = {{&first, 0b001}, {&second, 0b010}, {&both, 0b011},
              {&all, 0b111},   {&first, 0b001},  {&second, 0b010}};
  for (const auto& job : jobs) {
    ASSERT_TRUE(job.engine->warm_up(lea()));
    unsigned before[3], worked = 0;
    for (int i = 0; i < 3; ++i) before[i] = fake_kernels_on(i);
    EXPECT_SAME(run(job.engine, key_, in), want);
    for (int i = 0; i < 3; ++i) worked |= fake_kernels_on(i) != before[i] ? 1u << i : 0;
    EXPECT_EQ(worked, job.devices);
  }
  EXPECT_EQ(fake_pinned_bytes(), kMiB);
}

// A device that is lost is lost for all; an engine whose own are gone has none, others go on.
TEST_F(ProcessDevices, ALostDeviceIsOnlyMissedByThoseWhoHadIt) {
  FakeOptions two;
  two.devices = 2;
  const DeviceLayer* const layer = fake_gpu(two);
  EngineConfig c = config(layer);
  c.gpus = 1;
  c.gpu = GpuUse::kRequire;
  Engine first(c);
  c.gpus = 2;
  Engine second(c);
  ASSERT_TRUE(first.warm_up(lea()));
  ASSERT_TRUE(second.warm_up(lea()));
  Bytes out(in_.size());
  fake_fail(Call::kKernel, 1, DeviceStatus::kDeviceLost);
  const auto job = [&](Engine* engine) {
    return engine->ctr(lea(), key_.keys, key_.counter, in_.data(), out.data(), out.size());
  };
  EXPECT_EQ(job(&first), BulkStatus::kGpuRequired);
  EXPECT_EQ(first.stats().last_status, DeviceStatus::kDeviceLost);
  EXPECT_EQ(job(&second), BulkStatus::kOk);
  EXPECT_SAME(out, want_);
  EXPECT_EQ(second.stats().fallbacks, 0u);
  EXPECT_EQ(job(&first), BulkStatus::kGpuRequired);
  EXPECT_STREQ(first.stats().last_where, "earlier");
  // And a mask without a device in this machine has none from the start.
  c.gpus = 4;
  Engine third(c);
  EXPECT_EQ(job(&third), BulkStatus::kGpuRequired);
  EXPECT_EQ(third.stats().last_status, DeviceStatus::kNoDevice);
}

}  // namespace
}  // namespace gpuctr
