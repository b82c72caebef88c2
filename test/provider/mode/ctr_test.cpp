// Counter mode's positions: splits, num, updated-iv, dup, in place, new IV, counter width.
#define OPENSSL_SUPPRESS_DEPRECATED  // EVP_CIPHER_CTX_iv_noconst
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "test/provider/reference.h"
#include "test/provider/support.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

Bytes sample(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(n);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
  return bytes;
}

// One for the process: libcrypto has numbers for the errors of some 120 loads. Never destroyed,
// because libcrypto's own cleanup comes first.
const Library& the_library() {
  static const auto* const library = new Library;
  return *library;
}

class Ctr : public testing::TestWithParam<std::size_t> {
 protected:
  const CipherSpec& spec = cipher_spec(GetParam());
  const std::size_t block = spec.block_bytes;
  const unsigned whole = static_cast<unsigned>(8 * block);
  const Library& library = the_library();
  Evp<EVP_CIPHER> cipher = library.cipher(std::string(spec.name) + "-CTR");
  Bytes key = sample(spec.key_bytes, 1);
  const std::size_t iv_bytes = iv_bytes_of(spec);
  Bytes iv = Bytes(iv_bytes, 0xff);  // the first step carries through every byte
  Bytes text = sample(7 * block + 3, 2);

  Evp<EVP_CIPHER_CTX> start(const Bytes& from) {
    Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
    EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), nullptr, nullptr, nullptr));
    EXPECT_EQ(1, EVP_CIPHER_CTX_set_key_length(ctx.get(), static_cast<int>(key.size())));
    EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, key.data(), from.data(), nullptr));
    return ctx;
  }
  static Bytes feed(EVP_CIPHER_CTX* ctx, const Bytes& in) {
    Bytes out(in.size());
    int n = -1;
    EXPECT_EQ(1, EVP_EncryptUpdate(ctx, out.data(), &n, in.data(), static_cast<int>(in.size())));
    EXPECT_EQ(n, static_cast<int>(in.size()));
    return out;
  }
  Bytes updated_iv(EVP_CIPHER_CTX* ctx) const {
    Bytes value(iv_bytes);
    EXPECT_EQ(1, EVP_CIPHER_CTX_get_updated_iv(ctx, value.data(), value.size()));
    return value;
  }
  static bool set(EVP_CIPHER_CTX* ctx, const char* name, unsigned value) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(name, &value),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(ctx, params) == 1;
  }
  std::uint64_t made_by_cpu() const {
    std::uint64_t bytes = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_uint64("cpu-bytes", &bytes),
                           OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, OSSL_PROVIDER_get_params(library.provider(), params));
    return bytes;
  }
  static Bytes part(const Bytes& all, std::size_t from, std::size_t to) {
    return Bytes(all.begin() + static_cast<std::ptrdiff_t>(from),
                 all.begin() + static_cast<std::ptrdiff_t>(to));
  }
};

TEST_P(Ctr, NumAndUpdatedIvAtEveryOffset) {
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const auto ctx = start(iv);
    feed(ctx.get(), part(text, 0, at));
    EXPECT_EQ(EVP_CIPHER_CTX_get_num(ctx.get()), static_cast<int>(at % block)) << at;
    Bytes next = iv;
    for (std::size_t i = 0; i < (at + block - 1) / block; ++i) step_field(&next, whole);
    EXPECT_EQ(updated_iv(ctx.get()), next) << at;
  }
}

TEST_P(Ctr, DupAtEveryOffsetOutlivesTheOriginal) {
  const Bytes want = reference_ctr(spec, key, iv, text, whole);
  for (std::size_t at = 0; at <= text.size(); ++at) {
    auto ctx = start(iv);
    Bytes got = feed(ctx.get(), part(text, 0, at));
    const Evp<EVP_CIPHER_CTX> copy(EVP_CIPHER_CTX_new());
    ASSERT_EQ(1, EVP_CIPHER_CTX_copy(copy.get(), ctx.get()));
    ctx.reset();
    const Bytes rest = feed(copy.get(), part(text, at, text.size()));
    got.insert(got.end(), rest.begin(), rest.end());
    EXPECT_EQ(got, want) << at;
  }
}

TEST_P(Ctr, RandomSplitsInPlace) {
  std::mt19937 random(3);
  const Bytes big = sample(40000, 4);
  const Bytes want = reference_ctr(spec, key, iv, big, whole);
  for (int round = 0; round < 40; ++round) {
    Bytes buffer = big;
    const auto ctx = start(iv);
    for (std::size_t at = 0; at < buffer.size();) {
      const std::size_t limit = std::size_t{1} << (random() % 15);
      const std::size_t n = std::min(buffer.size() - at, random() % (limit + 1));
      int written = -1;
      ASSERT_EQ(1, EVP_EncryptUpdate(ctx.get(), buffer.data() + at, &written, buffer.data() + at,
                                     static_cast<int>(n)));
      ASSERT_EQ(written, static_cast<int>(n));
      at += n;
    }
    ASSERT_EQ(buffer, want) << round;
  }
}

