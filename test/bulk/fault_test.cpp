// A device may fail at any call and in any way: the bytes stay right, the fallback is counted, and
// `gpu = require` gives one error and leaves nothing half-written.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "test/bulk/support.h"

namespace gpuctr {
namespace {

using namespace test;

// A call of the seam, and which of them (and how many in a row) fail.
struct Place {
  Call call;
  unsigned nth;
  unsigned times;
  const char* name;
};
// Two devices: the first call of a kind, a later one where there is one, or all of them.
constexpr Place kPlaces[] = {{Call::kDeviceCount, 1, 1, "DeviceCount"},
                             {Call::kDeviceInfo, 1, 1, "DeviceInfo1"},
                             {Call::kDeviceInfo, 2, 1, "DeviceInfo2"},
                             {Call::kDeviceInfo, 1, 2, "DeviceInfoBoth"},
                             {Call::kPinnedAlloc, 1, 99, "PinnedAlloc"},
                             {Call::kStreamCreate, 1, 3, "StreamCreate"},
                             {Call::kStreamCreate, 3, 3, "StreamCreate3"},
                             {Call::kEventCreate, 1, 3, "EventCreate"},
                             {Call::kEventCreate, 3, 3, "EventCreate3"},
                             {Call::kEventRecord, 1, 3, "EventRecord"},
                             {Call::kEventRecord, 3, 3, "EventRecord3"},
                             {Call::kEventQuery, 1, 3, "EventQuery"},
                             {Call::kEventQuery, 3, 3, "EventQuery3"},
                             {Call::kCtr, 1, 3, "Ctr"},
                             {Call::kCtr, 3, 3, "Ctr3"},
                             {Call::kCtr, 1, 999, "CtrAlways"},
                             {Call::kKernel, 1, 3, "Kernel"},
                             {Call::kKernel, 3, 3, "Kernel3"},
                             {Call::kKernel, 1, 999, "KernelAlways"}};
constexpr DeviceStatus kFailures[] = {DeviceStatus::kNoDriver,    DeviceStatus::kNoDevice,
                                      DeviceStatus::kOutOfMemory, DeviceStatus::kLaunch,
                                      DeviceStatus::kDeviceLost,  DeviceStatus::kUnsupported,
                                      DeviceStatus::kOther};

using Fault = std::tuple<Place, DeviceStatus>;

std::string fault_name(const testing::TestParamInfo<Fault>& fault) {
  std::string status = device_status_text(std::get<1>(fault.param));
  for (char& c : status) {
    if (c == ' ') c = '_';
  }
  return std::string(std::get<0>(fault.param).name) + "_" + status;
}

class LargeFault : public testing::TestWithParam<Fault> {};

// The job that meets the fault, and the one after it, have to be right.
TEST_P(LargeFault, SameBytes) {
  const auto [place, status] = GetParam();
  const Key key(lea());
  FakeOptions two;
  two.devices = 2;
  two.kernel_us = 500;
  Engine engine(config(fake_gpu(two)));
  fake_fail(place.call, place.nth, status, place.times);
  engine.warm_up(key.cipher);
  const Bytes in = random_bytes(kMiB + 9);
  const Bytes want = key.expect(in);
  for (int i = 0; i < 2; ++i) {
    Bytes data = in;
    ASSERT_EQ(engine.ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size()),
              BulkStatus::kOk);
    EXPECT_SAME(data, want);
  }
  const BulkStats stats = engine.stats();
  EXPECT_EQ(stats.cpu_bytes + stats.device_bytes, 2 * in.size());
  EXPECT_GT(fake_struck(), 0u);
  if (place.call == Call::kDeviceInfo && place.times == 1) {
    // A device that can't be asked its name is one device less, and no fallback while another
    // works.
    EXPECT_EQ(stats.fallbacks, 0u);
    EXPECT_GT(stats.device_bytes, 0u);
    return;
  }
  EXPECT_GT(stats.fallbacks, 0u);
  EXPECT_EQ(stats.last_status, status) << stats.last_where;
}

INSTANTIATE_TEST_SUITE_P(Each, LargeFault,
                         testing::Combine(testing::ValuesIn(kPlaces), testing::ValuesIn(kFailures)),
                         fault_name);

// event_wait is called only where the CPU has nothing else to do: the last piece of a job.
TEST(Fault, WaitingForALostDevice) {
  const Key key(lea());
  FakeOptions late;
  late.kernel_us = 300000;  // longer than the CPU needs for all the rest
  EngineConfig c = config(fake_gpu(late));
  c.cpu = find_backend("scalar");  // done with its own part before the device is
  c.threads = 1;
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(key.cipher));
  fake_fail(Call::kEventWait, 1, DeviceStatus::kDeviceLost);
  const Bytes in = random_bytes(4 * kThreshold);
  EXPECT_SAME(run(&engine, key, in), key.expect(in));
  EXPECT_EQ(fake_struck(), 1u);
  EXPECT_EQ(engine.stats().last_status, DeviceStatus::kDeviceLost);
  EXPECT_STREQ(engine.stats().last_where, "keystream");
}

