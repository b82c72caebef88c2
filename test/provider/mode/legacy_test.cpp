// Older ciphers: offered where openssl.cnf asks for them, in what modes, and the tweak of those
// that have one.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstring>

#include "kernels/cipher/known_answers.h"
#include "test/provider/reference.h"
#include "test/provider/support.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

// A library context with `lines` in the provider's section, or the error of its loading.
struct Loaded {
  explicit Loaded(const std::string& lines) : context(OSSL_LIB_CTX_new()) {
    configure(context.get(), lines);
    provider.reset(OSSL_PROVIDER_load(context.get(), "gpuctr"));
    error = last_error();
  }
  bool has(const std::string& name) const {
    const Evp<EVP_CIPHER> cipher(EVP_CIPHER_fetch(context.get(), name.c_str(), "provider=gpuctr"));
    ERR_clear_error();
    return cipher != nullptr;
  }
  bool has_generator(const std::string& name) const {
    EVP_RAND* const rand = EVP_RAND_fetch(context.get(), name.c_str(), "provider=gpuctr");
    ERR_clear_error();
    EVP_RAND_free(rand);
    return rand != nullptr;
  }
  Evp<OSSL_LIB_CTX> context;
  Evp<OSSL_PROVIDER> provider;
  std::string error;
};

std::vector<const CipherSpec*> legacy_ciphers() {
  std::vector<const CipherSpec*> all;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (cipher_spec(i).legacy) all.push_back(&cipher_spec(i));
  }
  return all;
}

TEST(Legacy, AreOfferedOnlyToWhoAsks) {
  for (const char* line : {"", "legacy = no", "algorithms = all", "algorithms = own"}) {
    const Loaded without(line);
    ASSERT_NE(without.provider, nullptr) << without.error;
    for (const CipherSpec* spec : legacy_ciphers()) {
      for (const char* mode : {"-CTR", "-ECB", "-CBC"}) {
        EXPECT_FALSE(without.has(spec->name + std::string(mode))) << line;
      }
    }
  }
  for (const char* line : {"legacy = yes", "algorithms = all\nlegacy = yes"}) {
    const Loaded with(line);
    for (const CipherSpec* spec : legacy_ciphers()) {
      const std::string name = spec->name;
      EXPECT_TRUE(with.has(name + "-CTR")) << line;
      EXPECT_TRUE(with.has(name + "-ECB"));
      EXPECT_EQ(with.has(name + "-CBC"), spec->block_bytes <= 16);
      EXPECT_FALSE(with.has(name + "-GCM"));
      EXPECT_FALSE(with.has_generator(name + "-CTR-DRBG"));
    }
  }
}

TEST(Legacy, AreNamedOnlyWhereTheyAreThere) {
  for (const CipherSpec* spec : legacy_ciphers()) {
    const std::string line = "algorithms = " + std::string(spec->name) + "-CTR";
    const Loaded without(line);
    EXPECT_EQ(without.provider, nullptr);
    EXPECT_NE(without.error, "");
    const Loaded with(line + "\nlegacy = yes");
    EXPECT_NE(with.provider, nullptr) << with.error;
    EXPECT_TRUE(with.has(spec->name + std::string("-CTR")));
    EXPECT_FALSE(with.has(spec->name + std::string("-ECB")));
  }
}

// Others have no such parameter, and ignore it.
TEST(Legacy, ATweakIsOnlyOfThoseThatHaveOne) {
  const Library library;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    const Evp<EVP_CIPHER> cipher = library.cipher(spec.name + std::string("-CTR"));
    const bool has = spec.tweak_bytes != 0;
    const OSSL_PARAM* const settable = EVP_CIPHER_settable_ctx_params(cipher.get());
    EXPECT_EQ(OSSL_PARAM_locate_const(settable, "tweak") != nullptr, has) << spec.name;
    const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
    ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), nullptr, nullptr, nullptr));
    std::uint8_t tweak[17] = {1};
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("tweak", tweak, 17),
                           OSSL_PARAM_construct_end()};
    EXPECT_EQ(EVP_CIPHER_CTX_set_params(ctx.get(), params), has ? 0 : 1) << spec.name;
    EXPECT_EQ(last_error(), has ? "bad parameter: tweak is 17 bytes, that of " +
                                      std::string(spec.name) + " has 16"
                                : "");
  }
}

