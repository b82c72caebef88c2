// The files of Wycheproof (test/vectors/wycheproof/README.md) through EVP: ours makes the
// ciphertext of each valid case and opens it, and refuses each invalid case.
#include <gtest/gtest.h>

#include <set>

#include "test/provider/wycheproof/answers.h"

namespace gpuctr::test::wycheproof {
namespace {

struct Row {
  const char* file;
  const char* cipher;  // its name; "#" stands for the bits of the key, or of each of its two keys
  const Kind& kind;
  std::size_t most_iv = SIZE_MAX;  // a longer IV, bytes, is refused
  std::size_t keys = 1;
  std::string left_out = "";  // a cipher that is not offered, because OpenSSL has none
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.file; }

constexpr std::size_t kGcmIv = 128;  // OpenSSL's GCM_IV_MAX_SIZE

const Row kRows[] = {
    {"aes_cbc_pkcs5", "AES-#-CBC", kBlock},
    {"aes_ccm", "AES-#-CCM", kAead},
    {"aes_cmac", "AES-#-CBC", kCmac},
    {"aes_gcm", "AES-#-GCM", kAead, kGcmIv},
    {"aes_gmac", "AES-#-GCM", kGmac},
    {"aes_gcm_siv", "AES-#-GCM-SIV", kAead},
    {"aes_xts", "AES-#-XTS", kXts, 16, 2, "AES-192-XTS"},
    {"aria_cbc_pkcs5", "ARIA-#-CBC", kBlock},
    {"aria_ccm", "ARIA-#-CCM", kAead},
    {"aria_cmac", "ARIA-#-CBC", kCmac},
    {"aria_gcm", "ARIA-#-GCM", kAead, kGcmIv},
    {"camellia_cbc_pkcs5", "CAMELLIA-#-CBC", kBlock},
    {"camellia_ccm", "CAMELLIA-#-CCM", kAead},
    {"camellia_cmac", "CAMELLIA-#-CBC", kCmac},
    {"seed_ccm", "SEED-CCM", kAead},
    {"seed_gcm", "SEED-GCM", kAead, kGcmIv},
};

std::string cipher_of(const Row& row, const Case& c) {
  std::string name = row.cipher;
  const auto bits = name.find('#');
  if (bits != std::string::npos) name.replace(bits, 1, std::to_string(c.key.size() * 8 / row.keys));
  return name;
}

// A key of a size that the cipher does not have is refused by the lack of a name.
bool exists(const Library& library, const std::string& name) {
  const bool found = library.cipher(name) != nullptr;
  ERR_clear_error();
  return found;
}

class Wycheproof : public testing::TestWithParam<Row> {};

TEST_P(Wycheproof, EveryCase) {
  const Library library;
  const Row& row = GetParam();
  std::set<std::string> sealed;
  for (const Case& c : read(row.file).cases) {
    const std::string name = cipher_of(row, c);
    SCOPED_TRACE(name + ", case " + c.id);
    const bool offered = exists(library, name);
    const Answer secret = offered ? row.kind.seal(library, name, c) : std::nullopt;
    const Answer plain = offered ? row.kind.open(library, name, c) : std::nullopt;
    Bytes wanted = c.ct;
    wanted.insert(wanted.end(), c.tag.begin(), c.tag.end());
    if (name == row.left_out) {
      ASSERT_FALSE(offered);
    } else if (c.result == "valid" && c.iv.size() <= row.most_iv) {
      ASSERT_EQ(secret, Answer(wanted));
      ASSERT_EQ(plain, Answer(c.msg));
      sealed.insert(name);
    } else if (c.result == "acceptable") {
      ASSERT_TRUE(!plain.has_value() || *plain == c.msg);
    } else {
      ASSERT_NE(secret, Answer(wanted));
      ASSERT_EQ(plain, std::nullopt);
    }
  }
  EXPECT_FALSE(sealed.empty());
}

INSTANTIATE_TEST_SUITE_P(Files, Wycheproof, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.file); });

TEST(WycheproofFiles, EachHasARow) {
  std::set<std::string> rows = {"wrap"};  // wrap/wrap_test.cpp has those of key wrapping
  for (const Row& row : kRows) rows.insert(row.file);
  for (const std::string& name : names()) EXPECT_EQ(1u, rows.count(name)) << name;
}

}  // namespace
}  // namespace gpuctr::test::wycheproof
