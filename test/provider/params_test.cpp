// Integer parameters in every type and size: read and answered as libcrypto's own functions do it,
// and through EVP as a stock cipher does it.
#include "provider/core/ossl_param.h"

#include <gtest/gtest.h>
#include <openssl/core_names.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

constexpr std::size_t kMostBytes = 17;
constexpr unsigned kTypes[] = {OSSL_PARAM_INTEGER,     OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PARAM_REAL,
                               OSSL_PARAM_UTF8_STRING, OSSL_PARAM_OCTET_STRING,     0};
constexpr std::uint64_t kNumbers[] = {0,          1,          2,
                                      0x7f,       0x80,       0xff,
                                      0x100,      0x7fff,     0x8000,
                                      0xffff,     0x10000,    0x7fffffff,
                                      0x80000000, 0xffffffff, 1ull << 32,
                                      1ull << 52, 1ull << 53, (1ull << 53) + 1,
                                      INT64_MAX,  1ull << 63, UINT64_MAX - 1,
                                      UINT64_MAX};

// The bytes that stand for numbers, native and of any size: those above, their negatives, single
// bits in single bytes, and what a double may be.
std::vector<Bytes> patterns(std::size_t size) {
  std::vector<Bytes> all;
  const auto add = [&](const void* data, std::size_t bytes, std::uint8_t fill) {
    Bytes pattern(size, fill);
    if (size != 0) std::memcpy(pattern.data(), data, std::min(bytes, size));
    all.push_back(pattern);
  };
  for (const std::uint64_t number : kNumbers) {
    const std::uint64_t negative = 0 - number;
    add(&number, sizeof number, 0);
    add(&negative, sizeof negative, 0xff);
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (const std::uint8_t byte : {std::uint8_t{1}, std::uint8_t{0x80}}) {
      Bytes pattern(size);
      pattern[i] = byte;
      all.push_back(pattern);
    }
  }
  for (const double real :
       {0.0, -0.0, 1.0, -1.0, 0.5, 255.0, 4294967295.0, 4294967296.0, 9007199254740992.0,
        std::ldexp(1.0, 63), std::ldexp(1.0, 64), std::nextafter(std::ldexp(1.0, 64), 0.0), 1e300,
        std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::denorm_min()}) {
    add(&real, sizeof real, 0);
  }
  return all;
}

std::string name_of(unsigned type, std::size_t size, const Bytes& data) {
  return "type " + std::to_string(type) + ", " + std::to_string(size) + " bytes, " + to_hex(data);
}

void for_each(const std::function<void(unsigned, std::size_t)>& f) {
  for (const unsigned type : kTypes) {
    for (std::size_t size = 0; size <= kMostBytes; ++size) f(type, size);
  }
}

// No number: ours are refused. libcrypto takes it as 0, or as the byte before it says.
bool is_empty_integer(unsigned type, std::size_t size) {
  return (type == OSSL_PARAM_INTEGER || type == OSSL_PARAM_UNSIGNED_INTEGER) && size == 0;
}

// A parameter over a buffer of its own. libcrypto looks at the byte before a signed integer without
// bytes, so there is one.
struct Param {
  Param(const char* key, unsigned type, const Bytes& data) : memory(data) {
    memory.insert(memory.begin(), 1, 0);
    p[0] = {key, type, memory.data() + 1, data.size(), OSSL_PARAM_UNMODIFIED};
    p[1] = OSSL_PARAM_construct_end();
  }
  Bytes memory;
  OSSL_PARAM p[2];
};

TEST(Params, AreReadAsLibcryptoReadsThem) {
  for_each([](unsigned type, std::size_t size) {
    for (const Bytes& data : patterns(size)) {
      const Param param("x", type, data);
      std::uint64_t theirs = 7, value = 7;
      const bool read =
          OSSL_PARAM_get_uint64(param.p, &theirs) == 1 && !is_empty_integer(type, size);
      ERR_clear_error();
      if (!read) theirs = value;
      ASSERT_EQ(read_uint(param.p[0], &value), read) << name_of(type, size, data);
      ASSERT_EQ(value, theirs) << name_of(type, size, data);
    }
    const OSSL_PARAM no_data = {"x", type, nullptr, size, 0};  // some versions of libcrypto crash
    std::uint64_t value;
    EXPECT_FALSE(read_uint(no_data, &value));
  });
}

