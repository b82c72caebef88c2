// pthread_cancel() of a thread inside the engine: it must not be unwound while helpers or a device
// work on its memory, and is cancelled at the first cancellation point after that.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <functional>

#include "test/bulk/support.h"

namespace gpuctr {
namespace {

using namespace test;

thread_local bool t_caller = false;
std::atomic<int> g_helpers{0};      // inside a piece of the job
std::atomic<bool> g_finish{false};  // they may end it
std::atomic<bool> g_left{false};    // the caller's frame is gone

void wait_until(const std::function<bool()>& done) {
  for (int i = 0; i < 30000 && !done(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// The caller goes on when a helper has come; helpers go on when they are told.
void held_ctr(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
              std::uint8_t* out, std::size_t n) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);  // the engine's points are tested only
  if (t_caller) {
    wait_until([] { return g_helpers > 0; });
  } else {
    ++g_helpers;
    wait_until([] { return g_finish.load(); });
  }
  find_backend("scalar")->ops[lea().index].ctr(keys, counter, in, out, n);
  if (!t_caller) --g_helpers;
  pthread_setcancelstate(before, nullptr);
}

const Backend* held_cpu() {
  static const Backend held = [] {
    Backend m = *find_backend("scalar");
    for (CipherOps& ops : m.ops) ops.ctr = held_ctr;
    return m;
  }();
  return &held;
}

struct Frame {
  Frame() { t_caller = true; }
  ~Frame() { g_left = true; }
};

class Cancel : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    g_helpers = 0;
    g_finish = false;
    g_left = false;
  }
};

struct Work {
  Engine* engine;
  const Key* key;
  Bytes data;
  BulkStatus status = BulkStatus::kGpuRequired;
};

void* work_in_frame(void* argument) {
  Frame frame;
  auto* const w = static_cast<Work*>(argument);
  w->status = w->engine->ctr(w->key->cipher, w->key->keys, w->key->counter, w->data.data(),
                             w->data.data(), w->data.size());
  pthread_testcancel();
  return nullptr;
}

// 7: all is well; 3: the caller was unwound with helpers inside.
int cancel_while_helpers_work() {
  EngineConfig c;
  c.cpu = held_cpu();
  c.gpu = GpuUse::kOff;
  c.threads = 3;
  Engine engine(c);
  const Key key(lea());
  Work work{&engine, &key, Bytes(2 * kMiB)};
  pthread_t thread;
  pthread_create(&thread, nullptr, work_in_frame, &work);
  wait_until([] { return g_helpers > 0; });
  pthread_cancel(thread);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  if (g_left) return 3;
  g_finish = true;
  void* result = nullptr;
  const bool good = pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED;
  return good && work.status == BulkStatus::kOk && work.data == key.expect(Bytes(2 * kMiB)) ? 7 : 1;
}

// What is left of the job when the caller is cancelled is with the helpers. In a process of its
// own: unwound, they would go on in the frame of a thread that is gone.
TEST_F(Cancel, WhileHelpersHaveTheLastPieces) {
  EXPECT_EXIT(_exit(cancel_while_helpers_work()), testing::ExitedWithCode(7), "");
}

// With a device everything that waits for it is a cancellation point: jobs, windows, data on the
// device, the start itself. `body` is called by a thread that has been cancelled before.
class CancelDevice : public Cancel {
 protected:
  static void expect_no_point(const std::function<bool()>& body) {
    struct Call {
      const std::function<bool()>& body;
      bool good = false;
      // Not in the thread's frame: AddressSanitizer of GCC 12 does not see that the thread leaves
      // it.
      int state = -1;
    } call{body};
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void* argument) -> void* {
          auto* const c = static_cast<Call*>(argument);
          pthread_cancel(pthread_self());
          c->good = c->body();
          pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &c->state);
          c->good = c->good && c->state == PTHREAD_CANCEL_ENABLE;  // as it was before
          pthread_testcancel();
          return nullptr;
        },
        &call);
    void* result = nullptr;
    EXPECT_EQ(pthread_join(thread, &result), 0);
    EXPECT_EQ(result, PTHREAD_CANCELED);
    EXPECT_TRUE(call.good) << "it was cancelled in the middle";
  }
};

TEST_F(CancelDevice, NowhereInTheEngine) {
  FakeOptions late;
  late.kernel_us = 300;
  EngineConfig c = config(fake_gpu(late));
  c.cpu = nullptr;  // slow_cpu() sleeps, which is a point of its own
  Engine engine(c);
  const Key key(lea());
  const Bytes in = random_bytes(2 * kMiB);
  const Bytes want = key.expect(in);
  Bytes out(in.size());
  expect_no_point([&] { return engine.warm_up(key.cipher); });
  expect_no_point([&] {
    return engine.ctr(key.cipher, key.keys, key.counter, in.data(), out.data(), out.size()) ==
               BulkStatus::kOk &&
           out == want;
  });
  BulkStream stream(&engine);
  expect_no_point([&] {
    for (std::size_t at = 0; at < in.size(); at += 4096) {
      if (stream.ctr(key.cipher, key.keys, key.at(at).data(), in.data() + at, out.data() + at,
                     4096) != BulkStatus::kOk) {
        return false;
      }
    }
    return out == want && engine.stats().device_windows > 0;
  });
  expect_no_point([&] {
    stream.reset();
    return true;
  });
  void* memory = nullptr;
  ASSERT_EQ(engine.config().layer->device_alloc(0, out.size(), &memory), DeviceStatus::kOk);
  expect_no_point([&] {
    return engine.is_device(memory) &&
           engine.ctr(key.cipher, key.keys, key.counter, in.data(),
                      static_cast<std::uint8_t*>(memory), in.size()) == BulkStatus::kOk;
  });
  engine.config().layer->device_free(0, memory);
}

// The text of a fallback goes to a trace, which writes.
TEST_F(CancelDevice, NotInTheNoteOfAFallback) {
  FakeOptions none;
  none.devices = 0;
  EngineConfig c = config(fake_gpu(none));
  c.cpu = nullptr;
  c.note = [](void*, const char*) { pthread_testcancel(); };
  Engine engine(c);
  ASSERT_FALSE(engine.warm_up(lea()));
  const Key key(lea());
  Bytes data(kMiB);
  expect_no_point([&] {
    return engine.ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size()) ==
           BulkStatus::kOk;
  });
  EXPECT_EQ(engine.stats().fallbacks, 1u);
}

}  // namespace
}  // namespace gpuctr
