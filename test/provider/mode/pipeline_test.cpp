// Pipelines of OpenSSL 3.5 and later, found in the libcrypto at run time; older ones have none.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <random>

#include "test/provider/reference.h"
#include "test/provider/support.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

using InitFn = int(EVP_CIPHER_CTX*, const EVP_CIPHER*, const unsigned char*, std::size_t,
                   std::size_t, const unsigned char**, std::size_t);
using UpdateFn = int(EVP_CIPHER_CTX*, unsigned char**, std::size_t*, const std::size_t*,
                     const unsigned char**, const std::size_t*);
using FinalFn = int(EVP_CIPHER_CTX*, unsigned char**, std::size_t*, const std::size_t*);
using CanFn = int(const EVP_CIPHER*, int);

template <class F>
F* symbol(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

class Pipeline : public testing::TestWithParam<std::size_t> {
 protected:
  static constexpr std::size_t kPipes = 5;

  void SetUp() override {
    if (can == nullptr)
      GTEST_SKIP() << "this libcrypto has no pipelines: " << OpenSSL_version(OPENSSL_VERSION);
    std::mt19937 random(3);
    const auto fill = [&random](Bytes* bytes, std::size_t n) {
      bytes->resize(n);
      for (auto& b : *bytes) b = static_cast<std::uint8_t>(random());
    };
    fill(&key, spec.key_bytes);
    for (std::size_t i = 0; i < kPipes; ++i) {
      fill(&iv[i], iv_bytes);
      if (i == 1) iv[i].assign(iv_bytes, 0xff);
      fill(&text[i], 700 + 211 * i);
      out[i].assign(text[i].size(), 0xa5);
      iv_list[i] = iv[i].data();
    }
  }

  // One update of every pipe: bytes from[i] on, size[i] of them.
  int update(const std::size_t (&from)[kPipes], const std::size_t (&size)[kPipes]) {
    unsigned char* to[kPipes];
    const unsigned char* in[kPipes];
    for (std::size_t i = 0; i < kPipes; ++i) {
      to[i] = out[i].data() + from[i];
      in[i] = text[i].data() + from[i];
    }
    return symbol<UpdateFn>("EVP_CipherPipelineUpdate")(ctx.get(), to, written, size, in, size);
  }
  int start(std::size_t pipes = kPipes) {
    return symbol<InitFn>("EVP_CipherPipelineEncryptInit")(ctx.get(), cipher.get(), key.data(),
                                                           key.size(), pipes, iv_list, iv_bytes);
  }

  CanFn* can = symbol<CanFn>("EVP_CIPHER_can_pipeline");
  const CipherSpec& spec = cipher_spec(GetParam());
  const std::size_t iv_bytes = iv_bytes_of(spec);
  Library library;
  Evp<EVP_CIPHER> cipher = library.cipher(std::string(spec.name) + "-CTR");
  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};
  Bytes key, iv[kPipes], text[kPipes], out[kPipes];
  const unsigned char* iv_list[kPipes];
  std::size_t written[kPipes] = {};
};

TEST_P(Pipeline, EqualsItsMessagesOneByOne) {
  ASSERT_EQ(1, can(cipher.get(), 1));
  ASSERT_EQ(1, can(cipher.get(), 0));
  ASSERT_EQ(1, start());
  std::size_t from[kPipes] = {};
  std::mt19937 random(4);
  for (int step = 0; step < 6; ++step) {
    std::size_t size[kPipes];
    for (std::size_t i = 0; i < kPipes; ++i) {
      const std::size_t left = text[i].size() - from[i];
      size[i] = step == 5 ? left : std::min<std::size_t>(left, random() % 100);
    }
    ASSERT_EQ(1, update(from, size));
    for (std::size_t i = 0; i < kPipes; ++i) {
      EXPECT_EQ(written[i], size[i]);
      from[i] += size[i];
    }
  }
  ASSERT_EQ(1, symbol<FinalFn>("EVP_CipherPipelineFinal")(ctx.get(), nullptr, written, from));
  for (std::size_t i = 0; i < kPipes; ++i) {
    EXPECT_EQ(out[i], reference_ctr(spec, key, iv[i], text[i],
                                    static_cast<unsigned>(8 * spec.block_bytes)));
  }
}

TEST_P(Pipeline, OverlappingPipesAreRefusedAndNothingMoves) {
  ASSERT_EQ(1, start());
  unsigned char* to[kPipes];
  const unsigned char* in[kPipes];
  std::size_t size[kPipes];
  for (std::size_t i = 0; i < kPipes; ++i) {
    to[i] = out[i].data();
    in[i] = text[i].data();
    size[i] = 100;
  }
  to[3] = out[1].data() + 99;
  EXPECT_EQ(0,
            symbol<UpdateFn>("EVP_CipherPipelineUpdate")(ctx.get(), to, written, size, in, size));
  EXPECT_EQ(last_error(), "input and output overlap partly: output of pipe 1 and data of pipe 3");
  for (const Bytes& bytes : out) EXPECT_EQ(bytes, Bytes(bytes.size(), 0xa5));
  const std::size_t from[kPipes] = {};
  ASSERT_EQ(1, update(from, size));
  for (std::size_t i = 0; i < kPipes; ++i) {
    const Bytes head(text[i].begin(), text[i].begin() + 100);
    EXPECT_EQ(Bytes(out[i].begin(), out[i].begin() + 100),
              reference_ctr(spec, key, iv[i], head, static_cast<unsigned>(8 * spec.block_bytes)));
  }
}

TEST_P(Pipeline, NewIvsAlone) {
  ASSERT_EQ(1, start());
  const std::size_t from[kPipes] = {};
  std::size_t size[kPipes] = {50, 60, 70, 80, 90};
  ASSERT_EQ(1, update(from, size));
  std::swap(iv_list[0], iv_list[3]);
  std::swap(iv[0], iv[3]);
  ASSERT_EQ(1, symbol<InitFn>("EVP_CipherPipelineEncryptInit")(ctx.get(), nullptr, nullptr, 0,
                                                               kPipes, iv_list, iv_bytes))
      << last_error();
  for (std::size_t i = 0; i < kPipes; ++i) size[i] = text[i].size();
  ASSERT_EQ(1, update(from, size)) << last_error();
  for (std::size_t i = 0; i < kPipes; ++i) {
    EXPECT_EQ(out[i], reference_ctr(spec, key, iv[i], text[i],
                                    static_cast<unsigned>(8 * spec.block_bytes)));
  }
}

INSTANTIATE_TEST_SUITE_P(AllCiphers, Pipeline, testing::Range(std::size_t{0}, kCipherCount),
                         [](const auto& param) {
                           return gtest_name(cipher_spec(param.param).name);
                         });

}  // namespace
}  // namespace gpuctr::test
