// The ring by itself: who gets a slot, and when not; and whose keystream is in it.
#include "kernels/bulk/device/ring.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <new>

#include "test/bulk/support.h"

namespace {

// The allocation of an array, from now on, that fails: 1 is the next, 0 none.
unsigned g_fails_at = 0;

}  // namespace

void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  if (g_fails_at != 0 && --g_fails_at == 0) return nullptr;
  return std::malloc(size);
}
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void* operator new[](std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

namespace gpuctr {
namespace {

using namespace test;
using bulk::Slot;

constexpr std::size_t kSlot = 64 * kKiB;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

// On the ring's clock.
std::uint64_t now_ms() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000 +
         static_cast<std::uint64_t>(t.tv_nsec) / 1000000;
}

// A ring lives until the process ends, with what its slots have on a device.
struct Runtime {
  bulk::Devices devices;
  bulk::Ring ring;
};
Runtime& new_runtime() {
  static auto& all = *new std::deque<Runtime>;
  return all.emplace_back();
}

class Ring : public testing::Test {
 protected:
  void open(std::size_t slots, const FakeOptions& options = {}) {
    layer_ = fake_gpu(options);
    std::uint64_t places;
    ASSERT_EQ(devices_.open(*layer_, 0, &places), DeviceStatus::kOk);
    ASSERT_EQ(ring_.open(*layer_, &devices_, slots * kSlot, kSlot), DeviceStatus::kOk);
    ASSERT_EQ(ring_.slot_count(), slots);
  }
  Slot* take(std::size_t spare = 0, std::uint64_t devices = kAll) {
    return ring_.take(spare, devices, &ticket_);
  }
  DeviceStatus launch(Slot* slot) {
    return ring_.launch(slot, key_.cipher, key_.keys, key_.counter, kSlot);
  }

  const Key key_{lea()};
  const DeviceLayer* layer_ = nullptr;
  Runtime& runtime_ = new_runtime();
  bulk::Devices& devices_ = runtime_.devices;
  bulk::Ring& ring_ = runtime_.ring;
  std::uint64_t ticket_ = 0;
};

TEST_F(Ring, SpareSlotsAreLeft) {
  open(5);
  for (int i = 0; i < 3; ++i) EXPECT_NE(take(2), nullptr) << i;
  EXPECT_EQ(take(2), nullptr);
  EXPECT_EQ(ring_.refused(), 1u);
  Slot* const fourth = take(1);
  ASSERT_NE(fourth, nullptr);
  EXPECT_NE(take(0), nullptr);
  EXPECT_EQ(take(0), nullptr);
  ring_.give(fourth);
  EXPECT_EQ(take(1), nullptr);
  EXPECT_EQ(take(0), fourth);
}

TEST_F(Ring, AnIdleSlotIsTakenOverAfterAWhile) {
  open(1);
  Slot* const slot = take();
  ASSERT_NE(slot, nullptr);
  const std::uint64_t first = ticket_;
  ring_.idle(slot, first);
  EXPECT_LE(slot->used_at, now_ms());
  EXPECT_GE(slot->used_at + 60000, now_ms());
  // Never before: whatever the time that this takes, it is only judged when it was short.
  bool judged = false;
  for (int i = 0; i < 1000 && !judged; ++i) {
    const std::uint64_t begun = now_ms();
    slot->used_at = begun;
    Slot* const got = take();
    judged = now_ms() < begun + bulk::Ring::kIdle;
    EXPECT_TRUE(!judged || got == nullptr);
    if (got != nullptr) ring_.idle(got, ticket_);
  }
  EXPECT_TRUE(judged);
  // The owner has it back as long as nobody took it.
  const std::uint64_t second = slot->tag >> 1;
  EXPECT_TRUE(ring_.hold(slot, second));
  slot->used_at = 0;
  EXPECT_EQ(take(), nullptr) << "busy, however long";
  ring_.idle(slot, second);
  slot->used_at = now_ms() - bulk::Ring::kIdle;
  EXPECT_EQ(take(), slot);
  EXPECT_NE(ticket_, second);
  EXPECT_FALSE(ring_.hold(slot, second)) << "it is another's now";
  ring_.idle(slot, ticket_);
  EXPECT_FALSE(ring_.hold(slot, second));
  EXPECT_TRUE(ring_.hold(slot, ticket_));
}

// The device is late and nobody can say for how long: its slot may be written to at any time.
TEST_F(Ring, ASlotThatMayStillBeWrittenToIsNotUsedAgain) {
  FakeOptions late;
  late.kernel_us = 200000;
  open(2, late);
  Slot* const slot = take();
  ASSERT_EQ(launch(slot), DeviceStatus::kOk);
  fake_fail(Call::kEventWait, 1, DeviceStatus::kOther);
  fake_fail(Call::kStreamWait, 1, DeviceStatus::kOther);
  ring_.give(slot);
  EXPECT_EQ(fake_struck(), 2u);
  Slot* const other = take();
  ASSERT_NE(other, nullptr);
  EXPECT_NE(other, slot);
  EXPECT_EQ(take(), nullptr);
  // One whose device is lost is written to no more.
  ASSERT_EQ(launch(other), DeviceStatus::kOk);
  fake_fail(Call::kEventWait, 1, DeviceStatus::kDeviceLost);
  ring_.give(other);
  EXPECT_FALSE(other->in_flight);
  EXPECT_EQ(other->tag, 0u);
}

// A slot goes where it is asked for, its queue and keys do not.
TEST_F(Ring, ASlotMovesToAnotherDevice) {
  FakeOptions two;
  two.devices = 2;
  open(2, two);
  Slot* const first = take(0, 1);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->device, 0u);
  ASSERT_EQ(launch(first), DeviceStatus::kOk);
  ASSERT_EQ(ring_.wait(first), DeviceStatus::kOk);
  ring_.idle(first, ticket_);
  Slot* const second = take(0, 2);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->device, 1u);
  first->used_at = 0;
  EXPECT_TRUE(first->keyed);
  const unsigned waits = fake_calls(Call::kStreamWait);
  ASSERT_EQ(take(0, 2), first) << "the only one left, idle on the other device";
  EXPECT_EQ(first->device, 1u);
  EXPECT_FALSE(first->keyed);
  EXPECT_EQ(fake_calls(Call::kStreamWait), waits + 1) << "which has the device forget the keys";
  const unsigned kernels = fake_kernels_on(1);
  ASSERT_EQ(launch(first), DeviceStatus::kOk);
  ASSERT_EQ(ring_.wait(first), DeviceStatus::kOk);
  EXPECT_EQ(fake_kernels_on(1), kernels + 1);
  EXPECT_EQ(take(0, 4), nullptr) << "no such device";
}

