// What gpuctr_avr.h promises besides right bytes: time that tells nothing, errors that write
// nothing, nothing secret left behind, and little stack. The ABI is checked in every call
// (device.h).
#include <set>

#include "cases.h"

namespace gpuctr::avr {
namespace {

class Promises : public testing::TestWithParam<Variant> {
 protected:
  const Variant& variant() const { return GetParam(); }
  Spec spec() { return read_spec(device_, variant()); }
  Device device_;
  Draw draw_{20261121};
};
class GeneratorPromises : public Promises {
 protected:
  Bytes entropy(std::size_t more = 0) { return draw_.bytes(spec().key + more); }
};

// ---- Time ----

TEST_P(Promises, KeyAndDataDoNotShowInTheTime) {
  std::set<std::uint64_t> schedule, block, message;
  for (int i = 0; i < 100; ++i) {
    device_.free_all();
    const Bytes bytes = i == 0   ? Bytes(spec().key, 0)
                        : i == 1 ? Bytes(spec().key, 0xff)
                                 : draw_.bytes(spec().key);
    DeviceKey key(device_, variant(), variant().fixed ? fixed_key() : bytes);
    schedule.insert(device_.cycles());
    key.encrypt(draw_.bytes(spec().block));
    block.insert(device_.cycles());
    Bytes iv = draw_.bytes(spec().block);
    iv.back() = 250;  // the counter is public: it wraps in the same place each time
    DeviceCtr ctr(device_, key, iv);
    ctr.crypt(draw_.bytes(10 * spec().block + 5));
    message.insert(device_.cycles());
  }
  EXPECT_EQ(block.size(), 1u);
  EXPECT_EQ(message.size(), 1u);
  if (!variant().fixed) {
    EXPECT_EQ(schedule.size(), 1u);
  }
}

// V is secret, so the place where it carries must not show either.
TEST_P(GeneratorPromises, SeedDoesNotShowInTheTime) {
  std::set<std::uint64_t> instantiate, small, large, reseed;
  for (int i = 0; i < 40; ++i) {
    device_.free_all();
    DeviceDrbg drbg(device_, variant());
    ASSERT_TRUE(drbg.instantiate(entropy(8), draw_.bytes(16), draw_.bytes(11)));
    instantiate.insert(device_.cycles());
    ASSERT_TRUE(drbg.generate(40, std::nullopt, std::nullopt));
    small.insert(device_.cycles());
    ASSERT_TRUE(drbg.generate(1000, std::nullopt, draw_.bytes(9)));
    large.insert(device_.cycles());
    ASSERT_TRUE(drbg.reseed(entropy(8), draw_.bytes(7)));
    reseed.insert(device_.cycles());
  }
  EXPECT_EQ(instantiate.size(), 1u);
  EXPECT_EQ(small.size(), 1u);
  EXPECT_EQ(large.size(), 1u);
  EXPECT_EQ(reseed.size(), 1u);
}

// ---- Stack, as README.md says ----

TEST_P(Promises, Stack) {
  DeviceKey key(device_, variant(), variant().fixed ? fixed_key() : draw_.bytes(spec().key));
  EXPECT_LE(device_.stack(), 90);
  key.encrypt(draw_.bytes(spec().block));
  EXPECT_LE(device_.stack(), 60);
  DeviceCtr ctr(device_, key, draw_.bytes(spec().block));
  ctr.crypt(draw_.bytes(100));
  EXPECT_LE(device_.stack(), 110);
}

TEST_P(GeneratorPromises, Stack) {
  DeviceDrbg drbg(device_, variant());
  ASSERT_TRUE(drbg.instantiate(entropy(), draw_.bytes(16), draw_.bytes(11)));
  EXPECT_LE(device_.stack(), 350);
  ASSERT_TRUE(drbg.generate(40, entropy(), draw_.bytes(7)));
  EXPECT_LE(device_.stack(), 420);
}

// ---- Errors ----

TEST_P(Promises, CounterWidth) {
  const Bytes iv = draw_.bytes(spec().block);
  const DeviceKey key(device_, variant(), variant().fixed ? fixed_key() : draw_.bytes(spec().key));
  for (int width = 0; width <= 255; ++width) {
    const std::size_t mark = device_.mark();
    const DeviceCtr ctr(device_, key, iv, static_cast<std::uint8_t>(width));
    const bool legal = width >= 2 && width <= static_cast<int>(spec().block);
    EXPECT_EQ(ctr.status(), legal ? kOk : kErrLength) << width;
    if (!legal) {
      EXPECT_EQ(device_.get(ctr.address(), kCtrSize), Bytes(kCtrSize, 0xdd)) << width;
    }
    device_.free_to(mark);
  }
}

// All 65536 blocks of a two-byte field, and not one more.
TEST_P(Promises, NarrowCounterIsUsedUp) {
  const DeviceKey key(device_, variant(), variant().fixed ? fixed_key() : draw_.bytes(spec().key));
  DeviceCtr ctr(device_, key, draw_.bytes(spec().block), 2);
  // As after 65526 blocks: the context's count of those that are left, less one.
  const std::size_t block = spec().block;
  device_.machine().write(static_cast<std::uint16_t>(ctr.address() + 40), {9, 0, 0, 0});
  EXPECT_FALSE(ctr.crypt(Bytes(10 * block + 1)));
  EXPECT_EQ(ctr.status(), kErrCounter);
  EXPECT_TRUE(ctr.crypt(Bytes(9 * block + 3)));
  EXPECT_FALSE(ctr.crypt(Bytes(block - 2)));
  EXPECT_EQ(ctr.status(), kErrCounter);
  EXPECT_TRUE(ctr.crypt(Bytes(block - 3)));
  EXPECT_TRUE(ctr.crypt({}));
  EXPECT_FALSE(ctr.crypt(Bytes(1)));
  EXPECT_FALSE(ctr.crypt(Bytes(1000)));
}

TEST(Errors, NarrowCounterFromItsFirstBlockOn) {
  Device device;
  Draw draw(5);
  const DeviceKey key(device, {"hight", "HIGHT", false, false}, draw.bytes(16));
  DeviceCtr ctr(device, key, draw.bytes(8), 2);
  for (int i = 0; i < 256; ++i) ASSERT_TRUE(ctr.crypt(Bytes(256 * 8), true)) << i;
  EXPECT_FALSE(ctr.crypt(Bytes(1)));
  EXPECT_EQ(ctr.status(), kErrCounter);
}

TEST_P(GeneratorPromises, NotInstantiated) {
  DeviceDrbg drbg(device_, variant());
  EXPECT_FALSE(drbg.generate(16, std::nullopt, std::nullopt));
  EXPECT_EQ(drbg.status(), kErrState);
  EXPECT_FALSE(drbg.reseed(entropy(), std::nullopt));
  EXPECT_EQ(drbg.status(), kErrState);
  EXPECT_FALSE(drbg.update(std::nullopt));
  EXPECT_EQ(drbg.status(), kErrState);
  EXPECT_EQ(device_.get(drbg.address(), kDrbgSize), Bytes(kDrbgSize, 0));
}

TEST_P(GeneratorPromises, RefusedSeeds) {
  DeviceDrbg drbg(device_, variant());
  const std::size_t seed = spec().key + spec().block;
  const auto refused = [&](std::uint16_t status) {
    EXPECT_EQ(drbg.status(), status);
    EXPECT_EQ(device_.get(drbg.address(), kDrbgSize), Bytes(kDrbgSize, 0));
  };
  EXPECT_FALSE(drbg.instantiate(std::nullopt, Bytes(16), std::nullopt));
  refused(kErrEntropy);
  EXPECT_FALSE(drbg.instantiate(draw_.bytes(spec().key - 1), Bytes(16), std::nullopt));
  refused(kErrEntropy);
  EXPECT_FALSE(drbg.instantiate(draw_.bytes(seed - 1), std::nullopt, std::nullopt, false));
  refused(kErrLength);
  EXPECT_FALSE(drbg.instantiate(draw_.bytes(seed + 1), std::nullopt, std::nullopt, false));
  refused(kErrLength);
  EXPECT_FALSE(drbg.instantiate(draw_.bytes(seed), Bytes(1), std::nullopt, false));
  refused(kErrLength);
  EXPECT_FALSE(drbg.instantiate(draw_.bytes(seed), std::nullopt, Bytes(seed + 1), false));
  refused(kErrLength);
  EXPECT_TRUE(drbg.instantiate(draw_.bytes(seed), std::nullopt, Bytes(seed), false));
}

TEST_P(GeneratorPromises, RefusedCallsLeaveTheState) {
  DeviceDrbg drbg(device_, variant());
  ASSERT_TRUE(drbg.instantiate(entropy(), Bytes(8), std::nullopt));
  const Bytes before = device_.get(drbg.address(), kDrbgSize);
  EXPECT_FALSE(drbg.reseed(Bytes(spec().key - 1), std::nullopt));
  EXPECT_EQ(drbg.status(), kErrEntropy);
  EXPECT_FALSE(drbg.reseed(std::nullopt, std::nullopt));
  EXPECT_EQ(drbg.status(), kErrEntropy);
  EXPECT_FALSE(drbg.generate(10, Bytes(3), std::nullopt));
  EXPECT_EQ(drbg.status(), kErrEntropy);
  if (spec().block == 8) {
    EXPECT_FALSE(drbg.generate(1025, std::nullopt, std::nullopt));
    EXPECT_EQ(drbg.status(), kErrLength);
    EXPECT_EQ(device_.get(drbg.address(), kDrbgSize), before);
    EXPECT_TRUE(drbg.generate(1024, std::nullopt, std::nullopt));
  } else {
    EXPECT_EQ(device_.get(drbg.address(), kDrbgSize), before);
  }
}

TEST_P(GeneratorPromises, ReseedIsDue) {
  DeviceDrbg drbg(device_, variant());
  ASSERT_TRUE(drbg.instantiate(entropy(), Bytes(8), std::nullopt));
  drbg.set_interval(2);
  EXPECT_TRUE(drbg.generate(8, std::nullopt, std::nullopt));
  EXPECT_TRUE(drbg.generate(8, std::nullopt, std::nullopt));
  EXPECT_FALSE(drbg.generate(8, std::nullopt, std::nullopt));
  EXPECT_EQ(drbg.status(), kErrReseed);
  EXPECT_TRUE(drbg.generate(8, entropy(), std::nullopt));
  EXPECT_TRUE(drbg.reseed(entropy(), std::nullopt));
  EXPECT_TRUE(drbg.generate(8, std::nullopt, std::nullopt));
  // The counter's own end: 2^32 - 1 requests are served, the next is not.
  drbg.set_interval(0xffffffff);
  device_.machine().write(static_cast<std::uint16_t>(drbg.address() + 52), Bytes(4, 0xff));
  EXPECT_TRUE(drbg.generate(8, std::nullopt, std::nullopt));
  EXPECT_FALSE(drbg.generate(8, std::nullopt, std::nullopt));
  EXPECT_EQ(drbg.status(), kErrReseed);
}

// A request for no bytes is a request: it updates the state.
TEST_P(GeneratorPromises, RequestForNothing) {
  DeviceDrbg drbg(device_, variant());
  ASSERT_TRUE(drbg.instantiate(entropy(), Bytes(8), std::nullopt));
  const Bytes before = device_.get(drbg.address(), kDrbgSize);
  EXPECT_EQ(drbg.generate(0, std::nullopt, std::nullopt), Bytes());
  EXPECT_NE(device_.get(drbg.address(), kDrbgSize), before);
}

// ---- Zeroization ----

TEST_P(Promises, DoneWipesTheContext) {
  const DeviceKey key(device_, variant(), variant().fixed ? fixed_key() : draw_.bytes(spec().key));
  DeviceCtr ctr(device_, key, draw_.bytes(spec().block));
  ctr.crypt(Bytes(21));
  ctr.done();
  EXPECT_EQ(device_.get(ctr.address(), kCtrSize), Bytes(kCtrSize, 0));
}

TEST_P(GeneratorPromises, NothingStaysInTheWorkingMemory) {
  DeviceDrbg drbg(device_, variant());
  const auto clean = [&] {
    return device_.get(drbg.round_keys(), spec().round_keys) == Bytes(spec().round_keys, 0);
  };
  ASSERT_TRUE(drbg.instantiate(entropy(), Bytes(8), std::nullopt));
  EXPECT_TRUE(clean());
  ASSERT_TRUE(drbg.generate(33, std::nullopt, Bytes(3)));
  EXPECT_TRUE(clean());
  ASSERT_TRUE(drbg.reseed(entropy(), std::nullopt));
  EXPECT_TRUE(clean());
  ASSERT_TRUE(drbg.update(std::nullopt));
  EXPECT_TRUE(clean());
  drbg.uninstantiate();
  EXPECT_EQ(device_.get(drbg.address(), kDrbgSize), Bytes(kDrbgSize, 0));
}

INSTANTIATE_TEST_SUITE_P(Avr, Promises, testing::ValuesIn(kVariants), variant_name);
INSTANTIATE_TEST_SUITE_P(Avr, GeneratorPromises, testing::ValuesIn(with_any_key()), variant_name);

// ---- The checks themselves: functions of the test image that break a promise each ----

TEST(Harness, SeesBrokenPromises) {
  Device device;
  const std::pair<const char*, const char*> cases[] = {
      {"test_breaks_r1", "r1 is not zero"},
      {"test_breaks_r2", "r2 not restored"},
      {"test_breaks_r17", "r17 not restored"},
      {"test_breaks_y", "r28 not restored"},
      {"test_breaks_stack", "stack pointer not restored"},
      {"test_eats_the_stack", "stack met the heap"},
      {"test_never_returns", "cycle limit"},
  };
  for (const auto& [function, fault] : cases) {
    EXPECT_EQ(device.machine().call(function).fault, fault) << function;
  }
  EXPECT_EQ(device.machine().call("test_keeps_all").fault, "");
}

TEST(Harness, SeesWritesBesideABuffer) {
  Device device;
  const std::uint16_t buffer = device.alloc(4);
  EXPECT_NO_THROW(device.call("gpuctr_wipe", {buffer, 4}));
  EXPECT_THROW(device.call("gpuctr_wipe", {buffer, 5}), std::runtime_error);
}

}  // namespace
}  // namespace gpuctr::avr
