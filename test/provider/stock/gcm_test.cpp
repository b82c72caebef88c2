// GCM against libcrypto's own of the same cipher: random sequences of calls, the same for both,
// records of TLS among them. Status, output and parameters of every call are the stock cipher's.
#include <algorithm>

#include "test/provider/stock/gcm_pair.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

class StockGcm : public testing::TestWithParam<std::size_t> {};

TEST_P(StockGcm, DoesWhatTheStockCipherDoes) {
  const CipherSpec& spec = cipher_spec(GetParam());
  static const Library library;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    GcmPair pair(library, spec, seed);
    for (int i = 0; i < 80 && !HasFailure(); ++i) pair.step();
    ASSERT_FALSE(HasFailure()) << "sequence " << seed << ":\n" << pair.history();
  }
}

TEST_P(StockGcm, IsDescribedAsTheStockCipher) {
  const CipherSpec& spec = cipher_spec(GetParam());
  static const Library library;
  const std::string name = std::string(spec.name) + "-GCM";
  const Evp<EVP_CIPHER> stock = library.stock(name), ours = library.cipher(name);
  EXPECT_EQ(EVP_CIPHER_get_flags(ours.get()), EVP_CIPHER_get_flags(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_nid(ours.get()), EVP_CIPHER_get_nid(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_iv_length(ours.get()), 12);
  EXPECT_EQ(EVP_CIPHER_get_block_size(ours.get()), 1);
  EXPECT_EQ(EVP_CIPHER_get_key_length(ours.get()), EVP_CIPHER_get_key_length(stock.get()));
  const OSSL_PARAM* const gettable = EVP_CIPHER_gettable_ctx_params(ours.get());
  for (auto* p = EVP_CIPHER_gettable_ctx_params(stock.get()); p->key != nullptr; ++p) {
    if (std::string(p->key) == "iv-generated") continue;  // for FIPS, from OpenSSL 3.4 on
    EXPECT_TRUE(lists(gettable, *p)) << p->key;
  }
  const OSSL_PARAM* const settable = EVP_CIPHER_settable_ctx_params(ours.get());
  for (auto* p = EVP_CIPHER_settable_ctx_params(stock.get()); p->key != nullptr; ++p) {
    EXPECT_TRUE(lists(settable, *p)) << p->key;
  }
  for (const OSSL_PARAM* list : {gettable, settable}) {
    for (const char* none : {OSSL_CIPHER_PARAM_PADDING, OSSL_CIPHER_PARAM_NUM}) {
      EXPECT_EQ(OSSL_PARAM_locate_const(list, none), nullptr) << none;
    }
  }
}

TEST(StockGcmList, HasAesAndAria) {
  const std::vector<std::size_t> found = with_stock("-GCM");
  for (const char* name : {"AES-128", "AES-192", "AES-256", "ARIA-128", "ARIA-192", "ARIA-256"}) {
    const CipherSpec* spec = find_cipher(name);
    if (spec == nullptr) continue;  // not in this build
    EXPECT_EQ(std::count(found.begin(), found.end(), spec->index), 1) << name;
  }
}

// A build of few ciphers may have none of them.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StockGcm);
INSTANTIATE_TEST_SUITE_P(AllCiphers, StockGcm, testing::ValuesIn(with_stock("-GCM")),
                         [](const auto& param) {
                           return gtest_name(cipher_spec(param.param).name);
                         });

}  // namespace
}  // namespace gpuctr::test
