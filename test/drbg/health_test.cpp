// The health test: right for every cipher, and able to fail.
#include "drbg/health.h"
#include "kernels/cipher/known_answers.h"

#include <gtest/gtest.h>

#include "test/drbg/ciphers.h"
#include "test/drbg/model.h"
#include "test/fake_gpu/fake_gpu.h"

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
  Health() : cipher(test::make_cipher(GetParam())), mechanism(cipher->mechanism) {}
  std::unique_ptr<test::Cipher> cipher;
  const drbg::Mechanism& mechanism;
};

TEST_P(Health, TheKnownAnswerIsTheModels) {
  const std::size_t seed = mechanism.seed;
  test::ModelDrbg model(mechanism, true);
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

// A backend whose steps are wrong by one bit, and a device that is required and missing.
decltype(CipherOps::step) g_step = nullptr;
bool g_wrong = false;
void wrong_step(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                std::size_t n, std::uint8_t* seed) {
  g_step(keys, counter, out, n, seed);
  if (g_wrong) seed[0] ^= 0x80;
}

TEST(HealthFaults, SeesAWrongBackend) {
  const CipherSpec& spec = *find_cipher("LEA-128");
  static Backend backend;
  backend = best_backend();
  g_step = backend.ops[spec.index].step;
  backend.ops[spec.index].step = wrong_step;
  EngineConfig config;
  config.cpu = &backend;
  config.gpu = GpuUse::kOff;
  const test::Cipher cipher(spec, config);
  const std::uint8_t* known = known_answer("LEA-128");
  EXPECT_STREQ(drbg::health_test(cipher.mechanism, known, false), nullptr);
  g_wrong = true;
  EXPECT_STREQ(drbg::health_test(cipher.mechanism, known, false), "known answer");
  g_wrong = false;
}

TEST(HealthFaults, SeesAnEngineThatFails) {
  EngineConfig config;
  test::FakeOptions options;
  options.devices = 0;
  config.layer = test::fake_gpu(options);
  config.gpu = GpuUse::kRequire;
  config.gpu_threshold = 1;
  const auto cipher = test::make_cipher("LEA-128", config);
  EXPECT_STREQ(drbg::health_test(cipher->mechanism, known_answer("LEA-128"), false), "generate");
}

INSTANTIATE_TEST_SUITE_P(EveryCipher, Health, testing::ValuesIn(test::generator_ciphers()),
                         test::test_name);

}  // namespace
}  // namespace gpuctr
