// Limits, wrong input and a device that fails: one status each, and no byte where none is due.
#include <gtest/gtest.h>

#include <algorithm>

#include "test/drbg/ciphers.h"
#include "test/fake_gpu/fake_gpu.h"

namespace gpuctr {
namespace {

using drbg::State;
using drbg::Status;
using test::Bytes;
using test::view;

class Misuse : public testing::TestWithParam<const char*> {
 protected:
  Misuse()
      : cipher(test::make_cipher(GetParam())),
        mechanism(cipher->mechanism),
        drbg(mechanism, true),
        entropy(mechanism.min_entropy, 1),
        nonce(mechanism.min_entropy / 2, 2) {}

  Status instantiate() { return drbg.instantiate(view(entropy), view(nonce), {}); }

  std::unique_ptr<test::Cipher> cipher;
  const drbg::Mechanism& mechanism;
  drbg::CtrDrbg drbg;
  Bytes entropy, nonce;
};

TEST_P(Misuse, ParametersAreTableThrees) {
  EXPECT_EQ(mechanism.seed, mechanism.block + mechanism.key);
  EXPECT_GE(mechanism.seed_blocks * mechanism.block, mechanism.seed);
  EXPECT_LT((mechanism.seed_blocks - 1) * mechanism.block, mechanism.seed) << "no block too many";
  EXPECT_EQ(mechanism.max_request, mechanism.block == 16 ? 65536u : 1024u);
  EXPECT_EQ(mechanism.max_reseed, std::uint64_t{1} << (mechanism.block == 16 ? 48 : 32));
}

TEST_P(Misuse, NothingBeforeInstantiate) {
  Bytes out(40, 0x55);
  EXPECT_EQ(drbg.generate(out.data(), out.size(), {}), Status::kNotInstantiated);
  EXPECT_EQ(drbg.reseed(view(entropy), {}), Status::kNotInstantiated);
  EXPECT_EQ(out, Bytes(40, 0x55));
  EXPECT_TRUE(drbg.is_zeroized());
}

TEST_P(Misuse, LengthsOfInstantiate) {
  const Bytes short_entropy(entropy.begin(), entropy.end() - 1);
  const Bytes short_nonce(nonce.begin(), nonce.end() - 1);
  EXPECT_EQ(drbg.instantiate(view(short_entropy), view(nonce), {}), Status::kEntropyTooShort);
  EXPECT_EQ(drbg.instantiate(view(entropy), view(short_nonce), {}), Status::kNonceTooShort);
  // Lengths alone are looked at here: nothing of this size is read.
  const drbg::ByteView huge{entropy.data(), mechanism.max_length + 1};
  EXPECT_EQ(drbg.instantiate(huge, view(nonce), {}), Status::kEntropyTooLong);
  EXPECT_EQ(drbg.instantiate(view(entropy), huge, {}), Status::kNonceTooLong);
  EXPECT_EQ(drbg.instantiate(view(entropy), view(nonce), huge), Status::kPersonalizationTooLong);
  EXPECT_EQ(drbg.state(), State::kUninstantiated);
  EXPECT_TRUE(drbg.is_zeroized());
  EXPECT_EQ(instantiate(), Status::kOk);
  EXPECT_EQ(instantiate(), Status::kAlreadyInstantiated);
  EXPECT_EQ(drbg.reseed(view(short_entropy), {}), Status::kEntropyTooShort);
  EXPECT_EQ(drbg.reseed(view(entropy), huge), Status::kAdditionalInputTooLong);
  Bytes out(8);
  EXPECT_EQ(drbg.generate(out.data(), out.size(), huge), Status::kAdditionalInputTooLong);
  EXPECT_EQ(out, Bytes(8));
}

TEST_P(Misuse, WithoutDerivationFunctionEntropyIsSeedlen) {
  drbg::CtrDrbg plain(mechanism, false);
  const Bytes right(mechanism.seed, 7), shorter(mechanism.seed - 1, 7), longer(mechanism.seed + 1);
  EXPECT_EQ(plain.instantiate(view(shorter), {}, {}), Status::kEntropyTooShort);
  EXPECT_EQ(plain.instantiate(view(longer), {}, {}), Status::kEntropyTooLong);
  EXPECT_EQ(plain.instantiate(view(right), {}, view(longer)), Status::kPersonalizationTooLong);
  EXPECT_EQ(plain.instantiate(view(right), {}, view(shorter)), Status::kOk);
  EXPECT_EQ(plain.reseed(view(right), view(longer)), Status::kAdditionalInputTooLong);
  std::uint8_t out[4];
  EXPECT_EQ(plain.generate(out, 4, view(longer)), Status::kAdditionalInputTooLong);
}

TEST_P(Misuse, TheReseedIntervalCountsLegalRequests) {
  drbg.set_reseed_interval(4);
  ASSERT_EQ(instantiate(), Status::kOk);
  EXPECT_EQ(drbg.requests_left(), 4u);
  Bytes out(4 * mechanism.max_request + 1, 0x55);
  EXPECT_EQ(drbg.generate(out.data(), out.size(), {}), Status::kReseedRequired);
  EXPECT_EQ(out, Bytes(out.size(), 0x55)) << "a refused request writes nothing";
  EXPECT_EQ(drbg.generate(out.data(), out.size() - 1, {}), Status::kOk);
  EXPECT_EQ(drbg.requests_left(), 0u);
  EXPECT_EQ(drbg.generate(out.data(), 1, {}), Status::kReseedRequired);
  EXPECT_EQ(drbg.generate(out.data(), 0, {}), Status::kReseedRequired);
  EXPECT_EQ(drbg.reseed(view(entropy), {}), Status::kOk);
  EXPECT_EQ(drbg.generate(out.data(), 1, {}), Status::kOk);
  drbg.set_reseed_interval(0);
  EXPECT_EQ(drbg.requests_left(), 0u) << "one request was made, one is the least interval";
  drbg.set_reseed_interval(~std::uint64_t{0});
  EXPECT_EQ(drbg.requests_left(), mechanism.max_reseed - 1);
}

TEST_P(Misuse, UninstantiateLeavesNothing) {
  ASSERT_EQ(instantiate(), Status::kOk);
  std::uint8_t out[64];
  ASSERT_EQ(drbg.generate(out, sizeof out, {}), Status::kOk);
  EXPECT_FALSE(drbg.is_zeroized());
  drbg.uninstantiate();
  EXPECT_TRUE(drbg.is_zeroized());
  EXPECT_EQ(drbg.generate(out, sizeof out, {}), Status::kNotInstantiated);
}

// A device that is required and fails. The second case: only jobs of many requests fail, and are
// not tried again one by one.
TEST_P(Misuse, AFailingDeviceEndsInTheErrorState) {
  struct Case {
    std::size_t n;
    test::Call call;
  };
  for (const Case c :
       {Case{16, test::Call::kCtr}, Case{std::size_t{3} << 20, test::Call::kBatch}}) {
    EngineConfig config;
    config.layer = test::fake_gpu();
    config.gpu = GpuUse::kRequire;
    config.gpu_threshold = 1;
    const auto required = test::make_cipher(GetParam(), config);
    drbg::CtrDrbg broken(required->mechanism, true);
    ASSERT_EQ(broken.instantiate(view(entropy), view(nonce), {}), Status::kOk);
    Bytes first(c.n), out(c.n);
    ASSERT_EQ(broken.generate(first.data(), c.n, {}), Status::kOk);
    // A failure that passes, so that the device serves again afterwards.
    test::fake_fail(c.call, 1, DeviceStatus::kOutOfMemory, 1000);
    EXPECT_EQ(broken.generate(out.data(), c.n, {}), Status::kOutputFailed);
    EXPECT_NE(test::fake_struck(), 0u);
    EXPECT_EQ(broken.state(), State::kError);
    EXPECT_TRUE(broken.is_zeroized());
    test::fake_fail(c.call, 1, DeviceStatus::kOk, 0);
    EXPECT_EQ(broken.generate(out.data(), c.n, {}), Status::kInErrorState);
    EXPECT_EQ(broken.reseed(view(entropy), {}), Status::kInErrorState);
    EXPECT_EQ(broken.instantiate(view(entropy), view(nonce), {}), Status::kInErrorState);
    broken.uninstantiate();
    EXPECT_EQ(broken.instantiate(view(entropy), view(nonce), {}), Status::kOk);
    EXPECT_EQ(broken.generate(out.data(), c.n, {}), Status::kOk);
    EXPECT_EQ(out, first);
  }
}

// 10.2.1.5.1 knows no request for no bytes; a caller who makes one gets a new state all the same.
TEST_P(Misuse, ARequestForNoBytesIsARequest) {
  drbg::CtrDrbg other(mechanism, true);
  ASSERT_EQ(instantiate(), Status::kOk);
  ASSERT_EQ(other.instantiate(view(entropy), view(nonce), {}), Status::kOk);
  Bytes a(16), b(16);
  EXPECT_EQ(drbg.generate(nullptr, 0, {}), Status::kOk);
  EXPECT_EQ(drbg.reseed_counter(), 2u);
  EXPECT_EQ(drbg.generate(a.data(), a.size(), {}), Status::kOk);
  EXPECT_EQ(other.generate(b.data(), b.size(), {}), Status::kOk);
  EXPECT_NE(a, b);
}

INSTANTIATE_TEST_SUITE_P(Both, Misuse, testing::Values("HIGHT", "LEA-192", "CHAM-128-256"),
                         test::test_name);

}  // namespace
}  // namespace gpuctr
