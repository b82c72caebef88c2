// The provider's stream generators through EVP_RAND: against counter mode, as a parent, as a
// program's own generator, and one clear error for each thing that can go wrong.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

#include "kernels/random/numbers.h"
#include "test/drbg/evp_rand.h"
#include "test/support/gtest_name.h"

namespace gpuctr {
namespace {

using test::Bytes;
using test::Generator;
using test::last_error;
using test::lib;
using test::Params;
using test::stock_error;
using test::TestSource;

std::vector<std::string> stream_ciphers() {
  std::vector<std::string> names;
  for (const char* cipher : test::generator_ciphers()) {
    if (find_cipher(cipher)->block_bytes == 16) names.emplace_back(cipher);
  }
  return names;
}

// The cipher's keystream in counter mode, from the counter block on.
Bytes keystream(const std::string& cipher, const Bytes& key, const Bytes& counter, std::size_t n) {
  Bytes out(n), zeros(n);
  EVP_CIPHER* c = EVP_CIPHER_fetch(lib().ctx, (cipher + "-CTR").c_str(), "provider=gpuctr");
  EVP_CIPHER_CTX* ctx = EVP_CIPHER_CTX_new();
  int made = 0;
  EXPECT_EQ(EVP_EncryptInit_ex2(ctx, c, key.data(), counter.data(), nullptr), 1);
  EXPECT_EQ(EVP_EncryptUpdate(ctx, out.data(), &made, zeros.data(), static_cast<int>(n)), 1);
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_free(c);
  return out;
}

Bytes counter_of(std::uint64_t call) {
  Bytes counter(16);
  for (std::size_t i = 0; i < 8; ++i) counter[7 - i] = static_cast<std::uint8_t>(call >> 8 * i);
  return counter;
}

class Stream : public testing::TestWithParam<std::string> {
 protected:
  std::string name() const { return GetParam() + "-STREAM"; }
  const CipherSpec& spec = *find_cipher(GetParam().c_str());
  const Bytes seed = test::Bytes(spec.key_bytes, 0x5a);
};

TEST_P(Stream, WithASeedItIsCounterMode) {
  Generator stream(lib(), name(), nullptr);
  ASSERT_TRUE(stream.set(Params().octets("seed", seed)));
  ASSERT_TRUE(stream.instantiate());
  for (std::uint64_t call = 0; call < 3; ++call) {
    EXPECT_EQ(stream.number("call"), call);
    EXPECT_EQ(stream.generate(100), keystream(GetParam(), seed, counter_of(call), 100));
  }
  ASSERT_TRUE(stream.set(Params().uint("call", 1)));
  EXPECT_EQ(stream.generate(100), keystream(GetParam(), seed, counter_of(1), 100));
}

// Each request draws key and counter block from the parent.
TEST_P(Stream, FromItsParentItIsCounterMode) {
  TestSource source(lib());
  Bytes entropy(spec.key_bytes + 16);
  for (std::size_t i = 0; i < entropy.size(); ++i) entropy[i] = static_cast<std::uint8_t>(i);
  source.give(entropy);
  Generator stream(lib(), name(), source.get());
  ASSERT_TRUE(stream.instantiate());
  const Bytes key(entropy.begin(), entropy.begin() + static_cast<long>(spec.key_bytes));
  const Bytes counter(entropy.end() - 16, entropy.end());
  const Bytes made = stream.generate(1000);
  EXPECT_EQ(made, keystream(GetParam(), key, counter, 1000));
  source.give(Bytes(entropy.size(), 7));
  EXPECT_NE(stream.generate(1000), made);
  EXPECT_EQ(stream.number("strength"), spec.strength_bits);
  EXPECT_EQ(stream.number("max_request"), std::uint64_t{1} << 30);
}

INSTANTIATE_TEST_SUITE_P(Ciphers, Stream, testing::ValuesIn(stream_ciphers()),
                         [](const auto& of) { return test::gtest_name(of.param); });

class Streams : public testing::Test {
 protected:
  const std::string cipher = stream_ciphers().front();
  const std::string name = cipher + "-STREAM";
  const Bytes seed = Bytes(find_cipher(cipher.c_str())->key_bytes, 0x33);
};

TEST_F(Streams, NoneOverShortBlocks) {
  EXPECT_EQ(EVP_RAND_fetch(lib().ctx, "HIGHT-STREAM", nullptr), nullptr);
  ERR_clear_error();
}

struct Case {
  const char* output;
  const char* type;
  Distribution what;
};
Distribution distribution(Output output, NumberType type) {
  Distribution what;
  what.output = output, what.type = type;
  return what;
}

// Large requests are shared by threads and made in pieces: the same numbers as from one stream of
// random bytes.
TEST_F(Streams, NumbersOfEveryDistribution) {
  std::vector<Case> cases = {
      {"normal", "float32", distribution(Output::kNormal, NumberType::kFloat32)},
      {"normal", "float64", distribution(Output::kNormal, NumberType::kFloat64)},
      {"normal", "bfloat16", distribution(Output::kNormal, NumberType::kBfloat16)},
      {"uniform", "float16", distribution(Output::kUniform, NumberType::kFloat16)},
      {"bernoulli", "uint8", distribution(Output::kBernoulli, NumberType::kUint8)},
      {"integers", "int64", distribution(Output::kIntegers, NumberType::kInt64)},
  };
  for (Case& c : cases) {
    Params params;
    params.octets("seed", seed).text("output", c.output).text("type", c.type);
    if (c.what.output == Output::kIntegers) {
      c.what.first = 0, c.what.last = (1u << 31) - 1;
      params.uint("high", 1u << 31);
    }
    for (const std::size_t count : {1u, 3u, 5001u}) {
      Generator stream(lib(), name, nullptr);
      ASSERT_TRUE(stream.set(params)) << last_error();
      ASSERT_TRUE(stream.instantiate());
      const Bytes made = stream.generate(count * c.what.number_bytes());
      const Bytes random =
          keystream(cipher, seed, counter_of(0), (count + 1) * c.what.word_bytes());
      Bytes model(made.size());
      make_numbers(c.what, random.data(), model.data(), count);
      EXPECT_EQ(made, model) << c.output << " " << c.type << " " << count;
    }
  }
}

TEST_F(Streams, IntegersOf64Bits) {
  std::int64_t low = -1, high = INT64_MAX;
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string("output", const_cast<char*>("integers"), 8),
      OSSL_PARAM_construct_utf8_string("type", const_cast<char*>("int64"), 5),
      OSSL_PARAM_construct_int64("low", &low),
      OSSL_PARAM_construct_int64("high", &high),
      OSSL_PARAM_construct_octet_string("seed", const_cast<std::uint8_t*>(seed.data()),
                                        seed.size()),
      OSSL_PARAM_construct_end()};
  Generator stream(lib(), name, nullptr);
  ASSERT_EQ(EVP_RAND_instantiate(stream.get(), 0, 0, nullptr, 0, params), 1) << last_error();
  const std::size_t count = 2500;
  const Bytes made = stream.generate(8 * count);
  Distribution what = distribution(Output::kIntegers, NumberType::kInt64);
  what.first = low, what.last = high - 1;
  Bytes model(made.size());
  make_numbers(what, keystream(cipher, seed, counter_of(0), 16 * count).data(), model.data(),
               count);
  EXPECT_EQ(made, model);
}

// Reals and signed integers for the parameters of a distribution, as any of them may be given.
class Numbers : public Streams {
 protected:
  // A list of parameters with a seed.
  class List {
   public:
    List(const char* output, const char* type, const Bytes& seed) {
      text("output", output);
      text("type", type);
      params_[count_++] = OSSL_PARAM_construct_octet_string(
          "seed", const_cast<std::uint8_t*>(seed.data()), seed.size());
    }
    List(const List&) = delete;
    List& operator=(const List&) = delete;
    List& real(const char* key, double value) {
      reals_[count_] = value;
      params_[count_] = OSSL_PARAM_construct_double(key, &reals_[count_]);
      ++count_;
      return *this;
    }
    template <class T>
    List& whole(const char* key, T value) {
      std::memcpy(&wholes_[count_], &value, sizeof value);
      params_[count_] = {key, T(-1) < 0 ? OSSL_PARAM_INTEGER : OSSL_PARAM_UNSIGNED_INTEGER,
                         &wholes_[count_], sizeof value, 0};
      ++count_;
      return *this;
    }
    const OSSL_PARAM* get() {
      params_[count_] = OSSL_PARAM_construct_end();
      return params_;
    }

