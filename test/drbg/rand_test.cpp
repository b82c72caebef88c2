// The provider's random generators: names, parameters, the chain of primary, public and private,
// reseeding, and one clear error for each thing that can go wrong.
#include <gtest/gtest.h>
#include <openssl/conf.h>
#include <openssl/self_test.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "kernels/cipher/registry.h"
#include "test/drbg/evp_rand.h"
#include "test/support/gtest_name.h"

namespace gpuctr {
namespace {

using test::Bytes;
using test::Generator;
using test::lib;
using test::Params;
using test::TestSource;

class Rand : public testing::TestWithParam<const char*> {
 protected:
  Rand() : spec(*find_cipher(GetParam())), source(lib()) {
    source.give(Bytes(spec.key_bytes + spec.block_bytes, 0x11));
    source.give_nonce(Bytes(spec.key_bytes / 2, 0x22));
  }
  std::string name() const { return GetParam() + std::string("-CTR-DRBG"); }
  unsigned strength() const { return static_cast<unsigned>(8 * spec.key_bytes); }

  const CipherSpec& spec;
  TestSource source;
};

TEST(RandNames, OurNamesAndNeverThePlainOne) {
  const test::LibContext own;
  OSSL_PROVIDER_unload(own.defaults);
  test::LibContext& context = const_cast<test::LibContext&>(own);
  context.defaults = nullptr;
  EXPECT_EQ(EVP_RAND_fetch(own.ctx, "CTR-DRBG", nullptr), nullptr);
  for (const char* cipher : test::generator_ciphers()) {
    EVP_RAND* rand =
        EVP_RAND_fetch(own.ctx, (std::string(cipher) + "-ctr-drbg").c_str(), "provider=gpuctr");
    EXPECT_NE(rand, nullptr) << cipher;
    EVP_RAND_free(rand);
  }
  ERR_clear_error();
}

// The health test of each generator is part of the self-test, and a spoilt answer fails it.
TEST_P(Rand, SelfTest) {
  const test::LibContext own;
  struct Seen {
    std::string spoil;
    int passed = 0, failed = 0;
  } seen;
  const auto callback = [](const OSSL_PARAM params[], void* argument) {
    auto* s = static_cast<Seen*>(argument);
    const auto text = [&](const char* key) {
      const char* value = "";
      OSSL_PARAM_get_utf8_string_ptr(OSSL_PARAM_locate_const(params, key), &value);
      return std::string(value);
    };
    const std::string phase = text(OSSL_PROV_PARAM_SELF_TEST_PHASE);
    if (text(OSSL_PROV_PARAM_SELF_TEST_TYPE) != OSSL_SELF_TEST_TYPE_DRBG) return 1;
    s->passed += phase == OSSL_SELF_TEST_PHASE_PASS;
    s->failed += phase == OSSL_SELF_TEST_PHASE_FAIL;
    const bool mine = text(OSSL_PROV_PARAM_SELF_TEST_DESC) == s->spoil;
    return phase == OSSL_SELF_TEST_PHASE_CORRUPT && mine ? 0 : 1;
  };
  OSSL_SELF_TEST_set_callback(own.ctx, callback, &seen);
  EXPECT_EQ(OSSL_PROVIDER_self_test(own.ours), 1) << test::last_error();
  EXPECT_EQ(seen.passed, static_cast<int>(test::generator_ciphers().size()));
  seen.spoil = name();
  EXPECT_EQ(OSSL_PROVIDER_self_test(own.ours), 0);
  EXPECT_EQ(test::last_error(Reason::kSelfTest), name() + ": known answer");
  EXPECT_EQ(seen.failed, 1);
  EVP_RAND* rand = EVP_RAND_fetch(own.ctx, name().c_str(), nullptr);
  EXPECT_EQ(rand, nullptr) << "nothing is offered after a failure";
  EVP_RAND_free(rand);
  ERR_clear_error();
}

// The provider's own answer, and what it offers.
TEST(RandSelfTest, StatusAfterAFailureAndAfterASuccess) {
  const test::LibContext own;
  const auto status = [&] {
    int value = -1;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_int(OSSL_PROV_PARAM_STATUS, &value),
                            OSSL_PARAM_construct_end()};
    EXPECT_EQ(OSSL_PROVIDER_get_params(own.ours, params), 1);
    return value;
  };
  EXPECT_EQ(status(), 1);
  bool spoil = true;
  const auto callback = [](const OSSL_PARAM params[], void* argument) {
    const char* phase = "";
    OSSL_PARAM_get_utf8_string_ptr(OSSL_PARAM_locate_const(params, OSSL_PROV_PARAM_SELF_TEST_PHASE),
                                   &phase);
    const bool corrupt = std::strcmp(phase, OSSL_SELF_TEST_PHASE_CORRUPT) == 0;
    return corrupt && *static_cast<bool*>(argument) ? 0 : 1;
  };
  OSSL_SELF_TEST_set_callback(own.ctx, callback, &spoil);
  EXPECT_EQ(OSSL_PROVIDER_self_test(own.ours), 0);
  ERR_clear_error();
  EXPECT_EQ(status(), 0);
  spoil = false;
  EXPECT_EQ(OSSL_PROVIDER_self_test(own.ours), 1);
  EXPECT_EQ(status(), 1);
}

TEST(RandTime, ReseedsByTime) {
  Generator rand(lib(), "LEA-128-CTR-DRBG", nullptr);
  ASSERT_TRUE(rand.set(Params().uint(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, 1)));
  ASSERT_TRUE(rand.instantiate());
  const auto before = rand.number(OSSL_DRBG_PARAM_RESEED_COUNTER);
  sleep(2);
  ASSERT_EQ(rand.generate(8).size(), 8u);
  EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_RESEED_COUNTER), before + 1);
  ASSERT_TRUE(rand.set(Params().uint(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, 0)));
  sleep(1);
  ASSERT_EQ(rand.generate(8).size(), 8u);
  EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_RESEED_COUNTER), before + 1) << "0: no limit";
}