template <class Set, class T>
void compare_answer(unsigned type, const Bytes& before, Set set, T value, Width width) {
  Param theirs("x", type, before), ours("x", type, before);
  const bool done = set(theirs.p, value) == 1;
  ERR_clear_error();
  const std::string what = name_of(type, before.size(), before) + ": " + std::to_string(value);
  ASSERT_EQ(answer_uint(ours.p, value, width), done) << what;
  ASSERT_EQ(ours.memory, theirs.memory) << what;
  // What a refusal says of the size changed between OpenSSL 3.0 and 3.5.
  ASSERT_TRUE(!done || ours.p[0].return_size == theirs.p[0].return_size) << what;
}

TEST(Params, AreAnsweredAsLibcryptoAnswersThem) {
  for_each([](unsigned type, std::size_t size) {
    for (const std::uint64_t value : kNumbers) {
      if (is_empty_integer(type, size)) continue;
      const Bytes before(size, 0xa5);
      compare_answer(type, before, OSSL_PARAM_set_uint64, value, Width::kSize);
      if (value > UINT32_MAX) continue;
      compare_answer(type, before, OSSL_PARAM_set_uint32, static_cast<std::uint32_t>(value),
                     Width::kInt);
    }
  });
}

TEST(Params, RequestsWithoutBufferGetTheSize) {
  for (const unsigned type : kTypes) {
    for (const Width width : {Width::kInt, Width::kSize}) {
      if (width == Width::kSize && type == OSSL_PARAM_REAL) continue;  // OpenSSL 3.0 crashes
      OSSL_PARAM theirs = {"x", type, nullptr, 8, OSSL_PARAM_UNMODIFIED}, ours = theirs;
      const int done = width == Width::kInt ? OSSL_PARAM_set_uint32(&theirs, 5)
                                            : OSSL_PARAM_set_uint64(&theirs, 5);
      ERR_clear_error();
      EXPECT_EQ(answer_uint(&ours, 5, width) ? 1 : 0, done) << type;
      EXPECT_EQ(ours.return_size, theirs.return_size) << type;
    }
  }
}

// AES-128-CTR and LEA-128-CTR have the same sizes, and so the same answers.
class ParamsOfCiphers : public testing::Test {
 protected:
  void SetUp() override {
    const std::uint8_t key[16] = {1}, iv[16] = {2};
    std::uint8_t data[21] = {};
    int n = 0;
    for (const int i : {0, 1}) {
      ASSERT_NE(cipher[i], nullptr);
      ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx[i].get(), cipher[i].get(), key, iv, nullptr));
      ASSERT_EQ(1, EVP_EncryptUpdate(ctx[i].get(), data, &n, data, sizeof data));
    }
  }
  // The same request to both.
  template <class Get>
  void compare(const char* key, unsigned type, std::size_t size, Get get, bool with_error = true) {
    if (is_empty_integer(type, size)) return;
    Param theirs(key, type, Bytes(size, 0xa5)), ours(key, type, Bytes(size, 0xa5));
    const int done = get(0, theirs.p);
    ERR_clear_error();
    const std::string what = std::string(key) + ", " + name_of(type, size, {});
    ASSERT_EQ(get(1, ours.p), done) << what;
    // A cipher without a context has no way to the error queue.
    EXPECT_TRUE(last_error().empty() == (done == 1) || !with_error) << what;
    // A pointer is to memory of each.
    if (type != OSSL_PARAM_OCTET_PTR) {
      ASSERT_EQ(ours.memory, theirs.memory) << what;
    }
    ASSERT_TRUE(done != 1 || ours.p[0].return_size == theirs.p[0].return_size) << what;
  }

  Library library;
  Evp<EVP_CIPHER> cipher[2] = {library.stock("AES-128-CTR"), library.cipher("LEA-128-CTR")};
  Evp<EVP_CIPHER_CTX> ctx[2] = {Evp<EVP_CIPHER_CTX>(EVP_CIPHER_CTX_new()),
                                Evp<EVP_CIPHER_CTX>(EVP_CIPHER_CTX_new())};
};