   private:
    void text(const char* key, const char* value) {
      params_[count_++] =
          OSSL_PARAM_construct_utf8_string(key, const_cast<char*>(value), std::strlen(value));
    }
    OSSL_PARAM params_[8];
    double reals_[8];
    std::uint64_t wholes_[8];
    std::size_t count_ = 0;
  };
  List list(const char* output, const char* type) const { return {output, type, seed}; }

  void expect_model(EVP_RAND_CTX* stream, const Distribution& what) {
    constexpr std::size_t kMany = 500;
    Bytes made(kMany * what.number_bytes()), model(made.size());
    ASSERT_EQ(EVP_RAND_generate(stream, made.data(), made.size(), 0, 0, nullptr, 0), 1)
        << last_error();
    make_numbers(what, keystream(cipher, seed, counter_of(0), kMany * what.word_bytes()).data(),
                 model.data(), kMany);
    EXPECT_EQ(made, model);
  }
  void expect_model(List& params, const Distribution& what) {
    Generator stream(lib(), name, nullptr);
    ASSERT_EQ(EVP_RAND_CTX_set_params(stream.get(), params.get()), 1) << last_error();
    ASSERT_TRUE(stream.instantiate());
    expect_model(stream.get(), what);
  }
};

TEST_F(Numbers, ParametersOfADistribution) {
  Distribution what = distribution(Output::kNormal, NumberType::kFloat32);
  what.mean = -10.5, what.stddev = 0.25;
  expect_model(list("normal", "float32").real("mean", -10.5).real("stddev", 0.25), what);
  what.mean = -7, what.stddev = 3;
  expect_model(list("NORMAL", "Float32").whole<std::int64_t>("mean", -7).whole("stddev", 3), what);
  what = distribution(Output::kUniform, NumberType::kFloat64);
  what.low = -2.5, what.high = 4.25;
  expect_model(list("uniform", "float64").real("low", -2.5).real("high", 4.25), what);
  what = distribution(Output::kBernoulli, NumberType::kFloat16);
  what.p = 0.125;
  expect_model(list("bernoulli", "float16").real("p", 0.125), what);
  what = distribution(Output::kIntegers, NumberType::kInt32);
  what.first = -5, what.last = 6;
  expect_model(list("integers", "int32").real("low", -5).real("high", 7), what);
  expect_model(list("integers", "int32").whole<std::int32_t>("low", -5).whole("high", 7u), what);
  what = distribution(Output::kIntegers, NumberType::kInt64);
  what.first = INT64_MIN, what.last = INT64_MAX;
  expect_model(list("integers", "int64")
                   .whole<std::int64_t>("low", INT64_MIN)
                   .whole("high", std::uint64_t{1} << 63),
               what);
}

TEST_F(Numbers, RefusedParametersChangeNothing) {
  Generator stream(lib(), name, nullptr);
  ASSERT_EQ(EVP_RAND_instantiate(stream.get(), 0, 0, nullptr, 0,
                                 list("uniform", "float32").real("low", -1).get()),
            1);
  const auto refused = [&](List& params, const std::string& error) {
    EXPECT_EQ(EVP_RAND_CTX_set_params(stream.get(), params.get()), 0) << error;
    EXPECT_EQ(last_error(Reason::kBadParameter), name + ": " + error);
  };
  const double infinite = HUGE_VAL;
  refused(list("normal", "float32").real("mean", std::nan("")), "no mean of these numbers");
  refused(list("normal", "float32").real("stddev", -infinite), "no stddev of these numbers");
  refused(list("uniform", "float32").real("high", infinite), "no high of these numbers");
  refused(list("uniform", "float32").whole<std::int16_t>("low", -1), "no low of these numbers");
  refused(list("bernoulli", "uint8").real("p", 1.5), "p must be from 0 to 1");
  refused(list("bernoulli", "uint8").whole("call", -1), "no call of these numbers");
  const std::string integers = "low and high of integers are integers of 64 bits";
  refused(list("integers", "int64").real("high", 0.5), integers);
  refused(list("integers", "int64").real("low", -0x1p60), integers);
  refused(list("integers", "int64").whole("low", std::uint64_t{1} << 63), integers);
  refused(list("integers", "int64").whole("high", (std::uint64_t{1} << 63) + 1), integers);
  refused(list("integers", "int64").whole<std::int64_t>("high", INT64_MIN), integers);
  const OSSL_PARAM no_value[] = {OSSL_PARAM_construct_double("mean", nullptr),
                                 OSSL_PARAM_construct_end()};
  EXPECT_EQ(EVP_RAND_CTX_set_params(stream.get(), no_value), 0);
  EXPECT_EQ(last_error(Reason::kBadParameter), name + ": no mean of these numbers");
  std::string key(seed.size(), 's');
  const OSSL_PARAM text[] = {OSSL_PARAM_construct_utf8_string("seed", key.data(), key.size()),
                             OSSL_PARAM_construct_end()};
  EXPECT_EQ(EVP_RAND_CTX_set_params(stream.get(), text), 0);
  EXPECT_EQ(last_error(Reason::kBadParameter),
            name + ": the seed is a key of " + std::to_string(seed.size()) + " bytes, or empty");
  Distribution what = distribution(Output::kUniform, NumberType::kFloat32);
  what.low = -1;
  expect_model(stream.get(), what);
}

// What EVP_RAND and a program ask of a generator: the lists name what is answered and taken.
TEST_F(Numbers, AnswersAboutAGenerator) {
  Generator stream(lib(), name, nullptr);
  char output[10] = "", type[10] = "", small[3];
  OSSL_PARAM texts[] = {OSSL_PARAM_construct_utf8_string("output", output, sizeof output),
                        OSSL_PARAM_construct_utf8_string("type", type, sizeof type),
                        OSSL_PARAM_construct_end()};
  ASSERT_EQ(EVP_RAND_CTX_get_params(stream.get(), texts), 1);
  EXPECT_STREQ(output, "bytes");
  EXPECT_EQ(EVP_RAND_get_state(stream.get()), EVP_RAND_STATE_UNINITIALISED);
  ASSERT_EQ(EVP_RAND_instantiate(stream.get(), 0, 0, nullptr, 0,
                                 list("integers", "int64").whole("high", 9).get()),
            1);
  ASSERT_EQ(EVP_RAND_CTX_get_params(stream.get(), texts), 1);
  EXPECT_STREQ(output, "integers");
  EXPECT_STREQ(type, "int64");
  EXPECT_EQ(EVP_RAND_get_state(stream.get()), EVP_RAND_STATE_READY);
  EXPECT_EQ(EVP_RAND_get_strength(stream.get()), find_cipher(cipher.c_str())->strength_bits);
  EXPECT_EQ(stream.number(OSSL_DRBG_PARAM_RESEED_COUNTER), 1u);
  OSSL_PARAM no_room[] = {OSSL_PARAM_construct_utf8_string("output", small, sizeof small),
                          OSSL_PARAM_construct_end()};
  EXPECT_EQ(EVP_RAND_CTX_get_params(stream.get(), no_room), 0);

  for (const OSSL_PARAM* p = EVP_RAND_CTX_gettable_params(stream.get()); p->key != nullptr; ++p) {
    std::uint64_t room[8];
    OSSL_PARAM ask[] = {{p->key, p->data_type, room, sizeof room, OSSL_PARAM_UNMODIFIED},
                        OSSL_PARAM_construct_end()};
    EXPECT_EQ(EVP_RAND_CTX_get_params(stream.get(), ask), 1) << p->key;
    EXPECT_TRUE(OSSL_PARAM_modified(ask) == 1) << p->key;
  }
  std::string names;
  for (const OSSL_PARAM* p = EVP_RAND_CTX_settable_params(stream.get()); p->key != nullptr; ++p) {
    names += std::string(p->key) + " ";
  }
  EXPECT_EQ(names, "output type mean stddev low high p seed call ");
}

// A child's seeding shows that of its parent.
TEST_F(Numbers, ReseedCounterIsTheParents) {
  Generator parent(lib(), cipher + "-CTR-DRBG", nullptr);
  ASSERT_TRUE(parent.instantiate());
  Generator stream(lib(), name, parent.get());
  ASSERT_TRUE(stream.instantiate());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(stream.number(OSSL_DRBG_PARAM_RESEED_COUNTER),
              parent.number(OSSL_DRBG_PARAM_RESEED_COUNTER));
    ASSERT_TRUE(parent.reseed());
  }
  EXPECT_GE(stream.number(OSSL_DRBG_PARAM_RESEED_COUNTER), 4u);
}

