// Large requests shared with other threads and with a device: the bytes of one thread's sequential
// algorithm, wherever they are written.
#include <gtest/gtest.h>

#include "drbg/ctr_drbg.h"
#include "test/drbg/ciphers.h"
#include "test/fake_gpu/fake_gpu.h"

namespace gpuctr {
namespace {

using drbg::Status;
using test::Bytes;
using test::view;

constexpr std::size_t kMiB = std::size_t{1} << 20;

EngineConfig alone() {
  EngineConfig config;
  config.gpu = GpuUse::kOff;
  config.threads = 1;
  return config;
}

EngineConfig threads() {
  EngineConfig config = alone();
  config.threads = 3;
  return config;
}

EngineConfig with_device(const DeviceLayer* layer, GpuUse use) {
  EngineConfig config;
  config.gpu = use;
  config.layer = layer;
  config.threads = 2;
  config.gpu_threshold = kMiB;
  config.gpu_pointers = GpuPointers::kYes;
  return config;
}

class Shared : public testing::TestWithParam<const char*> {
 protected:
  struct Generator {
    Generator(const CipherSpec& spec, const EngineConfig& config)
        : engine(config), mechanism(spec, &engine), drbg(mechanism, true) {
      const Bytes seed(64, 3);
      EXPECT_EQ(drbg.instantiate({seed.data(), 64}, {seed.data(), 16}, {}), Status::kOk);
    }
    Bytes generate(std::size_t n, const Bytes& additional = {}) {
      Bytes out(n + 8, 0xa5);
      EXPECT_EQ(drbg.generate(out.data(), n, view(additional)), Status::kOk);
      EXPECT_EQ(Bytes(out.end() - 8, out.end()), Bytes(8, 0xa5));
      out.resize(n);
      return out;
    }
    Engine engine;
    drbg::Mechanism mechanism;
    drbg::CtrDrbg drbg;
  };
  const CipherSpec& spec() const { return *find_cipher(GetParam()); }
};

TEST_P(Shared, WithThreads) {
  Generator one(spec(), alone()), many(spec(), threads());
  // More than two windows of 64-bit blocks, and of 128-bit ones more than two.
  const std::size_t windows = spec().block_bytes == 8 ? 19 * kMiB : 520 * kMiB;
  for (const std::size_t n : {kMiB - 1, kMiB, 3 * kMiB + 5, windows + 3}) {
    ASSERT_TRUE(one.generate(n) == many.generate(n)) << n;
    EXPECT_EQ(one.drbg.reseed_counter(), many.drbg.reseed_counter());
    ASSERT_TRUE(one.generate(2 * kMiB, {1, 2}) == many.generate(2 * kMiB, {1, 2}));
    ASSERT_TRUE(one.generate(7) == many.generate(7)) << "the same state afterwards";
  }
}

TEST_P(Shared, WithADevice) {
  const DeviceLayer* layer = test::fake_gpu();
  // Requests of 1 KiB are given to a device only where one is required.
  const GpuUse use = spec().block_bytes == 8 ? GpuUse::kRequire : GpuUse::kAuto;
  Generator one(spec(), alone()), many(spec(), with_device(layer, use));
  ASSERT_TRUE(many.engine.warm_up(spec()));
  for (const std::size_t n : {kMiB, 3 * kMiB + 5, 12 * kMiB + 3}) {
    ASSERT_TRUE(one.generate(n) == many.generate(n)) << n;
    ASSERT_TRUE(one.generate(2 * kMiB, {1, 2}) == many.generate(2 * kMiB, {1, 2}));
  }
  EXPECT_NE(many.engine.stats().device_bytes, 0u) << "the device did some of it";
}

// The bytes appear in the device's memory, and the CPU, which would fault, does not touch it.
TEST_P(Shared, IntoDeviceMemory) {
  const DeviceLayer* layer = test::fake_gpu();
  Generator one(spec(), alone()), many(spec(), with_device(layer, GpuUse::kAuto));
  constexpr std::size_t kSize = 12 * kMiB + 100;
  void* memory = nullptr;
  ASSERT_EQ(layer->device_alloc(0, kSize, &memory), DeviceStatus::kOk);
  auto* out = static_cast<std::uint8_t*>(memory);
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, kMiB + 77, kSize}) {
    ASSERT_EQ(many.drbg.generate(out, n, {}), Status::kOk);
    const std::uint8_t* shadow = test::fake_shadow(memory);
    ASSERT_TRUE(one.generate(n) == Bytes(shadow, shadow + n)) << n;
  }
  EXPECT_TRUE(one.generate(50) == many.generate(50)) << "and host memory again";
  layer->device_free(0, memory);
}

TEST_P(Shared, ADeviceThatFails) {
  const DeviceLayer* layer = test::fake_gpu();
  Generator one(spec(), alone()), many(spec(), with_device(layer, GpuUse::kAuto));
  ASSERT_TRUE(many.engine.warm_up(spec()));
  test::fake_fail(test::Call::kBatch, 1, DeviceStatus::kDeviceLost);
  test::fake_fail(test::Call::kCtr, 1, DeviceStatus::kDeviceLost);
  ASSERT_TRUE(one.generate(12 * kMiB) == many.generate(12 * kMiB)) << "the CPU does it again";
  if (spec().block_bytes == 8) {
    EXPECT_EQ(many.engine.stats().fallbacks, 0u);
    EXPECT_EQ(test::fake_struck(), 0u);
  } else {
    EXPECT_NE(many.engine.stats().fallbacks, 0u);
  }
}

TEST_P(Shared, ARequiredDeviceThatFails) {
  const DeviceLayer* layer = test::fake_gpu();
  Generator many(spec(), with_device(layer, GpuUse::kRequire));
  ASSERT_TRUE(many.engine.warm_up(spec()));
  test::fake_fail(test::Call::kBatch, 1, DeviceStatus::kDeviceLost);
  test::fake_fail(test::Call::kCtr, 1, DeviceStatus::kDeviceLost);
  Bytes out(12 * kMiB);
  EXPECT_EQ(many.drbg.generate(out.data(), out.size(), {}), Status::kOutputFailed);
  EXPECT_EQ(many.drbg.state(), drbg::State::kError);
  EXPECT_EQ(many.drbg.generate(out.data(), 1, {}), Status::kInErrorState);
}

INSTANTIATE_TEST_SUITE_P(EveryCipher, Shared, testing::ValuesIn(test::generator_ciphers()),
                         test::test_name);

}  // namespace
}  // namespace gpuctr