TEST_P(Ctr, KeyAndIvApartAndAgain) {
  const Bytes want = reference_ctr(spec, key, iv, text, whole);
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), nullptr, nullptr, nullptr));
  ASSERT_EQ(1, EVP_CIPHER_CTX_set_key_length(ctx.get(), static_cast<int>(key.size())));
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, key.data(), nullptr, nullptr));
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, nullptr, iv.data(), nullptr));
  EXPECT_EQ(feed(ctx.get(), text), want);
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, nullptr, iv.data(), nullptr));
  EXPECT_EQ(feed(ctx.get(), text), want);
  int n = -1;
  Bytes none(block);
  EXPECT_EQ(1, EVP_EncryptUpdate(ctx.get(), none.data(), &n, none.data(), 0));
  EXPECT_EQ(n, 0);
}

TEST_P(Ctr, SetNumSkipsIntoTheBlock) {
  const Bytes all = reference_ctr(spec, key, iv, text, whole);
  for (unsigned skip = 1; skip < block; ++skip) {
    const auto ctx = start(iv);
    ASSERT_TRUE(set(ctx.get(), OSSL_CIPHER_PARAM_NUM, skip));
    EXPECT_EQ(feed(ctx.get(), part(text, skip, text.size())), part(all, skip, text.size())) << skip;
  }
  const auto ctx = start(iv);
  EXPECT_FALSE(set(ctx.get(), OSSL_CIPHER_PARAM_NUM, static_cast<unsigned>(block)));
  EXPECT_EQ(last_error(), "bad parameter: num = " + std::to_string(block) + ": a block of " +
                              spec.name + " has " + std::to_string(block) + " bytes");
}

// One init takes an IV and a position in its first block; the IV that a program may write follows.
TEST_P(Ctr, AnInitTakesAnIvAndNum) {
  const Bytes keystream = feed(start(iv).get(), Bytes(3 * block));
  for (const bool writable : {false, true}) {
    const auto ctx = start(Bytes(iv_bytes, 1));
    feed(ctx.get(), text);
    const std::uint8_t* const shown = writable ? EVP_CIPHER_CTX_iv_noconst(ctx.get()) : iv.data();
    ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, nullptr, iv.data(), nullptr));
    EXPECT_EQ(Bytes(shown, shown + iv_bytes), iv);
    EXPECT_EQ(feed(ctx.get(), Bytes(block)), part(keystream, 0, block));
    unsigned num = 5;
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
                                 OSSL_PARAM_construct_end()};
    ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, nullptr, iv.data(), params));
    EXPECT_EQ(feed(ctx.get(), Bytes(2 * block)), part(keystream, num, num + 2 * block));
  }
}

TEST_P(Ctr, CounterFieldWrapsBelowTheNonce) {
  for (unsigned bits = 16; bits < whole; bits += bits < 24 ? 1 : 5) {
    for (const int low : {0x00, 0xfd}) {
      Bytes from(iv_bytes, 0xff);
      from.back() = static_cast<std::uint8_t>(low);
      const auto ctx = start(from);
      ASSERT_TRUE(set(ctx.get(), "ctr-bits", bits)) << last_error();
      EXPECT_EQ(feed(ctx.get(), text), reference_ctr(spec, key, from, text, bits)) << bits;
      Bytes next = from;
      for (std::size_t i = 0; i < (text.size() + block - 1) / block; ++i) step_field(&next, bits);
      EXPECT_EQ(updated_iv(ctx.get()), next) << bits;
    }
  }
}

TEST_P(Ctr, CounterFieldRefusesToComeRound) {
  const std::size_t period = block << 16;
  const auto ctx = start(iv);
  ASSERT_TRUE(set(ctx.get(), "ctr-bits", 16));
  const Bytes zeros(period - 5);
  EXPECT_EQ(feed(ctx.get(), zeros), reference_ctr(spec, key, iv, zeros, 16));
  Bytes out(8, 0xa5);
  int n = 0;
  EXPECT_EQ(0, EVP_EncryptUpdate(ctx.get(), out.data(), &n, zeros.data(), 6));
  EXPECT_EQ(last_error(),
            "counter exhausted: 6 bytes need 1 counter blocks, 0 are left of the 16-bit counter of "
            "this IV");
  EXPECT_EQ(out, Bytes(8, 0xa5));
  EXPECT_EQ(feed(ctx.get(), Bytes(5)).size(), 5u);  // the last five bytes are still there
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, nullptr, iv.data(), nullptr));
  EXPECT_EQ(feed(ctx.get(), text), reference_ctr(spec, key, iv, text, 16));
}

