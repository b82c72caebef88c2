// Reseeding by the clock, with a clock that the test sets: the module and libcrypto ask this
// program's time().
#include <gtest/gtest.h>

#include "test/drbg/ciphers.h"
#include "test/drbg/evp_rand.h"

namespace {

std::time_t g_now = 1'000'000'000;

}  // namespace

extern "C" __attribute__((visibility("default"))) std::time_t time(std::time_t* out) noexcept {
  if (out != nullptr) *out = g_now;
  return g_now;
}

namespace gpuctr {
namespace {

using test::Generator;
using test::lib;
using test::Params;

class RandClock : public testing::TestWithParam<const char*> {};

// OpenSSL's own beside it: both reseed, or neither does.
TEST_P(RandClock, AsOpensslsOwn) {
  Generator ours(lib(), GetParam() + std::string("-CTR-DRBG"), nullptr);
  Generator stock(lib(), "CTR-DRBG", nullptr);
  ASSERT_TRUE(stock.set(Params()
                            .text(OSSL_DRBG_PARAM_CIPHER, "AES-256-CTR")
                            .text(OSSL_DRBG_PARAM_PROPERTIES, "provider!=gpuctr")));
  for (Generator* rand : {&ours, &stock}) {
    ASSERT_TRUE(rand->set(Params().uint(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, 60)));
    ASSERT_TRUE(rand->instantiate());
  }
  const auto reseeds = [&](Generator& rand, std::time_t step) {
    const auto counter = rand.number(OSSL_DRBG_PARAM_RESEED_COUNTER);
    const std::time_t before = g_now;
    g_now += step;
    EXPECT_EQ(rand.generate(8).size(), 8u);
    const bool moved = rand.number(OSSL_DRBG_PARAM_RESEED_COUNTER) != counter;
    const auto when = static_cast<std::uint64_t>(g_now);
    EXPECT_TRUE(!moved || rand.number(OSSL_DRBG_PARAM_RESEED_TIME) == when);
    g_now = before;
    return moved;
  };
  const struct {
    std::time_t step;
    bool reseeds;
  } cases[] = {{0, false}, {59, false}, {-1, true}, {-1, false}, {-1000, true}};
  for (const auto& c : cases) {
    EXPECT_EQ(reseeds(ours, c.step), c.reseeds) << c.step;
    EXPECT_EQ(reseeds(stock, c.step), c.reseeds) << c.step;
  }
  // The last seeding was a thousand seconds before this moment.
  for (const std::time_t step : {-941, -940, -939, 0}) {
    EXPECT_EQ(reseeds(ours, step), reseeds(stock, step)) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCipher, RandClock, testing::ValuesIn(test::generator_ciphers()),
                         test::test_name);

}  // namespace
}  // namespace gpuctr
