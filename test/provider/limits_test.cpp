// max-bytes and ctr-bits bound what one key and one IV may give: by every call that gives data, and
// over every init.
#define OPENSSL_SUPPRESS_DEPRECATED  // EVP_CIPHER_CTX_iv_noconst
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

class Limits : public testing::Test {
 protected:
  void start(const char* name, bool encrypt = true) {
    cipher = library.cipher(name);
    ASSERT_NE(cipher, nullptr);
    ctx.reset(EVP_CIPHER_CTX_new());
    ASSERT_EQ(1, EVP_CipherInit_ex2(ctx.get(), cipher.get(), key, iv, encrypt ? 1 : 0, nullptr));
  }
  int init(const std::uint8_t* with_key, const std::uint8_t* with_iv,
           const OSSL_PARAM* params = nullptr) {
    return EVP_CipherInit_ex2(ctx.get(), nullptr, with_key, with_iv, -1, params);
  }
  int set(const char* name, unsigned value) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(name, &value),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(ctx.get(), params);
  }
  bool update(std::size_t n) {
    int written = 0;
    return EVP_CipherUpdate(ctx.get(), out.data(), &written, data.data(), static_cast<int>(n)) == 1;
  }
  bool one_shot(std::size_t n) {
    return EVP_Cipher(ctx.get(), out.data(), data.data(), static_cast<unsigned>(n)) ==
           static_cast<int>(n);
  }

  Library library;
  Evp<EVP_CIPHER> cipher;
  Evp<EVP_CIPHER_CTX> ctx;
  std::uint8_t key[32] = {1}, iv[16] = {2};
  Bytes data = Bytes(std::size_t{1} << 20), out = Bytes(data.size() + 16);
};

TEST_F(Limits, MaxBytesCountsEveryCall) {
  for (const char* name : {"LEA-128-CTR", "LEA-128-ECB", "HIGHT-CTR", "HIGHT-ECB", "LEA-128-CFB",
                           "HIGHT-CFB8", "LEA-128-CFB1", "HIGHT-OFB"}) {
    for (const bool encrypt : {true, false}) {
      for (unsigned calls = 0; calls < 4; ++calls) {
        SCOPED_TRACE(std::string(name) + ", calls " + std::to_string(calls));
        start(name, encrypt);
        ASSERT_EQ(1, set("max-bytes", 160));
        const auto give = [&](unsigned which, std::size_t n) {
          return (calls >> which & 1) != 0 ? one_shot(n) : update(n);
        };
        EXPECT_TRUE(give(0, 96));
        EXPECT_FALSE(give(1, 80));
        EXPECT_EQ(last_error().substr(0, 31), "byte limit of this key reached:");
        EXPECT_TRUE(give(1, 64));  // a refused call counts nothing
        EXPECT_FALSE(give(0, 16));
        EXPECT_FALSE(give(1, 16));
        // No init but one with a key begins anew.
        for (int round = 0; round < 2; ++round) {
          ASSERT_EQ(1, init(nullptr, round == 0 ? iv : nullptr));
          EXPECT_FALSE(give(0, 16));
          EXPECT_FALSE(give(1, 16));
        }
        ERR_clear_error();
        ASSERT_EQ(1, init(key, nullptr));
        EXPECT_TRUE(give(1, 160));
      }
    }
  }
}

// A limit below what the key has had refuses the next byte, but not a message without text.
TEST_F(Limits, MaxBytesBelowTheCountAllowsEmptyMessages) {
  for (const char* name : {"LEA-128-CTR", "LEA-128-ECB", "LEA-128-CBC", "HIGHT-CFB", "HIGHT-OFB",
                           "LEA-128-GCM", "LEA-128-CCM"}) {
    SCOPED_TRACE(name);
    start(name);
    EVP_CIPHER_CTX_set_padding(ctx.get(), 0);
    EXPECT_TRUE(update(32));
    ASSERT_EQ(1, set("max-bytes", 16));
    ASSERT_EQ(1, init(nullptr, iv));
    EXPECT_FALSE(update(16));
    EXPECT_EQ(last_error().substr(0, 31), "byte limit of this key reached:");
    int n = 7;
    EXPECT_EQ(1, EVP_EncryptUpdate(ctx.get(), out.data(), &n, data.data(), 0));
    EXPECT_EQ(1, EVP_EncryptFinal_ex(ctx.get(), out.data(), &n));
    EXPECT_EQ(n, 0);
    EXPECT_EQ(ERR_peek_error(), 0UL);
  }
}

// Bytes that wait count where they came in.
TEST_F(Limits, MaxBytesCountsEcbBytesThatWait) {
  start("LEA-128-ECB");
  ASSERT_EQ(1, set("max-bytes", 20));
  EXPECT_TRUE(update(15));
  EXPECT_FALSE(update(6));
  EXPECT_TRUE(update(5));
  EXPECT_FALSE(update(1));
  ERR_clear_error();
}

