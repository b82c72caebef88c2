// Fork and exit, over a fake device that ends the process when a child calls its parent's, or when
// anything calls it after it is gone.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "test/bulk/sanitizers.h"
#include "test/bulk/support.h"
#include "test/support/raw_fork.h"

namespace gpuctr {
namespace {

using namespace test;

// Runs `body` in a forked child, whose exit status is 0 when it returned true. -1: it hung for
// 30 s or died of a signal.
int in_child(const std::function<bool()>& body, pid_t (*make)() = fork) {
  const pid_t child = make();
  if (child == 0) _exit(body() ? 0 : 1);
  for (int i = 0; i < 30000; ++i) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

bool job_is_right(Engine* engine, const Key& key, const Bytes& in, const Bytes& want) {
  Bytes out(in.size());
  return engine->ctr(key.cipher, key.keys, key.counter, in.data(), out.data(), in.size()) ==
             BulkStatus::kOk &&
         out == want;
}

bool stream_is_right(BulkStream* stream, const Key& key, const Bytes& in, const Bytes& want,
                     std::size_t from, std::size_t to) {
  Bytes out(4096);
  for (std::size_t at = from; at < to; at += out.size()) {
    if (stream->ctr(key.cipher, key.keys, key.at(at).data(), in.data() + at, out.data(),
                    out.size()) != BulkStatus::kOk ||
        std::memcmp(out.data(), want.data() + at, out.size()) != 0) {
      return false;
    }
  }
  return true;
}

// The thread sanitizer can't follow threads that a child of a threaded process starts.
EngineConfig config_for_fork(const DeviceLayer* layer) {
  EngineConfig c = config(layer);
  if (kThreadSanitized) c.threads = 1;
  return c;
}

class Fork : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  const Key key_{lea()};
  const Bytes in_ = random_bytes(4 * kMiB);
  const Bytes want_ = key_.expect(in_);
};

// With windows in flight at the fork, and everything a child may then do.
TEST_F(Fork, ChildOfAStartedParentStaysOnTheCpu) {
  Engine engine(config_for_fork(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key_.cipher));
  auto stream = std::make_unique<BulkStream>(&engine);
  ASSERT_TRUE(stream_is_right(stream.get(), key_, in_, want_, 0, 2 * kMiB));
  const auto child = [&] {
    const std::uint64_t by_device = engine.stats().device_bytes;
    bool good = stream_is_right(stream.get(), key_, in_, want_, 2 * kMiB, in_.size());
    good = good && job_is_right(&engine, key_, in_, want_);
    BulkStream copy(*stream);
    stream.reset();
    good = good && stream_is_right(&copy, key_, in_, want_, 0, in_.size());
    Engine fresh(config_for_fork(engine.config().layer));
    good = good && job_is_right(&fresh, key_, in_, want_) && !fresh.warm_up(key_.cipher);
    good = good && !engine.is_device(in_.data());
    // A grandchild is no better off.
    good = good && in_child([&] { return job_is_right(&engine, key_, in_, want_); }) == 0;
    return good && engine.stats().device_bytes == by_device && fresh.stats().device_bytes == 0;
  };
  EXPECT_EQ(in_child(child), 0) << "99: it called the parent's device";
  // The parent notices nothing.
  EXPECT_TRUE(stream_is_right(stream.get(), key_, in_, want_, 2 * kMiB, in_.size()));
  const std::uint64_t before = engine.stats().device_bytes;
  EXPECT_TRUE(job_is_right(&engine, key_, in_, want_));
  EXPECT_GT(engine.stats().device_bytes, before);
}

// The fork handlers of the C library do not run in such a child. It is to be had only while no
// other thread is in the C library, whose locks it inherits: after the devices' queues are empty.
TEST_F(Fork, ARawChildOfAStartedParentStaysOnTheCpu) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer must see the fork";
  Engine engine(config_for_fork(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key_.cipher));
  ASSERT_TRUE(job_is_right(&engine, key_, in_, want_));
  auto stream = std::make_unique<BulkStream>(&engine);
  ASSERT_TRUE(stream_is_right(stream.get(), key_, in_, want_, 0, 2 * kMiB));
  const std::uint64_t by_device = engine.stats().device_bytes;
  ASSERT_GT(by_device, 0u);
  fake_pinned();
  const auto child = [&] {
    bool good = stream_is_right(stream.get(), key_, in_, want_, 2 * kMiB, in_.size());
    good = good && job_is_right(&engine, key_, in_, want_) && !engine.warm_up(key_.cipher);
    BulkStream copy(*stream);
    stream.reset();
    good = good && stream_is_right(&copy, key_, in_, want_, 0, in_.size());
    good = good && !engine.is_device(in_.data());
    good = good && in_child([&] { return job_is_right(&engine, key_, in_, want_); }, raw_fork) == 0;
    return good && engine.stats().device_bytes == by_device;
  };
  EXPECT_EQ(in_child(child, raw_fork), 0) << "99: it called the parent's device";
  EXPECT_TRUE(job_is_right(&engine, key_, in_, want_));
  EXPECT_GT(engine.stats().device_bytes, by_device);
}

TEST_F(Fork, RequireInSuchAChildIsOneClearError) {
  EngineConfig c = config_for_fork(fake_gpu());
  c.gpu = GpuUse::kRequire;
  Engine engine(c);
  ASSERT_TRUE(job_is_right(&engine, key_, in_, want_));
  EXPECT_EQ(in_child([&] {
              Bytes out(in_.size(), 0x33);
              return engine.ctr(key_.cipher, key_.keys, key_.counter, in_.data(), out.data(),
                                out.size()) == BulkStatus::kGpuRequired &&
                     out == Bytes(out.size(), 0x33) &&
                     std::strcmp(engine.stats().last_where, "fork or exit") == 0;
            }),
            0);
}

// The master of nginx or sshd: it loads the provider, uses it a little, and forks its workers.
TEST_F(Fork, ChildOfAParentThatNeverStartedMayStart) {
  Engine engine(config_for_fork(fake_gpu()));
  Bytes small(64);
  engine.ctr(key_.cipher, key_.keys, key_.counter, small.data(), small.data(), small.size());
  const auto child = [&] {
    return engine.warm_up(key_.cipher) && job_is_right(&engine, key_, in_, want_) &&
           engine.stats().device_bytes > 0;
  };
  // In a process of its own: the device of another test must not have been there.
  EXPECT_EXIT(
      {
        bool good = in_child(child) == 0;
        good = good && in_child(child) == 0;  // one child's device does not trouble the next
        good = good && fake_calls() == 0;
        good = good && child();  // nor the parent
        exit(good ? 7 : 1);
      },
      testing::ExitedWithCode(7), "");
}

// Threads of a parent without a device don't exist in its child, which makes its own.
TEST_F(Fork, ThreadsWithoutADevice) {
  if (kThreadSanitized) GTEST_SKIP() << "the thread sanitizer can't follow threads of a child";
  EngineConfig c = config(nullptr);
  c.gpu = GpuUse::kOff;
  Engine engine(c);
  ASSERT_TRUE(job_is_right(&engine, key_, in_, want_));
  EXPECT_EQ(in_child([&] { return job_is_right(&engine, key_, in_, want_); }), 0);
  // And such a child may use a device: its parent never did.
  const auto with_device = [&] {
    Engine other(config_for_fork(fake_gpu()));
    return other.warm_up(key_.cipher) && job_is_right(&other, key_, in_, want_) &&
           other.stats().device_bytes > 0;
  };
  EXPECT_EXIT(exit(job_is_right(&engine, key_, in_, want_) && in_child(with_device) == 0 ? 7 : 1),
              testing::ExitedWithCode(7), "");
}

TEST_F(Fork, WhileTheDriverStarts) {
  FakeOptions slow;
  slow.start_us = 200000;
  Engine engine(config_for_fork(fake_gpu(slow)));
  ASSERT_TRUE(job_is_right(&engine, key_, in_, want_));  // starts it in the background
  EXPECT_EQ(in_child([&] {
              return job_is_right(&engine, key_, in_, want_) && !engine.warm_up(key_.cipher);
            }),
            0);
  EXPECT_TRUE(engine.warm_up(key_.cipher));
}

// Locks of the engine may be held by threads that the child does not have.
TEST_F(Fork, WhileOtherThreadsWork) {
  if (kAddressSanitized) {
    GTEST_SKIP() << "this AddressSanitizer may leave its allocator locked in the child";
  }
  Engine engine(config_for_fork(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key_.cipher));
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      BulkStream stream(&engine);
      while (!stop) {
        if (t % 2 == 0 && !job_is_right(&engine, key_, in_, want_)) wrong.fetch_add(1);
        if (t % 2 == 1 && !stream_is_right(&stream, key_, in_, want_, 0, in_.size())) {
          wrong.fetch_add(1);
        }
      }
    });
  }
  const int forks = kSanitized ? 4 : 20;  // a sanitizer's memory is slow to copy
  for (int i = 0; i < forks; ++i) {
    EXPECT_EQ(in_child([&] {
                BulkStream stream(&engine);
                return job_is_right(&engine, key_, in_, want_) &&
                       stream_is_right(&stream, key_, in_, want_, 0, in_.size());
              }),
              0);
  }
  stop = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// Each runs in a process of its own, whose status and output are checked: 7 and nothing at all.
