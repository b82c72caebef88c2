// Ciphers whose keys have any of a range of sizes, over a toy: a cipher of the build, its
// key filled up with the number of bytes that were given.
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/proverr.h>

#include <cstdarg>
#include <cstring>
#include <memory>

#include "provider/core/errors.h"
#include "provider/mode/ctr/ctr.h"

namespace gpuctr {
namespace {

std::string g_error;

void new_error(const OSSL_CORE_HANDLE*) { g_error.clear(); }
void set_error(const OSSL_CORE_HANDLE*, std::uint32_t reason, const char* format, va_list args) {
  char text[256];
  EXPECT_EQ(ERR_GET_LIB(reason), ERR_LIB_PROV);
  EXPECT_EQ(ERR_GET_REASON(reason), PROV_R_INVALID_KEY_LENGTH);
  std::vsnprintf(text, sizeof text, format, args);
  g_error = text;
}

// A backend whose key schedules are CipherSpec's, so that the toy's is taken.
const Backend& without_own_schedules() { return *find_backend("scalar"); }

void expand_toy(const std::uint8_t* key, std::size_t bytes, RoundKeys* out) {
  std::uint8_t whole[kMaxKeyBytes];
  std::memset(whole, static_cast<int>(bytes), sizeof whole);
  std::memcpy(whole, key, bytes);
  cipher_spec(0).expand(whole, out);
}

class KeyRange : public testing::Test {
 protected:
  KeyRange() {
    toy_.least_key_bytes = 5;
    toy_.expand_bytes = expand_toy;
    core_.new_error = new_error;
    core_.vset_error = set_error;
    EXPECT_EQ(without_own_schedules().ops[0].expand, nullptr);
    g_error.clear();
  }
  bool init(CtrContext* ctx, std::size_t bytes) {
    return ctx->init({true, key_, bytes, iv_, kCtrMode.iv_bytes(toy_)});
  }
  // Whether the context's keystream is that of so many bytes of key.
  bool has_key_of(CtrContext* ctx, std::size_t bytes) {
    std::uint8_t out[40] = {}, want[40];
    std::size_t written = 0;
    EXPECT_TRUE(ctx->update(out, &written, sizeof out, out, sizeof out));
    RoundKeys keys;
    expand_toy(key_, bytes, &keys);
    const std::size_t iv_bytes = kCtrMode.iv_bytes(toy_);
    std::uint8_t counter[kMaxBlockBytes] = {};  // an IV is the end of a longer counter block
    std::memcpy(counter + toy_.block_bytes - iv_bytes, iv_, iv_bytes);
    without_own_schedules().ops[0].ctr(keys, counter, nullptr, want, sizeof want);
    return std::memcmp(out, want, sizeof out) == 0;
  }

  CipherSpec toy_ = cipher_spec(0);
  static EngineConfig config() {
    EngineConfig config;
    config.cpu = &without_own_schedules();
    return config;
  }

  Core core_;
  Engine engine_{config()};
  const CipherServices services_{&core_, &engine_, 0};
  const std::uint8_t key_[kMaxKeyBytes] = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::uint8_t iv_[kMaxBlockBytes] = {9};
};

TEST_F(KeyRange, EverySizeIsAKeyOfItsOwn) {
  const std::unique_ptr<CtrContext> made(make_context<CtrContext>(toy_, services_, toy_));
  CtrContext& ctx = *made;
  EXPECT_EQ(ctx.key_bytes(), toy_.key_bytes);
  for (std::size_t n = 5; n <= toy_.most_key_bytes; ++n) {
    ASSERT_TRUE(init(&ctx, n)) << n;
    EXPECT_EQ(ctx.key_bytes(), n);
    EXPECT_TRUE(has_key_of(&ctx, n)) << n;
  }
  EXPECT_EQ(g_error, "");
}

TEST_F(KeyRange, OutsideIsAnErrorAndNothingChanges) {
  const std::unique_ptr<CtrContext> made(make_context<CtrContext>(toy_, services_, toy_));
  CtrContext& ctx = *made;
  ASSERT_TRUE(init(&ctx, 6));
  const std::string name = toy_.name, most = std::to_string(toy_.most_key_bytes);
  for (const std::size_t n : {std::size_t{0}, std::size_t{4}, toy_.most_key_bytes + 1}) {
    EXPECT_FALSE(init(&ctx, n));
    EXPECT_EQ(g_error, "key is " + std::to_string(n) + " bytes, " + name + " takes 5 to " + most);
    g_error.clear();
    EXPECT_FALSE(ctx.set_key_bytes(n));
    EXPECT_NE(g_error, "");
  }
  EXPECT_EQ(ctx.key_bytes(), 6u);
  EXPECT_TRUE(has_key_of(&ctx, 6));
}

TEST_F(KeyRange, ALengthLeavesTheKeyAndACopyHasBoth) {
  const std::unique_ptr<CtrContext> made(make_context<CtrContext>(toy_, services_, toy_));
  CtrContext& ctx = *made;
  ASSERT_TRUE(init(&ctx, 7));
  ASSERT_TRUE(ctx.set_key_bytes(8));
  EXPECT_EQ(ctx.key_bytes(), 8u);
  const std::unique_ptr<CipherContext> copy(ctx.duplicate());
  EXPECT_EQ(copy->key_bytes(), 8u);
  EXPECT_TRUE(has_key_of(static_cast<CtrContext*>(copy.get()), 7));
  EXPECT_TRUE(has_key_of(&ctx, 7));
}

}  // namespace
}  // namespace gpuctr