TEST_P(Rand, Parameters) {
  Generator rand(lib(), name(), source.get());
  ASSERT_NE(rand.get(), nullptr);
  EXPECT_EQ(EVP_RAND_get_state(rand.get()), EVP_RAND_STATE_UNINITIALISED);
  ASSERT_TRUE(rand.instantiate());
  EXPECT_EQ(EVP_RAND_get_state(rand.get()), EVP_RAND_STATE_READY);
  EXPECT_EQ(EVP_RAND_get_strength(rand.get()), strength());
  EXPECT_GE(rand.number(OSSL_RAND_PARAM_MAX_REQUEST), std::uint64_t{64} << 20);
  EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_MIN_ENTROPYLEN), spec.key_bytes);
  EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_MIN_NONCELEN), spec.key_bytes / 2);
  for (const char* key : {OSSL_DRBG_PARAM_MAX_ENTROPYLEN, OSSL_DRBG_PARAM_MAX_NONCELEN,
                          OSSL_DRBG_PARAM_MAX_PERSLEN, OSSL_DRBG_PARAM_MAX_ADINLEN}) {
    EXPECT_EQ(rand.number(key), 0x7fffffffu) << key;
  }
  EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_RESEED_REQUESTS), 256u);
  EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL), 3600u);
  EXPECT_NEAR(static_cast<double>(rand.number(OSSL_DRBG_PARAM_RESEED_TIME)),
              static_cast<double>(std::time(nullptr)), 60.0);
  char cipher[40] = {};
  OSSL_PARAM params[2] = {
      OSSL_PARAM_construct_utf8_string(OSSL_DRBG_PARAM_CIPHER, cipher, sizeof cipher),
      OSSL_PARAM_construct_end()};
  ASSERT_EQ(EVP_RAND_CTX_get_params(rand.get(), params), 1);
  EXPECT_EQ(cipher, GetParam() + std::string("-CTR"));
  // Each that is listed can be read.
  for (const OSSL_PARAM* p = EVP_RAND_CTX_gettable_params(rand.get()); p->key != nullptr; ++p) {
    if (p->data_type == OSSL_PARAM_UTF8_STRING) continue;
    EXPECT_NE(rand.number(p->key), ~std::uint64_t{0}) << p->key;
  }
}

