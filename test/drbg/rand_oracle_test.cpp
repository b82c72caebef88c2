// The provider's generators under TEST-RAND: published answers, the tests' model, and OpenSSL's own
// CTR-DRBG running over our CTR and ECB ciphers.
#include <gtest/gtest.h>

#include "test/drbg/ciphers.h"
#include "test/drbg/evp_rand.h"
#include "test/drbg/model.h"
#include "test/support/vector_files.h"

namespace gpuctr {
namespace {

using test::Bytes;
using test::Generator;
using test::lib;
using test::Params;
using test::Stanza;
using test::TestSource;

bool set_df(Generator& rand, bool use_df) {
  return rand.set(Params().uint(OSSL_DRBG_PARAM_USE_DF, use_df ? 1 : 0));
}

// The answers of a vector file, as far as it is about our ciphers.
void check_file(const char* file, std::size_t expected) {
  std::size_t checked = 0;
  for (const Stanza& s : test::read_vectors(file)) {
    if (find_cipher(s.text("Cipher").c_str()) == nullptr) continue;
    TestSource source(lib());
    Generator rand(lib(), s.text("Cipher") + "-CTR-DRBG", source.get());
    ASSERT_NE(rand.get(), nullptr);
    ASSERT_TRUE(set_df(rand, s.text("DerivationFunction") == "1"));
    source.give(s.bytes("Entropy"));
    source.give_nonce(s.bytes("Nonce"));
    // An empty one is not the same as none, which stands for a default.
    Bytes personalization = s.bytes("Personalization");
    personalization.reserve(1);
    ASSERT_TRUE(rand.instantiate(personalization)) << s.place();
    for (const char* step : {".1", ".2"}) {
      const std::string at = step;
      if (s.has("Entropy" + at)) source.give(s.bytes("Entropy" + at));
      const Bytes out = rand.generate(s.bytes("Output" + at).size(), s.bytes("Additional" + at),
                                      s.has("Entropy" + at));
      EXPECT_EQ(test::to_hex(out), s.text("Output" + at)) << s.place();
    }
    ++checked;
  }
  EXPECT_EQ(checked, expected);
}

// How many of these ciphers the build has.
std::size_t built(std::initializer_list<const char*> names) {
  std::size_t count = 0;
  for (const char* name : names) count += find_cipher(name) != nullptr ? 1 : 0;
  return count;
}

TEST(RandOracle, PublishedAnswers) {
  check_file("test/vectors/ctr_drbg_ttak.txt",
             24 * built({"HIGHT", "LEA-128", "LEA-192", "LEA-256", "ARIA-128", "ARIA-192",
                         "ARIA-256", "SEED"}));
}
TEST(RandOracle, KnownAnswersOfEveryCipher) {
  for (const char* file : test::kEdgeDrbg) check_file(file, test::read_vectors(file).size());
}

class RandOracle : public testing::TestWithParam<const char*> {
 protected:
  RandOracle() : random(5) {}
  std::string name() const { return GetParam() + std::string("-CTR-DRBG"); }
  std::mt19937_64 random;
};

TEST_P(RandOracle, TheModel) {
  const auto cipher = test::make_cipher(GetParam());
  const drbg::Mechanism& mechanism = cipher->mechanism;
  for (const bool use_df : {true, false}) {
    TestSource source(lib());
    Generator rand(lib(), name(), source.get());
    ASSERT_TRUE(set_df(rand, use_df));
    test::ModelDrbg model(mechanism, use_df);
    const Bytes entropy = test::random_bytes(random, mechanism.seed);
    const Bytes nonce = test::random_bytes(random, mechanism.key / 2);
    const Bytes personalization = test::random_bytes(random, 10);
    source.give(entropy);
    source.give_nonce(nonce);
    ASSERT_TRUE(rand.instantiate(personalization));
    model.instantiate(entropy, use_df ? nonce : Bytes(), personalization);
    for (const bool prediction_resistance : {false, true, false}) {
      Bytes additional = test::random_bytes(random, 12);
      const Bytes out = rand.generate(100, additional, prediction_resistance);
      if (prediction_resistance) {
        model.reseed(entropy, additional);
        additional.clear();
      }
      EXPECT_EQ(out, model.generate(100, additional));
    }
    const Bytes more = test::random_bytes(random, mechanism.seed);
    ASSERT_TRUE(rand.reseed(more, {4, 5}));
    model.reseed(more, {4, 5});
    model.reseed(entropy, {});
    EXPECT_EQ(rand.generate(33), model.generate(33, {}));
  }
}

// OpenSSL's CTR-DRBG takes any cipher with 16-byte blocks. It makes one legal request at a time, so
// it is the yardstick for what becomes of a large one as well.
TEST_P(RandOracle, OpensslsOwnOverOurCipher) {
  const CipherSpec& spec = *find_cipher(GetParam());
  if (spec.block_bytes != 16) GTEST_SKIP() << "OpenSSL's CTR-DRBG is for 16-byte blocks";
  for (const bool use_df : {true, false}) {
    TestSource source(lib());
    Generator ours(lib(), name(), source.get());
    Generator stock(lib(), "CTR-DRBG", source.get());
    const std::string cipher = GetParam() + std::string("-CTR");
    // Without the properties OpenSSL 3.5.9 looks in the generator's own provider alone.
    ASSERT_TRUE(stock.set(Params()
                              .text(OSSL_DRBG_PARAM_PROPERTIES, "provider=gpuctr")
                              .text(OSSL_DRBG_PARAM_CIPHER, cipher.c_str())
                              .uint(OSSL_DRBG_PARAM_USE_DF, use_df ? 1 : 0)))
        << test::last_error();
    ASSERT_TRUE(set_df(ours, use_df));
    source.give(test::random_bytes(random, spec.key_bytes + 16));
    source.give_nonce(test::random_bytes(random, spec.key_bytes / 2));
    ASSERT_TRUE(ours.instantiate());
    ASSERT_TRUE(stock.instantiate());
    const std::size_t sizes[] = {1,     15,    16,        17,      31,      65535,        65536,
                                 65537, 70000, 5 * 65536, 1 << 20, 3000001, (9 << 20) + 3};
    for (const unsigned reseed_requests : {1u, 2u, 5u, 1u << 16, 0u}) {
      const auto limits = [&] {
        return Params().uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, reseed_requests);
      };
      ASSERT_TRUE(ours.set(limits()) && stock.set(limits()));
      for (const std::size_t n : sizes) {
        const Bytes additional = random() % 2 == 0 ? Bytes() : test::random_bytes(random, 20);
        const bool prediction_resistance = random() % 4 == 0;
        source.give(test::random_bytes(random, spec.key_bytes + 16));
        const Bytes a = ours.generate(n, additional, prediction_resistance);
        const Bytes b = stock.generate(n, additional, prediction_resistance);
        ASSERT_EQ(a.size(), n);
        ASSERT_TRUE(a == b) << n << " bytes, reseed_requests " << reseed_requests
                            << ", additional input " << additional.size() << ", df " << use_df;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCipher, RandOracle, testing::ValuesIn(test::generator_ciphers()),
                         test::test_name);

}  // namespace
}  // namespace gpuctr
