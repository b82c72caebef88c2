// Random keys of DES and Triple DES: parity, weak keys, and EVP_CIPHER_CTX_rand_key() as the stock
// ciphers have it.
#include "provider/mode/base/des_key.h"

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <cstring>

#include "kernels/cipher/registry.h"
#include "provider/core/random.h"
#include "test/provider/support.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

// SP 800-67 3.3.2, as it prints them.
const char* const kWeakKeys[] = {
    "0101010101010101", "FEFEFEFEFEFEFEFE", "E0E0E0E0F1F1F1F1", "1F1F1F1F0E0E0E0E",
    "011F011F010E010E", "1F011F010E010E01", "01E001E001F101F1", "E001E001F101F101",
    "01FE01FE01FE01FE", "FE01FE01FE01FE01", "1FE01FE00EF10EF1", "E01FE01FF10EF10E",
    "1FFE1FFE0EFE0EFE", "FE1FFE1FFE0EFE0E", "E0FEE0FEF1FEF1FE", "FEE0FEE0FEF1FEF1"};

bool odd_parity(const Bytes& key) {
  bool odd = true;
  for (const std::uint8_t byte : key) odd &= __builtin_popcount(byte) % 2 == 1;
  return odd;
}

TEST(DesKey, KnowsTheWeakKeysWhateverTheirParity) {
  for (const char* text : kWeakKeys) {
    const Bytes weak = from_hex(text);
    for (unsigned parity = 0; parity < 256; ++parity) {
      Bytes key(weak);
      for (std::size_t i = 0; i < 8; ++i) key[i] ^= parity >> i & 1;
      EXPECT_TRUE(is_weak_des_key(key.data())) << text;
    }
    // A key that differs in one bit that counts is none of them.
    for (unsigned bit = 0; bit < 64; ++bit) {
      if (bit % 8 == 0) continue;
      Bytes key(weak);
      key[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      EXPECT_FALSE(is_weak_des_key(key.data())) << text << ", bit " << bit;
    }
  }
}

Bytes g_source;
std::size_t g_used;

bool from_source(std::uint8_t* out, std::size_t n) {
  if (g_source.size() - g_used < n) return false;
  std::memcpy(out, g_source.data() + g_used, n);
  g_used += n;
  return true;
}

// Three keys out of a source that gives weak keys, and one key twice, before and between them.
TEST(DesKey, WeakAndEqualKeysAreLeftOut) {
  const std::string good[] = {"0123456789ABCDEF", "23456789ABCDEF01", "456789ABCDEF0123"};
  for (const char* weak : kWeakKeys) {
    g_source = from_hex(weak + good[0] + weak + good[0] + good[1] + weak + good[0] + good[2]);
    g_used = 0;
    Bytes made(24);
    ASSERT_TRUE(make_des_keys(from_source, made.data(), made.size()));
    EXPECT_EQ(to_hex(made), to_hex(from_hex(good[0] + good[1] + good[2])));
    EXPECT_EQ(g_used, g_source.size());
  }
}

TEST(DesKey, ParityIsSet) {
  for (unsigned first = 0; first < 256; ++first) {
    g_source = Bytes{static_cast<std::uint8_t>(first), 3, 5, 7, 11, 13, 17, 19};
    g_used = 0;
    Bytes key(8);
    ASSERT_TRUE(make_des_keys(from_source, key.data(), key.size()));
    EXPECT_TRUE(odd_parity(key));
    EXPECT_EQ(key[0] & 0xfe, first & 0xfe);
  }
}

TEST(DesKey, ABrokenSourceGivesNothing) {
  Bytes out(24, 0xa5);
  g_source.clear();
  g_used = 0;
  EXPECT_FALSE(make_des_keys(from_source, out.data(), out.size()));
  EXPECT_FALSE(make_des_keys(
      [](std::uint8_t* key, std::size_t n) {
        std::memset(key, 0, n);  // always weak
        return true;
      },
      out.data(), out.size()));
  EXPECT_EQ(out, Bytes(24, 0xa5));
}

class RandomKey : public testing::TestWithParam<const char*> {
 protected:
  static bool is_here(const std::string& name) {
    return find_cipher(name.substr(0, name.rfind('-')).c_str()) != nullptr;
  }
};

TEST_P(RandomKey, IsWhatStockCiphersTake) {
  if (!is_here(GetParam())) GTEST_SKIP() << "not in this build";
  const Library library;
  const Evp<OSSL_PROVIDER> legacy(OSSL_PROVIDER_load(library.get(), "legacy"));
  if (legacy == nullptr) ERR_clear_error();
  const Evp<EVP_CIPHER> ours = library.cipher(GetParam()), stock = library.stock(GetParam());
  ERR_clear_error();
  ASSERT_NE(ours, nullptr);
  EXPECT_NE(EVP_CIPHER_get_flags(ours.get()) & EVP_CIPH_RAND_KEY, 0u);
  const EVP_CIPHER* const makers[] = {ours.get(), stock.get()};
  for (const EVP_CIPHER* maker : makers) {
    if (maker == nullptr) continue;
    const auto n = static_cast<std::size_t>(EVP_CIPHER_get_key_length(maker));
    Bytes before;
    for (int round = 0; round < 50; ++round) {
      Bytes key(n + 8, 0xa5);
      const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
      ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), maker, nullptr, nullptr, nullptr));
      ASSERT_EQ(1, EVP_CIPHER_CTX_rand_key(ctx.get(), key.data())) << last_error();
      EXPECT_EQ(Bytes(key.begin() + static_cast<std::ptrdiff_t>(n), key.end()), Bytes(8, 0xa5));
      key.resize(n);
      EXPECT_TRUE(odd_parity(key)) << to_hex(key);
      EXPECT_NE(key, before);
      before = key;
      if (stock == nullptr) continue;
      Bytes out[2] = {Bytes(32), Bytes(32)};
      const Bytes text(16, 0x31), iv(8, 0x32);
      const EVP_CIPHER* const users[] = {ours.get(), stock.get()};
      for (const int i : {0, 1}) {
        const Evp<EVP_CIPHER_CTX> user(EVP_CIPHER_CTX_new());
        int written = 0;
        ASSERT_EQ(1, EVP_EncryptInit_ex2(user.get(), users[i], key.data(), iv.data(), nullptr));
        ASSERT_EQ(1, EVP_EncryptUpdate(user.get(), out[i].data(), &written, text.data(), 16));
      }
      EXPECT_EQ(out[0], out[1]);
    }
  }
}