TEST_P(Rand, SettingParameters) {
  Generator rand(lib(), name(), source.get());
  EXPECT_TRUE(rand.set(Params()
                           .text(OSSL_DRBG_PARAM_CIPHER, "AES-256-CTR")
                           .text(OSSL_DRBG_PARAM_PROPERTIES, "")
                           .uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, 77)))
      << "what is unknown is ignored";
  EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_RESEED_REQUESTS), 77u);
  EXPECT_FALSE(rand.set(Params().text(OSSL_DRBG_PARAM_RESEED_REQUESTS, "many")));
  EXPECT_EQ(ERR_peek_error(), 0u) << "as OpenSSL's own";
  EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_RESEED_REQUESTS), 77u);
  ASSERT_TRUE(rand.set(Params().uint(OSSL_DRBG_PARAM_USE_DF, 0)));
  EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_MIN_ENTROPYLEN), spec.key_bytes + spec.block_bytes);
  EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_MAX_NONCELEN), 0u);
  ASSERT_TRUE(rand.instantiate());
  EXPECT_FALSE(rand.set(Params().uint(OSSL_DRBG_PARAM_USE_DF, 1)));
  EXPECT_EQ(test::last_error(Reason::kBadParameter),
            "use_derivation_function cannot change while " + name() + " is instantiated");
  EXPECT_EQ(rand.generate(8).size(), 8u);
}

// All of a set is taken, or none.
TEST_P(Rand, ARefusedSetChangesNothing) {
  Generator rand(lib(), name(), source.get());
  ASSERT_TRUE(rand.set(Params()
                           .uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, 77)
                           .uint(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, 88)));
  ASSERT_TRUE(rand.instantiate());
  const auto unchanged = [&] {
    EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_RESEED_REQUESTS), 77u);
    EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL), 88u);
    EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_USE_DF), 1u);
    ERR_clear_error();
  };
  const auto requests = [] { return Params().uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, 5); };
  EXPECT_FALSE(rand.set(requests().text(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, "soon")));
  unchanged();
  EXPECT_FALSE(rand.set(
      requests().uint(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, 6).text(OSSL_DRBG_PARAM_USE_DF, "no")));
  unchanged();
  // Refused for the state, not for the value.
  EXPECT_FALSE(rand.set(requests().uint(OSSL_DRBG_PARAM_USE_DF, 0)));
  unchanged();
  EXPECT_FALSE(rand.set(Params()
                            .uint(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, 6)
                            .text(OSSL_DRBG_PARAM_RESEED_REQUESTS, "many")));
  unchanged();
  // Nor does the limit in force: eight requests, and no reseed, as 5 would have it.
  const auto before = rand.number(OSSL_DRBG_PARAM_RESEED_COUNTER);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(rand.generate(8).size(), 8u);
  EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_RESEED_COUNTER), before);
}

TEST_P(Rand, StrengthAboveTheCiphers) {
  Generator rand(lib(), name(), source.get());
  EXPECT_FALSE(rand.instantiate({1}, strength() + 1));
  const std::string text = name() + " gives " + std::to_string(strength()) + " bits of strength, " +
                           std::to_string(strength() + 1) + " were asked for";
  EXPECT_EQ(test::stock_error(PROV_R_INSUFFICIENT_DRBG_STRENGTH), text);
  ASSERT_TRUE(rand.instantiate({1}, strength()));
  EXPECT_TRUE(rand.generate(16, {}, false, strength() + 1).empty());
  EXPECT_EQ(test::stock_error(PROV_R_INSUFFICIENT_DRBG_STRENGTH), text);
  EXPECT_EQ(rand.generate(16, {}, false, strength()).size(), 16u);
}

