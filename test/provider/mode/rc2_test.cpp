// RC2 beside that of OpenSSL's legacy provider: keys of many lengths under many effective key bits,
// and the parameters that CMS and PKCS#12 store.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include <random>

#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

class Rc2Test : public testing::Test {
 protected:
  void SetUp() override {
    if (legacy_ == nullptr) GTEST_SKIP() << "OpenSSL has no legacy provider here";
  }
  Bytes bytes(std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random_());
    return b;
  }
  // Ours, and OpenSSL's.
  void fetch(const char* name) {
    sides_[0] = library_.cipher(name);
    sides_[1] = library_.stock(name);
    for (int i : {0, 1}) {
      ASSERT_NE(sides_[i], nullptr) << name << i;
      ctx_[i].reset(EVP_CIPHER_CTX_new());
    }
  }
  // Calls f with both contexts. The results have to be equal.
  template <class F>
  void both(F f, const std::string& what) {
    const auto ours = f(ctx_[0].get(), sides_[0].get());
    const auto theirs = f(ctx_[1].get(), sides_[1].get());
    EXPECT_EQ(ours, theirs) << what;
    ERR_clear_error();
  }
  static Bytes encrypt(EVP_CIPHER_CTX* ctx) {
    Bytes in(40, 0x3c), out(64);
    int n = 0, more = 0;
    if (EVP_EncryptUpdate(ctx, out.data(), &n, in.data(), 40) != 1 ||
        EVP_EncryptFinal_ex(ctx, out.data() + n, &more) != 1) {
      return {};
    }
    out.resize(static_cast<std::size_t>(n + more));
    return out;
  }
  static int set_bits(EVP_CIPHER_CTX* ctx, std::size_t bits) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_RC2_KEYBITS, &bits),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(ctx, params);
  }
  static int set_der(EVP_CIPHER_CTX* ctx, Bytes der) {
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string("alg_id_param", der.data(), der.size()),
        OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(ctx, params);
  }
  // Status and bytes.
  static std::string get_der(EVP_CIPHER_CTX* ctx) {
    Bytes der(40);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string("alg_id_param", der.data(), der.size()),
        OSSL_PARAM_construct_end()};
    if (EVP_CIPHER_CTX_get_params(ctx, params) != 1) return "refused";
    der.resize(params[0].return_size);
    return to_hex(der);
  }
  static std::string state(EVP_CIPHER_CTX* ctx) {
    std::size_t bits = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_RC2_KEYBITS, &bits),
                           OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(ctx, params));
    return std::to_string(bits) + " bits, key of " +
           std::to_string(EVP_CIPHER_CTX_get_key_length(ctx)) + " bytes";
  }

  Library library_;
  Evp<OSSL_PROVIDER> legacy_{OSSL_PROVIDER_load(library_.get(), "legacy")};
  Evp<EVP_CIPHER> sides_[2];
  Evp<EVP_CIPHER_CTX> ctx_[2];
  std::mt19937 random_{1};
};

constexpr const char* kNames[] = {"RC2-ECB", "RC2-CBC", "RC2-64-CBC", "RC2-40-CBC"};

TEST_F(Rc2Test, KeysAndEffectiveBits) {
  for (const char* name : kNames) {
    for (const std::size_t length : {1U, 5U, 7U, 8U, 16U, 33U, 64U, 127U, 128U}) {
      for (const std::size_t bits : {0U, 1U, 8U, 40U, 63U, 64U, 128U, 129U, 1023U, 1024U, 5000U}) {
        fetch(name);
        const Bytes key = bytes(length), iv = bytes(8);
        both(
            [&](EVP_CIPHER_CTX* ctx, const EVP_CIPHER* cipher) {
              EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx, cipher, nullptr, nullptr, nullptr));
              EXPECT_EQ(1, EVP_CIPHER_CTX_set_key_length(ctx, static_cast<int>(length)));
              EXPECT_EQ(1, set_bits(ctx, bits));
              EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx, nullptr, key.data(), iv.data(), nullptr));
              return to_hex(encrypt(ctx)) + state(ctx);
            },
            std::string(name) + ", " + std::to_string(length) + " bytes, " + std::to_string(bits));
      }
    }
  }
}