class Tweaked : public testing::TestWithParam<const CipherSpec*> {
 protected:
  Evp<EVP_CIPHER_CTX> start(const char* mode) {
    const Evp<EVP_CIPHER> cipher = library_.cipher(spec_.name + std::string(mode));
    Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
    EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), nullptr, nullptr, nullptr));
    EXPECT_EQ(1, EVP_CIPHER_CTX_set_key_length(ctx.get(), static_cast<int>(spec_.key_bytes)));
    EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, key_.data(), iv_, nullptr));
    return ctx;
  }
  Bytes feed(EVP_CIPHER_CTX* ctx, std::size_t size) const {
    Bytes out(size), in(size);
    int n = 0;
    EXPECT_EQ(1, EVP_EncryptUpdate(ctx, out.data(), &n, in.data(), static_cast<int>(size)));
    out.resize(static_cast<std::size_t>(n));
    return out;
  }
  static bool set(EVP_CIPHER_CTX* ctx, std::uint8_t first) {
    std::uint8_t tweak[16] = {first, 2, 3};
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("tweak", tweak, 16),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(ctx, params) == 1;
  }
  static Bytes get(EVP_CIPHER_CTX* ctx) {
    Bytes tweak(16, 0x5a);
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("tweak", tweak.data(), 16),
                           OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(ctx, params));
    return tweak;
  }
  // Blocks of keystream from the counter first + `from` on, under a tweak.
  Bytes keystream(std::uint8_t first, std::size_t from, std::size_t size) const {
    RoundKeys keys;
    spec_.expand(key_.data(), &keys);
    const std::uint8_t tweak[16] = {first, 2, 3};
    spec_.set_tweak(tweak, &keys);
    Bytes counter = counter_block(spec_, Bytes(iv_, iv_ + 16)), out(size);
    for (std::size_t i = 0; i < from; ++i) {
      step_field(&counter, static_cast<unsigned>(8 * spec_.block_bytes));
    }
    find_backend("scalar")->ops[spec_.index].ctr(keys, counter.data(), nullptr, out.data(), size);
    return out;
  }

  const CipherSpec& spec_ = *GetParam();
  const std::size_t block_ = spec_.block_bytes;
  const Library library_;
  const Bytes key_ = Bytes(spec_.key_bytes, 0x11);
  const std::uint8_t iv_[16] = {9, 8, 7};
};

TEST_P(Tweaked, ANewOneGoesOnWithTheNextCounterBlock) {
  const auto ctx = start("-CTR");
  EXPECT_EQ(get(ctx.get()), Bytes(16));
  ASSERT_TRUE(set(ctx.get(), 1));
  EXPECT_EQ(feed(ctx.get(), block_ + 5), keystream(1, 0, block_ + 5));
  ASSERT_TRUE(set(ctx.get(), 4));
  EXPECT_EQ(get(ctx.get()), Bytes({4, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(feed(ctx.get(), 3 * block_), keystream(4, 2, 3 * block_));
  const Evp<EVP_CIPHER_CTX> copy(EVP_CIPHER_CTX_new());
  ASSERT_EQ(1, EVP_CIPHER_CTX_copy(copy.get(), ctx.get()));
  EXPECT_EQ(feed(copy.get(), 100), keystream(4, 5, 100));
  EXPECT_EQ(get(copy.get()), get(ctx.get()));
}

TEST_P(Tweaked, ALaterKeyHasItToo) {
  const auto ctx = start("-CTR");
  ASSERT_TRUE(set(ctx.get(), 1));
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, key_.data(), iv_, nullptr));
  EXPECT_EQ(feed(ctx.get(), 100), keystream(1, 0, 100));
}

TEST_P(Tweaked, IsAllOrNothingWithOthersOfItsCall) {
  const auto ctx = start("-CTR");
  ASSERT_TRUE(set(ctx.get(), 1));
  std::uint8_t tweak[16] = {4};
  unsigned num = static_cast<unsigned>(block_);  // none of the block's bytes
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("tweak", tweak, 16),
                               OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
                               OSSL_PARAM_construct_end()};
  EXPECT_EQ(0, EVP_CIPHER_CTX_set_params(ctx.get(), params));
  EXPECT_NE(last_error(), "");
  EXPECT_EQ(feed(ctx.get(), 100), keystream(1, 0, 100));
}