TEST_P(Rand, AParentThatIsTooWeak) {
  TestSource weak(lib(), strength() - 1);
  const Generator rand(lib(), name(), weak.get());
  EXPECT_EQ(rand.get(), nullptr);
  EXPECT_EQ(test::stock_error(PROV_R_PARENT_STRENGTH_TOO_WEAK),
            name() + " needs a parent of " + std::to_string(strength()) + " bits, this one has " +
                std::to_string(strength() - 1));
}

TEST_P(Rand, ShortEntropyAndRecovery) {
  Generator rand(lib(), name(), source.get());
  source.give(Bytes(spec.key_bytes - 1, 1));
  EXPECT_FALSE(rand.instantiate());
  const std::string sizes = " wants " + std::to_string(spec.key_bytes) + " bytes of entropy";
  const std::string given = ", its source gave " + std::to_string(spec.key_bytes - 1);
  EXPECT_EQ(test::stock_error(PROV_R_ERROR_RETRIEVING_ENTROPY), name() + sizes + given);
  EXPECT_EQ(EVP_RAND_get_state(rand.get()), EVP_RAND_STATE_ERROR);
  EXPECT_TRUE(rand.generate(16).empty()) << "still no entropy";
  EXPECT_EQ(test::stock_error(PROV_R_ERROR_RETRIEVING_ENTROPY), name() + sizes + given);
  source.give(Bytes(spec.key_bytes, 1));
  EXPECT_TRUE(rand.instantiate()) << "the error state ends with a new instantiation";
  ASSERT_EQ(rand.generate(16).size(), 16u);

  // The same in the middle of its life: nothing more comes out of the old state.
  source.give(Bytes(spec.key_bytes - 1, 1));
  EXPECT_TRUE(rand.generate(16, {}, true).empty());
  EXPECT_EQ(test::stock_error(PROV_R_ERROR_RETRIEVING_ENTROPY),
            name() + sizes + " to reseed" + given);
  EXPECT_EQ(EVP_RAND_get_state(rand.get()), EVP_RAND_STATE_ERROR);
  EXPECT_EQ(EVP_RAND_verify_zeroization(rand.get()), 1);
  EXPECT_TRUE(rand.generate(16).empty());
  ERR_clear_error();
  source.give(Bytes(spec.key_bytes, 2));
  EXPECT_EQ(rand.generate(16).size(), 16u) << "a source that comes back is enough";
  EXPECT_EQ(EVP_RAND_get_state(rand.get()), EVP_RAND_STATE_READY);
}

TEST_P(Rand, InputThatIsTooLong) {
  Generator rand(lib(), name(), source.get());
  ASSERT_TRUE(rand.set(Params().uint(OSSL_DRBG_PARAM_USE_DF, 0)));
  const std::size_t seed = spec.key_bytes + spec.block_bytes;
  const std::string most = name() + " takes at most " + std::to_string(seed) + " bytes of ";
  EXPECT_FALSE(rand.instantiate(Bytes(seed + 1)));
  EXPECT_EQ(test::stock_error(PROV_R_PERSONALISATION_STRING_TOO_LONG),
            most + "personalization string");
  ASSERT_TRUE(rand.instantiate(Bytes(seed)));
  EXPECT_TRUE(rand.generate(16, Bytes(seed + 1)).empty());
  EXPECT_EQ(test::stock_error(PROV_R_ADDITIONAL_INPUT_TOO_LONG), most + "additional input");
  EXPECT_FALSE(rand.reseed({}, Bytes(seed + 1)));
  EXPECT_EQ(test::stock_error(PROV_R_ADDITIONAL_INPUT_TOO_LONG), most + "additional input");
  EXPECT_FALSE(rand.reseed(Bytes(seed + 1)));
  EXPECT_EQ(test::last_error(RAND_R_ENTROPY_INPUT_TOO_LONG, ERR_LIB_RAND), most + "entropy");
  EXPECT_FALSE(rand.reseed(Bytes(seed - 1)));
  EXPECT_EQ(test::last_error(RAND_R_ENTROPY_OUT_OF_RANGE, ERR_LIB_RAND),
            name() + " takes at least " + std::to_string(seed) + " bytes of entropy");
  EXPECT_EQ(rand.generate(16, Bytes(seed)).size(), 16u) << "a refused call changes nothing";
}

