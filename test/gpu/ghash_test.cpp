// GHASH on the device against the CPU's.
#include "kernels/cpu/ghash.h"

#include <memory>

#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;
using Where = TestMemory::Where;

constexpr std::size_t kBlock = 16;

Bytes by_cpu(const Bytes& h, Bytes y, const Bytes& data) {
  const GhashOps& ops = *best_ghash(64).ops;
  GhashKey key;
  ops.expand(h.data(), &key);
  ops.update(key, y.data(), data.data(), data.size() / kBlock);
  return y;
}

class GhashOnTheDevice : public testing::Test {
 protected:
  void SetUp() override {
    GPUCTR_NEEDS_A_DEVICE();
    stream_ = std::make_unique<TestStream>();
    sum_ = std::make_unique<TestMemory>(Where::kPinned, kBlock);
    if (cuda_with_a_device()->ghash(*stream_, sum_->get(), sum_->get(), sum_->get(), 1,
                                    sum_->get()) == DeviceStatus::kUnsupported) {
      GTEST_SKIP() << "the device lacks the instruction";
    }
  }

  void run(std::size_t blocks, unsigned skew, Where where = Where::kDevice) {
    const DeviceLayer* const layer = cuda_with_a_device();
    const Bytes h = random_bytes(kBlock), y = random_bytes(kBlock);
    const Bytes data = random_bytes(blocks * kBlock);
    const TestMemory in(where, data.size() + 64);
    ASSERT_NE(in.get(), nullptr);
    // What stands around the blocks must not count.
    stream_->put(in.get(), random_bytes(data.size() + 64));
    stream_->put(in.get() + 16 + skew, data);
    std::memset(sum_->get(), 0x5a, kBlock);
    ASSERT_OK(
        layer->ghash(*stream_, h.data(), y.data(), in.get() + 16 + skew, blocks, sum_->get()));
    ASSERT_OK(layer->stream_wait(*stream_));
    const Bytes sum(sum_->get(), sum_->get() + kBlock);
    ASSERT_EQ(sum, by_cpu(h, y, data)) << blocks << " blocks, at " << skew;
  }

  std::unique_ptr<TestStream> stream_;
  std::unique_ptr<TestMemory> sum_;
};

TEST_F(GhashOnTheDevice, AnyLength) {
  std::vector<std::size_t> lengths = {1, 2, 3, 4, 31, 32, 33, 63, 64, 65, 511, 512, 513, 1025};
  // The blocks of one turn of an H200, and of two.
  for (const std::size_t n : {132u * 8 * 512, 2u * 132 * 8 * 512, 1u << 19, 5000000u})
    lengths.insert(lengths.end(), {n - 1, n, n + 1, n + random_below(n)});
  for (const std::size_t blocks : lengths) {
    run(blocks, 0);
    if (HasFatalFailure()) return;
  }
}

TEST_F(GhashOnTheDevice, AnyAlignment) {
  for (unsigned skew = 1; skew < 16; ++skew) {
    run(1 + random_below(3000), skew);
    run(1 + random_below(1000000), skew);
    if (HasFatalFailure()) return;
  }
}

TEST_F(GhashOnTheDevice, PinnedMemory) { run(100000, 0, Where::kPinned); }

// A key's tables must not serve the next.
TEST_F(GhashOnTheDevice, ManyKeysInOneStream) {
  for (unsigned i = 0; i < 100; ++i) {
    run(1 + random_below(100000), 0);
    if (HasFatalFailure()) return;
  }
}

// Two at once in one stream, with nobody waiting between them.
TEST_F(GhashOnTheDevice, OneAfterAnother) {
  const DeviceLayer* const layer = cuda_with_a_device();
  constexpr std::size_t kBlocks = 1 << 20;
  const Bytes data = random_bytes(kBlocks * kBlock);
  const TestMemory in(Where::kDevice, data.size());
  const TestMemory sums(Where::kPinned, 8 * kBlock);
  stream_->put(in.get(), data);
  std::vector<Bytes> h, y;
  for (unsigned i = 0; i < 8; ++i) {
    h.push_back(random_bytes(kBlock));
    y.push_back(random_bytes(kBlock));
    ASSERT_OK(layer->ghash(*stream_, h[i].data(), y[i].data(), in.get(), kBlocks,
                           sums.get() + i * kBlock));
  }
  ASSERT_OK(layer->stream_wait(*stream_));
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_EQ(Bytes(sums.get() + i * kBlock, sums.get() + (i + 1) * kBlock),
              by_cpu(h[i], y[i], data))
        << i;
  }
}

}  // namespace
}  // namespace gpuctr
