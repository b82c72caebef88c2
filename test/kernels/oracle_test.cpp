// Each backend against libcrypto, for the ciphers that libcrypto has under the same name: in its
// default provider, or in its legacy one where that can be loaded.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/backend.h"
#include "test/kernels/cases.h"

namespace gpuctr {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Fetched = std::unique_ptr<EVP_CIPHER, decltype(&EVP_CIPHER_free)>;

// Until the program ends, before libcrypto does.
struct Loaded {
  explicit Loaded(const char* name) : provider(OSSL_PROVIDER_load(nullptr, name)) {}
  ~Loaded() { OSSL_PROVIDER_unload(provider); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  OSSL_PROVIDER* const provider;
};

Fetched fetch(const CipherSpec& cipher, const char* mode) {
  // With one provider loaded by name the default one has to be as well.
  static const Loaded stock("default"), legacy("legacy");
  const std::string name = std::string(cipher.name) + mode;
  const auto from = [&](const char* provider) {
    return Fetched(EVP_CIPHER_fetch(nullptr, name.c_str(), provider), EVP_CIPHER_free);
  };
  Fetched found = from("provider=default");
  if (found == nullptr && legacy.provider != nullptr) found = from("provider=legacy");
  return found;
}

std::vector<test::Case> known_cases() {
  std::vector<test::Case> known;
  for (const test::Case& c : test::cases()) {
    if (fetch(*c.cipher, "-ECB") != nullptr) known.push_back(c);
  }
  return known;
}

class Oracle : public testing::TestWithParam<test::Case> {
 protected:
  void SetUp() override {
    if (!GetParam().backend->available()) GTEST_SKIP() << "this CPU lacks it";
  }

  const CipherSpec& cipher_ = *GetParam().cipher;
  const CipherOps& ops_ = GetParam().backend->ops[cipher_.index];
  std::mt19937 random_{1};

  Bytes random_bytes(std::size_t n) {
    Bytes out(n);
    for (auto& b : out) b = static_cast<std::uint8_t>(random_());
    return out;
  }

  Bytes stock(const char* mode, bool encrypt, const Bytes& key, const Bytes& iv, const Bytes& in) {
    const Fetched cipher = fetch(cipher_, mode);
    EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
    Bytes out(in.size() + 32);
    int n = 0;
    EXPECT_EQ(1, EVP_CipherInit_ex2(ctx, cipher.get(), nullptr, nullptr, encrypt ? 1 : 0, nullptr));
    EXPECT_EQ(1, EVP_CIPHER_CTX_set_key_length(ctx, static_cast<int>(key.size())));
    EXPECT_EQ(1, EVP_CipherInit_ex2(ctx, nullptr, key.data(), iv.data(), -1, nullptr));
    EXPECT_EQ(1, EVP_CIPHER_CTX_set_padding(ctx, 0));
    EXPECT_EQ(1, EVP_CipherUpdate(ctx, out.data(), &n, in.data(), static_cast<int>(in.size())));
    EXPECT_EQ(static_cast<std::size_t>(n), in.size());
    EVP_CIPHER_CTX_free(ctx);
    out.resize(in.size());
    return out;
  }

  // Of every size that the cipher takes, one after the other, and then random ones.
  Bytes some_key(int i) {
    const std::size_t sizes = cipher_.most_key_bytes - cipher_.least_key_bytes + 1;
    return random_bytes(cipher_.least_key_bytes + static_cast<std::size_t>(i) % sizes);
  }
  // Where libcrypto has no counter mode of the cipher, from its ECB.
  Bytes stock_ctr(const Bytes& key, Bytes counter, const Bytes& in) {
    if (fetch(cipher_, "-CTR") != nullptr) return stock("-CTR", true, key, counter, in);
    Bytes blocks;
    while (blocks.size() < in.size()) {
      blocks.insert(blocks.end(), counter.begin(), counter.end());
      for (std::size_t i = counter.size(); i-- != 0 && ++counter[i] == 0;) {
      }
    }
    Bytes out = stock("-ECB", true, key, {}, blocks);
    out.resize(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) out[i] ^= in[i];
    return out;
  }
};

TEST_P(Oracle, CounterMode) {
  for (int i = 0; i < 60; ++i) {
    const Bytes key = some_key(i);
    Bytes counter = random_bytes(cipher_.block_bytes);
    // Half of the counters carry, from a byte on that differs.
    if (i % 2 == 0) {
      const std::size_t from = random_() % counter.size();
      for (std::size_t at = from; at < counter.size(); ++at) counter[at] = 0xff;
      counter.back() = static_cast<std::uint8_t>(counter.back() - random_() % 100);
    }
    const Bytes in = random_bytes(random_() % 5000);
    RoundKeys keys;
    cipher_.expand_bytes(key.data(), key.size(), &keys);
    Bytes out(in.size());
    ops_.ctr(keys, counter.data(), in.data(), out.data(), in.size());
    ASSERT_EQ(out, stock_ctr(key, counter, in)) << i;
  }
}

TEST_P(Oracle, Blocks) {
  for (int i = 0; i < 60; ++i) {
    const Bytes key = some_key(i);
    const std::size_t blocks = random_() % 300;
    const Bytes in = random_bytes(blocks * cipher_.block_bytes);
    RoundKeys keys;
    cipher_.expand_bytes(key.data(), key.size(), &keys);
    Bytes out(in.size());
    ops_.encrypt(keys, in.data(), out.data(), blocks);
    ASSERT_EQ(out, stock("-ECB", true, key, {}, in)) << i;
    ops_.decrypt(keys, in.data(), out.data(), blocks);
    ASSERT_EQ(out, stock("-ECB", false, key, {}, in)) << i;
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Oracle);
INSTANTIATE_TEST_SUITE_P(All, Oracle, testing::ValuesIn(known_cases()), test::case_name);

}  // namespace
}  // namespace gpuctr