TEST_P(Rand, StatesAndZeroization) {
  Generator rand(lib(), name(), source.get());
  EXPECT_EQ(EVP_RAND_verify_zeroization(rand.get()), 1);
  EXPECT_TRUE(rand.generate(4).empty());
  EXPECT_EQ(test::stock_error(PROV_R_NOT_INSTANTIATED), name() + " is not instantiated");
  ASSERT_TRUE(rand.instantiate());
  EXPECT_EQ(EVP_RAND_verify_zeroization(rand.get()), 0);
  EXPECT_FALSE(rand.instantiate());
  EXPECT_EQ(test::stock_error(PROV_R_ALREADY_INSTANTIATED), name() + " is instantiated already");
  ASSERT_EQ(EVP_RAND_uninstantiate(rand.get()), 1);
  EXPECT_EQ(EVP_RAND_verify_zeroization(rand.get()), 1);
  EXPECT_EQ(EVP_RAND_get_state(rand.get()), EVP_RAND_STATE_UNINITIALISED);
  ERR_clear_error();
}

TEST_P(Rand, ReseedsByCountAndParent) {
  Generator primary(lib(), name(), nullptr);
  ASSERT_TRUE(primary.instantiate());
  Generator child(lib(), name(), primary.get());
  ASSERT_TRUE(child.instantiate());
  const auto counter = [&] { return child.number(OSSL_DRBG_PARAM_RESEED_COUNTER); };
  const auto first = counter();
  ASSERT_EQ(child.generate(8).size(), 8u);
  EXPECT_EQ(counter(), first) << "no reseed without a reason";

  ASSERT_TRUE(child.set(Params().uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, 3)));
  ASSERT_EQ(child.generate(8).size(), 8u);
  EXPECT_EQ(counter(), first);
  ASSERT_EQ(child.generate(8).size(), 8u);
  EXPECT_EQ(counter(), first + 1) << "by count, as OpenSSL counts";
  ASSERT_TRUE(child.set(Params().uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, 1000)));

  ASSERT_TRUE(primary.reseed());
  const auto before_parent = counter();
  ASSERT_EQ(child.generate(8).size(), 8u);
  EXPECT_EQ(counter(), before_parent + 1) << "because the parent was seeded";

  const auto before_resistance = counter();
  const auto parents = primary.number(OSSL_DRBG_PARAM_RESEED_COUNTER);
  ASSERT_EQ(child.generate(8, {}, true).size(), 8u);
  EXPECT_EQ(counter(), before_resistance + 1) << "prediction resistance";
  EXPECT_EQ(primary.number(OSSL_DRBG_PARAM_RESEED_COUNTER), parents + 1) << "down to the source";
}

// Each legal request of a large one counts.
TEST_P(Rand, ALargeRequestReseedsInTheMiddle) {
  Generator rand(lib(), name(), nullptr);
  ASSERT_TRUE(rand.instantiate());
  ASSERT_TRUE(rand.set(Params().uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, 11)));
  const auto before = rand.number(OSSL_DRBG_PARAM_RESEED_COUNTER);
  const std::size_t request = spec.block_bytes == 16 ? 65536 : 1024;
  ASSERT_EQ(rand.generate(35 * request).size(), 35 * request);
  EXPECT_EQ(rand.number(OSSL_DRBG_PARAM_RESEED_COUNTER), before + 3);
}

