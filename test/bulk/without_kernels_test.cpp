// A cipher for which a build has no kernels, beside one for which it has: the CPU does its work,
// and the device stays with the others.
#include <gtest/gtest.h>

#include <algorithm>

#include "test/bulk/support.h"

namespace gpuctr {
namespace {

using namespace test;

class WithoutKernels : public testing::Test {
 protected:
  EngineConfig open() {
    FakeOptions options;
    options.without = &key_.cipher;
    layer_ = fake_gpu(options);
    return config(layer_);
  }
  // No kernel was asked for, and the device has lost nothing by it.
  void expect_no_device(Engine* engine) {
    EXPECT_EQ(fake_calls(Call::kCtr) + fake_calls(Call::kBatch), 0u);
    EXPECT_EQ(engine->stats().device_bytes, 0u);
    EXPECT_EQ(engine->stats().fallbacks, 0u) << "no failure of a device";
    ASSERT_TRUE(engine->warm_up(other_.cipher));
    EXPECT_SAME(run(engine, other_, in_), other_.expect(in_));
    EXPECT_GT(engine->stats().device_bytes, 0u);
  }

  const Key key_{*find_cipher("CHAM-128-128")};
  const Key other_{lea()};
  const Bytes in_ = random_bytes(4 * kMiB + 5);
  const DeviceLayer* layer_ = nullptr;
};

TEST_F(WithoutKernels, LargeJobsAreTheCpus) {
  Engine engine(open());
  for (int i = 0; i < 5; ++i) EXPECT_SAME(run(&engine, key_, in_), key_.expect(in_));
  expect_no_device(&engine);
}

TEST_F(WithoutKernels, WhenTheCrossoverIsMeasured) {
  EngineConfig c = open();
  c.gpu_threshold = 0;
  Engine engine(c);
  EXPECT_TRUE(engine.warm_up(key_.cipher)) << "the device is up, for other ciphers";
  EXPECT_EQ(engine.crossover(key_.cipher), SIZE_MAX);
  EXPECT_SAME(run(&engine, key_, in_), key_.expect(in_));
  expect_no_device(&engine);
}

TEST_F(WithoutKernels, ALongStreamGetsNoWindows) {
  for (const std::size_t threshold : {kThreshold, std::size_t{0}}) {
    EngineConfig c = open();
    c.gpu_threshold = threshold;
    Engine engine(c);
    ASSERT_TRUE(engine.warm_up(key_.cipher));
    BulkStream stream(&engine);
    Bytes out(in_.size());
    constexpr std::size_t kUpdate = 16 * kKiB;
    for (std::size_t at = 0; at < in_.size(); at += kUpdate) {
      ASSERT_EQ(stream.ctr(key_.cipher, key_.keys, key_.at(at).data(), in_.data() + at,
                           out.data() + at, std::min(kUpdate, in_.size() - at)),
                BulkStatus::kOk);
    }
    EXPECT_SAME(out, key_.expect(in_));
    EXPECT_STREQ(stream.served_by(), engine.cpu_backend().name);
    expect_no_device(&engine);
  }
}

TEST_F(WithoutKernels, BatchesAreTheCpus) {
  Engine engine(open());
  constexpr std::size_t kEach = 64 * kKiB;
  Bytes out(16 * kEach);
  std::vector<BulkSegment> segments;
  for (std::size_t at = 0; at < out.size(); at += kEach) {
    BulkSegment s{&key_.keys, {}, nullptr, out.data() + at, kEach};
    std::memcpy(s.counter, key_.counter, key_.cipher.block_bytes);
    segments.push_back(s);
  }
  ASSERT_EQ(engine.ctr_batch(key_.cipher, segments.data(), segments.size()), BulkStatus::kOk);
  const Bytes want = key_.expect(Bytes(kEach));
  for (std::size_t at = 0; at < out.size(); at += kEach) {
    EXPECT_EQ(std::memcmp(out.data() + at, want.data(), kEach), 0) << at;
  }
  expect_no_device(&engine);
}

TEST_F(WithoutKernels, DataInDeviceMemoryGoesOverTheLink) {
  Engine engine(open());
  ASSERT_TRUE(engine.warm_up(key_.cipher));
  const Bytes want = key_.expect(in_);
  void* memory = nullptr;
  ASSERT_EQ(layer_->device_alloc(0, in_.size(), &memory), DeviceStatus::kOk);
  auto* const data = static_cast<std::uint8_t*>(memory);
  const auto job = [&](const std::uint8_t* in, std::uint8_t* out, std::size_t skip) {
    return engine.ctr_at(key_.cipher, key_.keys, key_.counter, skip, in, out, in_.size() - skip);
  };
  std::memcpy(fake_shadow(memory), in_.data(), in_.size());
  ASSERT_EQ(job(data, data, 0), BulkStatus::kOk);
  EXPECT_EQ(std::memcmp(fake_shadow(memory), want.data(), want.size()), 0);
  ASSERT_EQ(job(data, data, 0), BulkStatus::kOk);
  EXPECT_EQ(std::memcmp(fake_shadow(memory), in_.data(), in_.size()), 0);
  Bytes host(in_.size());
  ASSERT_EQ(job(data + 3, host.data() + 3, 3), BulkStatus::kOk);
  EXPECT_EQ(std::memcmp(host.data() + 3, want.data() + 3, want.size() - 3), 0);
  ASSERT_EQ(job(in_.data() + 3, data + 3, 3), BulkStatus::kOk);
  EXPECT_EQ(std::memcmp(fake_shadow(memory) + 3, want.data() + 3, want.size() - 3), 0);
  layer_->device_free(0, memory);
  EXPECT_EQ(fake_calls(Call::kCtr) + fake_calls(Call::kBatch), 0u);
  EXPECT_EQ(engine.stats().fallbacks, 0u);
}

TEST_F(WithoutKernels, RequireIsOneClearError) {
  EngineConfig c = open();
  c.gpu = GpuUse::kRequire;
  Engine engine(c);
  Bytes out(in_.size(), 0x77);
  EXPECT_EQ(engine.ctr(key_.cipher, key_.keys, key_.counter, in_.data(), out.data(), in_.size()),
            BulkStatus::kGpuRequired);
  EXPECT_SAME(out, Bytes(in_.size(), 0x77));
  EXPECT_EQ(engine.stats().last_status, DeviceStatus::kUnsupported);
  EXPECT_STREQ(engine.stats().last_where, "cipher on a device");
  EXPECT_EQ(
      engine.ctr(other_.cipher, other_.keys, other_.counter, in_.data(), out.data(), in_.size()),
      BulkStatus::kOk)
      << "the device still takes other ciphers";
  EXPECT_GT(engine.stats().device_bytes, 0u);
}

}  // namespace
}  // namespace gpuctr
