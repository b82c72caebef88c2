// XTS with data in device memory, over the fake device.
#include "kernels/bulk/base/xts.h"
#include "test/bulk/device.h"

namespace gpuctr {
namespace {

using namespace test;

class XtsInDeviceMemory : public testing::Test {
 protected:
  void start(const FakeOptions& options = {}) {
    layer_ = fake_gpu(options);
    EngineConfig c = config(layer_);
    c.cpu = nullptr;
    engine_ = std::make_unique<Engine>(c);
    ASSERT_TRUE(engine_->warm_up(options.without == nullptr ? lea() : *find_cipher("HIGHT")));
  }
  bulk::XtsWork work(bool encrypts, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    return {engine_->cpu(lea()), engine_->cpu_backend().xts_masks, key_.keys, encrypts, in, out, n};
  }
  Bytes expect(bool encrypts, const Bytes& in) {
    Bytes out(in.size());
    bulk::xts_unit(work(encrypts, in.data(), out.data(), in.size()), mask_.data());
    return out;
  }
  // The data on the device, and only the input or only the output there.
  void expect_right(bool encrypts, std::size_t n, bool by_device) {
    const Bytes in = random_bytes(n);
    const Bytes want = expect(encrypts, in);
    bool made = false;
    const auto run = [&](const std::uint8_t* from, std::uint8_t* to) {
      return engine_->xts_on_device(lea(), work(encrypts, from, to, n), mask_.data(), &made);
    };
    Device from(layer_, n), to(layer_, n);
    from.fill(in);
    ASSERT_EQ(run(from.data(), to.data()), BulkStatus::kOk);
    EXPECT_SAME(to.read(n), want);
    EXPECT_EQ(made, by_device);
    Bytes host(n);
    ASSERT_EQ(run(from.data(), host.data()), BulkStatus::kOk);
    EXPECT_SAME(host, want);
    EXPECT_FALSE(made);
    Device again(layer_, n);
    ASSERT_EQ(run(in.data(), again.data()), BulkStatus::kOk);
    EXPECT_SAME(again.read(n), want);
    ASSERT_EQ(run(from.data(), from.data()), BulkStatus::kOk);
    EXPECT_SAME(from.read(n), want);
  }

  const Key key_{lea()};
  const Bytes mask_ = random_bytes(16, 3);
  const DeviceLayer* layer_ = nullptr;
  std::unique_ptr<Engine> engine_;
};

TEST_F(XtsInDeviceMemory, EverySize) {
  start();
  for (const std::size_t n : {16u, 32u, 512u, 4096u, 100000u}) {
    expect_right(true, n, true);
    expect_right(false, n, true);
    if (HasFailure()) FAIL() << n;
  }
  EXPECT_EQ(engine_->stats().fallbacks, 0u);
}

// A unit that is no whole number of blocks ends on the CPU; one of less than two blocks is the
// CPU's.
TEST_F(XtsInDeviceMemory, StolenCiphertext) {
  start();
  for (const std::size_t n : {17u, 31u, 33u, 4095u, 70001u}) {
    expect_right(true, n, n > 32);
    expect_right(false, n, n > 32);
    if (HasFailure()) FAIL() << n;
  }
}

TEST_F(XtsInDeviceMemory, WithoutKernels) {
  FakeOptions options;
  options.without = &lea();
  start(options);
  expect_right(true, 5000, false);
  expect_right(false, 4096, false);
}

TEST_F(XtsInDeviceMemory, ALaunchThatFails) {
  start();
  fake_fail(Call::kXts, 1, DeviceStatus::kLaunch);
  const Bytes in = random_bytes(5000);
  Device memory(layer_, in.size());
  memory.fill(in);
  bool made = true;
  ASSERT_EQ(engine_->xts_on_device(lea(), work(true, memory.data(), memory.data(), in.size()),
                                   mask_.data(), &made),
            BulkStatus::kOk);
  EXPECT_FALSE(made);
  EXPECT_SAME(memory.read(in.size()), expect(true, in));
}

TEST_F(XtsInDeviceMemory, ADeviceThatDies) {
  for (const DeviceStatus status : {DeviceStatus::kOther, DeviceStatus::kDeviceLost}) {
    start();
    fake_fail(Call::kKernel, 1, status);
    Device memory(layer_, 4096);
    memory.fill(random_bytes(4096));
    bool made = true;
    EXPECT_EQ(engine_->xts_on_device(lea(), work(true, memory.data(), memory.data(), 4096),
                                     mask_.data(), &made),
              BulkStatus::kGpuRequired);
  }
}

}  // namespace
}  // namespace gpuctr