TEST_F(ParamsOfCiphers, AnswerAsAesDoes) {
  const auto of_ctx = [this](int i, OSSL_PARAM* p) {
    return EVP_CIPHER_CTX_get_params(ctx[i].get(), p);
  };
  const auto of_cipher = [this](int i, OSSL_PARAM* p) {
    return EVP_CIPHER_get_params(cipher[i].get(), p);
  };
  for_each([&](unsigned type, std::size_t size) {
    for (const char* key :
         {OSSL_CIPHER_PARAM_KEYLEN, OSSL_CIPHER_PARAM_IVLEN, OSSL_CIPHER_PARAM_PADDING,
          OSSL_CIPHER_PARAM_NUM, "no-such-parameter"}) {
      compare(key, type, size, of_ctx);
    }
    for (const char* key :
         {OSSL_CIPHER_PARAM_KEYLEN, OSSL_CIPHER_PARAM_IVLEN, OSSL_CIPHER_PARAM_MODE,
          OSSL_CIPHER_PARAM_BLOCK_SIZE, OSSL_CIPHER_PARAM_AEAD, OSSL_CIPHER_PARAM_CUSTOM_IV,
          OSSL_CIPHER_PARAM_CTS, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK,
          OSSL_CIPHER_PARAM_HAS_RAND_KEY}) {
      compare(key, type, size, of_cipher, false);
    }
  });
}

TEST_F(ParamsOfCiphers, AnswerIvsAsAesDoes) {
  // Same IV, but another counter would be another answer: 21 bytes have gone from both.
  const auto get = [this](int i, OSSL_PARAM* p) {
    return EVP_CIPHER_CTX_get_params(ctx[i].get(), p);
  };
  for_each([&](unsigned type, std::size_t size) {
    compare(OSSL_CIPHER_PARAM_IV, type, size, get);
    compare(OSSL_CIPHER_PARAM_UPDATED_IV, type, size, get);
  });
  for (const char* key : {OSSL_CIPHER_PARAM_IV, OSSL_CIPHER_PARAM_UPDATED_IV}) {
    compare(key, OSSL_PARAM_OCTET_PTR, sizeof(void*), get);
  }
}

TEST_F(ParamsOfCiphers, TakeWhatAesTakes) {
  for_each([&](unsigned type, std::size_t size) {
    for (const Bytes& data : patterns(size)) {
      if (is_empty_integer(type, size)) continue;
      unsigned padding[2] = {7, 7};
      int done[2];
      for (const int i : {0, 1}) {
        ERR_clear_error();
        ASSERT_EQ(1, EVP_CIPHER_CTX_set_padding(ctx[i].get(), 1));
        const Param param(OSSL_CIPHER_PARAM_PADDING, type, data);
        done[i] = EVP_CIPHER_CTX_set_params(ctx[i].get(), param.p);
        EXPECT_TRUE(i == 0 || last_error().empty() == (done[i] == 1));
        OSSL_PARAM get[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding[i]),
                            OSSL_PARAM_construct_end()};
        ASSERT_EQ(1, EVP_CIPHER_CTX_get_params(ctx[i].get(), get));
      }
      ASSERT_EQ(done[1], done[0]) << name_of(type, size, data);
      ASSERT_EQ(padding[1], padding[0]) << name_of(type, size, data);
    }
  });
}