// The work of a device that dies in the middle goes to the other.
TEST(Fault, TheOtherDeviceGoesOn) {
  const Key key(lea());
  FakeOptions two;
  two.devices = 2;
  two.kernel_us = 300;
  Engine engine(config(fake_gpu(two)));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  fake_fail(Call::kKernel, 2, DeviceStatus::kDeviceLost);
  const Bytes in = random_bytes(8 * kMiB);
  EXPECT_SAME(run(&engine, key, in), key.expect(in));
  EXPECT_EQ(fake_struck(), 1u);
  const unsigned first = fake_kernels_on(0);
  const unsigned second = fake_kernels_on(1);
  EXPECT_SAME(run(&engine, key, in), key.expect(in));
  // One of them is dropped for good, the other works.
  EXPECT_EQ((fake_kernels_on(0) == first) + (fake_kernels_on(1) == second), 1);
}

TEST(Fault, BatchSurvivesEveryDevice) {
  const Key key(lea());
  Engine engine(config(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  fake_fail(Call::kBatch, 2, DeviceStatus::kDeviceLost);
  const std::size_t n = 250, each = 4096;  // the shortest that a device is given
  Bytes out(n * each);
  std::vector<BulkSegment> segments(n);
  for (std::size_t i = 0; i < n; ++i) {
    segments[i] = {&key.keys, {}, nullptr, out.data() + i * each, each};
    std::memcpy(segments[i].counter, key.at(i * each).data(), key.cipher.block_bytes);
  }
  EXPECT_EQ(engine.ctr_batch(key.cipher, segments.data(), n), BulkStatus::kOk);
  EXPECT_SAME(out, key.expect(Bytes(out.size())));
  EXPECT_EQ(fake_struck(), 1u);
}

TEST(Fault, LessPinnedMemoryWillDo) {
  const Key key(lea());
  FakeOptions little;
  little.pinned_limit = 300 * kKiB;  // of the MiB asked for
  Engine engine(config(fake_gpu(little)));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  EXPECT_EQ(fake_pinned_bytes(), 256 * kKiB);
  Bytes data(2 * kMiB);
  engine.ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size());
  EXPECT_SAME(data, key.expect(Bytes(data.size())));
  EXPECT_GT(engine.stats().device_bytes, 0u);
}

TEST(Fault, NotedOnce) {
  const Key key(lea());
  FakeOptions none;
  none.devices = 0;
  EngineConfig c = config(fake_gpu(none));
  static std::vector<std::string> notes;
  c.note = [](void* list, const char* text) {
    static_cast<std::vector<std::string>*>(list)->push_back(text);
  };
  c.note_argument = &notes;
  Engine engine(c);
  EXPECT_FALSE(engine.warm_up(key.cipher));
  Bytes data(kMiB);
  for (int i = 0; i < 3; ++i) {
    engine.ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size());
  }
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], "the CPU does a device's work: start: no usable device");
  EXPECT_EQ(engine.stats().fallbacks, 3u);
}

class Require : public testing::Test {
 protected:
  EngineConfig must(const FakeOptions& options) {
    EngineConfig c = config(fake_gpu(options));
    c.gpu = GpuUse::kRequire;
    return c;
  }
  const Key key_{lea()};
  const Bytes in_ = random_bytes(4 * kMiB + 5);
};

TEST_F(Require, WorksWithADevice) {
  Engine engine(must({}));
  Bytes out(in_.size());
  ASSERT_EQ(engine.ctr(key_.cipher, key_.keys, key_.counter, in_.data(), out.data(), in_.size()),
            BulkStatus::kOk);
  EXPECT_SAME(out, key_.expect(in_));
  EXPECT_GT(engine.stats().device_bytes, 0u);
}

TEST_F(Require, SmallWorkNeedsNoDevice) {
  FakeOptions none;
  none.devices = 0;
  Engine engine(must(none));
  Bytes data(kThreshold - 1);
  EXPECT_EQ(engine.ctr(key_.cipher, key_.keys, key_.counter, data.data(), data.data(), data.size()),
            BulkStatus::kOk);
  EXPECT_SAME(data, key_.expect(Bytes(data.size())));
  EXPECT_EQ(fake_calls(), 0u);
}

TEST_F(Require, NoDeviceIsAnErrorWithoutOutput) {
  FakeOptions none;
  none.devices = 0;
  Engine engine(must(none));
  Bytes out(in_.size(), 0x77);
  EXPECT_EQ(engine.ctr(key_.cipher, key_.keys, key_.counter, in_.data(), out.data(), in_.size()),
            BulkStatus::kGpuRequired);
  EXPECT_SAME(out, Bytes(in_.size(), 0x77));
  EXPECT_EQ(engine.stats().last_status, DeviceStatus::kNoDevice);
  EXPECT_STREQ(engine.stats().last_where, "start");
}

