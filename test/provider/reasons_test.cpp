// Library and reason of the errors that a misuse leaves on the queue: those of OpenSSL's own cipher
// in the same mode, and none where OpenSSL's own leaves none. Programs compare them.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/prov_ssl.h>
#include <openssl/proverr.h>

#include <cstring>
#include <memory>
#include <set>

#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

// A context of a cipher with a key and a block of 16 bytes. Calls that set a misuse up return the
// user; a call of the misuse itself returns its status.
class User {
 public:
  explicit User(Evp<EVP_CIPHER> cipher) : cipher_(std::move(cipher)) { init(1, key, iv); }

  User& init(int encrypt, const std::uint8_t* with_key, const std::uint8_t* with_iv) {
    EVP_CIPHER_CTX_reset(ctx.get());
    EVP_CipherInit_ex2(ctx.get(), cipher_.get(), with_key, with_iv, encrypt, nullptr);
    return *this;
  }
  User& decrypt() { return init(0, key, iv); }
  User& no_key(int encrypt = 1) { return init(encrypt, nullptr, nullptr); }
  User& no_iv(int encrypt) { return init(encrypt, key, nullptr); }
  User& no_padding() {
    EVP_CIPHER_CTX_set_padding(ctx.get(), 0);
    return *this;
  }
  User& took(std::size_t n) {
    update(n);
    return *this;
  }
  User& ended() {
    took(16).final();
    return *this;
  }
  User& announced(std::size_t n) {
    update(nullptr, nullptr, n);
    return *this;
  }
  User& has_tag(std::size_t n) {
    set_octets(OSSL_CIPHER_PARAM_AEAD_TAG, n);
    return *this;
  }
  User& fixed_iv() {
    set_octets(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, 4);
    return *this;
  }
  // The next data is a record of TLS whose header says `n` bytes.
  User& header(std::uint8_t n) {
    set_header(n);
    return *this;
  }
  User& tls() {
    unsigned version = TLS1_1_VERSION;
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
                                 OSSL_PARAM_construct_end()};
    EVP_CIPHER_CTX_set_params(ctx.get(), params);
    return *this;
  }
  // So far there was no misuse, or another one.
  User& now() {
    ERR_clear_error();
    return *this;
  }

  int update(std::size_t n) { return update(out, in, n); }
  int update(std::uint8_t* to, const std::uint8_t* from, std::size_t n) {
    int written = 0;
    return EVP_CipherUpdate(ctx.get(), to, &written, from, static_cast<int>(n));
  }
  int in_place(std::size_t n) { return update(out, out, n); }
  int aad() { return update(nullptr, in, 5); }
  int one_shot(std::size_t n) { return one_shot(out, n == 0 ? nullptr : in, n); }
  int one_shot(std::uint8_t* to, const std::uint8_t* from, std::size_t n) {
    return EVP_Cipher(ctx.get(), to, from, static_cast<unsigned>(n));
  }
  int final() {
    int written = 0;
    return EVP_CipherFinal_ex(ctx.get(), out, &written);
  }
  int set(const char* name, std::size_t value) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(name, &value),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(ctx.get(), params);
  }
  int set_octets(const char* name, std::size_t n) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, in, n),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(ctx.get(), params);
  }
  int set_header(std::uint8_t n) {
    std::memset(in, 0, 12);
    in[12] = n;
    return set_octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, 13);
  }
  int set_null(const char* name, std::size_t n) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, nullptr, n),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(ctx.get(), params);
  }
  int get_octets(const char* name, std::size_t n) {
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, out, n),
                           OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_get_params(ctx.get(), params);
  }
  int get_number(const char* name) {  // of 16 bytes, so that only the type is wrong
    OSSL_PARAM params[] = {{name, OSSL_PARAM_UNSIGNED_INTEGER, out, 16, OSSL_PARAM_UNMODIFIED},
                           OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_get_params(ctx.get(), params);
  }
  int ctrl(int what, int n) { return EVP_CIPHER_CTX_ctrl(ctx.get(), what, n, in); }

  static constexpr std::size_t kMemory = 65536;
  std::uint8_t key[16] = {1}, iv[16] = {2}, in[kMemory] = {3}, out[kMemory] = {};
  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};

 private:
  Evp<EVP_CIPHER> cipher_;
};

