// Whole blocks in device memory, which the CPU can't touch.
#include <algorithm>

#include "test/bulk/blocks/support.h"
#include "test/bulk/device.h"

namespace gpuctr {
namespace {

using namespace test;

// Beyond the device's scratch memory for chains in place.
constexpr std::size_t kScratch = 16 * kMiB;

class DeviceBlocks : public testing::Test {
 protected:
  void start(const FakeOptions& options = {}) {
    layer_ = fake_gpu(options);
    EngineConfig c = config(layer_);
    c.cpu = nullptr;  // it shares nothing with the device here, so need not be late
    engine_ = std::make_unique<Engine>(c);
    ASSERT_TRUE(engine_->warm_up(any_cipher()));
  }
  BulkStatus run(Blocks what, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    return key_.run(engine_.get(), what, in, out, n, &by_device_);
  }
  void expect_in_place(Blocks what, std::size_t n) {
    Device memory(layer_, n);
    const Bytes in = random_bytes(n);
    memory.fill(in);
    ASSERT_EQ(run(what, memory.data(), memory.data(), n), BulkStatus::kOk);
    EXPECT_SAME(memory.read(n), key_.expect(what, in));
  }
  // On the device, from the host, to the host, and from pinned memory.
  void expect_every_mix(const BlockKey& key, Blocks what, std::size_t n) {
    const Bytes in = random_bytes(n);
    const Bytes want = key.expect(what, in);
    Device from(layer_, n);
    from.fill(in);
    Device to(layer_, n);
    ASSERT_EQ(key.run(engine_.get(), what, from.data(), to.data(), n), BulkStatus::kOk);
    EXPECT_SAME(to.read(n), want);
    Device same(layer_, n);
    same.fill(in);
    ASSERT_EQ(key.run(engine_.get(), what, same.data(), same.data(), n), BulkStatus::kOk);
    EXPECT_SAME(same.read(n), want);
    Device again(layer_, n);
    ASSERT_EQ(key.run(engine_.get(), what, in.data(), again.data(), n), BulkStatus::kOk);
    EXPECT_SAME(again.read(n), want);
    Bytes host(n);
    ASSERT_EQ(key.run(engine_.get(), what, from.data(), host.data(), n), BulkStatus::kOk);
    EXPECT_SAME(host, want);
    void* pinned = nullptr;
    ASSERT_EQ(layer_->pinned_alloc(0, n, &pinned), DeviceStatus::kOk);
    ASSERT_EQ(key.run(engine_.get(), what, from.data(), static_cast<std::uint8_t*>(pinned), n),
              BulkStatus::kOk);
    EXPECT_EQ(std::memcmp(pinned, want.data(), n), 0);
    layer_->pinned_free(pinned);
  }