TEST_F(Require, ABuildWithoutCudaIsAnError) {
  EngineConfig c = must({});
  c.layer = nullptr;
  if (cuda_layer() != nullptr) GTEST_SKIP() << "built with CUDA";
  Engine engine(c);
  Bytes out(in_.size());
  EXPECT_EQ(engine.ctr(key_.cipher, key_.keys, key_.counter, in_.data(), out.data(), in_.size()),
            BulkStatus::kGpuRequired);
}

TEST_F(Require, LostInTheMiddleLeavesNothingHalfWritten) {
  FakeOptions late;
  late.kernel_us = 500;
  Engine engine(must(late));
  ASSERT_TRUE(engine.warm_up(key_.cipher));
  fake_fail(Call::kKernel, 2, DeviceStatus::kDeviceLost);
  Bytes out(in_.size(), 0);
  EXPECT_EQ(engine.ctr(key_.cipher, key_.keys, key_.counter, in_.data(), out.data(), in_.size()),
            BulkStatus::kGpuRequired);
  EXPECT_EQ(fake_struck(), 1u);
  EXPECT_SAME(out, Bytes(in_.size(), 0));
}

TEST_F(Require, LostInTheMiddleGivesTheInputBackInPlace) {
  FakeOptions late;
  late.kernel_us = 500;
  Engine engine(must(late));
  ASSERT_TRUE(engine.warm_up(key_.cipher));
  fake_fail(Call::kKernel, 2, DeviceStatus::kDeviceLost);
  Bytes data = in_;
  EXPECT_EQ(engine.ctr(key_.cipher, key_.keys, key_.counter, data.data(), data.data(), data.size()),
            BulkStatus::kGpuRequired);
  EXPECT_EQ(fake_struck(), 1u);
  EXPECT_SAME(data, in_);
  EXPECT_EQ(engine.stats().last_status, DeviceStatus::kDeviceLost);
}

// All the rest is with the device when it is lost: what the CPU makes up for is refused as well.
TEST_F(Require, LostWithTheLastPieceIsAnError) {
  EngineConfig c = must({});
  c.threads = 1;
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(key_.cipher));
  Bytes out(4 * c.slot_bytes);  // as many pieces as one thread has in flight
  const auto job = [&] {
    return engine.ctr(key_.cipher, key_.keys, key_.counter, nullptr, out.data(), out.size());
  };
  const std::uint64_t by_cpu = engine.stats().cpu_bytes;
  ASSERT_EQ(job(), BulkStatus::kOk);
  EXPECT_EQ(engine.stats().cpu_bytes, by_cpu) << "the CPU has a piece: no test";
  fake_fail(Call::kKernel, 4, DeviceStatus::kDeviceLost);
  EXPECT_EQ(job(), BulkStatus::kGpuRequired);
  EXPECT_EQ(fake_struck(), 1u);
  EXPECT_SAME(out, Bytes(out.size()));
  EXPECT_EQ(engine.stats().last_status, DeviceStatus::kDeviceLost);
}

// Found by fuzz/bulk_faults.cpp: the job was refused, without a reason, though the device had made
// all of its keystream. One thread gives its four slots back with the last pieces, the third after
// them.
TEST_F(Require, LostAfterItsWorkIsNoError) {
  EngineConfig c = must({});
  c.threads = 1;
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(key_.cipher));
  fake_fail(Call::kStreamWait, 3, DeviceStatus::kDeviceLost);
  Bytes out(in_.size());
  EXPECT_EQ(engine.ctr(key_.cipher, key_.keys, key_.counter, in_.data(), out.data(), in_.size()),
            BulkStatus::kOk);
  EXPECT_EQ(fake_struck(), 1u);
  EXPECT_SAME(out, key_.expect(in_));
  EXPECT_EQ(engine.ctr(key_.cipher, key_.keys, key_.counter, in_.data(), out.data(), in_.size()),
            BulkStatus::kGpuRequired);
  EXPECT_EQ(engine.stats().fallbacks, 1u);
  EXPECT_EQ(engine.stats().last_status, DeviceStatus::kDeviceLost);
  EXPECT_STREQ(engine.stats().last_where, "earlier");
}

TEST_F(Require, OneDeviceOfTwoIsEnough) {
  FakeOptions two;
  two.devices = 2;
  two.kernel_us = 500;
  Engine engine(must(two));
  ASSERT_TRUE(engine.warm_up(key_.cipher));
  fake_fail(Call::kKernel, 2, DeviceStatus::kDeviceLost);
  Bytes data = in_;
  EXPECT_EQ(engine.ctr(key_.cipher, key_.keys, key_.counter, data.data(), data.data(), data.size()),
            BulkStatus::kOk);
  EXPECT_SAME(data, key_.expect(in_));
}