struct Misuse {
  const char* modes;
  int (*act)(User&);
  // OpenSSL's own lets it pass, in some version at least: gpuctr(7), or RAND.md, says so.
  bool only_ours = false;
};

// "CFB" is a part of CFB8.
constexpr char kAll[] = "CTR ECB CBC CFB8 CFB1 OFB GCM CCM", kBlocks[] = "ECB CBC";
constexpr char kPlain[] = "CTR ECB CBC CFB8 CFB1 OFB", kNoCheck[] = "CTR CBC CFB8 CFB1 OFB";
constexpr char kIvs[] = "CTR CBC CFB8 CFB1 OFB GCM CCM", kNums[] = "CTR CFB8 CFB1 OFB";
constexpr char kGcm[] = "GCM", kCcm[] = "CCM", kAead[] = "GCM CCM", kCbc[] = "CBC";

constexpr const char* kKeyBytes = OSSL_CIPHER_PARAM_KEYLEN;
constexpr const char* kIvBytes = OSSL_CIPHER_PARAM_IVLEN;
constexpr const char* kPadding = OSSL_CIPHER_PARAM_PADDING;
constexpr const char* kNum = OSSL_CIPHER_PARAM_NUM;
constexpr const char* kIv = OSSL_CIPHER_PARAM_IV;
constexpr const char* kNextIv = OSSL_CIPHER_PARAM_UPDATED_IV;
constexpr const char* kTag = OSSL_CIPHER_PARAM_AEAD_TAG;
constexpr const char* kHeader = OSSL_CIPHER_PARAM_AEAD_TLS1_AAD;
constexpr const char* kFixed = OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED;
constexpr const char* kExplicit = OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV;
constexpr const char* kGenerated = OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN;

