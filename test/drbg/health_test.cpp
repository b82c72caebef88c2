// The health test: right for every cipher, and able to fail.
#include "drbg/health.h"
#include "kernels/cipher/known_answers.h"

#include <gtest/gtest.h>

#include "test/drbg/ciphers.h"
#include "test/drbg/model.h"
#include "test/drbg/wrapped_cipher.h"

namespace gpuctr {
namespace {

using test::Bytes;

Bytes counting(unsigned first, std::size_t n) {
  Bytes out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(first + i);
  return out;
}

const std::uint8_t* known_answer(const char* cipher) {
  return find_cipher(cipher)->generator_answer->output;
}

class Health : public testing::TestWithParam<const char*> {
 protected:
  Health() : cipher(test::make_cipher(GetParam())), mechanism(*cipher) {}
  std::unique_ptr<drbg::BlockCipher> cipher;
  drbg::Mechanism mechanism;
};

TEST_P(Health, TheKnownAnswerIsTheModels) {
  const std::size_t seed = mechanism.seed;
  test::ModelDrbg model(*cipher, true);
  model.instantiate(counting(0x00, seed), counting(0x20, mechanism.key / 2), counting(0x40, seed));
  model.generate(2 * mechanism.block, counting(0x60, seed));
  model.reseed(counting(0x80, seed), counting(0xa0, seed));
  Bytes expected = model.generate(2 * mechanism.block, {});
  expected.resize(drbg::kKnownAnswerBytes);
  const std::uint8_t* known = known_answer(GetParam());
  EXPECT_EQ(test::to_hex(Bytes(known, known + drbg::kKnownAnswerBytes)), test::to_hex(expected));
}

TEST_P(Health, Passes) {
  EXPECT_STREQ(drbg::health_test(mechanism, known_answer(GetParam()), false), nullptr);
}

TEST_P(Health, SeesOneWrongBit) {
  EXPECT_STREQ(drbg::health_test(mechanism, known_answer(GetParam()), true), "known answer");
}

// A cipher whose backend gives wrong keystream now and then.
TEST(HealthFaults, SeesAWrongBackend) {
  class Wrong final : public test::WrappedCipher {
   public:
    using WrappedCipher::WrappedCipher;
    void keystream(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                   std::size_t n) const override {
      real_.keystream(keys, counter, out, n);
      if (n != 0 && wrong) out[n - 1] ^= 0x80;
    }
    bool output(const BulkSegment* segments, std::size_t count) const override {
      return !fails && real_.output(segments, count);
    }
    bool wrong = false;
    bool fails = false;
  };
  const auto real = test::make_cipher("LEA-128");
  Wrong cipher(*real);
  const drbg::Mechanism mechanism(cipher);
  const std::uint8_t* known = known_answer("LEA-128");
  EXPECT_STREQ(drbg::health_test(mechanism, known, false), nullptr);
  cipher.wrong = true;
  EXPECT_STREQ(drbg::health_test(mechanism, known, false), "known answer");
  cipher.wrong = false;
  cipher.fails = true;
  EXPECT_STREQ(drbg::health_test(mechanism, known, false), "generate");
}

INSTANTIATE_TEST_SUITE_P(EveryCipher, Health, testing::ValuesIn(test::generator_ciphers()),
                         test::test_name);

}  // namespace
}  // namespace gpuctr