// Of 64 bits, and ours alone: libcrypto says what the bytes mean.
TEST_F(ParamsOfCiphers, MaxBytesTakesEveryInteger) {
  for_each([&](unsigned type, std::size_t size) {
    for (const Bytes& data : patterns(size)) {
      std::uint64_t before = 12345, after = 7, meant = before;
      OSSL_PARAM number[] = {OSSL_PARAM_construct_uint64("max-bytes", &before),
                             OSSL_PARAM_construct_end()};
      ASSERT_EQ(1, EVP_CIPHER_CTX_set_params(ctx[1].get(), number));
      const Param param("max-bytes", type, data);
      const int readable =
          !is_empty_integer(type, size) && OSSL_PARAM_get_uint64(param.p, &meant) == 1 ? 1 : 0;
      ERR_clear_error();
      ASSERT_EQ(EVP_CIPHER_CTX_set_params(ctx[1].get(), param.p), readable)
          << name_of(type, size, data);
      EXPECT_EQ(last_error().empty(), readable == 1);
      number[0] = OSSL_PARAM_construct_uint64("max-bytes", &after);
      ASSERT_EQ(1, EVP_CIPHER_CTX_get_params(ctx[1].get(), number));
      ASSERT_EQ(after, readable == 1 ? meant : before) << name_of(type, size, data);
    }
  });
}

// GCM and CCM: whether there is an answer, how long it is, and what is written, for every size of
// the buffer and without one.
TEST(ParamsOfAeads, AnswerIvsAndTagsAsStockCiphersDo) {
  const Library library;
  for (const std::string name : {"AES-128-GCM", "AES-128-CCM"}) {
    const bool ccm = name == "AES-128-CCM";
    const std::size_t tag_bytes = ccm ? 12 : 16;
    Evp<EVP_CIPHER> ciphers[] = {library.stock(name), library.cipher(name)};
    if (ciphers[1] == nullptr) GTEST_SKIP() << name << " is not in this build";
    for (const char* key :
         {OSSL_CIPHER_PARAM_IV, OSSL_CIPHER_PARAM_UPDATED_IV, OSSL_CIPHER_PARAM_AEAD_TAG}) {
      for (std::size_t size = 0; size <= 20; ++size) {
        for (const bool with_data : {true, false}) {
          const bool tag = std::strcmp(key, OSSL_CIPHER_PARAM_AEAD_TAG) == 0;
          if (ccm && tag && !with_data && size == tag_bytes) continue;  // the stock cipher crashes
          if (ccm && !tag && size > 16) continue;                       // and reads beyond its IV
          std::string answers[2];
          for (const int i : {0, 1}) {
            const std::uint8_t secret[16] = {1}, iv[12] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
            std::uint8_t data[20] = {};
            int n = 0;
            const Evp<EVP_CIPHER_CTX> c(EVP_CIPHER_CTX_new());
            ASSERT_EQ(1, EVP_EncryptInit_ex2(c.get(), ciphers[i].get(), secret, iv, nullptr));
            ASSERT_EQ(1, EVP_EncryptUpdate(c.get(), data, &n, data, sizeof data));
            if (!ccm) {
              ASSERT_EQ(1, EVP_EncryptFinal_ex(c.get(), data, &n));
            }
            Bytes answer(32, 0xa5);
            OSSL_PARAM params[] = {
                OSSL_PARAM_construct_octet_string(key, with_data ? answer.data() : nullptr, size),
                OSSL_PARAM_construct_end()};
            const int status = EVP_CIPHER_CTX_get_params(c.get(), params);
            const std::string error = last_error();
            // A refusal may be silent, as OpenSSL's is: reasons_test compares them.
            EXPECT_TRUE(i == 0 || status == 0 || error.empty())
                << name << ", " << key << ", " << size << " bytes: " << status << ", " << error;
            ERR_clear_error();
            answers[i] = std::to_string(status) + " ";
            // The stock CCM leaves the size of a tag alone.
            if (status == 1 && !(ccm && tag))
              answers[i] += std::to_string(params[0].return_size) + " ";
            answers[i] += to_hex(answer);
          }
          if (!ccm && !with_data && OpenSSL_version_num() < 0x30600000) {  // a listed difference
            answers[0] = std::string("1 ") + (tag ? "16 " : "12 ") + to_hex(Bytes(32, 0xa5));
          }
          EXPECT_EQ(answers[1], answers[0]) << name << ", " << key << ", " << size << " bytes";
        }
      }
    }
  }
}