// Nothing is left of a large request whose source dries up in the middle.
TEST_P(Rand, ASourceThatDriesUpInALargeRequest) {
  Generator rand(lib(), name(), source.get());
  ASSERT_TRUE(rand.set(Params().uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, 11)));
  ASSERT_TRUE(rand.instantiate());
  source.give(Bytes(spec.key_bytes - 1, 1));
  Bytes out(35 * (spec.block_bytes == 16 ? 65536u : 1024u), 0x55);
  EXPECT_EQ(EVP_RAND_generate(rand.get(), out.data(), out.size(), 0, 0, nullptr, 0), 0);
  EXPECT_NE(test::stock_error(PROV_R_ERROR_RETRIEVING_ENTROPY).find(" bytes of entropy to reseed"),
            std::string::npos);
  EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](auto b) { return b == 0 || b == 0x55; }));
}

TEST_P(Rand, WithoutAParent) {
  Generator one(lib(), name(), nullptr), two(lib(), name(), nullptr);
  ASSERT_TRUE(one.instantiate() && two.instantiate());
  EXPECT_NE(one.generate(32), two.generate(32));
  Bytes nonce(16);
  EXPECT_EQ(EVP_RAND_nonce(one.get(), nonce.data(), nonce.size()), 1);
  EXPECT_NE(nonce, Bytes(16));
}

// OpenSSL's own DRBG is content with ours as a parent, and the reverse.
TEST_P(Rand, MixedChains) {
  Generator ours(lib(), "LEA-256-CTR-DRBG", nullptr);
  ASSERT_TRUE(ours.instantiate());
  Generator stock(lib(), "CTR-DRBG", ours.get());
  ASSERT_TRUE(stock.set(Params()
                            .text(OSSL_DRBG_PARAM_CIPHER, "AES-256-CTR")
                            .text(OSSL_DRBG_PARAM_PROPERTIES, "provider!=gpuctr")));
  ASSERT_TRUE(stock.instantiate()) << test::last_error();
  EXPECT_EQ(stock.generate(100).size(), 100u);
  Generator child(lib(), name(), stock.get());
  ASSERT_NE(child.get(), nullptr);
  ASSERT_TRUE(child.instantiate()) << test::last_error();
  EXPECT_EQ(child.generate(100).size(), 100u);
  EXPECT_EQ(EVP_RAND_enable_locking(child.get()), 1);
  EXPECT_EQ(child.generate(100).size(), 100u);
}

// What an application gets from openssl.cnf.
TEST_P(Rand, PrimaryPublicAndPrivateFromConfiguration) {
  const std::string path = testing::TempDir() + "gpuctr-rand-" + GetParam() + ".cnf";
  std::ofstream(path) << "openssl_conf = init\n[init]\nproviders = providers\nrandom = random\n"
                      << "[providers]\ngpuctr = ours\ndefault = stock\n"
                      << "[ours]\nactivate = 1\n[stock]\nactivate = 1\n"
                      << "[random]\nrandom = " << name() << "\n";
  OSSL_LIB_CTX* context = OSSL_LIB_CTX_new();
  OSSL_PROVIDER_set_default_search_path(context, GPUCTR_MODULE_DIR);
  ASSERT_EQ(OSSL_LIB_CTX_load_config(context, path.c_str()), 1) << test::last_error();
  Bytes a(64), b(64);
  ASSERT_EQ(RAND_bytes_ex(context, a.data(), a.size(), 0), 1) << test::last_error();
  ASSERT_EQ(RAND_priv_bytes_ex(context, b.data(), b.size(), 0), 1);
  EXPECT_NE(a, b);
  for (EVP_RAND_CTX* rand :
       {RAND_get0_primary(context), RAND_get0_public(context), RAND_get0_private(context)}) {
    ASSERT_NE(rand, nullptr);
    EXPECT_EQ(EVP_RAND_is_a(EVP_RAND_CTX_get0_rand(rand), name().c_str()), 1);
    EXPECT_EQ(EVP_RAND_get_state(rand), EVP_RAND_STATE_READY);
  }
  OSSL_LIB_CTX_free(context);
  unlink(path.c_str());
}

INSTANTIATE_TEST_SUITE_P(EveryCipher, Rand, testing::ValuesIn(test::generator_ciphers()),
                         [](const testing::TestParamInfo<const char*>& parameter) {
                           return test::gtest_name(parameter.param);
                         });

}  // namespace
}  // namespace gpuctr