TEST_F(Numbers, AnEmptySeedEndsTheSeed) {
  Generator stream(lib(), name, nullptr);
  ASSERT_TRUE(stream.set(Params().octets("seed", seed)));
  ASSERT_TRUE(stream.instantiate());
  const Bytes first = stream.generate(32), second = stream.generate(32);
  EXPECT_EQ(EVP_RAND_verify_zeroization(stream.get()), 0);
  ASSERT_TRUE(stream.set(Params().octets("seed", {})));
  EXPECT_EQ(EVP_RAND_verify_zeroization(stream.get()), 1);
  EXPECT_NE(stream.generate(32), keystream(cipher, seed, counter_of(2), 32));
  EXPECT_NE(stream.generate(32), stream.generate(32));
  EXPECT_EQ(stream.number("call"), 2u) << "only requests from a seed are counted";
  ASSERT_TRUE(stream.set(Params().octets("seed", seed)));
  EXPECT_EQ(stream.generate(32), first);
  EXPECT_EQ(stream.generate(32), second);
}

// Bytes for a child, although the numbers are normal.
TEST_F(Streams, AsAParent) {
  Generator stream(lib(), name, nullptr);
  ASSERT_TRUE(stream.set(Params().text("output", "normal").octets("seed", seed)));
  ASSERT_TRUE(stream.instantiate());
  Generator child(lib(), cipher + "-CTR-DRBG", stream.get());
  ASSERT_TRUE(child.instantiate()) << last_error();
  EXPECT_EQ(child.generate(100).size(), 100u);
  Generator stock(lib(), "HASH-DRBG", stream.get(), "provider=default");
  ASSERT_TRUE(stock.set(Params().text(OSSL_DRBG_PARAM_DIGEST, "SHA1")));
  ASSERT_TRUE(stock.instantiate()) << last_error();
  EXPECT_EQ(stock.generate(100).size(), 100u);
}

