// CipherOps::step and chain of every backend this CPU has against the scalar backend's CTR.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernels/base/counter.h"
#include "kernels/cpu/backend.h"
#include "test/kernels/cases.h"

namespace gpuctr {
namespace {

using Bytes = std::vector<std::uint8_t>;
using test::Case;

// Steps are CTR_DRBG's, so ciphers without a generator have none.
std::vector<Case> cases_with_steps() {
  std::vector<Case> all;
  for (const Case& one : test::cases()) {
    if (one.cipher->generator_answer != nullptr) all.push_back(one);
  }
  return all;
}

class Step : public testing::TestWithParam<Case> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Step);

TEST_P(Step, IsCounterModeGoneOnWith) {
  const Backend& backend = *GetParam().backend;
  if (!backend.available()) GTEST_SKIP() << "this CPU has no " << backend.name;
  const CipherSpec& cipher = *GetParam().cipher;
  const std::size_t block = cipher.block_bytes;
  const std::size_t seed = (cipher.key_bytes + block - 1) / block * block + block;
  constexpr std::size_t kGuard = 32;
  std::mt19937_64 random(7);
  std::vector<std::size_t> lengths = {0, 1, block - 1, block, block + 1, 4095, 65536};
  for (std::size_t n = 12; n <= 124; n += 4) lengths.push_back(n);  // a narrow batch, and more
  for (std::size_t n = 64; n <= 4096; n *= 2) lengths.push_back(n);
  for (int i = 0; i < 200; ++i) {
    RoundKeys keys;
    Bytes key(cipher.key_bytes), counter(block);
    for (auto& b : key) b = static_cast<std::uint8_t>(random());
    // Counters that carry, somewhere within the output or the blocks after it.
    for (auto& b : counter) b = random() % 3 != 0 ? 0xff : static_cast<std::uint8_t>(random());
    cipher.expand(key.data(), &keys);
    for (const std::size_t n : lengths) {
      const std::size_t whole = (n + block - 1) / block * block;
      Bytes want(whole + seed);
      find_backend("scalar")->ops[cipher.index].ctr(keys, counter.data(), nullptr, want.data(),
                                                    want.size());
      Bytes out(n + kGuard, 0xa5), next(seed + kGuard, 0xa5);
      backend.ops[cipher.index].step(keys, counter.data(), out.data(), n, next.data());
      ASSERT_TRUE(std::equal(want.begin(), want.begin() + static_cast<long>(n), out.begin())) << n;
      ASSERT_TRUE(std::equal(want.begin() + static_cast<long>(whole), want.end(), next.begin()))
          << n;
      const auto guard = [](std::uint8_t b) { return b == 0xa5; };
      ASSERT_TRUE(std::all_of(out.begin() + static_cast<long>(n), out.end(), guard)) << n;
      ASSERT_TRUE(std::all_of(next.begin() + static_cast<long>(seed), next.end(), guard)) << n;
      if (n == 65536) break;
    }
    if (i == 0) lengths.erase(std::find(lengths.begin(), lengths.end(), 65536u));
  }
}

TEST_P(Step, LinksToAChain) {
  const Backend& backend = *GetParam().backend;
  if (!backend.available()) GTEST_SKIP() << "this CPU has no " << backend.name;
  const CipherSpec& cipher = *GetParam().cipher;
  const std::size_t block = cipher.block_bytes;
  std::mt19937_64 random(8);
  for (int round = 0; round < 100; ++round) {
    Bytes key(cipher.key_bytes), v(block);
    for (auto& b : key) b = static_cast<std::uint8_t>(random());
    for (auto& b : v) b = random() % 3 != 0 ? 0xff : static_cast<std::uint8_t>(random());
    const std::uint64_t blocks = random() % 3 == 0 ? 1 : random() % 5000;
    const std::size_t count = random() % 9;
    std::vector<ChainLink> links(count);
    Bytes end_key = key, end_v = v;
    backend.ops[cipher.index].chain(end_key.data(), end_v.data(), blocks, links.data(), count);

    for (std::size_t i = 0; i < count; ++i) {
      counter_add(v.data(), block, 1);
      ASSERT_TRUE(std::equal(key.begin(), key.end(), links[i].key)) << i;
      ASSERT_TRUE(std::equal(v.begin(), v.end(), links[i].counter)) << i;
      RoundKeys keys;
      cipher.expand(key.data(), &keys);
      counter_add(v.data(), block, blocks);
      Bytes seed(cipher.key_bytes + block);
      find_backend("scalar")->ops[cipher.index].ctr(keys, v.data(), nullptr, seed.data(),
                                                    seed.size());
      key.assign(seed.begin(), seed.end() - static_cast<long>(block));
      v.assign(seed.end() - static_cast<long>(block), seed.end());
    }
    ASSERT_EQ(key, end_key) << blocks << " blocks, " << count << " requests";
    ASSERT_EQ(v, end_v);
  }
}

class Requests : public Step {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Requests);

TEST_P(Requests, AreAChainWithItsOutput) {
  const Backend& backend = *GetParam().backend;
  if (!backend.available()) GTEST_SKIP() << "this CPU has no " << backend.name;
  const CipherSpec& cipher = *GetParam().cipher;
  const CipherOps& ops = backend.ops[cipher.index];
  constexpr std::size_t kBytes = 1024, kGuard = 32;
  std::mt19937_64 random(9);
  for (std::size_t count = 1; count < 20; ++count) {
    Bytes key(cipher.key_bytes), v(cipher.block_bytes);
    for (auto& b : key) b = static_cast<std::uint8_t>(random());
    for (auto& b : v) b = random() % 3 != 0 ? 0xff : static_cast<std::uint8_t>(random());
    Bytes end_key = key, end_v = v, out(count * kBytes + kGuard, 0xa5), want = out;
    ASSERT_FALSE(ops.requests(end_key.data(), end_v.data(), out.data(), kBytes - 1, count));
    ASSERT_EQ(out, want);
    ASSERT_TRUE(ops.requests(end_key.data(), end_v.data(), out.data(), kBytes, count));

    const CipherOps& scalar = find_backend("scalar")->ops[cipher.index];
    std::vector<ChainLink> links(count);
    scalar.chain(key.data(), v.data(), kBytes / cipher.block_bytes, links.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      RoundKeys keys;
      cipher.expand(links[i].key, &keys);
      scalar.ctr(keys, links[i].counter, nullptr, want.data() + i * kBytes, kBytes);
    }
    ASSERT_EQ(out, want) << count;
    ASSERT_EQ(key, end_key) << count;
    ASSERT_EQ(v, end_v) << count;
  }
}

std::vector<Case> cases_with_requests() {
  std::vector<Case> some;
  for (const Case& c : test::cases()) {
    if (c.backend->ops[c.cipher->index].requests != nullptr) some.push_back(c);
  }
  return some;
}

INSTANTIATE_TEST_SUITE_P(All, Step, testing::ValuesIn(cases_with_steps()), test::case_name);
INSTANTIATE_TEST_SUITE_P(All, Requests, testing::ValuesIn(cases_with_requests()), test::case_name);

}  // namespace
}  // namespace gpuctr