// The slots and a list of them for each device; the pinned memory goes back.
TEST_F(Ring, OutOfMemory) {
  layer_ = fake_gpu();
  std::uint64_t places;
  ASSERT_EQ(devices_.open(*layer_, 0, &places), DeviceStatus::kOk);
  for (const unsigned nth : {1u, 2u, 1u + bulk::kMaxDevices}) {
    g_fails_at = nth;
    EXPECT_EQ(ring_.open(*layer_, &devices_, 4 * kSlot, kSlot), DeviceStatus::kOutOfMemory) << nth;
    EXPECT_EQ(g_fails_at, 0u);
    EXPECT_EQ(fake_pinned_bytes(), 0u);
  }
  ASSERT_EQ(ring_.open(*layer_, &devices_, 4 * kSlot, kSlot), DeviceStatus::kOk);
  EXPECT_NE(take(), nullptr);
}

// Each device gets a third of the slots, whichever has them now.
TEST_F(Ring, DevicesThatComeLaterGetTheirShare) {
  FakeOptions three;
  three.devices = 3;
  layer_ = fake_gpu(three);
  std::uint64_t places;
  ASSERT_EQ(devices_.open(*layer_, 3, &places), DeviceStatus::kOk);
  ASSERT_EQ(ring_.open(*layer_, &devices_, 9 * kSlot, kSlot), DeviceStatus::kOk);
  ASSERT_EQ(devices_.open(*layer_, 0, &places), DeviceStatus::kOk);
  ASSERT_EQ(devices_.count(), 3u);
  ring_.spread();
  unsigned slots[3] = {};
  while (Slot* const slot = take()) ++slots[slot->device];
  EXPECT_EQ(slots[0], 3u);
  EXPECT_EQ(slots[1], 3u);
  EXPECT_EQ(slots[2], 3u);
}

class StreamCounter : public testing::TestWithParam<std::size_t> {};

// What follows is told by the whole counter block, its first byte too.
TEST_P(StreamCounter, AnotherFirstByteDropsTheWindow) {
  const Key key(cipher_spec(GetParam()));
  Key other = key;
  other.counter[0] ^= 1;
  Engine engine(config(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  BulkStream stream(&engine);
  constexpr std::size_t kTurn = 2 * kMiB, kUpdate = 4096;
  const Bytes in = random_bytes(kTurn + kMiB);
  Bytes out(in.size()), want = key.expect(in);
  const Bytes end = other.expect(in);
  std::copy(end.begin() + kTurn, end.end(), want.begin() + kTurn);
  for (std::size_t at = 0; at != in.size(); at += kUpdate) {
    if (at == kTurn) {
      EXPECT_GT(engine.stats().device_windows, 0u);
    }
    const Key& now = at < kTurn ? key : other;
    ASSERT_EQ(stream.ctr(now.cipher, now.keys, now.at(at).data(), &in[at], &out[at], kUpdate),
              BulkStatus::kOk);
  }
  EXPECT_SAME(out, want);
}

INSTANTIATE_TEST_SUITE_P(All, StreamCounter, testing::Range(std::size_t{0}, kCipherCount));

}  // namespace
}  // namespace gpuctr