const Misuse kMisuses[] = {
    // No key, no IV.
    {kAll, [](User& u) { return u.no_key(1).update(16); }},
    {kAll, [](User& u) { return u.no_key(0).update(16); }},
    {kAll, [](User& u) { return u.no_key().update(0); }},
    {kAll, [](User& u) { return u.no_key().one_shot(16); }},
    {kAll, [](User& u) { return u.no_key().one_shot(0); }},
    {kAll, [](User& u) { return u.no_key(1).final(); }},
    {kAll, [](User& u) { return u.no_key(0).final(); }},
    {kAead, [](User& u) { return u.no_key().aad(); }},
    {kCcm, [](User& u) { return u.no_key().update(nullptr, nullptr, 16); }},
    {kAead, [](User& u) { return u.no_iv(0).update(16); }},
    {kAead, [](User& u) { return u.no_iv(0).one_shot(16); }},
    {kIvs, [](User& u) { return u.no_iv(0).final(); }},
    {kCcm, [](User& u) { return u.no_iv(1).update(nullptr, nullptr, 16); }},
    {kNoCheck, [](User& u) { return u.no_iv(1).update(16); }, true},
    {kNoCheck, [](User& u) { return u.no_iv(0).one_shot(16); }, true},
    // Blocks.
    {kBlocks, [](User& u) { return u.decrypt().took(32).final(); }},
    {kBlocks, [](User& u) { return u.decrypt().took(33).final(); }},
    {kBlocks, [](User& u) { return u.decrypt().final(); }},
    {kBlocks, [](User& u) { return u.decrypt().no_padding().took(33).final(); }},
    {kBlocks, [](User& u) { return u.no_padding().took(33).final(); }},
    {kBlocks, [](User& u) { return u.one_shot(17); }, true},
    // Parameters of every mode.
    {kAll, [](User& u) { return EVP_CIPHER_CTX_set_key_length(u.ctx.get(), 15); }},
    {kAll, [](User& u) { return u.set(kKeyBytes, 15); }, true},
    {kAll, [](User& u) { return u.set_octets(kKeyBytes, 4); }, true},
    {kPlain, [](User& u) { return u.set_octets(kPadding, 4); }},
    {kNums, [](User& u) { return u.set_octets(kNum, 4); }},
    {"CFB1", [](User& u) { return u.set_octets(OSSL_CIPHER_PARAM_USE_BITS, 4); }},
    {kAll, [](User& u) { return u.get_octets(kKeyBytes, 1); }},
    {kAll, [](User& u) { return u.get_octets(kIvBytes, 1); }},
    {kAll, [](User& u) { return u.get_octets(kPadding, 4); }},
    {kAll, [](User& u) { return u.get_octets(kNum, 4); }},
    {kAll, [](User& u) { return u.get_octets(kIv, 3); }},
    {kAll, [](User& u) { return u.get_octets(kNextIv, 3); }},
    {kAll, [](User& u) { return u.get_number(kIv); }},
    {kAll, [](User& u) { return u.get_number(kNextIv); }},
    {kAead, [](User& u) { return u.no_iv(1).get_octets(kIv, 16); }},
    {kAead, [](User& u) { return u.no_iv(1).get_octets(kNextIv, 16); }},
    {kAll, [](User& u) { return u.set(kIvBytes, 0); }},
    {kAead, [](User& u) { return u.set(kIvBytes, 129); }},
    {kCcm, [](User& u) { return u.set(kIvBytes, 5); }},
    {kAead, [](User& u) { return u.set_octets(kIvBytes, 4); }},
    {kAead, [](User& u) { return u.ctrl(EVP_CTRL_AEAD_SET_IVLEN, 0); }},
    {kAead, [](User& u) { return u.ctrl(EVP_CTRL_AEAD_SET_IVLEN, 129); }},
    // Records of TLS in CBC.
    {kCbc, [](User& u) { return u.set_octets(OSSL_CIPHER_PARAM_TLS_VERSION, 4); }},
    {kCbc, [](User& u) { return u.set_octets(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, 4); }},
    {kCbc, [](User& u) { return u.set(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, 65); }, true},
    {kCbc, [](User& u) { return u.tls().update(64); }},
    {kCbc, [](User& u) { return u.decrypt().tls().in_place(16); }},
    {kCbc, [](User& u) { return u.decrypt().tls().in_place(33); }},
    {kCbc, [](User& u) { return u.tls().final(); }},
    // A wrong tag, or none.
    {kGcm, [](User& u) { return u.decrypt().has_tag(16).took(16).final(); }},
    {kGcm, [](User& u) { return u.decrypt().has_tag(12).took(16).final(); }},
    {kGcm, [](User& u) { return u.decrypt().has_tag(16).final(); }},
    {kGcm, [](User& u) { return u.decrypt().has_tag(16).took(16).one_shot(0); }},
    {kGcm, [](User& u) { return u.decrypt().took(16).final(); }},
    {kGcm, [](User& u) { return u.decrypt().took(16).one_shot(0); }},
    {kCcm, [](User& u) { return u.decrypt().has_tag(12).update(16); }},
    {kCcm, [](User& u) { return u.decrypt().has_tag(12).one_shot(16); }},
    {kCcm, [](User& u) { return u.decrypt().has_tag(12).took(16).now().final(); }, true},
    {kCcm, [](User& u) { return u.decrypt().has_tag(12).final(); }, true},
    {kCcm, [](User& u) { return u.decrypt().update(16); }},
    {kCcm, [](User& u) { return u.decrypt().one_shot(16); }},
    {kCcm, [](User& u) { return u.decrypt().took(16).now().final(); }, true},
    {kCcm, [](User& u) { return u.decrypt().has_tag(8).update(16); }},
    // A tag as a parameter.
    {kAead, [](User& u) { return u.decrypt().set_octets(kTag, 0); }},
    {kAead, [](User& u) { return u.decrypt().set_octets(kTag, 17); }},
    {kCcm, [](User& u) { return u.decrypt().set_octets(kTag, 3); }},
    {kCcm, [](User& u) { return u.decrypt().set_octets(kTag, 2); }},
    {kAead, [](User& u) { return u.decrypt().set(kTag, 16); }},
    {kAead, [](User& u) { return u.set_octets(kTag, 16); }},
    {kAead, [](User& u) { return u.decrypt().ctrl(EVP_CTRL_AEAD_SET_TAG, 17); }},
    {kAead, [](User& u) { return u.decrypt().ctrl(EVP_CTRL_AEAD_SET_TAG, 0); }},
    {kAead, [](User& u) { return u.ctrl(EVP_CTRL_AEAD_SET_TAG, 16); }},
    {kAead, [](User& u) { return u.get_octets(kTag, 12); }},
    {kAead, [](User& u) { return u.ctrl(EVP_CTRL_AEAD_GET_TAG, 12); }},
    {kAead, [](User& u) { return u.decrypt().has_tag(12).get_octets(kTag, 12); }},
    {kAead, [](User& u) { return u.ended().get_octets(kTag, 17); }},
    {kAead, [](User& u) { return u.ended().get_octets(kTag, 0); }},
    {kCcm, [](User& u) { return u.ended().get_octets(kTag, 10); }},
    {kAead, [](User& u) { return u.ended().get_number(kTag); }},
    {kCcm,
     [](User& u) {
       u.ended().get_octets(kTag, 12);
       return u.get_octets(kTag, 12);
     }},
    {kGcm, [](User& u) { return u.decrypt().set_null(kTag, 0); }},
    {kGcm, [](User& u) { return u.decrypt().set_null(kTag, 17); }},
    {kGcm, [](User& u) { return u.set_null(kTag, 0); }},
    {kCcm, [](User& u) { return u.decrypt().set_null(kTag, 3); }},
    // What comes too late, or in the wrong order.
    {kAead, [](User& u) { return u.ended().update(16); }},
    {kAead, [](User& u) { return u.ended().one_shot(16); }},
    {kAead, [](User& u) { return u.ended().final(); }},
    {kGcm, [](User& u) { return u.ended().aad(); }},
    {kCcm, [](User& u) { return u.ended().aad(); }, true},
    {kGcm, [](User& u) { return u.took(16).aad(); }},
    {kGcm, [](User& u) { return u.took(16).one_shot(nullptr, u.in, 5); }},
    {kCcm, [](User& u) { return u.aad(); }},
    {kCcm, [](User& u) { return u.one_shot(nullptr, u.in, 5); }},
    {kCcm, [](User& u) { return u.announced(16).update(15); }},
    {kCcm, [](User& u) { return u.announced(16).one_shot(15); }},
    {kCcm, [](User& u) { return u.announced(16).final(); }, true},
    {kCcm, [](User& u) { return u.took(16).update(16); }},
    {kCcm,
     [](User& u) {  // one byte more than two bytes of length can say
       u.no_key().set(kIvBytes, 13);
       EVP_CipherInit_ex2(u.ctx.get(), nullptr, u.key, u.iv, -1, nullptr);
       return u.update(65536);
     }},
    // Records of TLS in GCM and CCM.
    {kAead, [](User& u) { return u.set_octets(kHeader, 12); }},
    {kAead, [](User& u) { return u.set_octets(kHeader, 0); }},
    {kAead, [](User& u) { return u.set(kHeader, 12); }},
    {kAead, [](User& u) { return u.set_header(0); }},
    {kAead, [](User& u) { return u.decrypt().set_header(10); }},
    {kAead, [](User& u) { return u.ctrl(EVP_CTRL_AEAD_TLS1_AAD, 12); }},
    {kAead, [](User& u) { return u.set_octets(kFixed, 3); }},
    {kAead, [](User& u) { return u.set_octets(kFixed, 5); }},
    {kAead, [](User& u) { return u.set(kFixed, 5); }},
    {kAead, [](User& u) { return u.set_null(kHeader, 0); }},
    {kAead, [](User& u) { return u.set_null(kFixed, 0); }},
    {kGcm, [](User& u) { return u.decrypt().set_octets(kExplicit, 8); }},
    {kGcm, [](User& u) { return u.decrypt().fixed_iv().set_null(kExplicit, 8); }},
    {kGcm, [](User& u) { return u.fixed_iv().set_octets(kExplicit, 8); }},
    {kGcm, [](User& u) { return u.decrypt().fixed_iv().set(kExplicit, 8); }},
    {kGcm, [](User& u) { return u.no_key(0).fixed_iv().set_octets(kExplicit, 8); }},
    {kGcm, [](User& u) { return u.get_octets(kGenerated, 8); }},
    {kGcm, [](User& u) { return u.no_key().fixed_iv().get_octets(kGenerated, 8); }},
    {kGcm, [](User& u) { return u.fixed_iv().get_number(kGenerated); }},
    {kGcm, [](User& u) { return u.header(24).in_place(40); }},
    {kAead, [](User& u) { return u.fixed_iv().header(24).update(40); }},
    {kAead, [](User& u) { return u.fixed_iv().header(24).one_shot(40); }},
    {kAead, [](User& u) { return u.fixed_iv().header(24).in_place(10); }},
    {kAead, [](User& u) { return u.fixed_iv().header(24).final(); }},
    {kAead, [](User& u) { return u.no_key().fixed_iv().header(24).in_place(40); }},
    {kAead, [](User& u) { return u.decrypt().fixed_iv().header(40).in_place(40); }},
    {kAead, [](User& u) { return u.decrypt().fixed_iv().header(40).one_shot(u.out, u.out, 40); }},
};

