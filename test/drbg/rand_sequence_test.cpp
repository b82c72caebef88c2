// Random sequences of calls, made alike to a generator of ours and to OpenSSL's own CTR-DRBG over
// the same cipher: results, states, parameters and bytes agree. What differs on purpose (RAND.md)
// is asked of ours alone, and must leave no trace in what follows.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "test/drbg/ciphers.h"
#include "test/drbg/evp_rand.h"

namespace gpuctr {
namespace {

using test::Bytes;
using test::Generator;
using test::lib;
using test::Params;
using test::TestSource;

constexpr std::uint8_t kOurString[] = {'g', 'p', 'u', 'c', 't', 'r', ' ', 'C',
                                       'T', 'R', '_', 'D', 'R', 'B', 'G'};

// A pointer and a length that need not fit together.
struct Input {
  const std::uint8_t* data;
  std::size_t size;
};

class Pair {
 public:
  Pair(const char* cipher, std::uint64_t seed)
      : spec_(*find_cipher(cipher)),
        random_(seed),
        source_(lib()),
        ours_(lib(), cipher + std::string("-CTR-DRBG"), source_.get()),
        stock_(lib(), "CTR-DRBG", source_.get()),
        bytes_(test::random_bytes(random_, 200)) {
    const std::string name = cipher + std::string("-CTR");
    // Where libcrypto has the cipher too, its own.
    EXPECT_TRUE(stock_.set(Params()
                               .text(OSSL_DRBG_PARAM_CIPHER, name.c_str())
                               .text(OSSL_DRBG_PARAM_PROPERTIES,
                                     spec_.in_openssl ? "provider=default" : "provider=gpuctr")));
    mend_source();
  }

  void step() {
    switch (draw(9)) {
      case 0:
        return instantiate();
      case 1:
        return uninstantiate();
      case 2:
        return reseed();
      case 3:
        return set_limits();
      case 4:
        return set_df();
      case 5:
        return nonce();
      case 6:
        return draw(3) == 0 ? spoil_source() : mend_source();
      default:
        return generate();
    }
  }

  const std::string& log() const { return log_; }

