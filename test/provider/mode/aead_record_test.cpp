// Records of TLS 1.2 in GCM (RFC 5288) and CCM (RFC 6655) of every cipher with a block of 16 bytes,
// as libssl passes them, against the models of the modes.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "kernels/cipher/registry.h"
#include "test/provider/mode/ccm_model.h"
#include "test/provider/mode/gcm_model.h"
#include "test/provider/support.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

constexpr std::size_t kExplicit = 8;

// Mode and length of its tag.
struct Suite {
  const char* mode;
  std::size_t tag;
};
constexpr Suite kSuites[] = {{"GCM", 16}, {"CCM", 16}, {"CCM", 8}};

class AeadRecord : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (spec.block_bytes != 16) GTEST_SKIP() << "both take blocks of 16 bytes";
  }
  Bytes bytes(std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
    return b;
  }
  // A record's header: its number, then three bytes, then the length.
  Bytes header(std::uint8_t number, std::size_t length) const {
    return {0,
            0,
            0,
            0,
            0,
            0,
            1,
            number,
            23,
            3,
            3,
            static_cast<std::uint8_t>(length >> 8),
            static_cast<std::uint8_t>(length)};
  }
  static int set(EVP_CIPHER_CTX* ctx, const char* name, Bytes octets) {
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(name, octets.data(), octets.size()),
        OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(ctx, params);
  }
  Evp<EVP_CIPHER_CTX> context(const Suite& suite, bool encrypt) {
    Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
    const Evp<EVP_CIPHER> cipher = library.cipher(std::string(spec.name) + "-" + suite.mode);
    const int direction = encrypt ? 1 : 0;
    EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), cipher.get(), nullptr, nullptr, direction, nullptr));
    EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_IVLEN, 12, nullptr));
    if (suite.mode == std::string("CCM")) {
      EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_TAG,
                                       static_cast<int>(suite.tag), nullptr));
    }
    EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), nullptr, key.data(), nullptr, direction, nullptr));
    EXPECT_EQ(1, set(ctx.get(), OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, fixed));
    return ctx;
  }
  // The model's record of a text; its header has the length of the text.
  Bytes sealed(const Suite& suite, const Bytes& explicit_iv, const Bytes& head, const Bytes& text) {
    Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
    const Evp<EVP_CIPHER> ecb = library.cipher(std::string(spec.name) + "-ECB");
    EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), ecb.get(), key.data(), nullptr, nullptr));
    const auto encrypt = [&](const GcmModel::Block& in) {
      GcmModel::Block out;
      EXPECT_EQ(16, EVP_Cipher(ctx.get(), out.data(), in.data(), 16));
      return out;
    };
    Bytes iv(fixed), record(explicit_iv), made, tag;
    iv.insert(iv.end(), explicit_iv.begin(), explicit_iv.end());
    if (suite.mode == std::string("GCM")) {
      const GcmModel model(encrypt);
      made = model.crypt(iv, text);
      tag = model.tag(iv, head, made);
    } else {
      const CcmModel model(encrypt);
      made = model.crypt(iv, text);
      tag = model.tag(iv, head, text, suite.tag);
    }
    record.insert(record.end(), made.begin(), made.end());
    record.insert(record.end(), tag.begin(), tag.end());
    return record;
  }
  // Status of a record's call, in place.
  static int crypt(EVP_CIPHER_CTX* ctx, const Bytes& head, Bytes* record, std::size_t written) {
    EXPECT_EQ(1, set(ctx, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, head));
    int n = 0;
    const int size = static_cast<int>(record->size());
    const int status = EVP_CipherUpdate(ctx, record->data(), &n, record->data(), size);
    EXPECT_EQ(n, status == 1 ? static_cast<int>(written) : 0);
    return status;
  }

  std::mt19937 random{7};
  const Library library;
  const CipherSpec& spec = cipher_spec(GetParam());
  const Bytes key = bytes(spec.key_bytes), fixed = bytes(4);
};

TEST_P(AeadRecord, AsTheModel) {
  for (const Suite& suite : kSuites) {
    SCOPED_TRACE(std::string(spec.name) + "-" + suite.mode + " " + std::to_string(suite.tag));
    const auto seals = context(suite, true), opens = context(suite, false);
    Bytes last;
    std::uint8_t number = 0;
    for (const std::size_t n : {0u, 1u, 16u, 33u, 1000u}) {
      const Bytes text = bytes(n), head = header(++number, n);
      const std::size_t all = kExplicit + n + suite.tag;
      Bytes record(all);
      std::copy(text.begin(), text.end(), record.begin() + kExplicit);
      ASSERT_EQ(1, crypt(seals.get(), header(number, kExplicit + n), &record, all));
      const Bytes iv(record.begin(), record.begin() + kExplicit);
      EXPECT_EQ(to_hex(record), to_hex(sealed(suite, iv, head, text)));
      if (suite.mode == std::string("CCM")) {
        EXPECT_EQ(iv, Bytes(head.begin(), head.begin() + kExplicit));
      }
      EXPECT_NE(iv, last);
      last = iv;

      Bytes opened(record);
      ASSERT_EQ(1, crypt(opens.get(), header(number, all), &opened, n)) << last_error();
      EXPECT_EQ(Bytes(opened.begin() + kExplicit, opened.begin() + kExplicit + n), text);
      // Another text, tag or IV; the next record opens all the same.
      for (const std::size_t at : {std::size_t{0}, kExplicit, all - 1}) {
        Bytes wrong(record);
        wrong[at] ^= 1;
        EXPECT_EQ(0, crypt(opens.get(), header(number, all), &wrong, n)) << at;
        EXPECT_NE(last_error(), "") << at;
        EXPECT_EQ(Bytes(wrong.begin() + kExplicit, wrong.begin() + kExplicit + n), Bytes(n));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCipher, AeadRecord, testing::Range(std::size_t{0}, kCipherCount),
                         [](const auto& param) {
                           return gtest_name(cipher_spec(param.param).name);
                         });

}  // namespace
}  // namespace gpuctr::test
