// Whole blocks in ordinary memory by devices: who takes them, and what happens when a device fails.
#include <algorithm>
#include <tuple>

#include "test/bulk/blocks/support.h"

namespace gpuctr {
namespace {

using namespace test;

// A job out of place and one in place.
void expect_same(Engine* engine, const BlockKey& key, Blocks what, std::size_t n) {
  const Bytes in = random_bytes(n, static_cast<std::uint32_t>(n));
  const Bytes want = key.expect(what, in);
  Bytes out(n);
  ASSERT_EQ(key.run(engine, what, in.data(), out.data(), n), BulkStatus::kOk);
  ASSERT_SAME(out, want) << n << " bytes apart";
  out = in;
  ASSERT_EQ(key.run(engine, what, out.data(), out.data(), n), BulkStatus::kOk);
  ASSERT_SAME(out, want) << n << " bytes in place";
}

class EveryCipherHostBlocks : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryCipherHostBlocks, AnyLength) {
  const BlockKey key(cipher_spec(GetParam()));
  const std::size_t block = key.cipher.block_bytes;
  Engine engine(config(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  std::uint64_t bytes = 0;
  for (const Blocks what : kAllBlocks) {
    for (const std::size_t n : {kThreshold, kThreshold + block, kMiB - block}) {
      expect_same(&engine, key, what, n);
      if (HasFatalFailure()) return;
      bytes += 2 * n;
    }
  }
  EXPECT_GT(fake_calls(Call::kBlocks), 0u);
  const BulkStats stats = engine.stats();
  EXPECT_GT(stats.device_bytes, 0u);
  EXPECT_EQ(stats.cpu_bytes + stats.device_bytes, bytes);
  EXPECT_EQ(stats.fallbacks, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, EveryCipherHostBlocks, testing::Range(std::size_t{0}, kCipherCount),
                         cipher_name);

TEST(HostBlocks, BelowTheThresholdNothingIsCalled) {
  const BlockKey key(any_cipher());
  Engine engine(config(fake_gpu()));
  for (const Blocks what : kAllBlocks) {
    expect_same(&engine, key, what, kThreshold - key.cipher.block_bytes);
  }
  EXPECT_EQ(fake_calls(), 0u);
}

TEST(HostBlocks, SaysWhetherADeviceDidAny) {
  const BlockKey key(any_cipher());
  Engine engine(config(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  Bytes data(kMiB);
  bool by_device = false;
  ASSERT_EQ(key.run(&engine, Blocks::kEncrypt, data.data(), data.data(), data.size(), &by_device),
            BulkStatus::kOk);
  EXPECT_TRUE(by_device);
  ASSERT_EQ(key.run(&engine, Blocks::kEncrypt, data.data(), data.data(), 64, &by_device),
            BulkStatus::kOk);
  EXPECT_FALSE(by_device);
}

// Without a threshold the device is there for counter mode, and the threads for blocks.
TEST(HostBlocks, AutoLeavesThemToTheThreads) {
  const BlockKey key(any_cipher());
  EngineConfig c = config(fake_gpu());
  c.cpu = nullptr;
  c.gpu_threshold = 0;
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(key.cipher));
  for (const Blocks what : kAllBlocks) expect_same(&engine, key, what, kLargeBytes);
  EXPECT_EQ(fake_calls(Call::kBlocks), 0u);
  EXPECT_EQ(engine.stats().device_bytes, 0u);
}

TEST(HostBlocks, AutoDoesNotStartADevice) {
  const BlockKey key(any_cipher());
  EngineConfig c = config(fake_gpu());
  c.cpu = nullptr;
  c.gpu_threshold = 0;
  Engine engine(c);
  Bytes data(kLargeBytes);
  for (std::size_t n = 0; n <= kStartBytes; n += data.size()) {
    key.run(&engine, Blocks::kEncrypt, data.data(), data.data(), data.size());
  }
  EXPECT_EQ(fake_calls(), 0u);
}

// Slots smaller than what a chain is cut into otherwise.
TEST(HostBlocks, SmallSlots) {
  const BlockKey key(any_cipher());
  EngineConfig c = config(fake_gpu());
  c.slot_bytes = 12 * kKiB;
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(key.cipher));
  for (const Blocks what : kAllBlocks) {
    const std::uint64_t before = engine.stats().device_bytes;
    expect_same(&engine, key, what, kMiB - key.cipher.block_bytes);
    EXPECT_GT(engine.stats().device_bytes, before);
  }
}

TEST(HostBlocks, LeaveNothingInPinnedMemory) {
  const BlockKey key(any_cipher());
  Engine engine(config(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  for (const Blocks what : kAllBlocks) expect_same(&engine, key, what, kMiB);
  EXPECT_GT(engine.stats().device_bytes, 0u);
  for (const Bytes& memory : {fake_pinned(), fake_device()}) {
    EXPECT_EQ(std::count(memory.begin(), memory.end(), 0),
              static_cast<std::ptrdiff_t>(memory.size()));
  }
}

// The job that meets the fault, and the one after it, have to be right.
using Fault = std::tuple<Call, unsigned, DeviceStatus>;
class HostBlocksFault : public testing::TestWithParam<Fault> {};

TEST_P(HostBlocksFault, SameBytes) {
  const auto [call, nth, status] = GetParam();
  for (const Blocks what : kAllBlocks) {
    const BlockKey key(any_cipher());
    FakeOptions two;
    two.devices = 2;
    two.kernel_us = 500;
    Engine engine(config(fake_gpu(two)));
    ASSERT_TRUE(engine.warm_up(key.cipher));
    fake_fail(call, nth, status, 3);
    const std::size_t n = kMiB + key.cipher.block_bytes;
    expect_same(&engine, key, what, n);
    if (HasFatalFailure()) return;
    EXPECT_GT(fake_struck(), 0u);
    const BulkStats stats = engine.stats();
    EXPECT_EQ(stats.cpu_bytes + stats.device_bytes, 2 * n);
    EXPECT_GT(stats.fallbacks, 0u);
    EXPECT_EQ(stats.last_status, status);
    // Both devices are gone then: what comes after has another reason.
    if (status == DeviceStatus::kDeviceLost) continue;
    const bool launched = call == Call::kKernel || call == Call::kEventQuery;
    EXPECT_STREQ(stats.last_where, launched ? "blocks" : "launch");
  }
}

INSTANTIATE_TEST_SUITE_P(Each, HostBlocksFault,
                         testing::Combine(testing::Values(Call::kBlocks, Call::kKernel,
                                                          Call::kEventRecord, Call::kEventQuery),
                                          testing::Values(1u, 3u),
                                          testing::Values(DeviceStatus::kOutOfMemory,
                                                          DeviceStatus::kDeviceLost)));

// The scalar backend, 5 ms late for each piece until a fault has struck: the device gets that far.
template <std::size_t Index, bool Encrypt>
void patient(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) {
  if (blocks * cipher_spec(Index).block_bytes >= 4 * kKiB && fake_struck() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const CipherOps& ops = find_backend("scalar")->ops[Index];
  (Encrypt ? ops.encrypt : ops.decrypt)(keys, in, out, blocks);
}
template <std::size_t... I>
Backend make_patient_cpu(std::index_sequence<I...>) {
  Backend backend = *find_backend("scalar");
  ((backend.ops[I].encrypt = patient<I, true>), ...);
  ((backend.ops[I].decrypt = patient<I, false>), ...);
  return backend;
}
const Backend* patient_cpu() {
  static const Backend backend = make_patient_cpu(std::make_index_sequence<kCipherCount>{});
  return &backend;
}

class RequiredHostBlocks : public testing::TestWithParam<std::size_t> {
 protected:
  EngineConfig must(const FakeOptions& options = {}) {
    EngineConfig c = config(fake_gpu(options));
    c.gpu = GpuUse::kRequire;
    return c;
  }
  const BlockKey key_{cipher_spec(GetParam())};
  const Bytes in_ = random_bytes(6 * kMiB + 2 * key_.cipher.block_bytes);
};

TEST_P(RequiredHostBlocks, WorkWithADevice) {
  Engine engine(must());
  for (const Blocks what : kAllBlocks) expect_same(&engine, key_, what, kMiB);
  EXPECT_GT(engine.stats().device_bytes, 0u);
}

TEST_P(RequiredHostBlocks, WithoutADeviceNothingIsWritten) {
  FakeOptions none;
  none.devices = 0;
  Engine engine(must(none));
  for (const Blocks what : kAllBlocks) {
    Bytes out(in_.size(), 0x77);
    EXPECT_EQ(key_.run(&engine, what, in_.data(), out.data(), in_.size()),
              BulkStatus::kGpuRequired);
    EXPECT_SAME(out, Bytes(in_.size(), 0x77));
    EXPECT_STREQ(engine.stats().last_where, "start");
  }
}

// More than 64 pieces, each a chain, have to be undone.
TEST_P(RequiredHostBlocks, LostInTheMiddleLeavesNothingHalfWritten) {
  for (const Blocks what : kAllBlocks) {
    for (const bool in_place : {false, true}) {
      EngineConfig c = must();
      c.cpu = patient_cpu();
      c.threads = 1;
      c.slot_bytes = 12 * kKiB;
      Engine engine(c);
      ASSERT_TRUE(engine.warm_up(key_.cipher));
      fake_fail(Call::kKernel, 80, DeviceStatus::kDeviceLost);
      Bytes out = in_place ? in_ : Bytes(in_.size());
      bool by_device = true;
      EXPECT_EQ(key_.run(&engine, what, in_place ? out.data() : in_.data(), out.data(), in_.size(),
                         &by_device),
                BulkStatus::kGpuRequired);
      EXPECT_EQ(fake_struck(), 1u);
      EXPECT_SAME(out, in_place ? in_ : Bytes(in_.size()));
      EXPECT_FALSE(by_device);
      EXPECT_EQ(engine.stats().last_status, DeviceStatus::kDeviceLost);
    }
  }
}

// All of it is with the device, whose last piece is a short one and fails.
TEST_P(RequiredHostBlocks, LostWithTheLastPiece) {
  for (const Blocks what : kAllBlocks) {
    EngineConfig c = must();
    c.threads = 1;
    c.gpu_threshold /= 2;
    Engine engine(c);
    ASSERT_TRUE(engine.warm_up(key_.cipher));
    // As many pieces as one thread has in flight.
    const std::size_t n = 4 * c.slot_bytes - 3 * key_.cipher.block_bytes;
    Bytes data = in_;
    fake_fail(Call::kKernel, 4, DeviceStatus::kDeviceLost);
    EXPECT_EQ(key_.run(&engine, what, data.data(), data.data(), n), BulkStatus::kGpuRequired);
    EXPECT_EQ(fake_struck(), 1u);
    EXPECT_SAME(data, in_);
  }
}

// The first cipher of the build and the last, which may be the same.
std::vector<std::size_t> first_and_last() {
  if (kCipherCount == 1) return {0};
  return {0, kCipherCount - 1};
}
INSTANTIATE_TEST_SUITE_P(Some, RequiredHostBlocks, testing::ValuesIn(first_and_last()),
                         cipher_name);

}  // namespace
}  // namespace gpuctr