 private:
  std::size_t draw(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool heads() { return draw(2) == 0; }
  void say(const std::string& what) { log_ += what + "\n"; }

  // After a call that began in the error state both generators have instantiated themselves again.
  // Each has its own personalization string, so their bytes differ from here on.
  void recovered(bool was_ready) {
    if (!was_ready) same_bytes_ = false;
  }

  // What both have to agree on after every call.
  void compare() {
    EXPECT_EQ(state(ours_), state(stock_));
    for (const char* key :
         {OSSL_RAND_PARAM_STRENGTH, OSSL_DRBG_PARAM_RESEED_COUNTER, OSSL_DRBG_PARAM_RESEED_REQUESTS,
          OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, OSSL_DRBG_PARAM_MIN_ENTROPYLEN,
          OSSL_DRBG_PARAM_MAX_ENTROPYLEN, OSSL_DRBG_PARAM_MIN_NONCELEN,
          OSSL_DRBG_PARAM_MAX_NONCELEN, OSSL_DRBG_PARAM_MAX_PERSLEN, OSSL_DRBG_PARAM_MAX_ADINLEN}) {
      EXPECT_EQ(ours_.number(key), stock_.number(key)) << key;
    }
    ERR_clear_error();
  }
  // Library and reason of the first error; the others say what became of the call. Of a success:
  // none, for OpenSSL's own leaves errors of the tries before it.
  static unsigned long first_error(int done) {
    const unsigned long first = done == 1 ? 0 : ERR_peek_error();
    ERR_clear_error();
    return first;
  }
  static int state(const Generator& rand) { return EVP_RAND_get_state(rand.get()); }
  bool ready() const { return state(stock_) == EVP_RAND_STATE_READY; }
  bool fresh() const { return state(stock_) == EVP_RAND_STATE_UNINITIALISED; }

  // Mostly what a caller gives, now and then nothing of some length, or more than is taken.
  Input input() {
    switch (draw(8)) {
      case 0:
        return {nullptr, 0};
      case 1:
        return {nullptr, 1 + draw(1000)};
      case 2:
        return {bytes_.data(), 0};
      case 3:
        return {nullptr, std::size_t{1} << 40};
      case 4:
        return {bytes_.data(), std::size_t{1} << 40};
      default:
        // Without a derivation function some of these are too long.
        return {bytes_.data() + draw(100), 1 + draw(60)};
    }
  }
  static std::string text(const Input& i) {
    return (i.data == nullptr ? " NULL," : " data,") + std::to_string(i.size);
  }
  unsigned strength() {
    const unsigned own = static_cast<unsigned>(8 * spec_.key_bytes);
    const unsigned choices[] = {0, own, own + 1, own - 1};
    return choices[draw(4)];
  }

  void mend_source() {
    say("source good");
    source_.give(test::random_bytes(random_, spec_.key_bytes + spec_.block_bytes));
    source_.give_nonce(test::random_bytes(random_, spec_.key_bytes / 2));
  }
  void spoil_source() {
    say("source short");
    source_.give(test::random_bytes(random_, spec_.key_bytes - 1));
  }

  void instantiate() {
    Input personalization = input();
    const unsigned wanted = strength();
    const unsigned requests = static_cast<unsigned>(draw(5));
    const bool with_params = heads();
    say("instantiate " + std::to_string(wanted) + text(personalization));
    const auto call = [&](const Generator& rand) {
      Params params;
      params.uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, requests);
      return EVP_RAND_instantiate(rand.get(), wanted, 0, personalization.data, personalization.size,
                                  with_params ? params.get() : nullptr);
    };
    const bool was_ready = ready();
    // OpenSSL's stays in its error state until it is uninstantiated or used; ours begins afresh.
    if (!was_ready && !fresh()) {
      EVP_RAND_uninstantiate(stock_.get());
      if (heads()) EVP_RAND_uninstantiate(ours_.get());
    }
    const Input given = personalization;
    // The string that stands for none is each generator's own.
    if (given.data == nullptr) personalization = {kOurString, sizeof kOurString};
    ERR_clear_error();
    const int theirs = call(stock_);
    personalization = given;
    const unsigned long expected = first_error(was_ready ? 0 : theirs);
    // OpenSSL's says yes to the second instantiate, and does nothing but leave an error.
    const int done = call(ours_);
    EXPECT_EQ(done, was_ready ? 0 : theirs);
    EXPECT_EQ(first_error(done), expected);
    if (!was_ready) same_bytes_ = true;
    // A refusal ends nobody's error state.
    if (fresh()) EVP_RAND_uninstantiate(ours_.get());
    compare();
  }

  void uninstantiate() {
    say("uninstantiate");
    EXPECT_EQ(EVP_RAND_uninstantiate(ours_.get()), EVP_RAND_uninstantiate(stock_.get()));
    EXPECT_EQ(EVP_RAND_verify_zeroization(ours_.get()), 1);
    compare();
  }

  // OpenSSL's instantiates itself for a caller who forgot to. Ours says so.
  bool refused_before_instantiate(int done) {
    if (!fresh()) return false;
    EXPECT_EQ(done, 0);
    EXPECT_EQ(ERR_peek_error(), ERR_PACK(ERR_LIB_PROV, 0, PROV_R_NOT_INSTANTIATED));
    compare();
    return true;
  }

