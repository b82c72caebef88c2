// Runs of GCM on the device in one pass: the text against the scalar backend, the hash against the
// CPU's.
#include <algorithm>
#include <memory>

#include "kernels/cpu/ghash.h"
#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;
using Where = TestMemory::Where;

constexpr std::size_t kBlock = 16;
constexpr std::size_t kGuard = 64;

// 2^29 blocks do not wrap.
Bytes random_counter() {
  Bytes counter = random_bytes(kBlock);
  counter[12] &= 0x7f;
  return counter;
}

Bytes hash_of(const Bytes& h, Bytes y, const std::uint8_t* data, std::size_t blocks) {
  const GhashOps& ops = *best_ghash(64).ops;
  GhashKey key;
  ops.expand(h.data(), &key);
  ops.update(key, y.data(), data, blocks);
  return y;
}

class GcmOnTheDevice : public testing::TestWithParam<std::size_t> {
 protected:
  const CipherSpec& cipher() const { return cipher_spec(GetParam()); }

  void SetUp() override {
    GPUCTR_NEEDS_A_DEVICE();
    stream_ = std::make_unique<TestStream>();
    sum_ = std::make_unique<TestMemory>(Where::kPinned, kBlock);
    if (call(sum_->get(), sum_->get(), 1, true) == DeviceStatus::kUnsupported) {
      GTEST_SKIP() << "no such kernel";
    }
    ASSERT_OK(cuda_with_a_device()->stream_wait(*stream_));
  }

  // A run with zeros for keys and counter.
  DeviceStatus call(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks, bool encrypts) {
    const std::uint8_t zeros[kMaxKeyBytes] = {};
    RoundKeys keys;
    cipher().expand(zeros, &keys);
    return cuda_with_a_device()->gcm(*stream_, cipher(), keys,
                                     {zeros, zeros, zeros, in, out, blocks, encrypts, sum_->get()});
  }

  void run(std::size_t blocks, bool encrypts, bool in_place) {
    const DeviceLayer* const layer = cuda_with_a_device();
    const Key key(cipher());
    const Bytes counter = random_counter(), h = random_bytes(kBlock), y = random_bytes(kBlock);
    const std::size_t n = blocks * kBlock;
    const TestMemory out(Where::kDevice, n + 2 * kGuard);
    const TestMemory other(Where::kDevice, n + 2 * kGuard);
    ASSERT_NE(out.get(), nullptr);
    ASSERT_NE(other.get(), nullptr);
    const Bytes text = random_bytes(n);
    Bytes want = text;
    key.expect(counter, &want);
    Bytes around = random_bytes(n + 2 * kGuard);
    stream_->put(out.get(), around);
    const std::size_t at = kGuard;
    std::uint8_t* const from = (in_place ? out.get() : other.get()) + at;
    stream_->put(from, text);
    std::memset(sum_->get(), 0x5a, kBlock);
    ASSERT_OK(layer->gcm(
        *stream_, cipher(), key.keys,
        {counter.data(), h.data(), y.data(), from, out.get() + at, blocks, encrypts, sum_->get()}));
    ASSERT_OK(layer->stream_wait(*stream_));
    std::copy(want.begin(), want.end(), around.begin() + static_cast<std::ptrdiff_t>(at));
    const Bytes got = stream_->get(out.get(), around.size());
    ASSERT_EQ(first_difference(got, around), around.size()) << blocks << " blocks";
    const Bytes sum(sum_->get(), sum_->get() + kBlock);
    ASSERT_EQ(sum, hash_of(h, y, encrypts ? want.data() : text.data(), blocks))
        << blocks << " blocks, encrypts " << encrypts << ", in place " << in_place;
  }

  std::unique_ptr<TestStream> stream_;
  std::unique_ptr<TestMemory> sum_;
};

TEST_P(GcmOnTheDevice, AnyLength) {
  GPUCTR_NEEDS_A_DEVICE();
  std::vector<std::size_t> lengths = {1, 2, 3, 4, 31, 32, 33, 127, 128, 129, 511, 512, 513, 1025};
  // The blocks of a unit of all warps of an H200, and of a turn, and two turns and more.
  constexpr std::size_t kUnit = std::size_t{132} * 2048;
  for (const std::size_t n : {kUnit - 1, kUnit, kUnit + 1, 2 * kUnit + random_below(kUnit)})
    lengths.push_back(n);
  for (const std::size_t n : {8 * kUnit, 8 * kUnit + 1, 17 * kUnit + random_below(kUnit)})
    lengths.push_back(n);
  for (const std::size_t blocks : lengths) {
    run(blocks, true, blocks % 3 == 0);
    run(blocks, false, blocks % 3 == 1);
    if (HasFatalFailure()) return;
  }
}

// Two passes are for these.
TEST_P(GcmOnTheDevice, UnalignedMemoryIsRefused) {
  GPUCTR_NEEDS_A_DEVICE();
  constexpr std::size_t kBlocks = 1000;
  const TestMemory memory(Where::kDevice, (kBlocks + 1) * kBlock);
  const Bytes before = random_bytes((kBlocks + 1) * kBlock);
  stream_->put(memory.get(), before);
  for (unsigned skew = 1; skew < 16; ++skew) {
    std::uint8_t* const at = memory.get() + skew;
    EXPECT_EQ(call(at, at, kBlocks, true), DeviceStatus::kUnsupported);
    EXPECT_EQ(call(memory.get(), at, kBlocks, false), DeviceStatus::kUnsupported);
    EXPECT_EQ(call(at, memory.get(), kBlocks, true), DeviceStatus::kUnsupported);
  }
  ASSERT_OK(cuda_with_a_device()->stream_wait(*stream_));
  EXPECT_EQ(stream_->get(memory.get(), before.size()), before);
}

// A key's tables must not serve the next key, nor one stream's another's.
TEST_P(GcmOnTheDevice, ManyKeysInOneStream) {
  GPUCTR_NEEDS_A_DEVICE();
  for (unsigned i = 0; i < 30; ++i) {
    run(1 + random_below(100000), i % 2 == 0, true);
    if (HasFatalFailure()) return;
  }
}

std::vector<std::size_t> with_16_byte_blocks() {
  std::vector<std::size_t> list;
  for (const std::size_t i : ciphers_with_kernels()) {
    if (cipher_spec(i).block_bytes == kBlock) list.push_back(i);
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, GcmOnTheDevice, testing::ValuesIn(with_16_byte_blocks()),
                         cipher_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GcmOnTheDevice);

}  // namespace
}  // namespace gpuctr
