// Large updates over the fake device: right bytes, shared work, several devices, batches.
#include <gtest/gtest.h>

#include <thread>

#include "test/bulk/support.h"

namespace gpuctr {
namespace {

using namespace test;

class EveryCipher : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryCipher, AnyLengthInPlaceAndOut) {
  const Key key(cipher_spec(GetParam()));
  Engine engine(config(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  for (const std::size_t n : {kThreshold, kThreshold + 1, 700 * kKiB + 13, 2 * kMiB - 5}) {
    const Bytes in = random_bytes(n);
    const Bytes want = key.expect(in);
    Bytes out(n);
    ASSERT_EQ(engine.ctr(key.cipher, key.keys, key.counter, in.data(), out.data(), n),
              BulkStatus::kOk);
    EXPECT_SAME(out, want);
    Bytes same = in;
    engine.ctr(key.cipher, key.keys, key.counter, same.data(), same.data(), n);
    EXPECT_SAME(same, want);
    Bytes keystream(n, 0xee);
    engine.ctr(key.cipher, key.keys, key.counter, nullptr, keystream.data(), n);
    EXPECT_SAME(keystream, key.expect(Bytes(n)));
  }
  EXPECT_GT(engine.stats().device_bytes, 0u);
  EXPECT_EQ(engine.stats().fallbacks, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, EveryCipher, testing::Range(std::size_t{0}, kCipherCount),
                         [](const auto& test) {
                           std::string name = cipher_spec(test.param).name;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

TEST(Large, UnalignedBuffers) {
  const Key key(lea());
  Engine engine(config(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  const std::size_t n = kMiB + 77;
  for (std::size_t shift = 1; shift < 64; shift += 13) {
    const Bytes data = random_bytes(n + shift);
    const Bytes in(data.begin() + static_cast<std::ptrdiff_t>(shift), data.end());
    Bytes out(n + 64);
    engine.ctr(key.cipher, key.keys, key.counter, data.data() + shift, out.data() + 64 - shift, n);
    EXPECT_EQ(std::memcmp(out.data() + 64 - shift, key.expect(in).data(), n), 0);
  }
}

TEST(Large, BelowTheThresholdNothingIsCalled) {
  const Key key(lea());
  Engine engine(config(fake_gpu()));
  BulkStream stream(&engine);
  Bytes data(kThreshold - 1);
  engine.ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size());
  stream.ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size());
  EXPECT_EQ(fake_calls(), 0u);
  EXPECT_EQ(engine.stats().cpu_bytes, 2 * data.size());
}

TEST(Large, OffMeansNeverCalled) {
  const Key key(lea());
  EngineConfig c = config(fake_gpu());
  c.gpu = GpuUse::kOff;
  Engine engine(c);
  const Bytes in = random_bytes(3 * kMiB);
  EXPECT_SAME(run(&engine, key, in), key.expect(in));
  EXPECT_EQ(fake_calls(), 0u);
}

// The driver takes half a second; the job is done long before by the CPU, which did not wait.
TEST(Large, StartsInTheBackground) {
  const Key key(lea());
  FakeOptions slow;
  slow.start_us = 500000;
  Engine engine(config(fake_gpu(slow)));
  const Bytes in = random_bytes(kMiB);
  EXPECT_SAME(run(&engine, key, in), key.expect(in));
  EXPECT_EQ(engine.stats().cpu_bytes, in.size());
  ASSERT_TRUE(engine.warm_up(key.cipher));
  EXPECT_EQ(fake_calls(Call::kDeviceCount), 1u);
}

// Devices become ready while the job runs, and take the rest of it.
TEST(Large, DeviceJoinsInTheMiddle) {
  const Key key(lea());
  EngineConfig c = config(fake_gpu());
  c.cpu = find_backend("scalar");
  Engine engine(c);
  const Bytes in = random_bytes(24 * kMiB);
  EXPECT_SAME(run(&engine, key, in), key.expect(in));
  EXPECT_GT(engine.stats().device_bytes, 0u);
}

TEST(Large, EveryDeviceWorks) {
  const Key key(lea());
  FakeOptions four;
  four.devices = 4;
  four.kernel_us = 200;
  Engine engine(config(fake_gpu(four)));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  const Bytes in = random_bytes(16 * kMiB);
  EXPECT_SAME(run(&engine, key, in), key.expect(in));
  for (int device = 0; device < 4; ++device) EXPECT_GT(fake_kernels_on(device), 0u) << device;
}

TEST(Large, OnlyTheDevicesOfTheMask) {
  const Key key(lea());
  FakeOptions four;
  four.devices = 4;
  EngineConfig c = config(fake_gpu(four));
  c.gpus = 0b0101;
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(key.cipher));
  const Bytes in = random_bytes(8 * kMiB);
  EXPECT_SAME(run(&engine, key, in), key.expect(in));
  EXPECT_EQ(fake_kernels_on(1) + fake_kernels_on(3), 0u);
  EXPECT_GT(fake_kernels_on(0) + fake_kernels_on(2), 0u);
}

// The device and the CPU's cores share one large job when the device is slow.
TEST(Large, CpuSharesTheWork) {
  const Key key(lea());
  FakeOptions slow;
  slow.kernel_us = 2000;
  Engine engine(config(fake_gpu(slow)));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  const Bytes in = random_bytes(16 * kMiB);
  EXPECT_SAME(run(&engine, key, in), key.expect(in));
  EXPECT_GT(engine.stats().cpu_bytes, 0u);
  EXPECT_GT(engine.stats().device_bytes, 0u);
}

TEST(Large, OneThread) {
  const Key key(lea());
  EngineConfig c = config(fake_gpu());
  c.threads = 1;
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(key.cipher));
  const Bytes in = random_bytes(4 * kMiB + 3);
  EXPECT_SAME(run(&engine, key, in), key.expect(in));
  EXPECT_GT(engine.stats().device_bytes, 0u);
}

TEST(Large, ThreadsWithoutADevice) {
  const Key key(lea());
  EngineConfig c = config(nullptr);
  c.gpu = GpuUse::kOff;
  Engine engine(c);
  const Bytes in = random_bytes(5 * kMiB + 3);
  EXPECT_SAME(run(&engine, key, in), key.expect(in));
}

// Segments of all sizes with their own keys, as CTR_DRBG sends them.
TEST(Batch, MixedSegments) {
  for (const char* name : {"LEA-256", "HIGHT"}) {
    const CipherSpec& cipher = *find_cipher(name);
    Engine engine(config(fake_gpu()));
    ASSERT_TRUE(engine.warm_up(cipher));
    std::vector<Key> keys;
    for (std::uint32_t i = 0; i < 40; ++i) keys.emplace_back(cipher, i);
    std::vector<std::size_t> sizes;
    std::size_t total = 0;
    for (std::size_t i = 0; i < 600; ++i) {
      sizes.push_back(i % 7 == 0 ? 0 : i % 5 == 0 ? 65536 + i : 1024 + i % 3);
      total += sizes.back();
    }
    sizes.push_back(kMiB + 1);
    total += sizes.back();
    const Bytes in = random_bytes(total);
    Bytes out(total);
    Bytes want(total);
    std::vector<BulkSegment> segments;
    std::size_t at = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Key& key = keys[i % keys.size()];
      BulkSegment s{
          &key.keys, {}, i % 2 == 0 ? nullptr : in.data() + at, out.data() + at, sizes[i]};
      std::memcpy(s.counter, key.counter, cipher.block_bytes);
      segments.push_back(s);
      find_backend("scalar")->ops[cipher.index].ctr(key.keys, key.counter, s.in, want.data() + at,
                                                    sizes[i]);
      at += sizes[i];
    }
    ASSERT_EQ(engine.ctr_batch(cipher, segments.data(), segments.size()), BulkStatus::kOk);
    EXPECT_SAME(out, want);
    EXPECT_GT(fake_calls(Call::kBatch), 0u);
  }
}

TEST(Large, ManyCallersAtOnce) {
  const Key key(lea());
  Engine engine(config(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  const Bytes in = random_bytes(2 * kMiB + 5);
  const Bytes want = key.expect(in);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    callers.emplace_back([&] {
      Bytes out(in.size());
      for (int i = 0; i < 4; ++i) {
        engine.ctr(key.cipher, key.keys, key.counter, in.data(), out.data(), in.size());
        if (out != want) wrong.fetch_add(1);
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Large, RingIsWipedWhenIdle) {
  const Key key(lea());
  Engine engine(config(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  Bytes data(4 * kMiB);
  engine.ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size());
  ASSERT_GT(engine.stats().device_bytes, 0u);
  const Bytes ring = fake_pinned();
  EXPECT_EQ(ring.size(), kMiB);
  EXPECT_SAME(ring, Bytes(ring.size()));
}

// A layer overwrites its copies of round keys when it is waited for: every queue has been at least
// once since its last kernel.
TEST(Large, TheDeviceIsToldToForgetKeys) {
  const Key key(lea());
  Engine engine(config(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  Bytes data(2 * kMiB);
  engine.ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size());
  EXPECT_GT(fake_calls(Call::kStreamCreate), 0u);
  EXPECT_GE(fake_calls(Call::kStreamWait), fake_calls(Call::kStreamCreate));
}

}  // namespace
}  // namespace gpuctr