// Of the operating system, and of OpenSSL's own generators.
TEST_F(Streams, OtherNumbersEachTime) {
  Generator of_system(lib(), name, nullptr);
  ASSERT_TRUE(of_system.instantiate());
  EXPECT_NE(of_system.generate(32), of_system.generate(32));
  Generator of_primary(lib(), name, RAND_get0_primary(lib().ctx));
  ASSERT_TRUE(of_primary.instantiate());
  EXPECT_NE(of_primary.generate(32), of_primary.generate(32));
}

TEST_F(Streams, AChildProcessHasOtherNumbers) {
  Generator stream(lib(), name, RAND_get0_primary(lib().ctx));
  ASSERT_TRUE(stream.instantiate());
  ASSERT_EQ(EVP_RAND_enable_locking(stream.get()), 1);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Bytes made = stream.generate(32);
    _exit(made.size() == 32 && write(ends[1], made.data(), 32) == 32 ? 0 : 1);
  }
  const Bytes mine = stream.generate(32);
  Bytes its(32);
  EXPECT_EQ(read(ends[0], its.data(), 32), 32);
  int status = 1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_NE(mine, its);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(Streams, ErrorsWriteNothing) {
  Generator stream(lib(), name, nullptr);
  EXPECT_TRUE(stream.generate(16).empty());
  EXPECT_EQ(stock_error(PROV_R_NOT_INSTANTIATED), name + " is not instantiated");
  ASSERT_TRUE(stream.set(Params().text("output", "normal")));
  EXPECT_FALSE(stream.instantiate({}, 512));
  EXPECT_NE(stock_error(PROV_R_INSUFFICIENT_DRBG_STRENGTH).find("512 were asked for"),
            std::string::npos);
  EXPECT_TRUE(stream.generate(16).empty());
  EXPECT_EQ(stock_error(PROV_R_NOT_INSTANTIATED), name + " is not instantiated");
  ASSERT_TRUE(stream.instantiate());
  EXPECT_FALSE(stream.instantiate());
  EXPECT_EQ(stock_error(PROV_R_ALREADY_INSTANTIATED), name + " is instantiated already");

  Bytes out(16, 0xee);
  const Bytes more(65537);
  EXPECT_EQ(EVP_RAND_generate(stream.get(), out.data(), 15, 0, 0, nullptr, 0), 0);
  EXPECT_EQ(last_error(Reason::kBadParameter),
            "15 bytes are not a whole number of numbers of 4 bytes");
  EXPECT_EQ(EVP_RAND_generate(stream.get(), out.data(), 16, 512, 0, nullptr, 0), 0);
  EXPECT_NE(stock_error(PROV_R_INSUFFICIENT_DRBG_STRENGTH).find("512 were asked for"),
            std::string::npos);
  EXPECT_EQ(EVP_RAND_generate(stream.get(), out.data(), 16, 0, 0, more.data(), more.size()), 0);
  EXPECT_EQ(stock_error(PROV_R_ADDITIONAL_INPUT_TOO_LONG),
            name + " takes at most 65536 bytes of additional input");
  EXPECT_EQ(out, Bytes(16, 0xee));
  EXPECT_EQ(EVP_RAND_generate(stream.get(), out.data(), 16, 0, 0, more.data(), 65536), 1);

  const auto refused = [&](Params params) {
    EXPECT_FALSE(stream.set(params));
    return last_error(Reason::kBadParameter);
  };
  EXPECT_EQ(refused(Params().text("output", "poisson")), name + ": no output of these numbers");
  EXPECT_EQ(refused(Params().text("type", "float")), name + ": no type of these numbers");
  EXPECT_EQ(refused(Params().text("mean", "1")), name + ": no mean of these numbers");
  EXPECT_EQ(refused(Params().octets("seed", Bytes(3))),
            name + ": the seed is a key of " + std::to_string(seed.size()) + " bytes, or empty");
  EXPECT_EQ(refused(Params().text("output", "integers")),
            name + ": integers have the type int32, int64 or uint8");
  // A refused list of parameters changes nothing: these are still normal numbers.
  EXPECT_EQ(refused(Params().octets("seed", seed).text("output", "uniform").text("type", "int32")),
            name + ": these numbers have a floating-point type");
  EXPECT_EQ(stream.generate(16).size(), 16u);
  EXPECT_EQ(stream.number("call"), 0u) << "no seed was taken";
}

