// The cases of OpenSSL's test/evp_test.c over our vector files: whole and in fragments, apart and
// in place, aligned or not, with padding and without, and with the context copied before every
// call.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <cstring>

#include "test/provider/support.h"
#include "test/support/vector_files.h"

namespace gpuctr::test {
namespace {

struct Case {
  bool encrypt;
  bool padding;
  bool copies;
  bool in_place;
  std::size_t out_misalign;
  std::size_t in_misalign;  // in place it is the output's
  std::size_t schedule;     // which of split()'s
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << (c.encrypt ? "encrypt" : "decrypt") << (c.padding ? ", padding" : "")
             << (c.copies ? ", copies" : "") << (c.in_place ? ", in place" : "") << ", out + "
             << c.out_misalign << ", in + " << c.in_misalign << ", schedule " << c.schedule;
}

constexpr std::size_t kMaxBlock = 128;  // bytes, of any cipher
constexpr std::size_t kSchedules = 6;

// The sizes of the updates that n bytes are given in.
std::vector<std::size_t> split(std::size_t schedule, std::size_t n, std::size_t block) {
  if (schedule == 0) return {n};
  // As evp_test.c has it: one byte, all but one, the last.
  if (schedule == 1 && n > 2) return {1, n - 2, 1};
  const std::size_t steps[kSchedules] = {n, n, 1, block - 1, block + 1, 2 * block + 3};
  std::vector<std::size_t> sizes;
  for (std::size_t done = 0; done < n; done += sizes.back()) {
    sizes.push_back(std::min(steps[schedule], n - done));
  }
  return sizes;
}

class Crypt {
 public:
  Crypt(const EVP_CIPHER* cipher, const Stanza& stanza, const Case& c) : cipher_(cipher), c_(c) {
    key_ = stanza.bytes("Key");
    if (stanza.has("Tweak")) tweak_ = stanza.bytes("Tweak");
    if (stanza.has("IV")) iv_ = stanza.bytes("IV");
    if (stanza.has("CtrBits")) bits_ = static_cast<unsigned>(std::stoul(stanza.text("CtrBits")));
    block_ = iv_.empty() ? static_cast<std::size_t>(EVP_CIPHER_get_block_size(cipher)) : iv_.size();
  }

  // Everything that comes out for `in`.
  Bytes operator()(const Bytes& in) {
    start();
    const std::size_t room = in.size() + 2 * kMaxBlock;
    Bytes memory(2 * room + 64, 0x5a);
    std::uint8_t* const out = memory.data() + c_.out_misalign;
    const std::uint8_t* const from = c_.in_place ? out : out + room + c_.in_misalign;
    std::copy(in.begin(), in.end(), memory.begin() + (from - memory.data()));
    std::size_t done = 0, written = 0;
    int n = 0;
    for (const std::size_t size : split(c_.schedule, in.size(), block_)) {
      if (c_.copies) copy();
      EXPECT_EQ(
          1, EVP_CipherUpdate(ctx_.get(), out + written, &n, from + done, static_cast<int>(size)))
          << last_error();
      done += size;
      written += static_cast<std::size_t>(n);
    }
    if (c_.copies) copy();
    EXPECT_EQ(1, EVP_CipherFinal_ex(ctx_.get(), out + written, &n)) << last_error();
    written += static_cast<std::size_t>(n);
    EXPECT_TRUE(c_.in_place || std::equal(in.begin(), in.end(), from)) << "input written";
    return Bytes(out, out + written);
  }