// libcrypto's own call says 0 bytes; another size that is too small is a mistake.
TEST_P(RandomKey, NeedsRoom) {
  if (!is_here(GetParam())) GTEST_SKIP() << "not in this build";
  const Library library;
  const Evp<EVP_CIPHER> cipher = library.cipher(GetParam());
  ASSERT_NE(cipher, nullptr);
  const auto n = static_cast<std::size_t>(EVP_CIPHER_get_key_length(cipher.get()));
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), nullptr, nullptr, nullptr));
  const auto get = [&](void* data, std::size_t size, unsigned type) {
    OSSL_PARAM params[] = {{OSSL_CIPHER_PARAM_RANDOM_KEY, type, data, size, OSSL_PARAM_UNMODIFIED},
                           OSSL_PARAM_construct_end()};
    const int status = EVP_CIPHER_CTX_get_params(ctx.get(), params);
    EXPECT_EQ(last_error().empty(), status == 1);
    EXPECT_TRUE(status != 1 || params[0].return_size == n);
    return status;
  };
  Bytes key(n, 0xa5);
  EXPECT_EQ(get(key.data(), n - 1, OSSL_PARAM_OCTET_STRING), 0);
  EXPECT_EQ(get(key.data(), 1, OSSL_PARAM_OCTET_STRING), 0);
  EXPECT_EQ(get(nullptr, n, OSSL_PARAM_OCTET_STRING), 0);
  EXPECT_EQ(get(key.data(), n, OSSL_PARAM_UNSIGNED_INTEGER), 0);
  EXPECT_EQ(key, Bytes(n, 0xa5));
  EXPECT_EQ(get(key.data(), n, OSSL_PARAM_OCTET_STRING), 1);
  EXPECT_EQ(get(key.data(), 0, OSSL_PARAM_OCTET_STRING), 1);
  EXPECT_TRUE(odd_parity(key));
}

INSTANTIATE_TEST_SUITE_P(Modes, RandomKey,
                         testing::Values("DES-ECB", "DES-CBC", "DES-CTR", "DES-EDE3-ECB",
                                         "DES-EDE3-CBC", "DES-EDE3-CTR", "DES-EDE-ECB",
                                         "DES-EDE-CBC"),
                         [](const auto& param) { return gtest_name(param.param); });

// Every other cipher leaves its keys to libcrypto.
TEST(DesKey, OfNoOtherCipher) {
  const Library library;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const std::string name = cipher_spec(i).name;
    const Evp<EVP_CIPHER> cipher = library.cipher(name + "-ECB");
    ASSERT_NE(cipher, nullptr) << name;
    EXPECT_EQ((EVP_CIPHER_get_flags(cipher.get()) & EVP_CIPH_RAND_KEY) != 0,
              name == "DES" || name == "DES-EDE3" || name == "DES-EDE")
        << name;
  }
}

}  // namespace
}  // namespace gpuctr::test
