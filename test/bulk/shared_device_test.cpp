// The device is shared with the program, which captures graphs, takes the device's memory, and
// resets the device. None of that is the device's failure: the CPU does the job (or the job is
// refused, where a device is required), and a later job has the device again.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "test/bulk/support.h"

namespace gpuctr {
namespace {

using namespace test;

constexpr unsigned kAlways = 100000;

class SharedDevice : public testing::Test {
 protected:
  void start(GpuUse use = GpuUse::kAuto, std::size_t threshold = kThreshold) {
    FakeOptions options;
    options.kernel_us = 100;
    EngineConfig c = config(layer_ = fake_gpu(options));
    c.gpu = use;
    c.gpu_threshold = threshold;
    engine_ = std::make_unique<Engine>(c);
  }
  BulkStatus job(Bytes* out) {
    out->assign(in_.size(), 0x77);
    return engine_->ctr(key_.cipher, key_.keys, key_.counter, in_.data(), out->data(), in_.size());
  }
  // Right bytes, and a device that made some of them.
  void has_the_device() {
    const std::uint64_t before = engine_->stats().device_bytes;
    Bytes out;
    ASSERT_EQ(job(&out), BulkStatus::kOk);
    EXPECT_SAME(out, key_.expect(in_));
    EXPECT_GT(engine_->stats().device_bytes, before);
  }
  // A call of this kind fails from now on, until works() is called.
  static void fails(Call call, DeviceStatus why) { fake_fail(call, 1, why, kAlways); }
  static void works(Call call) { fake_fail(call, 1, DeviceStatus::kOk, 0); }