TEST_F(Streams, SeedEndsAfterItsLastRequest) {
  Generator stream(lib(), name, nullptr);
  ASSERT_TRUE(stream.set(Params().octets("seed", seed).uint("call", (1u << 18) - 1)));
  ASSERT_TRUE(stream.instantiate());
  EXPECT_EQ(stream.generate(16).size(), 16u);
  EXPECT_TRUE(stream.generate(16).empty());
  EXPECT_EQ(stock_error(PROV_R_REQUEST_TOO_LARGE_FOR_DRBG),
            name + " has made 262144 requests from its seed, the most");
}

TEST_F(Streams, NoEntropy) {
  TestSource source(lib());
  source.give(Bytes(8));
  Generator stream(lib(), name, source.get());
  ASSERT_TRUE(stream.instantiate());
  EXPECT_TRUE(stream.generate(16).empty());
  EXPECT_NE(stock_error(PROV_R_ERROR_RETRIEVING_ENTROPY).find("bytes of entropy"),
            std::string::npos);
  TestSource weak(lib(), 64);
  EXPECT_EQ(Generator(lib(), name, weak.get()).get(), nullptr);
  EXPECT_NE(stock_error(PROV_R_PARENT_STRENGTH_TOO_WEAK).find("needs a parent of"),
            std::string::npos);
}

TEST_F(Streams, UninstantiateWipesTheSeed) {
  Generator stream(lib(), name, nullptr);
  ASSERT_TRUE(stream.set(Params().octets("seed", seed)));
  ASSERT_TRUE(stream.instantiate());
  EXPECT_EQ(EVP_RAND_verify_zeroization(stream.get()), 0);
  EXPECT_EQ(EVP_RAND_uninstantiate(stream.get()), 1);
  EXPECT_EQ(EVP_RAND_verify_zeroization(stream.get()), 1);
  EXPECT_TRUE(stream.generate(16).empty());
  ERR_clear_error();
}

}  // namespace
}  // namespace gpuctr
