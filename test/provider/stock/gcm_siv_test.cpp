// GCM-SIV against libcrypto's own of the same cipher, from OpenSSL 3.5 on: random sequences of
// calls, the same for both. Status, output and parameters of every call are the stock cipher's.
#include "test/provider/stock/gcm_siv_pair.h"

namespace gpuctr::test {
namespace {

class StockGcmSiv : public testing::TestWithParam<const char*> {
 protected:
  // OpenSSL 3.0 has no GCM-SIV; before 3.5.5 its final makes no tag of a message without text.
  void SetUp() override {
    if (OpenSSL_version_num() < 0x30500000) GTEST_SKIP() << "no GCM-SIV to compare with";
    spec_ = find_cipher(GetParam());
    if (spec_ == nullptr) GTEST_SKIP() << "not in this build";
  }
  const CipherSpec* spec_ = nullptr;
};

TEST_P(StockGcmSiv, DoesWhatTheStockCipherDoes) {
  static const Library library;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    GcmSivPair pair(library, *spec_, seed);
    for (int i = 0; i < 80 && !HasFailure(); ++i) pair.step();
    ASSERT_FALSE(HasFailure()) << "sequence " << seed << ":\n" << pair.history();
  }
}

TEST_P(StockGcmSiv, IsDescribedAsTheStockCipher) {
  static const Library library;
  const std::string name = std::string(GetParam()) + "-GCM-SIV";
  const Evp<EVP_CIPHER> stock = library.stock(name), ours = library.cipher(name);
  ASSERT_NE(stock, nullptr);
  EXPECT_EQ(EVP_CIPHER_get_flags(ours.get()), EVP_CIPHER_get_flags(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_mode(ours.get()), EVP_CIPHER_get_mode(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_nid(ours.get()), EVP_CIPHER_get_nid(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_iv_length(ours.get()), EVP_CIPHER_get_iv_length(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_block_size(ours.get()), EVP_CIPHER_get_block_size(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_key_length(ours.get()), EVP_CIPHER_get_key_length(stock.get()));
  const OSSL_PARAM* const gettable = EVP_CIPHER_gettable_ctx_params(ours.get());
  for (auto* p = EVP_CIPHER_gettable_ctx_params(stock.get()); p->key != nullptr; ++p) {
    EXPECT_TRUE(lists(gettable, *p)) << p->key;
  }
  const OSSL_PARAM* const settable = EVP_CIPHER_settable_ctx_params(ours.get());
  for (auto* p = EVP_CIPHER_settable_ctx_params(stock.get()); p->key != nullptr; ++p) {
    EXPECT_TRUE(lists(settable, *p)) << p->key;
  }
}

INSTANTIATE_TEST_SUITE_P(Aes, StockGcmSiv, testing::Values("AES-128", "AES-192", "AES-256"),
                         [](const auto& param) {
                           std::string name = param.param;
                           name[3] = '_';
                           return name;
                         });

}  // namespace
}  // namespace gpuctr::test