struct Answer {
  bool done;
  std::string errors;
};

Answer act(const Misuse& misuse, Evp<EVP_CIPHER> cipher) {
  const auto user = std::make_unique<User>(std::move(cipher));
  ERR_clear_error();
  const bool done = misuse.act(*user) > 0;
  return {done, take_reasons()};
}

void compare(const Library& library, const std::string& stock, const std::string& ours) {
  const std::string mode = ours.substr(ours.rfind('-') + 1);
  std::size_t i = 0, tried = 0;
  std::set<std::string> seen;
  for (const Misuse& misuse : kMisuses) {
    ++i;
    if (std::strstr(misuse.modes, mode.c_str()) == nullptr) continue;
    const Answer theirs = act(misuse, library.stock(stock));
    const Answer answer = act(misuse, library.cipher(ours));
    if (theirs.done && misuse.only_ours) {
      EXPECT_FALSE(answer.done) << ours << ", misuse " << i;
      EXPECT_EQ(answer.errors.find(", "), std::string::npos) << answer.errors;
      continue;
    }
    EXPECT_EQ(answer.done, theirs.done) << ours << ", misuse " << i;
    // A later version refuses some of these by an error of its functions for parameters only.
    if (misuse.only_ours && theirs.errors == "none") continue;
    EXPECT_EQ(answer.errors, theirs.errors) << ours << ", misuse " << i;
    ++tried;
    seen.insert(theirs.errors);
  }
  EXPECT_GT(tried, 12u) << ours;
  EXPECT_GT(seen.size(), 3u) << ours;
}