// libcrypto tells the provider of as much room as an update may need, and its own programs have
// buffers of EVP_MAX_KEY_LENGTH and EVP_MAX_IV_LENGTH.
TEST_P(Tweaked, SizesAreWhatOpenSslHasRoomFor) {
  for (const char* mode : {"-CTR", "-ECB"}) {
    const Evp<EVP_CIPHER> cipher = library_.cipher(spec_.name + std::string(mode));
    EXPECT_EQ(EVP_CIPHER_get_block_size(cipher.get()),
              std::strcmp(mode, "-CTR") == 0 ? 1 : static_cast<int>(block_));
    EXPECT_EQ(EVP_CIPHER_get_iv_length(cipher.get()), std::strcmp(mode, "-CTR") == 0 ? 16 : 0);
    EXPECT_EQ(EVP_CIPHER_get_key_length(cipher.get()),
              std::min<int>(EVP_MAX_KEY_LENGTH, static_cast<int>(spec_.key_bytes)));
  }
  if (spec_.key_bytes <= EVP_MAX_KEY_LENGTH) return;
  const Evp<EVP_CIPHER> cipher = library_.cipher(spec_.name + std::string("-CTR"));
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  EXPECT_EQ(0, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), key_.data(), iv_, nullptr));
  EXPECT_EQ(last_error(), "invalid key length: key is 64 bytes, " + std::string(spec_.name) +
                              " takes " + std::to_string(spec_.key_bytes));
}

// ECB with padding, at every split of a message of one to two blocks, into a buffer of no more than
// EVP promises.
TEST_P(Tweaked, LongBlocksWaitAndArePadded) {
  for (std::size_t size = 0; size <= 2 * block_; size += 7) {
    for (std::size_t split = 0; split <= size; split += 11) {
      const auto ctx = start("-ECB");
      Bytes out(size + block_), in(size, 0x33);
      int n = 0, total = 0;
      EXPECT_EQ(1,
                EVP_EncryptUpdate(ctx.get(), out.data(), &n, in.data(), static_cast<int>(split)));
      total += n;
      EXPECT_EQ(1, EVP_EncryptUpdate(ctx.get(), out.data() + total, &n, in.data() + split,
                                     static_cast<int>(size - split)));
      total += n;
      EXPECT_EQ(1, EVP_EncryptFinal_ex(ctx.get(), out.data() + total, &n));
      total += n;
      ASSERT_EQ(static_cast<std::size_t>(total), size / block_ * block_ + block_);
      ASSERT_EQ(1, EVP_DecryptInit_ex2(ctx.get(), nullptr, nullptr, nullptr, nullptr));
      Bytes back(static_cast<std::size_t>(total) + block_);
      int first = 0;
      EXPECT_EQ(1, EVP_DecryptUpdate(ctx.get(), back.data(), &first, out.data(), total));
      EXPECT_EQ(1, EVP_DecryptFinal_ex(ctx.get(), back.data() + first, &n));
      back.resize(static_cast<std::size_t>(first + n));
      ASSERT_EQ(back, in) << size << ", " << split;
    }
  }
}

std::vector<const CipherSpec*> tweaked_ciphers() {
  std::vector<const CipherSpec*> all;
  for (const CipherSpec* spec : legacy_ciphers()) {
    if (spec->tweak_bytes != 0) all.push_back(spec);
  }
  return all;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Tweaked);
INSTANTIATE_TEST_SUITE_P(Ciphers, Tweaked, testing::ValuesIn(tweaked_ciphers()),
                         [](const auto& param) { return gtest_name(param.param->name); });

}  // namespace
}  // namespace gpuctr::test