  const BlockKey key_{any_cipher()};
  const DeviceLayer* layer_ = nullptr;
  std::unique_ptr<Engine> engine_;
  bool by_device_ = false;
};

class EveryCipherDeviceBlocks : public DeviceBlocks,
                                public testing::WithParamInterface<std::size_t> {};

TEST_P(EveryCipherDeviceBlocks, EveryMixOfMemory) {
  start();
  const BlockKey key(cipher_spec(GetParam()));
  const std::size_t block = key.cipher.block_bytes;
  for (const Blocks what : kAllBlocks) {
    for (const std::size_t n : {block, 2 * block, 4096 + block, kMiB - block, 3 * kMiB + block}) {
      expect_every_mix(key, what, n);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(engine_->stats().fallbacks, 0u);
  EXPECT_EQ(engine_->stats().cpu_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, EveryCipherDeviceBlocks, testing::Range(std::size_t{0}, kCipherCount),
                         cipher_name);

TEST_F(DeviceBlocks, InPlaceNothingCrossesTheLink) {
  start();
  for (const Blocks what : {Blocks::kEncrypt, Blocks::kDecrypt}) expect_in_place(what, 3 * kMiB);
  EXPECT_TRUE(by_device_);
  EXPECT_EQ(fake_calls(Call::kCopy), 0u);
  EXPECT_EQ(engine_->stats().device_bytes, 6 * kMiB);
}

TEST_F(DeviceBlocks, ALongChainInPlace) {
  start();
  for (const std::size_t n : {kScratch, kScratch + key_.cipher.block_bytes, 2 * kScratch + 4096}) {
    expect_in_place(Blocks::kChain, n);
    expect_in_place(Blocks::kFeedback, n);
  }
  EXPECT_EQ(engine_->stats().cpu_bytes, 0u);
}

// The device that has the output works, and gets what the other has.
TEST_F(DeviceBlocks, TwoDevices) {
  FakeOptions two;
  two.devices = 2;
  start(two);
  const std::size_t n = 3 * kMiB + key_.cipher.block_bytes;
  for (const Blocks what : kAllBlocks) {
    const Bytes in = random_bytes(n);
    Device first(layer_, n, 0);
    Device second(layer_, n, 1);
    first.fill(in);
    ASSERT_EQ(run(what, first.data(), second.data(), n), BulkStatus::kOk);
    EXPECT_SAME(second.read(n), key_.expect(what, in));
  }
  EXPECT_EQ(fake_kernels_on(0), 0u);
}

// The fake device ends the process when it gets another's.
TEST_F(DeviceBlocks, ScratchGoesBackToItsDevice) {
  FakeOptions two;
  two.devices = 2;
  start(two);
  const std::size_t n = kMiB;
  Device memory(layer_, n, 1);
  memory.fill(random_bytes(n));
  fake_fail(Call::kKernel, 1, DeviceStatus::kLaunch, 99);
  EXPECT_EQ(run(Blocks::kChain, memory.data(), memory.data(), n), BulkStatus::kGpuRequired);
  EXPECT_EQ(fake_device().size(), n) << "all that there is now";
}

TEST_F(DeviceBlocks, NothingIsNothing) {
  start();
  Device memory(layer_, 64);
  EXPECT_EQ(run(Blocks::kChain, memory.data(), memory.data(), 0), BulkStatus::kOk);
  EXPECT_EQ(fake_calls(Call::kBlocks), 0u);
}

// The plaintext is where it was asked for and nowhere else.
TEST_F(DeviceBlocks, LeaveNothingBehind) {
  start();
  const std::size_t n = 3 * kMiB;
  const Bytes in = random_bytes(n);
  const Bytes want = key_.expect(Blocks::kChain, in);
  Device same(layer_, n), from(layer_, n);
  same.fill(in);
  from.fill(in);
  Bytes host(n);
  ASSERT_EQ(run(Blocks::kChain, same.data(), same.data(), n), BulkStatus::kOk);
  ASSERT_EQ(run(Blocks::kChain, from.data(), host.data(), n), BulkStatus::kOk);
  EXPECT_SAME(host, want);
  const auto found = [&](const Bytes& memory, std::size_t at) {
    std::size_t times = 0;
    const auto piece = want.begin() + static_cast<std::ptrdiff_t>(at);
    for (auto i = memory.begin();; ++i, ++times) {
      i = std::search(i, memory.end(), piece, piece + 32);
      if (i == memory.end()) return times;
    }
  };
  for (const std::size_t at : {std::size_t{0}, n - 32}) {
    EXPECT_EQ(found(fake_device(), at), 1u);
    EXPECT_EQ(found(fake_pinned(), at), 0u);
  }
}

// A launch that is refused leaves its input as it was: the CPU does what is left.
TEST_F(DeviceBlocks, ARefusedLaunchIsTheCpus) {
  for (const Call call : {Call::kBlocks, Call::kDeviceAlloc, Call::kCopy}) {
    for (const unsigned nth : {1u, 2u}) {
      for (const Blocks what : kAllBlocks) {
        start();
        const std::size_t n = (BlockKey::chains(what) ? kScratch : 0) + 5 * 4096;
        Device memory(layer_, n);
        const Bytes in = random_bytes(n);
        memory.fill(in);
        fake_fail(call, nth, DeviceStatus::kOutOfMemory);
        ASSERT_EQ(run(what, memory.data(), memory.data(), n), BulkStatus::kOk);
        EXPECT_SAME(memory.read(n), key_.expect(what, in));
        const BulkStats stats = engine_->stats();
        EXPECT_EQ(stats.cpu_bytes + stats.device_bytes, n);
        EXPECT_EQ(stats.fallbacks, fake_struck());
        EXPECT_EQ(stats.cpu_bytes != 0, fake_struck() != 0);
        EXPECT_EQ(by_device_, stats.device_bytes != 0);
        if (BlockKey::chains(what) && (call != Call::kDeviceAlloc || nth == 1)) {
          EXPECT_EQ(fake_struck(), 1u);
          EXPECT_STREQ(stats.last_where, "launch");
        }
      }
    }
  }
}

// The same where one side is ordinary memory, in the middle of it.
TEST_F(DeviceBlocks, ARefusedLaunchInTheMiddle) {
  for (const unsigned nth : {1u, 2u, 4u}) {
    for (const Blocks what : kAllBlocks) {
      for (const bool to_host : {false, true}) {
        start();
        const std::size_t n = 5 * kMiB;
        const Bytes in = random_bytes(n);
        Device memory(layer_, n);
        Bytes host = in;
        memory.fill(in);
        fake_fail(Call::kBlocks, nth, DeviceStatus::kLaunch);
        ASSERT_EQ(to_host ? run(what, memory.data(), host.data(), n)
                          : run(what, in.data(), memory.data(), n),
                  BulkStatus::kOk);
        EXPECT_SAME(to_host ? host : memory.read(n), key_.expect(what, in));
        EXPECT_EQ(fake_struck(), 1u);
        EXPECT_EQ(engine_->stats().fallbacks, 1u);
        EXPECT_GT(engine_->stats().cpu_bytes, 0u);
        EXPECT_EQ(engine_->stats().device_bytes != 0, nth > 1);
      }
    }
  }
}

// What the device has begun with and not ended is lost.
TEST_F(DeviceBlocks, AKernelThatFailsIsAnError) {
  for (const DeviceStatus why : {DeviceStatus::kLaunch, DeviceStatus::kDeviceLost}) {
    for (const Blocks what : kAllBlocks) {
      for (const bool to_host : {false, true}) {
        start();
        const std::size_t n = 3 * kMiB;
        Device memory(layer_, n);
        Bytes host(n);
        memory.fill(random_bytes(n));
        fake_fail(Call::kKernel, 1, why, 99);
        EXPECT_EQ(run(what, memory.data(), to_host ? host.data() : memory.data(), n),
                  BulkStatus::kGpuRequired);
        EXPECT_GT(fake_struck(), 0u);
        EXPECT_FALSE(by_device_);
        EXPECT_EQ(engine_->stats().last_status, why);
        EXPECT_STREQ(engine_->stats().last_where, "device memory");
        EXPECT_EQ(engine_->stats().device_bytes + engine_->stats().cpu_bytes, 0u);
      }
    }
  }
}

// Nobody can wait for what has no event behind it, whatever goes well after that.
TEST_F(DeviceBlocks, AnEventThatFailsIsAnError) {
  for (const unsigned nth : {1u, 2u, 4u}) {
    for (const Blocks what : kAllBlocks) {
      start();
      const std::size_t n = 5 * kMiB;
      Device memory(layer_, n);
      Bytes host(n);
      memory.fill(random_bytes(n));
      fake_fail(Call::kEventRecord, nth, DeviceStatus::kOther);
      EXPECT_EQ(run(what, memory.data(), host.data(), n), BulkStatus::kGpuRequired);
      EXPECT_EQ(fake_struck(), 1u);
      EXPECT_EQ(engine_->stats().last_status, DeviceStatus::kOther);
      EXPECT_STREQ(engine_->stats().last_where, "device memory");
    }
  }
}

// Text of one device that cannot be copied to the other, at once or after some pieces.
TEST_F(DeviceBlocks, ACopyThatFailsIsAnError) {
  FakeOptions two;
  two.devices = 2;
  for (const unsigned nth : {1u, 2u, 4u}) {
    for (const Blocks what : kAllBlocks) {
      start(two);
      const std::size_t n = 5 * kMiB;
      Device first(layer_, n, 0), second(layer_, n, 1);
      first.fill(random_bytes(n));
      fake_fail(Call::kCopy, nth, DeviceStatus::kOther, 99);
      EXPECT_EQ(run(what, first.data(), second.data(), n), BulkStatus::kGpuRequired);
      EXPECT_GT(fake_struck(), 0u);
      EXPECT_EQ(engine_->stats().last_status, DeviceStatus::kOther);
      EXPECT_STREQ(engine_->stats().last_where, "device memory");
    }
  }
}

TEST_F(DeviceBlocks, WithoutKernelsTheCpuDoesThem) {
  FakeOptions options;
  options.without = &key_.cipher;
  start(options);
  for (const Blocks what : kAllBlocks) {
    expect_every_mix(key_, what, 2 * kMiB + key_.cipher.block_bytes);
  }
  EXPECT_EQ(fake_calls(Call::kBlocks), 0u);
  EXPECT_EQ(engine_->stats().fallbacks, 0u);
  EXPECT_EQ(engine_->stats().device_bytes, 0u);
}

// A context asks the driver about a buffer once, and finds a device's memory all the same.
TEST_F(DeviceBlocks, AStreamRemembersOrdinaryMemory) {
  start();
  BulkStream stream(engine_.get());
  alignas(64) std::uint8_t buffer[64] = {};
  const auto blocks = [&](std::uint8_t* at) {
    return stream.blocks(key_.cipher, key_.keys, BlockOperation::kEncrypt, nullptr, at, at,
                         64 / key_.cipher.block_bytes);
  };
  ASSERT_EQ(blocks(buffer), BulkStatus::kOk);
  const unsigned asked = fake_calls(Call::kPointerKind);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(blocks(buffer), BulkStatus::kOk);
  EXPECT_EQ(fake_calls(Call::kPointerKind), asked);
  EXPECT_STREQ(stream.served_by(), engine_->cpu_backend().name);
  Device memory(layer_, 64);
  const Bytes in = random_bytes(64);
  memory.fill(in);
  ASSERT_EQ(blocks(memory.data()), BulkStatus::kOk);
  EXPECT_SAME(memory.read(64), key_.expect(Blocks::kEncrypt, in));
  EXPECT_STREQ(stream.served_by(), "fake");
}

}  // namespace
}  // namespace gpuctr