// Padding that encryption adds counts: both directions of a message have as many bytes. A final
// that the limit refuses leaves the message as it was.
TEST_F(Limits, MaxBytesCountsPadding) {
  for (const char* name : {"LEA-128-ECB", "LEA-128-CBC", "HIGHT-CBC"}) {
    for (const std::size_t bytes : {std::size_t{32}, std::size_t{37}}) {
      SCOPED_TRACE(std::string(name) + ", bytes " + std::to_string(bytes));
      start(name);
      const auto block = static_cast<std::size_t>(name[0] == 'H' ? 8 : 16);
      const std::size_t whole = (bytes / block + 1) * block;
      ASSERT_EQ(1, set("max-bytes", static_cast<unsigned>(whole - 1)));
      EXPECT_TRUE(update(bytes));
      int n = 7;
      EXPECT_EQ(0, EVP_EncryptFinal_ex(ctx.get(), out.data(), &n));
      EXPECT_EQ(last_error().substr(0, 31), "byte limit of this key reached:");
      EXPECT_EQ(n, 0);
      ASSERT_EQ(1, set("max-bytes", static_cast<unsigned>(whole + block)));
      ASSERT_EQ(1, EVP_EncryptFinal_ex(ctx.get(), out.data(), &n));
      EXPECT_EQ(n, static_cast<int>(block));
      ASSERT_EQ(1, init(nullptr, iv));
      EXPECT_FALSE(update(block + 1));
      ERR_clear_error();
      EXPECT_TRUE(update(block));
    }
  }
}

// All of a field's counters, and then none, whatever init comes: but for a new IV.
TEST_F(Limits, NoInitGivesAFieldsCountersAgain) {
  start("LEA-128-CTR");
  ASSERT_EQ(1, set("ctr-bits", 16));
  ASSERT_TRUE(update(data.size()));
  unsigned bits = 16, padding = 0, num = 0;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
                               OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
                               OSSL_PARAM_construct_end()};
  const OSSL_PARAM width[] = {OSSL_PARAM_construct_uint("ctr-bits", &bits),
                              OSSL_PARAM_construct_end()};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(1, init((i & 1) != 0 ? key : nullptr, nullptr, (i & 2) != 0 ? params : nullptr));
    ERR_clear_error();
    EXPECT_FALSE(update(1)) << i;
    EXPECT_EQ(last_error().substr(0, 18), "counter exhausted:") << i;
  }
  EXPECT_EQ(0, init(key, nullptr, width));
  EXPECT_FALSE(update(1));
  ERR_clear_error();
  EXPECT_EQ(1, init(nullptr, iv));
  EXPECT_TRUE(update(data.size()));
}

// In the middle of an IV another width would come to counters that were used.
TEST_F(Limits, TheFieldsWidthIsSetBeforeTheFirstData) {
  start("LEA-128-CTR");
  EXPECT_EQ(1, set("ctr-bits", 32));
  EXPECT_EQ(1, set("ctr-bits", 20));
  for (const std::size_t n : {1u, 15u, 16u, 100u}) {
    ASSERT_TRUE(update(n));
    for (const unsigned bits : {16u, 20u, 32u, 128u}) {
      EXPECT_EQ(0, set("ctr-bits", bits));
      EXPECT_EQ(last_error(), "bad parameter: ctr-bits = " + std::to_string(bits) +
                                  ": the width is set before the first data of an IV");
    }
    ASSERT_EQ(1, init(n == 15 ? key : nullptr, nullptr));  // which is no new IV
    EXPECT_EQ(0, set("ctr-bits", 32));
    ERR_clear_error();
  }
  unsigned bits = 0;
  OSSL_PARAM get[] = {OSSL_PARAM_construct_uint("ctr-bits", &bits), OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_CIPHER_CTX_get_params(ctx.get(), get));
  EXPECT_EQ(bits, 20u);
  ASSERT_EQ(1, init(nullptr, iv));
  EXPECT_EQ(1, set("ctr-bits", 32));
}

// Whoever writes the counter answers for it, as for a new IV. Asking for the pointer is not
// writing.
TEST_F(Limits, AWrittenCounterBeginsAnew) {
  for (const bool init_between : {false, true}) {
    start("LEA-128-CTR");
    ASSERT_EQ(1, set("ctr-bits", 16));
    ASSERT_NE(EVP_CIPHER_CTX_iv_noconst(ctx.get()), nullptr);
    ASSERT_EQ(1, set(OSSL_CIPHER_PARAM_NUM, 5));  // which begins a block
    ASSERT_TRUE(update(data.size() - 5));
    ASSERT_NE(EVP_CIPHER_CTX_iv_noconst(ctx.get()), nullptr);
    EXPECT_FALSE(update(1));
    ERR_clear_error();
    EVP_CIPHER_CTX_iv_noconst(ctx.get())[0] ^= 1;
    EXPECT_TRUE(!init_between || init(nullptr, nullptr) == 1);
    EXPECT_TRUE(update(data.size())) << last_error();
    EXPECT_FALSE(update(1));
    ERR_clear_error();
  }
}

}  // namespace
}  // namespace gpuctr::test