// Small updates come out of keystream that was made ahead of them.
TEST_P(Ctr, SmallUpdatesInSequence) {
  const Bytes big = sample(5000, 5);
  const Bytes want = reference_ctr(spec, key, iv, big, whole);
  for (const std::size_t size : {1u, 5u, 8u, 15u, 16u, 20u, 64u, 100u, 255u, 256u, 257u, 600u}) {
    auto ctx = start(iv);
    Bytes next = iv;
    std::size_t blocks = 0;
    for (std::size_t at = 0, step = 0; at < big.size(); ++step) {
      const std::size_t to = std::min(at + size, big.size());
      ASSERT_EQ(feed(ctx.get(), part(big, at, to)), part(want, at, to)) << size << " at " << at;
      for (; blocks < (to + block - 1) / block; ++blocks) step_field(&next, whole);
      ASSERT_EQ(updated_iv(ctx.get()), next) << size << " at " << to;
      ASSERT_EQ(EVP_CIPHER_CTX_get_num(ctx.get()), static_cast<int>(to % block));
      if (step % 7 == 3) {  // a copy goes on where this one is, and this one is gone
        Evp<EVP_CIPHER_CTX> copy(EVP_CIPHER_CTX_new());
        ASSERT_EQ(1, EVP_CIPHER_CTX_copy(copy.get(), ctx.get()));
        ctx = std::move(copy);
      }
      at = to;
    }
  }
}

TEST_P(Ctr, SmallUpdatesUpToTheLastBlockOfTheField) {
  // From the middle of the field: it wraps on the way, far from the last block and near to it.
  // The last block is made when more or less is left of the one before, or nothing.
  const struct {
    unsigned first;
    std::size_t start, step;
  } cases[] = {{0x0007, 0, 21}, {0x8000, 3, 16}, {0xfff0, 0, 5}, {0xffff, 3, 8}};
  for (const auto& [first, start_bytes, step] : cases) {
    Bytes from(iv_bytes, 0xee);
    from[iv_bytes - 2] = static_cast<std::uint8_t>(first >> 8);
    from[iv_bytes - 1] = static_cast<std::uint8_t>(first);
    const std::size_t period = block << 16;
    const Bytes zeros(period);
    const Bytes want = reference_ctr(spec, key, from, zeros, 16);
    const auto ctx = start(from);
    ASSERT_TRUE(set(ctx.get(), "ctr-bits", 16));
    const std::uint64_t made_before = made_by_cpu();
    std::size_t at = 0;
    const auto check = [&](std::size_t to) {
      ASSERT_EQ(feed(ctx.get(), part(zeros, at, to)), part(want, at, to)) << at;
      at = to;
    };
    for (int i = 0; i < 200; ++i) check(at + 13);
    check(period - 4000 + start_bytes);
    while (period - at >= step) check(at + step);
    Bytes out(32, 0xa5);
    int n = 0;
    EXPECT_EQ(0, EVP_EncryptUpdate(ctx.get(), out.data(), &n, zeros.data(), 32));
    EXPECT_EQ(last_error().substr(0, 17), "counter exhausted");
    EXPECT_EQ(out, Bytes(32, 0xa5));
    check(period);
    EXPECT_EQ(updated_iv(ctx.get()), from);
    EXPECT_LE(made_by_cpu() - made_before, period);  // no block that the IV does not have
    EXPECT_EQ(0, EVP_EncryptUpdate(ctx.get(), out.data(), &n, zeros.data(), 1));
    last_error();
    EXPECT_FALSE(set(ctx.get(), OSSL_CIPHER_PARAM_NUM, 1));  // it would begin a block
    EXPECT_EQ(last_error().substr(0, 17), "counter exhausted");
  }
}

TEST_P(Ctr, SetNumWithinTheBlockInUse) {
  const Bytes all = reference_ctr(spec, key, iv, text, whole);
  const unsigned step = block <= 16 ? 1 : static_cast<unsigned>(block / 8 - 1);
  for (unsigned used = 1; used < block; used += step) {
    for (unsigned num = 0; num < block; num += step) {
      const auto ctx = start(iv);
      feed(ctx.get(), part(text, 0, block));
      feed(ctx.get(), part(text, block, block + used));
      ASSERT_TRUE(set(ctx.get(), OSSL_CIPHER_PARAM_NUM, num));
      const std::size_t at = num == 0 ? 2 * block : block + num;
      EXPECT_EQ(feed(ctx.get(), part(text, at, text.size())), part(all, at, text.size()))
          << used << " to " << num;
    }
  }
}

std::string test_name(const testing::TestParamInfo<std::size_t>& param) {
  return gtest_name(cipher_spec(param.param).name);
}

INSTANTIATE_TEST_SUITE_P(Ciphers, Ctr, testing::Range(std::size_t{0}, kCipherCount), test_name);

}  // namespace
}  // namespace gpuctr::test