// The present key stays, also that of an init with other bits.
TEST_F(Rc2Test, BitsAreOfTheNextKey) {
  for (const char* name : kNames) {
    fetch(name);
    const Bytes key = bytes(16), iv = bytes(8);
    std::size_t bits = 63;
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_RC2_KEYBITS, &bits),
                                 OSSL_PARAM_construct_end()};
    both(
        [&](EVP_CIPHER_CTX* ctx, const EVP_CIPHER* cipher) {
          std::string text;
          EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx, cipher, key.data(), iv.data(), nullptr));
          EXPECT_EQ(1, set_bits(ctx, 100));
          text += to_hex(encrypt(ctx));
          EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx, nullptr, key.data(), iv.data(), params));
          text += to_hex(encrypt(ctx));
          EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx, nullptr, key.data(), nullptr, nullptr));
          return text + to_hex(encrypt(ctx)) + state(ctx);
        },
        name);
  }
}

TEST_F(Rc2Test, StoredParameters) {
  for (const char* name : kNames) {
    for (const std::size_t bits : {40U, 64U, 128U}) {
      fetch(name);
      const Bytes key = bytes(16), iv = bytes(8);
      std::string stored;
      both(
          [&](EVP_CIPHER_CTX* ctx, const EVP_CIPHER* cipher) {
            EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx, cipher, nullptr, nullptr, nullptr));
            EXPECT_EQ(1, set_bits(ctx, bits));
            EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx, nullptr, key.data(), iv.data(), nullptr));
            stored = get_der(ctx);
            encrypt(ctx);
            return stored + ", then " + get_der(ctx);
          },
          name);
      // Read into a new context.
      fetch(name);
      both(
          [&](EVP_CIPHER_CTX* ctx, const EVP_CIPHER* cipher) {
            EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx, cipher, nullptr, nullptr, nullptr));
            EXPECT_EQ(1, set_der(ctx, from_hex(stored)));
            const std::string text = state(ctx) + get_der(ctx);
            EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx, nullptr, key.data(), nullptr, nullptr));
            return text + to_hex(encrypt(ctx));
          },
          name);
      // And after a key and some text.
      fetch(name);
      both(
          [&](EVP_CIPHER_CTX* ctx, const EVP_CIPHER* cipher) {
            EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx, cipher, key.data(), iv.data(), nullptr));
            encrypt(ctx);
            EXPECT_EQ(1, set_der(ctx, from_hex(stored)));
            return to_hex(encrypt(ctx)) + state(ctx);
          },
          name);
    }
  }
}

// Nothing changes, and the error is the last one that OpenSSL's raises.
TEST_F(Rc2Test, BadParameters) {
  fetch("RC2-CBC");
  const std::string good = "300d02013a04080102030405060708";
  const char* const bad[] = {"",
                             "30",
                             "300d02013b04080102030405060708",
                             "300c02013a040701020304050607",
                             "310d02013a04080102030405060708",
                             "300d0201a004080102030405060708"};
  for (int i : {0, 1}) {
    EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx_[i].get(), sides_[i].get(), nullptr, nullptr, nullptr));
    EXPECT_EQ(1, set_der(ctx_[i].get(), from_hex(good)));
  }
  for (const char* der : bad) {
    for (int i : {0, 1}) {
      ERR_clear_error();
      EXPECT_EQ(0, set_der(ctx_[i].get(), from_hex(der))) << der << i;
      EXPECT_EQ(ERR_GET_REASON(ERR_peek_last_error()), PROV_R_FAILED_TO_SET_PARAMETER) << der << i;
    }
    EXPECT_EQ(get_der(ctx_[0].get()), good) << der;
    EXPECT_EQ(state(ctx_[0].get()), "128 bits, key of 16 bytes");
  }
  // A buffer that is too small. OpenSSL's writes beyond it.
  Bytes small(good.size() / 2 - 1);
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string("alg_id_param", small.data(), small.size()),
      OSSL_PARAM_construct_end()};
  EXPECT_EQ(0, EVP_CIPHER_CTX_get_params(ctx_[0].get(), params));
  EXPECT_EQ(small, Bytes(small.size()));
  EXPECT_EQ(ERR_GET_REASON(ERR_peek_last_error()), PROV_R_FAILED_TO_SET_PARAMETER);
  ERR_clear_error();
  // OpenSSL's raises the same error and stores the version 0.
  EXPECT_EQ(1, set_bits(ctx_[0].get(), 63));
  ERR_clear_error();
  EXPECT_EQ(get_der(ctx_[0].get()), "refused");
  EXPECT_EQ(ERR_GET_REASON(ERR_peek_last_error()), PROV_R_UNSUPPORTED_KEY_SIZE);
  ERR_clear_error();
}

}  // namespace
}  // namespace gpuctr::test