// An integer of no bytes has no value: it may not turn padding off, nor a limit.
TEST_F(ParamsOfCiphers, RefuseIntegersOfNoBytes) {
  for (const unsigned type :
       {unsigned{OSSL_PARAM_INTEGER}, unsigned{OSSL_PARAM_UNSIGNED_INTEGER}}) {
    std::uint64_t value = 7;
    EXPECT_FALSE(read_uint(Param("x", type, {}).p[0], &value));
    EXPECT_EQ(value, 7u);
    Param answer("x", type, {});
    EXPECT_FALSE(answer_uint(answer.p, 0));
    for (const char* key : {OSSL_CIPHER_PARAM_PADDING, OSSL_CIPHER_PARAM_NUM,
                            OSSL_CIPHER_PARAM_KEYLEN, "ctr-bits", "max-bytes"}) {
      const Param param(key, type, {});
      EXPECT_EQ(EVP_CIPHER_CTX_set_params(ctx[1].get(), param.p), 0) << key;
      const std::string error = last_error();
      EXPECT_EQ(error.substr(0, 24), "failed to get parameter:") << key;
      const std::string name = key;
      const bool of_32_bits = name == OSSL_CIPHER_PARAM_PADDING || name == OSSL_CIPHER_PARAM_NUM;
      EXPECT_EQ(error.find("integer of 32 bits") != std::string::npos, of_32_bits) << key;
    }
  }
}

// What AES lists of its cipher; of a context the IV, where the mode has one.
TEST(Params, AreListed) {
  const Library library;
  const Evp<EVP_CIPHER> stock = library.stock("AES-128-CBC");
  for (const char* mode : {"-CBC", "-ECB"}) {
    const Evp<EVP_CIPHER> cipher = library.cipher(std::string("LEA-128") + mode);
    if (cipher == nullptr) GTEST_SKIP() << "LEA is not in this build";
    for (auto* p = EVP_CIPHER_gettable_params(stock.get()); p->key != nullptr; ++p) {
      EXPECT_NE(OSSL_PARAM_locate_const(EVP_CIPHER_gettable_params(cipher.get()), p->key), nullptr)
          << p->key;
    }
    for (const char* key :
         {OSSL_CIPHER_PARAM_IV, OSSL_CIPHER_PARAM_UPDATED_IV, OSSL_CIPHER_PARAM_NUM}) {
      const OSSL_PARAM* const listed = EVP_CIPHER_gettable_ctx_params(cipher.get());
      EXPECT_EQ(OSSL_PARAM_locate_const(listed, key) != nullptr, mode[1] == 'C') << key;
    }
  }
}

// A set of several is all or nothing.
TEST_F(ParamsOfCiphers, ARefusedSetIsNotHalfApplied) {
  const std::uint8_t iv[16] = {3};
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx[1].get(), nullptr, nullptr, iv, nullptr));
  unsigned padding = 0, bits = 32, num = 16;
  std::uint64_t bytes = 999;
  const OSSL_PARAM set[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
                            OSSL_PARAM_construct_uint64("max-bytes", &bytes),
                            OSSL_PARAM_construct_uint("ctr-bits", &bits),
                            OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
                            OSSL_PARAM_construct_end()};
  EXPECT_EQ(0, EVP_CIPHER_CTX_set_params(ctx[1].get(), set));
  EXPECT_EQ(last_error(), "bad parameter: num = 16: a block of LEA-128 has 16 bytes");
  OSSL_PARAM get[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
                      OSSL_PARAM_construct_uint64("max-bytes", &bytes),
                      OSSL_PARAM_construct_uint("ctr-bits", &bits), OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_CIPHER_CTX_get_params(ctx[1].get(), get));
  EXPECT_EQ(padding, 1u);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(bits, 128u);
}

}  // namespace
}  // namespace gpuctr::test