  void reseed() {
    const Input additional = input();
    Input entropy{nullptr, draw(3) * 20};
    if (heads()) entropy = {bytes_.data(), draw(70)};
    const bool prediction_resistance = draw(4) == 0;
    say("reseed" + text(entropy) + text(additional));
    const auto call = [&](const Generator& rand) {
      return EVP_RAND_reseed(rand.get(), prediction_resistance ? 1 : 0, entropy.data, entropy.size,
                             additional.data, additional.size);
    };
    if (fresh() && additional.size < 20) {
      refused_before_instantiate(call(ours_));
      return;
    }
    if (fresh()) return;
    const bool fits = entropy.size >= stock_.number(OSSL_DRBG_PARAM_MIN_ENTROPYLEN) &&
                      entropy.size <= stock_.number(OSSL_DRBG_PARAM_MAX_ENTROPYLEN);
    if (entropy.data != nullptr && !fits) {
      // OpenSSL's goes to its error state for the caller's mistake, ours stays as it was.
      if (!ready()) return;
      EXPECT_EQ(call(ours_), 0);
      compare();
      return;
    }
    recovered(ready());
    ERR_clear_error();
    const int theirs = call(stock_);
    const unsigned long expected = first_error(theirs);
    EXPECT_EQ(call(ours_), theirs);
    EXPECT_EQ(first_error(theirs), expected);
    compare();
  }

  void generate() {
    const std::size_t sizes[] = {0, 1, 16, 17, 300, 65536, 65537, 200000};
    const std::size_t n = sizes[draw(draw(4) == 0 ? 8 : 5)];
    const Input additional = input();
    const unsigned wanted = strength();
    const bool prediction_resistance = draw(4) == 0;
    say("generate " + std::to_string(n) + " strength " + std::to_string(wanted) + text(additional) +
        (prediction_resistance ? " prediction resistance" : ""));
    const auto call = [&](const Generator& rand, Bytes* out) {
      return EVP_RAND_generate(rand.get(), out->data(), n, wanted, prediction_resistance ? 1 : 0,
                               additional.data, additional.size);
    };
    Bytes a(n + 1, 0x55), b(n + 1, 0x55);
    if (fresh()) {
      // What is wrong with the call may be said first.
      EXPECT_EQ(call(ours_, &a), n == 0 ? 1 : 0);
      EXPECT_EQ(a, b) << "nothing is written";
      compare();
      return;
    }
    recovered(ready());
    ERR_clear_error();
    const int theirs = call(stock_, &b);
    const unsigned long expected = first_error(theirs);
    EXPECT_EQ(call(ours_, &a), theirs);
    EXPECT_EQ(first_error(theirs), expected);
    EXPECT_TRUE(theirs != 1 || !same_bytes_ || a == b) << n << " bytes";
    compare();
  }

  void nonce() {
    if (fresh()) return;
    const std::size_t n = 1 + draw(80);
    say("nonce " + std::to_string(n));
    Bytes a(n + 1, 0x55), b(n + 1, 0x55);
    recovered(ready());
    const int theirs = EVP_RAND_nonce(stock_.get(), b.data(), n);
    ERR_clear_error();
    EXPECT_EQ(EVP_RAND_nonce(ours_.get(), a.data(), n), theirs);
    EXPECT_TRUE(theirs != 1 || !same_bytes_ || a == b) << n << " bytes";
    compare();
  }

  void set_limits() {
    const unsigned requests = static_cast<unsigned>(draw(7));
    const unsigned seconds = heads() ? 0 : 3600;
    say("reseed_requests " + std::to_string(requests));
    const auto params = [&] {
      return Params()
          .uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, requests)
          .uint(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, seconds);
    };
    EXPECT_EQ(ours_.set(params()), stock_.set(params()));
    compare();
  }

  void set_df() {
    const unsigned use_df = static_cast<unsigned>(draw(2));
    const auto params = [&] { return Params().uint(OSSL_DRBG_PARAM_USE_DF, use_df); };
    if (!fresh()) {
      // OpenSSL's takes it and works on with a state that was made otherwise.
      EXPECT_EQ(ours_.set(params()), !ready() || ours_.number(OSSL_DRBG_PARAM_USE_DF) == use_df);
      EXPECT_TRUE(ready() || stock_.set(params()));
    } else {
      say("df " + std::to_string(use_df));
      EXPECT_EQ(ours_.set(params()), stock_.set(params()));
    }
    compare();
  }