 private:
  // The key comes after the cipher, and the direction is that of before, as in evp_test.c.
  void start() {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("ctr-bits", &bits_),
                                 OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, EVP_CipherInit_ex2(ctx_.get(), cipher_, nullptr, nullptr, c_.encrypt ? 1 : 0,
                                    bits_ == 0 ? nullptr : params));
    EXPECT_EQ(1, EVP_CIPHER_CTX_set_key_length(ctx_.get(), static_cast<int>(key_.size())));
    EXPECT_EQ(1, EVP_CipherInit_ex(ctx_.get(), nullptr, nullptr, key_.data(),
                                   iv_.empty() ? nullptr : iv_.data(), -1));
    EXPECT_EQ(1, EVP_CIPHER_CTX_set_padding(ctx_.get(), c_.padding ? 1 : 0));
    const OSSL_PARAM tweak[] = {
        OSSL_PARAM_construct_octet_string("tweak", tweak_.data(), tweak_.size()),
        OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, EVP_CIPHER_CTX_set_params(ctx_.get(), tweak_.empty() ? tweak + 1 : tweak));
    if (iv_.empty()) return;
    Bytes iv(iv_.size());
    EXPECT_EQ(1, EVP_CIPHER_CTX_get_updated_iv(ctx_.get(), iv.data(), iv.size()));
    EXPECT_EQ(iv, iv_);
  }
  void copy() {
    Evp<EVP_CIPHER_CTX> next(EVP_CIPHER_CTX_new());
    EXPECT_EQ(1, EVP_CIPHER_CTX_copy(next.get(), ctx_.get())) << last_error();
    std::swap(ctx_, next);
  }

  const EVP_CIPHER* cipher_;
  Case c_;
  Bytes key_, tweak_, iv_;
  unsigned bits_ = 0;
  std::size_t block_;
  Evp<EVP_CIPHER_CTX> ctx_{EVP_CIPHER_CTX_new()};
};

std::vector<Case> all_cases(bool with_padding) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < 64 * kSchedules; ++i) {
    const std::size_t flags = i / kSchedules;
    const auto flag = [flags](unsigned bit) { return (flags >> bit & 1) != 0; };
    const Case c = {flag(0),        flag(1),        flag(2),       flag(3),
                    flags >> 4 & 1, flags >> 5 & 1, i % kSchedules};
    if ((c.padding && !with_padding) || (c.in_place && c.in_misalign != 0)) continue;
    cases.push_back(c);
  }
  return cases;
}

class EvpCases : public testing::TestWithParam<const char*> {};

TEST_P(EvpCases, EveryVector) {
  const Library library;
  std::string name;
  Evp<EVP_CIPHER> cipher;
  for (const Stanza& stanza : read_vectors(GetParam())) {
    if (stanza.text("Cipher") != name) {
      name = stanza.text("Cipher");
      cipher = library.cipher(name);
      ASSERT_NE(cipher, nullptr) << stanza.place() << ": " << last_error();
    }
    const bool blocks = EVP_CIPHER_get_mode(cipher.get()) != EVP_CIPH_CTR_MODE;
    const Bytes plain = stanza.bytes("Plaintext");
    const Bytes secret = stanza.bytes("Ciphertext");
    // What padding adds to whole blocks; that it comes off again says that it is right.
    Bytes padded = secret;
    if (blocks) {
      padded = Crypt(cipher.get(), stanza, {true, true, false, false, 0, 0, 0})(plain);
      const auto block = static_cast<std::size_t>(EVP_CIPHER_get_block_size(cipher.get()));
      ASSERT_EQ(padded.size(), secret.size() + block);
      ASSERT_TRUE(std::equal(secret.begin(), secret.end(), padded.begin())) << stanza.place();
    }
    for (const Case& c : all_cases(blocks)) {
      const Bytes& sealed = c.padding ? padded : secret;
      ASSERT_EQ(Crypt(cipher.get(), stanza, c)(c.encrypt ? plain : sealed),
                c.encrypt ? sealed : plain)
          << stanza.place() << ": " << c;
      ASSERT_FALSE(HasFailure()) << stanza.place() << ": " << c;
    }
  }
}

// "lea_edge" of "test/edge/lea/edge.txt".
const auto name_of = [](const auto& file) {
  std::string name = file.param;
  name.erase(0, name.rfind('/', name.rfind('/') - 1) + 1);
  std::replace(name.begin(), name.end(), '/', '_');
  return name.substr(0, name.find('.'));
};
INSTANTIATE_TEST_SUITE_P(Published, EvpCases, testing::ValuesIn(kPublished), name_of);
INSTANTIATE_TEST_SUITE_P(Edge, EvpCases, testing::ValuesIn(kEdge), name_of);
INSTANTIATE_TEST_SUITE_P(CtrBits, EvpCases, testing::ValuesIn(kEdgeCtrBits), name_of);

}  // namespace
}  // namespace gpuctr::test
