// Data in device memory, which the CPU can't touch: the fake device's memory faults when it tries.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "test/bulk/device.h"

namespace gpuctr {
namespace {

using namespace test;

class DeviceData : public testing::Test {
 protected:
  void open(const FakeOptions& options = {}, GpuPointers pointers = GpuPointers::kAuto) {
    layer_ = fake_gpu(options);
    EngineConfig c = config(layer_);
    c.gpu_pointers = pointers;
    engine_ = std::make_unique<Engine>(c);
  }
  void start(const FakeOptions& options = {}) {
    open(options);
    ASSERT_TRUE(engine_->warm_up(key_.cipher));
  }
  BulkStatus ctr(const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    return engine_->ctr(key_.cipher, key_.keys, key_.counter, in, out, n);
  }
  // The expected bytes of `in`, starting `skip` bytes into the first block.
  Bytes expect_at(std::size_t skip, const Bytes& in) const {
    Bytes longer(skip);
    longer.insert(longer.end(), in.begin(), in.end());
    const Bytes out = key_.expect(longer);
    return Bytes(out.begin() + static_cast<std::ptrdiff_t>(skip), out.end());
  }

  const Key key_{lea()};
  const DeviceLayer* layer_ = nullptr;
  std::unique_ptr<Engine> engine_;
};

// 1 byte to several staging halves; far below the threshold as well.
const std::size_t kSizes[] = {1, 15, 16, 17, 4096, 100001, kMiB, 3 * kMiB + 5};

TEST_F(DeviceData, InPlace) {
  start();
  for (const std::size_t n : kSizes) {
    Device memory(layer_, n);
    const Bytes in = random_bytes(n);
    memory.fill(in);
    ASSERT_EQ(ctr(memory.data(), memory.data(), n), BulkStatus::kOk);
    EXPECT_SAME(memory.read(n), key_.expect(in));
  }
  EXPECT_EQ(fake_calls(Call::kCopy), 0u) << "nothing crosses the link";
}

TEST_F(DeviceData, EveryMixOfMemory) {
  start();
  for (const std::size_t n : kSizes) {
    const Bytes in = random_bytes(n);
    const Bytes want = key_.expect(in);
    Device from(layer_, n);
    Device to(layer_, n);
    from.fill(in);
    ASSERT_EQ(ctr(from.data(), to.data(), n), BulkStatus::kOk);
    EXPECT_SAME(to.read(n), want);
    Bytes host(n);
    ASSERT_EQ(ctr(from.data(), host.data(), n), BulkStatus::kOk);
    EXPECT_SAME(host, want);
    Device again(layer_, n);
    ASSERT_EQ(ctr(in.data(), again.data(), n), BulkStatus::kOk);
    EXPECT_SAME(again.read(n), want);
    ASSERT_EQ(ctr(nullptr, again.data(), n), BulkStatus::kOk);
    EXPECT_SAME(again.read(n), key_.expect(Bytes(n)));
    void* pinned = nullptr;
    ASSERT_EQ(layer_->pinned_alloc(0, n, &pinned), DeviceStatus::kOk);
    ASSERT_EQ(ctr(from.data(), static_cast<std::uint8_t*>(pinned), n), BulkStatus::kOk);
    EXPECT_EQ(std::memcmp(pinned, want.data(), n), 0);
    layer_->pinned_free(pinned);
  }
  EXPECT_EQ(engine_->stats().fallbacks, 0u);
}

TEST_F(DeviceData, TwoDevices) {
  FakeOptions two;
  two.devices = 2;
  start(two);
  const std::size_t n = 2 * kMiB + 33;
  const Bytes in = random_bytes(n);
  Device first(layer_, n, 0);
  Device second(layer_, n, 1);
  first.fill(in);
  ASSERT_EQ(ctr(first.data(), second.data(), n), BulkStatus::kOk);
  EXPECT_SAME(second.read(n), key_.expect(in));
  const unsigned before = fake_kernels_on(0);
  ASSERT_EQ(ctr(second.data(), second.data(), n), BulkStatus::kOk);
  EXPECT_SAME(second.read(n), in);
  EXPECT_EQ(fake_kernels_on(0), before) << "the device that has the data works";
}

// The odd bytes at both ends, without the CPU touching them.
TEST_F(DeviceData, EveryStartWithinABlock) {
  start();
  for (std::size_t skip = 0; skip < 16; ++skip) {
    for (const std::size_t n : {std::size_t{1}, 16 - skip, std::size_t{40}, kMiB + 7}) {
      const Bytes in = random_bytes(n);
      Device memory(layer_, n);
      memory.fill(in);
      ASSERT_EQ(engine_->ctr_at(key_.cipher, key_.keys, key_.counter, skip, memory.data(),
                                memory.data(), n),
                BulkStatus::kOk);
      EXPECT_SAME(memory.read(n), expect_at(skip, in));
      Bytes host(n);
      memory.fill(in);
      ASSERT_EQ(engine_->ctr_at(key_.cipher, key_.keys, key_.counter, skip, memory.data(),
                                host.data(), n),
                BulkStatus::kOk);
      EXPECT_SAME(host, expect_at(skip, in));
      Bytes plain = in;
      ASSERT_EQ(engine_->ctr_at(key_.cipher, key_.keys, key_.counter, skip, plain.data(),
                                plain.data(), n),
                BulkStatus::kOk);
      EXPECT_SAME(plain, expect_at(skip, in));
    }
  }
}

// A stream whose buffers change sides: each update goes where its data is.
TEST_F(DeviceData, StreamsMixSides) {
  start();
  BulkStream stream(engine_.get());
  const Bytes in = random_bytes(4 * kMiB);
  const Bytes want = key_.expect(in);
  Device memory(layer_, 64 * kKiB);
  std::size_t at = 0;
  for (int i = 0; at < in.size(); ++i) {
    const std::size_t n = std::min<std::size_t>(i % 64 == 0 ? 64 * kKiB : 4096, in.size() - at);
    const Bytes piece(in.begin() + static_cast<std::ptrdiff_t>(at),
                      in.begin() + static_cast<std::ptrdiff_t>(at + n));
    Bytes got = piece;
    const Bytes counter = key_.at(at);
    if (i % 64 == 0) {
      memory.fill(piece);
      ASSERT_TRUE(stream.is_device(memory.data()));
      ASSERT_EQ(stream.ctr(key_.cipher, key_.keys, counter.data(), memory.data(), memory.data(), n),
                BulkStatus::kOk);
      got = memory.read(n);
    } else {
      ASSERT_FALSE(stream.is_device(got.data()));
      ASSERT_EQ(stream.ctr(key_.cipher, key_.keys, counter.data(), got.data(), got.data(), n),
                BulkStatus::kOk);
    }
    ASSERT_EQ(std::memcmp(got.data(), want.data() + at, n), 0) << at;
    at += n;
  }
}

// Windows of keystream for ordinary memory are of no more use, and others get their slots at once.
TEST_F(DeviceData, AnUpdateEndsTheWindows) {
  start();
  bulk::Shared* const shared = shared_by(engine_->config());
  const auto free_slots = [&] {
    std::vector<bulk::Slot*> slots;
    std::uint64_t ticket;
    while (bulk::Slot* slot = shared->take_slot(0, &ticket)) slots.push_back(slot);
    for (bulk::Slot* slot : slots) shared->ring.give(slot);
    return slots.size();
  };
  const std::size_t all = free_slots();
  Bytes data = random_bytes(2 * kMiB);
  BulkStream stream(engine_.get());
  for (std::size_t at = 0; at < data.size(); at += 4096) {
    ASSERT_EQ(stream.ctr(key_.cipher, key_.keys, key_.at(at).data(), &data[at], &data[at], 4096),
              BulkStatus::kOk);
  }
  Device memory(layer_, 4096);
  ASSERT_EQ(stream.ctr(key_.cipher, key_.keys, key_.at(data.size()).data(), memory.data(),
                       memory.data(), 4096),
            BulkStatus::kOk);
  EXPECT_EQ(free_slots(), all);
}

TEST_F(DeviceData, Batch) {
  start();
  const std::size_t n = 3000;
  Device memory(layer_, n * 1024);
  std::vector<BulkSegment> segments(n);
  for (std::size_t i = 0; i < n; ++i) {
    segments[i] = {&key_.keys, {}, nullptr, memory.data() + i * 1024, i % 9 == 0 ? 0u : 1024u};
    std::memcpy(segments[i].counter, key_.at(i * 1024).data(), key_.cipher.block_bytes);
  }
  ASSERT_EQ(engine_->ctr_batch(key_.cipher, segments.data(), n), BulkStatus::kOk);
  Bytes want = key_.expect(Bytes(n * 1024));
  for (std::size_t i = 0; i < n; i += 9) {
    std::memset(want.data() + i * 1024, 0, 1024);
  }
  EXPECT_SAME(memory.read(n * 1024), want);
  EXPECT_GT(fake_calls(Call::kBatch), 0u);
  EXPECT_EQ(fake_calls(Call::kCtr), 0u) << "no segment by itself";
  // One that fails is made again, segment by segment.
  fake_fail(Call::kBatch, 1, DeviceStatus::kLaunch);
  memory.fill(Bytes(n * 1024));
  ASSERT_EQ(engine_->ctr_batch(key_.cipher, segments.data(), n), BulkStatus::kOk);
  EXPECT_SAME(memory.read(n * 1024), want);
  EXPECT_EQ(fake_struck(), 1u);
  // Not where the device is lost.
  const unsigned calls = fake_calls(Call::kCtr);
  EXPECT_GT(calls, 0u);
  fake_fail(Call::kBatch, 1, DeviceStatus::kDeviceLost);
  EXPECT_EQ(engine_->ctr_batch(key_.cipher, segments.data(), n), BulkStatus::kGpuRequired);
  EXPECT_EQ(fake_calls(Call::kCtr), calls);
}

TEST_F(DeviceData, ManyThreads) {
  start();
  const Bytes in = random_bytes(kMiB + 3);
  const Bytes want = key_.expect(in);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 12; ++t) {  // more than there are lanes
    threads.emplace_back([&] {
      Device memory(layer_, in.size());
      for (int i = 0; i < 3; ++i) {
        memory.fill(in);
        Bytes host(in.size());
        if (ctr(memory.data(), host.data(), in.size()) != BulkStatus::kOk || host != want ||
            ctr(memory.data(), memory.data(), in.size()) != BulkStatus::kOk ||
            memory.read(in.size()) != want) {
          wrong.fetch_add(1);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// A kernel that can't be started is made up for by copies; anything later is one clear error.
TEST_F(DeviceData, Faults) {
  const struct {
    Call call;
    DeviceStatus status;
    BulkStatus result;
  } cases[] = {{Call::kCtr, DeviceStatus::kLaunch, BulkStatus::kOk},
               {Call::kCtr, DeviceStatus::kUnsupported, BulkStatus::kOk},
               {Call::kCtr, DeviceStatus::kDeviceLost, BulkStatus::kGpuRequired},
               {Call::kKernel, DeviceStatus::kLaunch, BulkStatus::kGpuRequired},
               {Call::kKernel, DeviceStatus::kDeviceLost, BulkStatus::kGpuRequired},
               {Call::kStreamCreate, DeviceStatus::kOutOfMemory, BulkStatus::kGpuRequired},
               {Call::kStreamWait, DeviceStatus::kOther, BulkStatus::kGpuRequired}};
  for (const auto& c : cases) {
    start();
    const std::size_t n = 2 * kMiB + 5;
    const Bytes in = random_bytes(n);
    Device memory(layer_, n);
    memory.fill(in);
    fake_fail(c.call, 1, c.status);
    EXPECT_EQ(ctr(memory.data(), memory.data(), n), c.result);
    EXPECT_EQ(fake_struck(), 1u);
    if (c.result == BulkStatus::kOk) {
      EXPECT_SAME(memory.read(n), key_.expect(in));
      continue;
    }
    EXPECT_EQ(engine_->stats().last_status, c.status);
    EXPECT_STREQ(engine_->stats().last_where, "device memory");
  }
}

TEST_F(DeviceData, FaultsWithOneSideInOrdinaryMemory) {
  for (const Call call : {Call::kPinnedAlloc, Call::kCtr, Call::kKernel, Call::kEventCreate,
                          Call::kEventRecord, Call::kEventWait}) {
    start();
    const std::size_t n = 3 * kMiB;
    Device memory(layer_, n);
    Bytes host(n);
    fake_fail(call, 1, DeviceStatus::kOther);
    EXPECT_EQ(ctr(memory.data(), host.data(), n), BulkStatus::kGpuRequired);
    EXPECT_EQ(fake_struck(), 1u) << static_cast<int>(call);
    // And the next one works.
    const Bytes in = random_bytes(n, 5);
    memory.fill(in);
    ASSERT_EQ(ctr(memory.data(), host.data(), n), BulkStatus::kOk);
    EXPECT_SAME(host, key_.expect(in));
  }
}

TEST_F(DeviceData, ACopyBetweenDevicesFails) {
  FakeOptions two;
  two.devices = 2;
  start(two);
  Device first(layer_, kMiB, 0);
  Device second(layer_, kMiB, 1);
  fake_fail(Call::kCopy, 1, DeviceStatus::kOther);
  EXPECT_EQ(ctr(first.data(), second.data(), kMiB), BulkStatus::kGpuRequired);
  EXPECT_EQ(fake_struck(), 1u);
  first.fill(Bytes(kMiB));
  EXPECT_EQ(ctr(first.data(), second.data(), kMiB), BulkStatus::kOk);
  EXPECT_SAME(second.read(kMiB), key_.expect(Bytes(kMiB)));
}

// `gpu-pointers`: nothing is asked of the driver that was not started for work, unless told so.
TEST_F(DeviceData, WhenPointersAreAsked) {
  Bytes host(100);
  open();
  EXPECT_FALSE(engine_->is_device(host.data()));
  EXPECT_EQ(fake_calls(), 0u);
  open({}, GpuPointers::kYes);
  Device memory(layer_, 4096);
  EXPECT_TRUE(engine_->is_device(memory.data()));
  EXPECT_FALSE(engine_->is_device(host.data()));
  EXPECT_FALSE(engine_->is_device(nullptr));
  EXPECT_GT(fake_calls(Call::kDeviceCount), 0u);
  open({}, GpuPointers::kNo);
  ASSERT_TRUE(engine_->warm_up(key_.cipher));
  EXPECT_FALSE(engine_->is_device(host.data()));
  EXPECT_EQ(fake_calls(Call::kPointerKind), 0u);
  FakeOptions none;
  none.devices = 0;
  open(none, GpuPointers::kYes);
  EXPECT_FALSE(engine_->is_device(host.data()));
}

TEST_F(DeviceData, StartedByAnotherEngine) {
  layer_ = fake_gpu({});
  EngineConfig c = config(layer_);
  c.threads = 2;
  c.gpu_threshold = 64 * kMiB;
  Engine first(c), second(c);
  Bytes host(kMiB);
  BulkStream stream(&first);
  ASSERT_EQ(first.ctr(key_.cipher, key_.keys, key_.counter, host.data(), host.data(), kMiB),
            BulkStatus::kOk);
  EXPECT_EQ(fake_calls(), 0u) << "two threads did it";
  EXPECT_FALSE(stream.is_device(host.data()));
  ASSERT_TRUE(second.warm_up(key_.cipher));
  Device memory(layer_, 4096);
  EXPECT_TRUE(first.is_device(memory.data()));
  EXPECT_TRUE(stream.is_device(memory.data(), memory.data()));
}

// A device that fails has served nothing: the stream names who served the call before.
TEST_F(DeviceData, ServedByWhoDidIt) {
  start();
  Device memory(layer_, 4096);
  Bytes host(4096);
  BulkStream stream(engine_.get());
  const auto update = [&](std::uint8_t* out, std::size_t at) {
    return stream.ctr(key_.cipher, key_.keys, key_.at(at).data(), nullptr, out, 4096);
  };
  ASSERT_EQ(update(host.data(), 0), BulkStatus::kOk);
  fake_fail(Call::kKernel, 1, DeviceStatus::kLaunch);
  EXPECT_EQ(update(memory.data(), 4096), BulkStatus::kGpuRequired);
  EXPECT_STREQ(stream.served_by(), engine_->cpu_backend().name);
  EXPECT_EQ(update(memory.data(), 8192), BulkStatus::kOk);
  EXPECT_STREQ(stream.served_by(), "fake");
}

// Where the CPU makes keystream in it: the odd bytes at a start, and all of it where no kernel can
// be started.
TEST_F(DeviceData, StagingOfTheCpuIsWiped) {
  start();
  const std::size_t n = 3 * kMiB + 5;
  const Bytes in = random_bytes(n);
  for (const bool launches : {true, false}) {
    for (const std::size_t skip : {0u, 5u}) {
      Device memory(layer_, n);
      memory.fill(in);
      if (!launches) fake_fail(Call::kCtr, 1, DeviceStatus::kLaunch);
      ASSERT_EQ(engine_->ctr_at(key_.cipher, key_.keys, key_.counter, skip, memory.data(),
                                memory.data(), n),
                BulkStatus::kOk);
      EXPECT_SAME(memory.read(n), expect_at(skip, in));
      const Bytes pinned = fake_pinned();
      EXPECT_EQ(pinned.size() > kMiB, skip != 0 || !launches) << "the ring, and staging memory";
      EXPECT_SAME(pinned, Bytes(pinned.size()));
      if (launches && skip != 0) start();
    }
  }
}

// Whether a device that failed still writes to it, nobody can say.
TEST_F(DeviceData, StagingOfAFailureIsNotUsedAgain) {
  start();
  const std::size_t n = 3 * kMiB;
  Device memory(layer_, n);
  const Bytes in = random_bytes(n);
  memory.fill(in);
  Bytes host(n);
  ASSERT_EQ(ctr(memory.data(), host.data(), n), BulkStatus::kOk);
  const std::size_t pinned = fake_pinned_bytes();
  fake_fail(Call::kKernel, 1, DeviceStatus::kLaunch);
  EXPECT_EQ(ctr(memory.data(), host.data(), n), BulkStatus::kGpuRequired);
  ASSERT_EQ(ctr(memory.data(), host.data(), n), BulkStatus::kOk);
  EXPECT_SAME(host, key_.expect(in));
  EXPECT_GT(fake_pinned_bytes(), pinned);
}

// Staging memory keeps nothing of what passed through it.
TEST_F(DeviceData, StagingIsWiped) {
  start();
  const std::size_t n = 3 * kMiB + 5;
  Device memory(layer_, n);
  memory.fill(random_bytes(n));
  Bytes host(n);
  ASSERT_EQ(ctr(memory.data(), host.data(), n), BulkStatus::kOk);
  const Bytes pinned = fake_pinned();
  EXPECT_GT(pinned.size(), kMiB) << "the ring and the staging memory";
  EXPECT_SAME(pinned, Bytes(pinned.size()));
}

}  // namespace
}  // namespace gpuctr