  const CipherSpec& spec_;
  std::mt19937_64 random_;
  TestSource source_;
  Generator ours_;
  Generator stock_;
  const Bytes bytes_;
  bool same_bytes_ = true;
  std::string log_;
};

class RandSequence : public testing::TestWithParam<const char*> {};

TEST_P(RandSequence, AsOpensslsOwn) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Pair pair(GetParam(), seed);
    for (int i = 0; i < 80; ++i) {
      pair.step();
      if (!HasFailure()) continue;
      FAIL() << "seed " << seed << ":\n" << pair.log();
    }
  }
}

std::vector<const char*> sixteen_byte_blocks() {
  std::vector<const char*> names;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    if (spec.block_bytes == 16 && spec.generator_answer != nullptr) names.push_back(spec.name);
  }
  return names;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RandSequence);  // a build may have none
INSTANTIATE_TEST_SUITE_P(SixteenByteBlocks, RandSequence, testing::ValuesIn(sixteen_byte_blocks()),
                         test::test_name);

// NULL and a length, of which OpenSSL's takes nothing. Also for the ciphers that it cannot use.
class RandNull : public testing::TestWithParam<const char*> {};

TEST_P(RandNull, WithALengthIsNothing) {
  const CipherSpec& spec = *find_cipher(GetParam());
  for (const unsigned use_df : {1u, 0u}) {
    TestSource source(lib());
    source.give(Bytes(spec.key_bytes + spec.block_bytes, 0x11));
    source.give_nonce(Bytes(spec.key_bytes / 2, 0x22));
    const auto life = [&](std::size_t size) {
      Generator rand(lib(), GetParam() + std::string("-CTR-DRBG"), source.get());
      EVP_RAND_CTX* const ctx = rand.get();
      EXPECT_TRUE(rand.set(Params().uint(OSSL_DRBG_PARAM_USE_DF, use_df)));
      Bytes out(48);
      EXPECT_EQ(EVP_RAND_instantiate(ctx, 0, 0, nullptr, size, nullptr), 1);
      EXPECT_EQ(EVP_RAND_generate(ctx, out.data(), 16, 0, 0, nullptr, size), 1);
      EXPECT_EQ(EVP_RAND_reseed(ctx, 0, nullptr, size, nullptr, size), 1);
      EXPECT_EQ(EVP_RAND_generate(ctx, out.data() + 16, 16, 0, 1, nullptr, size), 1);
      EXPECT_EQ(EVP_RAND_reseed(ctx, 1, nullptr, size, nullptr, size), 1);
      EXPECT_EQ(EVP_RAND_generate(ctx, out.data() + 32, 16, 0, 0, nullptr, size), 1);
      return out;
    };
    EXPECT_EQ(life(10), life(0));
  }
}

TEST_P(RandNull, ToRandAdd) {
  OSSL_LIB_CTX* const context = OSSL_LIB_CTX_new();
  OSSL_PROVIDER_set_default_search_path(context, GPUCTR_MODULE_DIR);
  OSSL_PROVIDER* const stock = OSSL_PROVIDER_load(context, "default");
  OSSL_PROVIDER* const ours = OSSL_PROVIDER_load(context, "gpuctr");
  const std::string name = GetParam() + std::string("-CTR-DRBG");
  ASSERT_EQ(RAND_set_DRBG_type(context, name.c_str(), nullptr, nullptr, nullptr), 1);
  OSSL_LIB_CTX* const before = OSSL_LIB_CTX_set0_default(context);
  RAND_add(nullptr, 10, 0);
  RAND_seed(nullptr, 10);
  std::uint8_t out[16];
  EXPECT_EQ(RAND_bytes(out, sizeof out), 1);
  EXPECT_EQ(EVP_RAND_is_a(EVP_RAND_CTX_get0_rand(RAND_get0_primary(context)), name.c_str()), 1);
  OSSL_LIB_CTX_set0_default(before);
  OSSL_PROVIDER_unload(ours);
  OSSL_PROVIDER_unload(stock);
  OSSL_LIB_CTX_free(context);
}

INSTANTIATE_TEST_SUITE_P(EveryCipher, RandNull, testing::ValuesIn(test::generator_ciphers()),
                         test::test_name);

}  // namespace
}  // namespace gpuctr