  const Key key_{lea()};
  const Bytes in_ = random_bytes(2 * kMiB + 5);
  const DeviceLayer* layer_ = nullptr;
  std::unique_ptr<Engine> engine_;
};

TEST_F(SharedDevice, TheSecondDeviceRestsAndIsWoken) {
  FakeOptions two;
  two.devices = 2;
  const EngineConfig c = config(fake_gpu(two));
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(key_.cipher));
  bulk::Devices& devices = shared_by(c)->devices;
  for (int i = 0; i < 3; ++i) devices.failed(1, DeviceStatus::kOutOfMemory);
  EXPECT_TRUE(devices.alive(0));
  EXPECT_FALSE(devices.alive(1));
  devices.wake(2);
  EXPECT_TRUE(devices.alive(1));
}

class Passing : public SharedDevice,
                public testing::WithParamInterface<std::tuple<DeviceStatus, Call>> {};

TEST_P(Passing, FailureDropsNoDevice) {
  const auto [why, call] = GetParam();
  start();
  ASSERT_TRUE(engine_->warm_up(key_.cipher));
  for (int i = 0; i < 4; ++i) {
    fake_reset_device(0);  // so that streams and events are made again
    fails(call, why);
    for (int j = 0; j < 3; ++j) {
      Bytes out;
      ASSERT_EQ(job(&out), BulkStatus::kOk);
      EXPECT_SAME(out, key_.expect(in_));
    }
    EXPECT_GT(fake_struck(), 0u);
    EXPECT_EQ(engine_->stats().last_status, why);
    works(call);
    has_the_device();
  }
}

TEST_P(Passing, FailureRefusesOnlyItsJobWhereADeviceIsRequired) {
  const auto [why, call] = GetParam();
  start(GpuUse::kRequire);
  ASSERT_TRUE(engine_->warm_up(key_.cipher));
  for (int i = 0; i < 4; ++i) {
    fake_reset_device(0);
    fails(call, why);
    Bytes out;
    ASSERT_EQ(job(&out), BulkStatus::kGpuRequired);
    // As after a device that was lost: nothing, or zeros where something had been written.
    for (const std::uint8_t byte : out) ASSERT_TRUE(byte == 0x77 || byte == 0);
    Bytes data = in_;
    ASSERT_EQ(
        engine_->ctr(key_.cipher, key_.keys, key_.counter, data.data(), data.data(), data.size()),
        BulkStatus::kGpuRequired);
    EXPECT_SAME(data, in_);
    EXPECT_EQ(engine_->stats().last_status, why);
    works(call);
    has_the_device();
  }
}

std::string passing_name(const testing::TestParamInfo<std::tuple<DeviceStatus, Call>>& info) {
  std::string name = device_status_text(std::get<0>(info.param));
  for (char& c : name) c = c == ' ' ? '_' : c;
  const Call call = std::get<1>(info.param);
  return name + (call == Call::kStreamCreate ? "_StreamCreate"
                 : call == Call::kCtr        ? "_Ctr"
                                             : "_EventQuery");
}

INSTANTIATE_TEST_SUITE_P(
    Each, Passing,
    testing::Combine(testing::Values(DeviceStatus::kCapture, DeviceStatus::kOutOfMemory,
                                     DeviceStatus::kContextGone),
                     testing::Values(Call::kStreamCreate, Call::kCtr, Call::kEventQuery)),
    passing_name);

// One slot's worth of work makes one launch only, which is fewer failures than let a device rest.
TEST_F(SharedDevice, OneFailedLaunchIsNoWorkOfADevice) {
  start(GpuUse::kRequire, 32 * kKiB);
  ASSERT_TRUE(engine_->warm_up(key_.cipher));
  fails(Call::kCtr, DeviceStatus::kCapture);
  Bytes out(33 * kKiB);
  EXPECT_EQ(engine_->ctr(key_.cipher, key_.keys, key_.counter, nullptr, out.data(), out.size()),
            BulkStatus::kGpuRequired);
  works(Call::kCtr);
  EXPECT_EQ(engine_->ctr(key_.cipher, key_.keys, key_.counter, nullptr, out.data(), out.size()),
            BulkStatus::kOk);
}

TEST_F(SharedDevice, ResetBetweenJobsIsNotNoticed) {
  start();
  ASSERT_TRUE(engine_->warm_up(key_.cipher));
  for (int i = 0; i < 5; ++i) {
    has_the_device();
    fake_reset_device(0);
  }
  has_the_device();
  EXPECT_EQ(engine_->stats().fallbacks, 0u);
}

// The windows that were being made are lost, those that were ready are not; later ones are made in
// the new context.
TEST_F(SharedDevice, ResetWhileReadingAhead) {
  start();
  ASSERT_TRUE(engine_->warm_up(key_.cipher));
  BulkStream stream(engine_.get());
  const Bytes want = key_.expect(Bytes(16 * kMiB));
  Bytes out(want.size());
  std::uint64_t windows = 0;
  for (std::size_t at = 0; at < out.size(); at += 4096) {
    if (at % (4 * kMiB) == 2 * kMiB) {
      EXPECT_GT(engine_->stats().device_windows, windows) << "no window: no test";
      windows = engine_->stats().device_windows;
      fake_reset_device(0);
    }
    ASSERT_EQ(
        stream.ctr(key_.cipher, key_.keys, key_.at(at).data(), nullptr, out.data() + at, 4096),
        BulkStatus::kOk);
  }
  EXPECT_SAME(out, want);
  EXPECT_GT(engine_->stats().device_windows, windows);
}

// Queues and scratch memory on the device are made again; the old scratch memory is not freed,
// because its address may be the program's by now (the fake ends the test).
TEST_F(SharedDevice, ResetBetweenJobsOnDeviceMemory) {
  start();
  ASSERT_TRUE(engine_->warm_up(key_.cipher));
  const std::size_t block = key_.cipher.block_bytes, n = 64 * kKiB;
  const auto* const scalar = &find_backend("scalar")->ops[key_.cipher.index];
  for (int i = 0; i < 3; ++i) {
    void* memory = nullptr;
    ASSERT_EQ(layer_->device_alloc(0, n, &memory), DeviceStatus::kOk);
    auto* const data = static_cast<std::uint8_t*>(memory);
    std::copy_n(in_.begin(), n, fake_shadow(data));
    ASSERT_EQ(engine_->ctr(key_.cipher, key_.keys, key_.counter, data, data, n), BulkStatus::kOk);
    Bytes want = key_.expect(Bytes(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(n)));
    EXPECT_SAME(Bytes(fake_shadow(data), fake_shadow(data) + n), want);
    // CBC decryption in place, which has scratch memory.
    const Bytes cipher = want, before(block, 0x11);
    bool by_device = false;
    ASSERT_EQ(engine_->blocks(key_.cipher, key_.keys, BlockOperation::kDecrypt, before.data(), data,
                              data, n / block, &by_device),
              BulkStatus::kOk);
    EXPECT_TRUE(by_device);
    scalar->decrypt(key_.keys, cipher.data(), want.data(), n / block);
    for (std::size_t j = 0; j < n; ++j) want[j] ^= j < block ? before[j] : cipher[j - block];
    EXPECT_SAME(Bytes(fake_shadow(data), fake_shadow(data) + n), want);
    fake_reset_device(0);
  }
  EXPECT_EQ(engine_->stats().fallbacks, 0u);
}

// The program had taken all memory when the device was to be started.
TEST_F(SharedDevice, StartIsTriedAgain) {
  start();
  fails(Call::kPinnedAlloc, DeviceStatus::kOutOfMemory);
  const bulk::Shared* const shared = shared_by(engine_->config());
  for (int i = 0; i < 10; ++i) {
    Bytes out;
    ASSERT_EQ(job(&out), BulkStatus::kOk);
    EXPECT_SAME(out, key_.expect(in_));
  }
  EXPECT_FALSE(engine_->warm_up(key_.cipher));
  EXPECT_EQ(shared->failure(), DeviceStatus::kOutOfMemory);
  works(Call::kPinnedAlloc);
  for (int i = 0; i < 3000 && engine_->stats().device_bytes == 0; ++i) {
    Bytes out(kThreshold);
    ASSERT_EQ(engine_->ctr(key_.cipher, key_.keys, key_.counter, nullptr, out.data(), out.size()),
              BulkStatus::kOk);
  }
  has_the_device();
}

TEST_F(SharedDevice, RequiredStartIsTriedByEachJob) {
  start(GpuUse::kRequire);
  fails(Call::kPinnedAlloc, DeviceStatus::kOutOfMemory);
  for (int i = 0; i < 20; ++i) {
    Bytes out;
    ASSERT_EQ(job(&out), BulkStatus::kGpuRequired);
    EXPECT_SAME(out, Bytes(in_.size(), 0x77));
  }
  works(Call::kPinnedAlloc);
  has_the_device();
}

// A start that fails for good is not tried again.
TEST_F(SharedDevice, StartWithoutADriverIsTriedOnce) {
  start(GpuUse::kRequire);
  fails(Call::kDeviceCount, DeviceStatus::kNoDriver);
  for (int i = 0; i < 3; ++i) {
    Bytes out;
    ASSERT_EQ(job(&out), BulkStatus::kGpuRequired);
  }
  EXPECT_EQ(fake_calls(Call::kDeviceCount), 1u);
}

// A measurement during which the device rested says nothing.
TEST_F(SharedDevice, CrossoverIsMeasuredAgain) {
  start(GpuUse::kAuto, 0);
  fails(Call::kCtr, DeviceStatus::kOutOfMemory);
  engine_->warm_up(key_.cipher);
  const bulk::Shared* const shared = shared_by(engine_->config());
  EXPECT_FALSE(shared->known(key_.cipher));
  works(Call::kCtr);
  EXPECT_TRUE(engine_->warm_up(key_.cipher));
  EXPECT_TRUE(shared->known(key_.cipher));
  EXPECT_NE(engine_->crossover(key_.cipher), 0u);
}

}  // namespace
}  // namespace gpuctr