TEST(Reasons, AreThoseOfOpensslsOwnCiphers) {
  const Library library;
  for (const char* mode :
       {"-CTR", "-ECB", "-CBC", "-CFB", "-CFB8", "-CFB1", "-OFB", "-GCM", "-CCM"}) {
    for (const char* name : {"AES-128", "ARIA-128"}) {
      compare(library, std::string(name) + mode, std::string(name) + mode);
    }
    compare(library, std::string("AES-128") + mode, std::string("LEA-128") + mode);
  }
}

// An error of either kind has the text and the library's name that a program prints.
TEST(Reasons, HaveTexts) {
  const Library library;
  User user(library.cipher("LEA-128-CTR"));
  ERR_clear_error();
  EXPECT_EQ(user.no_key().update(16), 0);
  unsigned long code = ERR_peek_error();
  EXPECT_EQ(ERR_GET_LIB(code), ERR_LIB_PROV);
  EXPECT_EQ(ERR_GET_REASON(code), PROV_R_NO_KEY_SET);
  EXPECT_STREQ(ERR_reason_error_string(code), "no key set");
  EXPECT_STRCASEEQ(ERR_lib_error_string(code), "provider routines");
  EXPECT_EQ(last_error(), "no key set: LEA-128 has no key yet") << "with data of our own";
  EXPECT_EQ(user.no_iv(1).update(16), 0);
  code = ERR_peek_error();
  EXPECT_EQ(ERR_GET_REASON(code), 4);
  EXPECT_STREQ(ERR_reason_error_string(code), "no IV set");
  EXPECT_STREQ(ERR_lib_error_string(code), "gpuctr");
  EXPECT_EQ(last_error(), "no IV set: LEA-128-CTR has no IV yet");
}

}  // namespace
}  // namespace gpuctr::test
