// Our CCM beside libcrypto's own of the same cipher: random sequences of calls, the same for both,
// records of TLS among them. Status, output and parameters of every call are the stock cipher's.
#include <algorithm>

#include "test/provider/stock/ccm_pair.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

class StockCcm : public testing::TestWithParam<std::size_t> {};

TEST_P(StockCcm, DoesWhatTheStockCipherDoes) {
  const CipherSpec& spec = cipher_spec(GetParam());
  static const Library library;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    CcmPair pair(library, spec, seed);
    for (int i = 0; i < 80 && !HasFailure(); ++i) pair.step();
    ASSERT_FALSE(HasFailure()) << "sequence " << seed << ":\n" << pair.history();
  }
}

TEST_P(StockCcm, IsDescribedAsTheStockCipher) {
  const CipherSpec& spec = cipher_spec(GetParam());
  static const Library library;
  const std::string name = std::string(spec.name) + "-CCM";
  const Evp<EVP_CIPHER> stock = library.stock(name), ours = library.cipher(name);
  EXPECT_EQ(EVP_CIPHER_get_flags(ours.get()), EVP_CIPHER_get_flags(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_nid(ours.get()), EVP_CIPHER_get_nid(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_iv_length(ours.get()), EVP_CIPHER_get_iv_length(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_block_size(ours.get()), 1);
  EXPECT_EQ(EVP_CIPHER_get_key_length(ours.get()), EVP_CIPHER_get_key_length(stock.get()));
  // OpenSSL lists for CCM what only its GCM has, and an indicator for FIPS.
  const auto none = [](const OSSL_PARAM& p) {
    const std::string key = p.key;
    return key == OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN || key == "iv-generated" ||
           key == OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV;
  };
  const OSSL_PARAM* const gettable = EVP_CIPHER_gettable_ctx_params(ours.get());
  for (auto* p = EVP_CIPHER_gettable_ctx_params(stock.get()); p->key != nullptr; ++p) {
    EXPECT_TRUE(none(*p) || lists(gettable, *p)) << p->key;
  }
  const OSSL_PARAM* const settable = EVP_CIPHER_settable_ctx_params(ours.get());
  for (auto* p = EVP_CIPHER_settable_ctx_params(stock.get()); p->key != nullptr; ++p) {
    EXPECT_TRUE(none(*p) || lists(settable, *p)) << p->key;
  }
  for (const OSSL_PARAM* list : {gettable, settable}) {
    for (const char* absent : {OSSL_CIPHER_PARAM_PADDING, OSSL_CIPHER_PARAM_NUM}) {
      EXPECT_EQ(OSSL_PARAM_locate_const(list, absent), nullptr) << absent;
    }
  }
}

TEST(StockCcmList, HasAesAndAria) {
  const std::vector<std::size_t> found = with_stock("-CCM");
  for (const char* name : {"AES-128", "AES-192", "AES-256", "ARIA-128", "ARIA-192", "ARIA-256"}) {
    const CipherSpec* spec = find_cipher(name);
    if (spec == nullptr) continue;  // not in this build
    EXPECT_EQ(std::count(found.begin(), found.end(), spec->index), 1) << name;
  }
}

// A build of few ciphers may have none of them.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StockCcm);
INSTANTIATE_TEST_SUITE_P(AllCiphers, StockCcm, testing::ValuesIn(with_stock("-CCM")),
                         [](const auto& param) {
                           return gtest_name(cipher_spec(param.param).name);
                         });

}  // namespace
}  // namespace gpuctr::test
