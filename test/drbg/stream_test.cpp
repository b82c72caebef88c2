// The provider's stream generators through EVP_RAND: against counter mode, as a parent, as a
// program's own generator, and one clear error for each thing that can go wrong.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

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
  ASSERT_TRUE(stream.instantiate());
  EXPECT_FALSE(stream.instantiate());
  EXPECT_EQ(stock_error(PROV_R_ALREADY_INSTANTIATED), name + " is instantiated already");

  Bytes out(16, 0xee);
  EXPECT_EQ(EVP_RAND_generate(stream.get(), out.data(), 15, 0, 0, nullptr, 0), 0);
  EXPECT_EQ(last_error(Reason::kBadParameter),
            "15 bytes are not a whole number of numbers of 4 bytes");
  EXPECT_EQ(EVP_RAND_generate(stream.get(), out.data(), 16, 512, 0, nullptr, 0), 0);
  EXPECT_NE(stock_error(PROV_R_INSUFFICIENT_DRBG_STRENGTH).find("512 were asked for"),
            std::string::npos);
  EXPECT_EQ(out, Bytes(16, 0xee));

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