TEST_F(Require, ALongStreamFailsToo) {
  FakeOptions none;
  none.devices = 0;
  Engine engine(must(none));
  BulkStream stream(&engine);
  Bytes data(4096);
  BulkStatus status = BulkStatus::kOk;
  std::size_t done = 0;
  for (; done < 2 * kMiB && status == BulkStatus::kOk; done += data.size()) {
    status =
        stream.ctr(key_.cipher, key_.keys, key_.at(done).data(), nullptr, data.data(), data.size());
  }
  EXPECT_EQ(status, BulkStatus::kGpuRequired);
  EXPECT_EQ(done, kMiB);
  EXPECT_STREQ(stream.served_by(), engine.cpu_backend().name) << "what it got, it got from there";
}

// Nobody served what was refused: neither a device that is not there, nor one whose work was
// undone, nor one whose memory could not be reached.
TEST_F(Require, ARefusalIsServedByNobody) {
  EngineConfig without = must({});
  without.layer = nullptr;
  FakeOptions none;
  none.devices = 0;
  FakeOptions late;
  late.kernel_us = 500;
  for (const EngineConfig& c : {must(late), must(none), without}) {
    if (c.layer == nullptr && cuda_layer() != nullptr) continue;  // built with CUDA
    Engine engine(c);
    BulkStream stream(&engine);
    if (engine.warm_up(key_.cipher)) fake_fail(Call::kKernel, 2, DeviceStatus::kDeviceLost);
    Bytes data(in_.size());
    EXPECT_EQ(stream.ctr(key_.cipher, key_.keys, key_.counter, nullptr, data.data(), data.size()),
              BulkStatus::kGpuRequired);
    EXPECT_EQ(stream.served_by(), nullptr);
    // Small updates need no device, until they are a long stream.
    stream.reset();
    ASSERT_EQ(stream.ctr(key_.cipher, key_.keys, key_.counter, nullptr, data.data(), 4096),
              BulkStatus::kOk);
    BulkStatus status = BulkStatus::kOk;
    for (std::size_t at = 4096; at < 2 * kMiB && status == BulkStatus::kOk; at += 4096) {
      status = stream.ctr(key_.cipher, key_.keys, key_.at(at).data(), nullptr, data.data(), 4096);
    }
    EXPECT_EQ(status, BulkStatus::kGpuRequired);
    EXPECT_STREQ(stream.served_by(), engine.cpu_backend().name);
  }
}

// A planted fault lived: a ring of two slots served no job after two launches had failed.
TEST(Fault, ALaunchThatFailsGivesItsSlotBack) {
  EngineConfig c = config(fake_gpu());
  c.ring_bytes = 2 * c.slot_bytes;
  Engine engine(c);
  const Key key(lea());
  ASSERT_TRUE(engine.warm_up(key.cipher));
  fake_fail(Call::kCtr, fake_calls(Call::kCtr) + 1, DeviceStatus::kLaunch, 2);
  const std::uint64_t before = engine.stats().device_bytes;
  const Bytes in = random_bytes(4 * kMiB);
  Bytes data = in;
  ASSERT_EQ(engine.ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size()),
            BulkStatus::kOk);
  EXPECT_SAME(data, key.expect(in));
  EXPECT_EQ(fake_struck(), 2u);
  EXPECT_GT(engine.stats().device_bytes, before);
}

// Found by fuzz/bulk_faults.cpp: the CPU wrote to a device's memory.
TEST(DeviceMemory, IsRefusedAndNotTouchedWhereOurStartFailed) {
  FakeOptions little;
  little.pinned_limit = kKiB;  // less than a slot: the engine gets no ring
  const DeviceLayer* layer = fake_gpu(little);
  EngineConfig c = config(layer);
  c.gpu_pointers = GpuPointers::kYes;
  Engine engine(c);
  const Key key(lea());
  void* memory = nullptr;
  ASSERT_EQ(layer->device_alloc(0, 4 * kKiB, &memory), DeviceStatus::kOk);
  auto* const out = static_cast<std::uint8_t*>(memory);
  EXPECT_EQ(engine.ctr(key.cipher, key.keys, key.counter, nullptr, out, 4 * kKiB),
            BulkStatus::kGpuRequired);
  Bytes host(4 * kKiB);
  EXPECT_EQ(engine.ctr(key.cipher, key.keys, key.counter, nullptr, host.data(), host.size()),
            BulkStatus::kOk);
  EXPECT_SAME(host, key.expect(Bytes(host.size())));
  layer->device_free(0, memory);
}

}  // namespace
}  // namespace gpuctr