class Exit : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  // In the child: all that it prints is seen.
  static void begin() {
    std::fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
};

TEST_F(Exit, WithWindowsInFlight) {
  EXPECT_EXIT(
      {
        begin();
        FakeOptions late;
        late.kernel_us = 20000;
        auto* const engine = new Engine(config(fake_gpu(late)));
        const Key key(lea());
        engine->warm_up(key.cipher);
        auto* const stream = new BulkStream(engine);  // never freed, as a leaked context
        Bytes data(4096);
        for (std::size_t at = 0; at < 2 * kMiB; at += data.size()) {
          stream->ctr(key.cipher, key.keys, key.at(at).data(), nullptr, data.data(), data.size());
        }
        exit(engine->stats().device_windows > 0 ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

// Contexts freed by handlers that run after the device is gone, as OPENSSL_cleanup does.
TEST_F(Exit, ContextsFreedAfterTheDeviceIsGone) {
  static std::unique_ptr<Engine> engine;
  static std::unique_ptr<BulkStream> stream;
  EXPECT_EXIT(
      {
        begin();
        std::atexit([] {
          Bytes data(8192);
          const Key key(lea());
          stream->ctr(key.cipher, key.keys, key.at(2 * kMiB).data(), nullptr, data.data(), 8192);
          Bytes job(kMiB);
          engine->ctr(key.cipher, key.keys, key.counter, nullptr, job.data(), job.size());
          if (job != key.expect(Bytes(kMiB))) _exit(2);
          stream.reset();
          engine.reset();
        });
        engine = std::make_unique<Engine>(config(fake_gpu()));
        const Key key(lea());
        engine->warm_up(key.cipher);
        stream = std::make_unique<BulkStream>(engine.get());
        Bytes data(4096);
        for (std::size_t at = 0; at < 2 * kMiB; at += data.size()) {
          stream->ctr(key.cipher, key.keys, key.at(at).data(), nullptr, data.data(), data.size());
        }
        exit(engine->stats().device_windows > 0 ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

TEST_F(Exit, WhileTheDriverStarts) {
  EXPECT_EXIT(
      {
        begin();
        FakeOptions slow;
        slow.start_us = 200000;
        auto* const engine = new Engine(config(fake_gpu(slow)));
        const Key key(lea());
        Bytes data(kMiB);
        engine->ctr(key.cipher, key.keys, key.counter, nullptr, data.data(), data.size());
        exit(7);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

// main returns while detached threads are in the middle of jobs and streams.
TEST_F(Exit, WhileOtherThreadsWork) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_EXIT(
        {
          begin();
          auto* const engine = new Engine(config(fake_gpu()));
          auto* const key = new Key(lea());
          engine->warm_up(key->cipher);
          for (int t = 0; t < 4; ++t) {
            std::thread([=] {
              auto* const stream = new BulkStream(engine);
              auto* const data = new Bytes(kMiB);
              for (std::size_t at = 0;; at += 4096) {
                stream->ctr(key->cipher, key->keys, key->at(at).data(), nullptr, data->data(),
                            4096);
                if (t % 2 != 0) continue;
                engine->ctr(key->cipher, key->keys, key->counter, data->data(), data->data(),
                            data->size());
              }
            }).detach();
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          exit(7);
        },
        testing::ExitedWithCode(7), testing::Eq(""));
  }
}

// A child that leaves by exit() runs its parent's handlers.
TEST_F(Exit, OfAChildOfAStartedParent) {
  EXPECT_EXIT(
      {
        begin();
        Engine engine(config(fake_gpu()));
        const Key key(lea());
        engine.warm_up(key.cipher);
        auto stream = std::make_unique<BulkStream>(&engine);
        Bytes data(4096);
        for (std::size_t at = 0; at < 2 * kMiB; at += data.size()) {
          stream->ctr(key.cipher, key.keys, key.at(at).data(), nullptr, data.data(), data.size());
        }
        const pid_t child = fork();
        if (child == 0) {
          stream.reset();
          exit(5);
        }
        int status = 0;
        waitpid(child, &status, 0);
        exit(WIFEXITED(status) && WEXITSTATUS(status) == 5 ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

}  // namespace
}  // namespace gpuctr
