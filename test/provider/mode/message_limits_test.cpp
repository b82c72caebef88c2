// How much one IV takes in GCM and CCM: sizes that no test has memory for, refused before any of it
// is touched. The contexts are called without libcrypto, whose lengths have 31 bits.
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/proverr.h>

#include <cstdarg>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "provider/core/errors.h"
#include "provider/mode/aead/ccm.h"
#include "provider/mode/aead/gcm.h"
#include "provider/mode/aead/gcm_siv.h"

namespace gpuctr {
namespace {

unsigned g_errors = 0;
std::uint32_t g_reason = 0;
std::string g_data;

void new_error(const OSSL_CORE_HANDLE*) { ++g_errors; }
void set_error(const OSSL_CORE_HANDLE*, std::uint32_t reason, const char* format, va_list args) {
  char text[256];
  std::vsnprintf(text, sizeof text, format, args);
  g_reason = reason;
  g_data = text;
}

class MessageLimits : public testing::Test {
 protected:
  MessageLimits() {
    core_.new_error = new_error;
    core_.vset_error = set_error;
    for (std::size_t i = kCipherCount; i-- != 0;) {
      if (cipher_spec(i).block_bytes == 16) spec_ = &cipher_spec(i);
    }
    g_errors = 0;
  }
  bool update(CipherContext* ctx, bool text, std::uint64_t n) {
    std::size_t written = 7;
    const bool done =
        ctx->update(text ? memory_ : nullptr, &written, SIZE_MAX, memory_, std::size_t{n});
    EXPECT_EQ(written, done ? n : 0);
    return done;
  }
  // The error of a refusal, which is the only one.
  void expect(const std::string& data) {
    EXPECT_EQ(g_errors, 1u);
    EXPECT_EQ(ERR_GET_LIB(g_reason), ERR_LIB_PROV);
    EXPECT_EQ(ERR_GET_REASON(g_reason), PROV_R_CIPHER_OPERATION_FAILED);
    EXPECT_EQ(g_data, data);
    g_errors = 0;
  }

  const CipherSpec* spec_ = nullptr;  // a build of few ciphers may have none of these blocks
  Core core_;
  Engine engine_{EngineConfig{}};
  const CipherServices services_{&core_, &engine_, 0};
  std::uint8_t memory_[100] = {};
  const std::uint8_t key_[kMaxKeyBytes] = {1, 2, 3};
  const std::uint8_t iv_[16] = {9};
};

TEST_F(MessageLimits, OfGcm) {
  if (spec_ == nullptr) return;
  const std::unique_ptr<GcmContext> made(make_context<GcmContext>(*spec_, services_, *spec_));
  GcmContext& ctx = *made;
  const std::string name = std::string(spec_->name) + "-GCM";
  ASSERT_TRUE(ctx.init({true, key_, spec_->key_bytes, iv_, 12}));
  EXPECT_FALSE(update(&ctx, false, kGcmMaxAad + 1));
  expect("2305843009213693953 bytes after 0: 2^61 are the most");
  ASSERT_TRUE(update(&ctx, false, 20));
  EXPECT_FALSE(update(&ctx, false, kGcmMaxAad - 19));
  expect("2305843009213693933 bytes after 20: 2^61 are the most");
  EXPECT_FALSE(update(&ctx, true, kGcmMaxText + 1));
  expect("68719476705 bytes after 0 of this IV: GCM takes 2^36 - 32");
  ASSERT_TRUE(update(&ctx, true, 33));
  EXPECT_FALSE(update(&ctx, true, kGcmMaxText - 32));
  expect("68719476672 bytes after 33 of this IV: GCM takes 2^36 - 32");
  EXPECT_FALSE(update(&ctx, false, 5));
  expect("5 bytes after the first data of " + name);
  EXPECT_TRUE(update(&ctx, true, 1));
}

// 2^32 bits, all zero: the tag differs from that of no associated data by the block of lengths
// times H (SP 800-38D 7.1 step 5).
TEST_F(MessageLimits, GcmCountsTheBitsOfAssociatedDataBeyond32) {
  if (spec_ == nullptr) return;
  const std::unique_ptr<GcmContext> made(make_context<GcmContext>(*spec_, services_, *spec_));
  std::vector<std::uint8_t> zeros(std::size_t{1} << 20);
  std::uint8_t tags[2][kGcmTag];
  for (const unsigned pieces : {0u, 512u}) {
    ASSERT_TRUE(made->init({true, key_, spec_->key_bytes, iv_, 12}));
    std::size_t written = 0;
    for (unsigned i = 0; i < pieces; ++i) {
      ASSERT_TRUE(made->update(nullptr, &written, 0, zeros.data(), zeros.size()));
    }
    ASSERT_TRUE(made->final(nullptr, &written, 0));
    std::memcpy(tags[pieces != 0 ? 1 : 0], made->tag(), kGcmTag);
  }
  RoundKeys keys;
  spec_->expand(key_, &keys);
  std::uint8_t elements[2][16] = {{}, {0, 0, 0, 1}};
  const Backend& backend = engine_.cpu_backend();
  backend.ops[spec_->index].encrypt(keys, elements[0], elements[0], 1);
  const GhashProduct product = {0, 0, 1};
  backend.ghash->multiply(elements, &product, 1);
  for (std::size_t i = 0; i < kGcmTag; ++i) ASSERT_EQ(tags[0][i] ^ tags[1][i], elements[0][i]) << i;
}

TEST_F(MessageLimits, OfCcm) {
  if (spec_ == nullptr) return;
  const std::unique_ptr<CcmContext> made(make_context<CcmContext>(*spec_, services_, *spec_));
  CcmContext& ctx = *made;
  const std::string name = std::string(spec_->name) + "-CCM";
  for (const std::size_t iv_bytes : {8u, 9u, 10u, 11u, 12u, 13u}) {
    const std::uint64_t most = ccm_max_text(iv_bytes);
    EXPECT_EQ(most, (std::uint64_t{1} << 8 * (15 - iv_bytes)) - 1);
    ASSERT_TRUE(ctx.set_iv_length(iv_bytes));
    ASSERT_TRUE(ctx.init({true, key_, spec_->key_bytes, iv_, iv_bytes}));
    EXPECT_FALSE(update(&ctx, true, most + 1));
    expect(std::to_string(most + 1) + " bytes: an IV of " + std::to_string(iv_bytes) + " leaves " +
           name + " room for " + std::to_string(most));
    EXPECT_TRUE(update(&ctx, true, 20));
  }
}

// OpenSSL's own refuses these without an error.
TEST_F(MessageLimits, OfGcmSiv) {
  const CipherSpec* const spec = find_cipher("AES-128");
  if (spec == nullptr) return;
  const std::unique_ptr<GcmSivContext> made(make_context<GcmSivContext>(*spec, services_, *spec));
  ASSERT_TRUE(made->init({true, key_, spec->key_bytes, iv_, 12}));
  EXPECT_FALSE(update(made.get(), true, kSivMost + 1));
  EXPECT_FALSE(update(made.get(), false, kSivMost + 1));
  ASSERT_TRUE(update(made.get(), false, 20));
  EXPECT_FALSE(update(made.get(), false, kSivMost - 19));
  EXPECT_EQ(g_errors, 0u);
  EXPECT_TRUE(update(made.get(), true, 33));
}

}  // namespace
}  // namespace gpuctr
