// Bad input: one error with its data, no output, and a context that works after a correct init.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include "test/provider/reference.h"
#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

class Misuse : public testing::Test {
 protected:
  Library library;
  Evp<EVP_CIPHER> lea = library.cipher("LEA-128-CTR");
  Evp<EVP_CIPHER> hight_ecb = library.cipher("HIGHT-ECB");
  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};
  Bytes key = Bytes(16, 0x11);
  Bytes iv = Bytes(16, 0x22);
  Bytes in = Bytes(64, 0x33);
  Bytes out = Bytes(128, 0xa5);
  int n = 0;

  void expect_untouched() const { EXPECT_EQ(out, Bytes(128, 0xa5)); }
  void expect_works() {
    ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), lea.get(), key.data(), iv.data(), nullptr));
    ASSERT_EQ(1, EVP_EncryptUpdate(ctx.get(), out.data(), &n, in.data(), 64));
    out.resize(64);
    EXPECT_EQ(out, reference_ctr(*find_cipher("LEA-128"), key, iv, in, 128));
  }
};

TEST_F(Misuse, UpdateBeforeKey) {
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), lea.get(), nullptr, nullptr, nullptr));
  EXPECT_EQ(0, EVP_EncryptUpdate(ctx.get(), out.data(), &n, in.data(), 64));
  EXPECT_EQ(last_error(), "no key set: LEA-128 has no key yet");
  expect_untouched();
  expect_works();
}

TEST_F(Misuse, UpdateBeforeIv) {
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), lea.get(), key.data(), nullptr, nullptr));
  EXPECT_EQ(0, EVP_EncryptUpdate(ctx.get(), out.data(), &n, in.data(), 64));
  EXPECT_EQ(last_error(), "no IV set: LEA-128-CTR has no IV yet");
  expect_untouched();
  expect_works();
}

TEST_F(Misuse, ShortKeyByParameter) {
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), lea.get(), nullptr, nullptr, nullptr));
  EXPECT_EQ(0, EVP_CIPHER_CTX_set_key_length(ctx.get(), 12));
  EXPECT_EQ(last_error(), "invalid key length");
  expect_works();
}

TEST_F(Misuse, PartialOverlap) {
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), lea.get(), key.data(), iv.data(), nullptr));
  EXPECT_EQ(0, EVP_EncryptUpdate(ctx.get(), out.data() + 1, &n, out.data(), 64));
  EXPECT_EQ(last_error().substr(0, 32), "input and output overlap partly:");
  expect_untouched();
  EXPECT_EQ(0, EVP_EncryptUpdate(ctx.get(), out.data(), &n, out.data() + 63, 64));
  last_error();
  expect_untouched();
  expect_works();
}

TEST_F(Misuse, CounterWidthOutOfRange) {
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), lea.get(), key.data(), iv.data(), nullptr));
  for (unsigned bits : {0u, 15u, 129u}) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("ctr-bits", &bits),
                                 OSSL_PARAM_construct_end()};
    EXPECT_EQ(0, EVP_CIPHER_CTX_set_params(ctx.get(), params));
    EXPECT_EQ(last_error(), "bad parameter: ctr-bits = " + std::to_string(bits) +
                                ": LEA-128-CTR takes 16 to 128");
  }
  expect_works();
}

TEST_F(Misuse, UnknownParameterIsIgnored) {
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), lea.get(), key.data(), iv.data(), nullptr));
  unsigned value = 7;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("no-such-parameter", &value),
                               OSSL_PARAM_construct_end()};
  EXPECT_EQ(1, EVP_CIPHER_CTX_set_params(ctx.get(), params));
  EXPECT_EQ(last_error(), "");
  expect_works();
}

TEST_F(Misuse, EcbLeftoverWithoutPadding) {
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), hight_ecb.get(), key.data(), nullptr, nullptr));
  EVP_CIPHER_CTX_set_padding(ctx.get(), 0);
  ASSERT_EQ(1, EVP_EncryptUpdate(ctx.get(), out.data(), &n, in.data(), 13));
  EXPECT_EQ(n, 8);
  EXPECT_EQ(0, EVP_EncryptFinal_ex(ctx.get(), out.data() + n, &n));
  EXPECT_EQ(last_error(),
            "wrong final block length: 5 bytes are left over, HIGHT takes blocks of 8");
}

TEST_F(Misuse, EcbBadPadding) {
  ASSERT_EQ(1, EVP_DecryptInit_ex2(ctx.get(), hight_ecb.get(), key.data(), nullptr, nullptr));
  ASSERT_EQ(1, EVP_DecryptUpdate(ctx.get(), out.data(), &n, in.data(), 16));
  EXPECT_EQ(n, 8);
  EXPECT_EQ(0, EVP_DecryptFinal_ex(ctx.get(), out.data() + n, &n));
  EXPECT_EQ(last_error(), "bad decrypt: the last block of HIGHT-ECB does not end in padding");
  EXPECT_EQ(Bytes(out.begin() + 8, out.end()), Bytes(120, 0xa5));
}

// A last byte of 0, of more than a block, and one whose like do not stand before it.
TEST_F(Misuse, EcbEveryBadPadding) {
  for (unsigned last = 0; last < 256; ++last) {
    for (const bool all : {false, true}) {
      Bytes block(8, all ? static_cast<std::uint8_t>(last) : std::uint8_t{0xee});
      block.back() = static_cast<std::uint8_t>(last);
      const bool good = last == 1 || (all && last >= 1 && last <= 8);
      Bytes sealed(8);
      ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), hight_ecb.get(), key.data(), nullptr, nullptr));
      ASSERT_EQ(8, EVP_Cipher(ctx.get(), sealed.data(), block.data(), 8));
      ASSERT_EQ(1, EVP_DecryptInit_ex2(ctx.get(), hight_ecb.get(), key.data(), nullptr, nullptr));
      ASSERT_EQ(1, EVP_DecryptUpdate(ctx.get(), out.data(), &n, sealed.data(), 8));
      EXPECT_EQ(good ? 1 : 0, EVP_DecryptFinal_ex(ctx.get(), out.data(), &n)) << last;
      EXPECT_EQ(last_error(),
                good ? "" : "bad decrypt: the last block of HIGHT-ECB does not end in padding")
          << last;
    }
  }
}

}  // namespace
}  // namespace gpuctr::test
