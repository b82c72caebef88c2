// One generator, many threads, reseeded while it generates.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "test/drbg/evp_rand.h"

namespace gpuctr {
namespace {

using test::Bytes;
using test::Generator;
using test::lib;

class Threads : public testing::TestWithParam<const char*> {};

TEST_P(Threads, ShareAPrimaryThatReseeds) {
  constexpr int kThreads = 8, kEach = 200;
  const std::string name = GetParam() + std::string("-CTR-DRBG");
  Generator primary(lib(), name, nullptr);
  ASSERT_TRUE(primary.instantiate());
  ASSERT_EQ(EVP_RAND_enable_locking(primary.get()), 1);
  std::vector<std::vector<Bytes>> outputs(kThreads);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      // As OpenSSL does: each thread its own child of the one primary.
      Generator child(lib(), name, primary.get());
      if (!child.instantiate()) ++failures;
      for (int i = 0; i < kEach; ++i) {
        outputs[static_cast<std::size_t>(t)].push_back((i % 2 == 0 ? child : primary).generate(32));
        if (i % 16 == 3 && !primary.reseed()) ++failures;
        if (i % 16 == 5 && primary.generate(3 << 16).size() != 3 << 16) ++failures;
        if (EVP_RAND_get_state(primary.get()) != EVP_RAND_STATE_READY) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  std::set<Bytes> seen;
  for (const auto& list : outputs) {
    for (const Bytes& bytes : list) {
      EXPECT_EQ(bytes.size(), 32u);
      EXPECT_TRUE(seen.insert(bytes).second) << "repeated output";
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kThreads * kEach));
}

INSTANTIATE_TEST_SUITE_P(EveryCipher, Threads, testing::ValuesIn(test::generator_ciphers()));

}  // namespace
}  // namespace gpuctr
