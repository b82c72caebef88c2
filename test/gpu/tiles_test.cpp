// Jobs long enough for the kernels that take whole tiles, with a carry and a ragged edge in them.
#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;

// No kernel's least_bytes is above this.
constexpr std::size_t kLong = std::size_t{32} << 20;
constexpr std::size_t kGuard = 4096;

enum class Data { kNone, kElsewhere, kInPlace };

class LongJob : public testing::TestWithParam<std::size_t> {
 protected:
  const CipherSpec& cipher() const { return cipher_spec(GetParam()); }

  void job(const Bytes& counter, std::size_t n, Data data) {
    const DeviceLayer* const layer = cuda_with_a_device();
    const Key key(cipher());
    TestStream stream;
    const TestMemory out(TestMemory::Where::kDevice, n + 2 * kGuard);
    const TestMemory in(TestMemory::Where::kDevice, n);
    ASSERT_NE(out.get(), nullptr);
    ASSERT_NE(in.get(), nullptr);
    const Bytes guard(kGuard, 0xa5);
    const Bytes poison(n, 0x5a);
    std::uint8_t* const at = out.get() + kGuard;
    stream.put(out.get(), guard);
    stream.put(at + n, guard);
    Bytes want = data == Data::kNone ? Bytes(n) : random_bytes(n);
    std::uint8_t* const from = data == Data::kInPlace ? at : in.get();
    stream.put(at, poison);
    if (data != Data::kNone) stream.put(from, want);
    ASSERT_OK(layer->ctr(stream, key.cipher, key.keys, counter.data(),
                         data == Data::kNone ? nullptr : from, at, n));
    ASSERT_OK(layer->stream_wait(stream));
    key.expect(counter, &want);
    EXPECT_EQ(first_difference(stream.get(at, n), want), n) << n << " bytes";
    EXPECT_EQ(stream.get(out.get(), kGuard), guard);
    EXPECT_EQ(stream.get(at + n, kGuard), guard);
  }

  // A random counter block whose `bits` low bits, a multiple of 8, are all ones `back` blocks on.
  Bytes carries_after(std::size_t bits, std::uint64_t back) {
    Bytes counter = random_bytes(cipher().block_bytes);
    for (std::size_t i = 0; i < counter.size(); ++i) {
      if (8 * (counter.size() - i) <= bits) counter[i] = 0xff;
    }
    // Subtracting is adding the complement: on every byte.
    for (auto& x : counter) x = static_cast<std::uint8_t>(~x);
    counter_add(counter.data(), counter.size(), back);
    for (auto& x : counter) x = static_cast<std::uint8_t>(~x);
    return counter;
  }
};

TEST_P(LongJob, FromAnyCounter) {
  GPUCTR_NEEDS_A_DEVICE();
  job(random_bytes(cipher().block_bytes), kLong + random_below(100000), Data::kNone);
  job(random_bytes(cipher().block_bytes), kLong + random_below(100000), Data::kElsewhere);
  job(random_bytes(cipher().block_bytes), kLong + random_below(100000), Data::kInPlace);
}

TEST_P(LongJob, WithACarry) {
  GPUCTR_NEEDS_A_DEVICE();
  const std::size_t all = 8 * cipher().block_bytes;
  job(carries_after(32, 12345), kLong, Data::kNone);
  job(carries_after(32, 0), kLong + 16, Data::kElsewhere);
  job(carries_after(all / 2, 1023), kLong + 1, Data::kNone);
  job(carries_after(all, 100001), kLong + 17, Data::kInPlace);
}

// The carry out of bit 31 splits a job into launches; parts of a few blocks are launches too.
TEST_P(LongJob, WithAPartOfAFewBlocks) {
  GPUCTR_NEEDS_A_DEVICE();
  const std::uint64_t blocks = kLong / cipher().block_bytes;
  job(carries_after(32, blocks - 2), kLong, Data::kNone);
  job(carries_after(32, 1), kLong, Data::kElsewhere);
}

INSTANTIATE_TEST_SUITE_P(All, LongJob, testing::ValuesIn(ciphers_with_kernels()), cipher_test_name);

}  // namespace
}  // namespace gpuctr
