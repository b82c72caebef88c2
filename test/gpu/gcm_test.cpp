// Runs of GCM on the card: the text against the scalar backend, the hash against the CPU's.
#include <memory>

#include "kernels/cpu/ghash.h"
#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;
using Where = CardMemory::Where;

constexpr std::size_t kBlock = 16;
constexpr std::size_t kGuard = 64;

// 2^29 blocks would not wrap.
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

class GcmOnTheCard : public testing::TestWithParam<std::size_t> {
 protected:
  const CipherSpec& cipher() const { return cipher_spec(GetParam()); }

  void SetUp() override {
    GPUCTR_NEEDS_A_CARD();
    Where where = Where::kPinned;
    sum_ = std::make_unique<CardMemory>(where, kBlock);
  }

  // `blocks` at the given distances from 16-byte alignment; in < 0: in place.
  void run(std::size_t blocks, bool encrypts, int in_skew, unsigned out_skew) {
    const GpuLayer* const layer = cuda_with_a_card();
    const Key key(cipher());
    const Bytes counter = random_counter(), h = random_bytes(kBlock), y = random_bytes(kBlock);
    const std::size_t n = blocks * kBlock;
    const CardMemory out(Where::kDevice, n + 2 * kGuard);
    const CardMemory other(Where::kDevice, n + 2 * kGuard);
    ASSERT_NE(out.get(), nullptr);
    ASSERT_NE(other.get(), nullptr);
    const Bytes text = random_bytes(n);
    Bytes want = text;
    key.expect(counter, &want);
    Bytes around = random_bytes(n + 2 * kGuard);
    stream_.put(out.get(), around);
    const std::size_t at = kGuard + out_skew;
    std::uint8_t* const from = in_skew < 0 ? out.get() + at : other.get() + kGuard + in_skew;
    stream_.put(from, text);
    std::memset(sum_->get(), 0x5a, kBlock);
    ASSERT_OK(layer->gcm(
        stream_, cipher(), key.keys,
        {counter.data(), h.data(), y.data(), from, out.get() + at, blocks, encrypts, sum_->get()}));
    ASSERT_OK(layer->stream_wait(stream_));
    std::copy(want.begin(), want.end(), around.begin() + static_cast<std::ptrdiff_t>(at));
    const Bytes got = stream_.get(out.get(), around.size());
    ASSERT_EQ(first_difference(got, around), around.size()) << blocks << " blocks";
    const Bytes sum(sum_->get(), sum_->get() + kBlock);
    ASSERT_EQ(sum, hash_of(h, y, encrypts ? want.data() : text.data(), blocks))
        << blocks << " blocks, encrypts " << encrypts << ", in " << in_skew << ", out " << out_skew;
  }

  CardStream stream_;
  std::unique_ptr<CardMemory> sum_;
};

TEST_P(GcmOnTheCard, AnyLength) {
  GPUCTR_NEEDS_A_CARD();
  std::vector<std::size_t> lengths = {1, 2, 3, 4, 31, 32, 33, 63, 64, 65, 511, 512, 513, 1025};
  for (const std::size_t n : {132u * 2 * 512, 2u * 132 * 2 * 512, 1u << 19, 2500000u})
    lengths.insert(lengths.end(), {n - 1, n, n + 1, n + random_below(n)});
  for (const std::size_t blocks : lengths) {
    run(blocks, true, blocks % 3 == 0 ? 0 : -1, 0);
    run(blocks, false, blocks % 3 == 1 ? 0 : -1, 0);
    if (HasFatalFailure()) return;
  }
}

TEST_P(GcmOnTheCard, AnyAlignment) {
  GPUCTR_NEEDS_A_CARD();
  for (unsigned skew = 1; skew < 16; ++skew) {
    run(1 + random_below(3000), true, static_cast<int>(random_below(16)), skew);
    run(1 + random_below(300000), false, static_cast<int>(skew), skew);
    run(1 + random_below(3000), skew % 2 == 0, -1, skew);
    if (HasFatalFailure()) return;
  }
}

// A key's tables must not serve the next key, nor one stream's another's.
TEST_P(GcmOnTheCard, ManyKeysInOneStream) {
  GPUCTR_NEEDS_A_CARD();
  for (unsigned i = 0; i < 30; ++i) {
    run(1 + random_below(100000), i % 2 == 0, -1, 0);
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

INSTANTIATE_TEST_SUITE_P(All, GcmOnTheCard, testing::ValuesIn(with_16_byte_blocks()),
                         cipher_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GcmOnTheCard);

}  // namespace
}  // namespace gpuctr
