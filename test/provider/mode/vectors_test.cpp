// Vector files through EVP, in one update and in two at every split.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/self_test.h>

#include "test/provider/support.h"
#include "test/support/vector_files.h"

namespace gpuctr::test {
namespace {

constexpr std::size_t kMaxBlock = 128;  // bytes, of any cipher

Bytes crypt(const EVP_CIPHER* cipher, const Stanza& stanza, const Bytes& in, bool encrypt,
            std::size_t split) {
  const Bytes key = stanza.bytes("Key");
  const Bytes iv = stanza.has("IV") ? stanza.bytes("IV") : Bytes();
  Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  Bytes out(in.size() + kMaxBlock);
  int n = 0;
  int total = 0;
  Bytes tweak = stanza.has("Tweak") ? stanza.bytes("Tweak") : Bytes();
  OSSL_PARAM params[] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
  if (!tweak.empty()) {
    params[0] = OSSL_PARAM_construct_octet_string("tweak", tweak.data(), tweak.size());
  }
  EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), cipher, nullptr, nullptr, encrypt ? 1 : 0, nullptr));
  EXPECT_EQ(1, EVP_CIPHER_CTX_set_key_length(ctx.get(), static_cast<int>(key.size())));
  EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), nullptr, key.data(), iv.empty() ? nullptr : iv.data(),
                                  encrypt ? 1 : 0, params));
  EXPECT_EQ(1, EVP_CIPHER_CTX_set_padding(ctx.get(), 0));
  EXPECT_EQ(1, EVP_CipherUpdate(ctx.get(), out.data(), &n, in.data(), static_cast<int>(split)));
  total += n;
  EXPECT_EQ(1, EVP_CipherUpdate(ctx.get(), out.data() + total, &n, in.data() + split,
                                static_cast<int>(in.size() - split)));
  total += n;
  EXPECT_EQ(1, EVP_CipherFinal_ex(ctx.get(), out.data() + total, &n)) << last_error();
  total += n;
  out.resize(static_cast<std::size_t>(total));
  return out;
}

class EvpVectors : public testing::TestWithParam<const char*> {};

TEST_P(EvpVectors, BothWaysAtEverySplit) {
  const Library library;
  for (const Stanza& stanza : read_vectors(GetParam())) {
    const std::string name = stanza.text("Cipher");
    if (library.cipher(name.substr(0, name.rfind('-')) + "-ECB") == nullptr) continue;  // left out
    const Evp<EVP_CIPHER> cipher = library.cipher(name);
    ASSERT_NE(cipher, nullptr) << stanza.place() << ": " << last_error();
    const Bytes plain = stanza.bytes("Plaintext");
    const Bytes secret = stanza.bytes("Ciphertext");
    const std::size_t step = plain.size() > 64 ? plain.size() / 16 : 1;
    for (std::size_t split = 0; split <= plain.size(); split += step) {
      ASSERT_EQ(to_hex(crypt(cipher.get(), stanza, plain, true, split)), to_hex(secret))
          << stanza.place() << " split at " << split;
      ASSERT_EQ(to_hex(crypt(cipher.get(), stanza, secret, false, split)), to_hex(plain))
          << stanza.place() << " split at " << split;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Published, EvpVectors, testing::ValuesIn(kPublished));
INSTANTIATE_TEST_SUITE_P(Feedback, EvpVectors, testing::Values("test/vectors/feedback.txt"));

TEST(SelfTest, Passes) {
  const Library library;
  EXPECT_EQ(1, OSSL_PROVIDER_self_test(library.provider())) << last_error();
}

// A spoilt answer of GHASH, which GCM needs beside a cipher, fails it.
TEST(SelfTest, LooksAtGhash) {
  const Library library;
  const auto callback = [](const OSSL_PARAM params[], void* argument) {
    const auto is = [&](const char* key, const char* wanted) {
      const char* value = "";
      OSSL_PARAM_get_utf8_string_ptr(OSSL_PARAM_locate_const(params, key), &value);
      return std::string(value) == wanted;
    };
    if (!is(OSSL_PROV_PARAM_SELF_TEST_DESC, "GHASH")) return 1;
    *static_cast<int*>(argument) += is(OSSL_PROV_PARAM_SELF_TEST_PHASE, OSSL_SELF_TEST_PHASE_FAIL);
    return is(OSSL_PROV_PARAM_SELF_TEST_PHASE, OSSL_SELF_TEST_PHASE_CORRUPT) ? 0 : 1;
  };
  int failed = 0;
  OSSL_SELF_TEST_set_callback(library.get(), callback, &failed);
  EXPECT_EQ(0, OSSL_PROVIDER_self_test(library.provider()));
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(last_error().substr(0, 34), "self-test failed: GHASH on backend");
}

}  // namespace
}  // namespace gpuctr::test
