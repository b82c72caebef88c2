// Crypto++ as an oracle: an implementation of HIGHT, LEA, IDEA and Threefish that shares nothing
// with ours, at random keys, counters that carry, and lengths. (Its CHAM is the cipher of 2017,
// with fewer rounds.)
#include <cryptopp/gcm.h>
#include <cryptopp/hight.h>
#include <cryptopp/idea.h>
#include <cryptopp/lea.h>
#include <cryptopp/modes.h>
#include <cryptopp/threefish.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "test/provider/reference.h"
#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

template <class Cipher>
Bytes oracle_ctr(const Bytes& key, const Bytes& iv, const Bytes& in) {
  typename CryptoPP::CTR_Mode<Cipher>::Encryption oracle(key.data(), key.size(), iv.data());
  Bytes out(in.size());
  oracle.ProcessData(out.data(), in.data(), in.size());
  return out;
}

template <class Cipher>
Bytes oracle_ecb(const Bytes& key, const Bytes& in) {
  typename CryptoPP::ECB_Mode<Cipher>::Encryption oracle(key.data(), key.size());
  Bytes out(in.size());
  oracle.ProcessData(out.data(), in.data(), in.size());
  return out;
}

// OFB, or CFB with segments of so many bytes.
template <class Cipher>
Bytes oracle_feedback(const Bytes& key, const Bytes& iv, const Bytes& in, int segment) {
  Bytes out(in.size());
  if (segment == 0) {
    typename CryptoPP::OFB_Mode<Cipher>::Encryption oracle(key.data(), key.size(), iv.data());
    oracle.ProcessData(out.data(), in.data(), in.size());
  } else {
    typename CryptoPP::CFB_Mode<Cipher>::Encryption oracle(key.data(), key.size(), iv.data(),
                                                           segment);
    oracle.ProcessData(out.data(), in.data(), in.size());
  }
  return out;
}

Bytes through_evp(const EVP_CIPHER* cipher, bool encrypt, const Bytes& key, const Bytes* iv,
                  const Bytes& in, const OSSL_PARAM* params = nullptr) {
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  Bytes out(in.size());
  int n = 0;
  EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), cipher, nullptr, nullptr, encrypt ? 1 : 0, nullptr));
  EXPECT_EQ(1, EVP_CIPHER_CTX_set_key_length(ctx.get(), static_cast<int>(key.size())));
  EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), nullptr, key.data(),
                                  iv != nullptr ? iv->data() : nullptr, -1, params));
  EVP_CIPHER_CTX_set_padding(ctx.get(), 0);
  EXPECT_EQ(1, EVP_CipherUpdate(ctx.get(), out.data(), &n, in.data(), static_cast<int>(in.size())));
  EXPECT_EQ(n, static_cast<int>(in.size()));
  return out;
}

template <class Cipher>
void compare(const std::string& name) {
  const Library library;
  if (find_cipher(name.c_str()) == nullptr) GTEST_SKIP() << "this build has no " << name;
  const CipherSpec& spec = *find_cipher(name.c_str());
  const Evp<EVP_CIPHER> ctr = library.cipher(name + "-CTR");
  const Evp<EVP_CIPHER> ecb = library.cipher(name + "-ECB");
  std::mt19937 random(20);
  const auto bytes = [&random](std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
    return b;
  };
  for (int i = 0; i < 300; ++i) {
    Bytes key = bytes(spec.key_bytes);
    // A run of zeros in some: IDEA's subkeys of 0 stand for 2^16.
    if (i % 4 == 0) std::fill(key.begin(), key.begin() + i % 16, std::uint8_t{0});
    Bytes iv = bytes(spec.block_bytes);
    // Ones at the end make the counter carry through 1, 2, ... bytes.
    const std::size_t ones = random() % (spec.block_bytes + 1);
    std::fill(iv.end() - static_cast<std::ptrdiff_t>(ones), iv.end(), std::uint8_t{0xff});
    const Bytes text = bytes(1 + random() % 5000);
    ASSERT_EQ(through_evp(ctr.get(), true, key, &iv, text), oracle_ctr<Cipher>(key, iv, text));

    Bytes blocks = bytes(spec.block_bytes * (1 + random() % 100));
    if (i % 4 == 1) std::fill(blocks.begin(), blocks.end(), std::uint8_t{0});
    const Bytes sealed = through_evp(ecb.get(), true, key, nullptr, blocks);
    ASSERT_EQ(sealed, oracle_ecb<Cipher>(key, blocks));
    ASSERT_EQ(through_evp(ecb.get(), false, key, nullptr, sealed), blocks);
  }
}

// CFB, CFB8 and OFB of ciphers that libcrypto lacks: of any length, also of several pieces of each
// mode's work.
template <class Cipher>
void compare_feedback(const std::string& name) {
  const Library library;
  if (find_cipher(name.c_str()) == nullptr) GTEST_SKIP() << "this build has no " << name;
  const CipherSpec& spec = *find_cipher(name.c_str());
  const struct {
    const char* mode;
    int segment;
    std::size_t most;
  } modes[] = {
      {"-CFB", static_cast<int>(spec.block_bytes), 30000}, {"-CFB8", 1, 1000}, {"-OFB", 0, 8000}};
  std::mt19937 random(23);
  const auto bytes = [&random](std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
    return b;
  };
  for (const auto& mode : modes) {
    const Evp<EVP_CIPHER> cipher = library.cipher(name + mode.mode);
    for (int i = 0; i < 60; ++i) {
      const Bytes key = bytes(spec.key_bytes), iv = bytes(spec.block_bytes);
      const Bytes text = bytes(1 + random() % (i % 2 == 0 ? 100 : mode.most));
      const Bytes sealed = oracle_feedback<Cipher>(key, iv, text, mode.segment);
      ASSERT_EQ(through_evp(cipher.get(), true, key, &iv, text), sealed) << mode.mode;
      ASSERT_EQ(through_evp(cipher.get(), false, key, &iv, sealed), text) << mode.mode;
    }
  }
}

// GCM, which libcrypto has of other ciphers only: IVs of every length, and the whole tag.
void compare_gcm(const std::string& name) {
  const Library library;
  const Evp<EVP_CIPHER> gcm = library.cipher(name + "-GCM");
  std::mt19937 random(21);
  const auto bytes = [&random](std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
    return b;
  };
  for (int i = 0; i < 300; ++i) {
    const Bytes key = bytes(find_cipher(name.c_str())->key_bytes);
    const Bytes iv = bytes(i % 2 == 0 ? 12 : 1 + random() % 128);
    const Bytes aad = bytes(random() % 100), text = bytes(random() % 3000);
    CryptoPP::GCM<CryptoPP::LEA>::Encryption oracle;
    oracle.SetKeyWithIV(key.data(), key.size(), iv.data(), iv.size());
    Bytes want(text.size()), want_tag(16);
    oracle.EncryptAndAuthenticate(want.data(), want_tag.data(), want_tag.size(), iv.data(),
                                  static_cast<int>(iv.size()), aad.data(), aad.size(), text.data(),
                                  text.size());
    const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
    Bytes out(text.size()), tag(16);
    int n = 0;
    ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), gcm.get(), nullptr, nullptr, nullptr));
    ASSERT_EQ(1, EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_IVLEN,
                                     static_cast<int>(iv.size()), nullptr));
    ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, key.data(), iv.data(), nullptr));
    ASSERT_EQ(1,
              EVP_EncryptUpdate(ctx.get(), nullptr, &n, aad.data(), static_cast<int>(aad.size())));
    ASSERT_EQ(1, EVP_EncryptUpdate(ctx.get(), out.data(), &n, text.data(),
                                   static_cast<int>(text.size())));
    ASSERT_EQ(1, EVP_EncryptFinal_ex(ctx.get(), out.data(), &n));
    ASSERT_EQ(1, EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_GET_TAG, 16, tag.data()));
    ASSERT_EQ(out, want);
    ASSERT_EQ(tag, want_tag);
  }
}

// With a tweak, in ECB, and in counter mode from a counter block of zeros and the IV, which carries
// into the zeros.
template <class Cipher>
void compare_tweaked(const std::string& name) {
  const Library library;
  const CipherSpec* const spec = find_cipher(name.c_str());
  if (spec == nullptr) GTEST_SKIP() << "this build has no " << name;
  const Evp<EVP_CIPHER> ctr = library.cipher(name + "-CTR");
  const Evp<EVP_CIPHER> ecb = library.cipher(name + "-ECB");
  std::mt19937 random(22);
  const auto bytes = [&random](std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
    return b;
  };
  for (int i = 0; i < 200; ++i) {
    const Bytes key = bytes(spec->key_bytes);
    Bytes tweak = i == 0 ? Bytes(16) : bytes(16), iv = bytes(16);
    std::fill(iv.end() - i % 17, iv.end(), std::uint8_t{0xff});
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("tweak", tweak.data(), 16),
                                 OSSL_PARAM_construct_end()};
    typename Cipher::Encryption block;
    block.SetKey(
        key.data(), key.size(),
        CryptoPP::MakeParameters(CryptoPP::Name::Tweak(),
                                 CryptoPP::ConstByteArrayParameter(tweak.data(), 16, false)));
    const Bytes text = bytes(1 + random() % 5000);
    Bytes want(text.size());
    const Bytes counter = counter_block(*spec, iv);
    CryptoPP::CTR_Mode_ExternalCipher::Encryption oracle(block, counter.data());
    oracle.ProcessData(want.data(), text.data(), text.size());
    ASSERT_EQ(through_evp(ctr.get(), true, key, &iv, text, params), want) << i;

    const Bytes blocks = bytes(spec->block_bytes * (1 + random() % 100));
    Bytes sealed(blocks.size());
    CryptoPP::ECB_Mode_ExternalCipher::Encryption(block, nullptr, 0)
        .ProcessData(sealed.data(), blocks.data(), blocks.size());
    ASSERT_EQ(through_evp(ecb.get(), true, key, nullptr, blocks, params), sealed);
    ASSERT_EQ(through_evp(ecb.get(), false, key, nullptr, sealed, params), blocks);
  }
}

TEST(CryptoPp, Threefish256) { compare_tweaked<CryptoPP::Threefish256>("THREEFISH-256"); }
TEST(CryptoPp, Threefish512) { compare_tweaked<CryptoPP::Threefish512>("THREEFISH-512"); }
TEST(CryptoPp, Threefish1024) { compare_tweaked<CryptoPP::Threefish1024>("THREEFISH-1024"); }

TEST(CryptoPp, LeaGcm) {
  for (const char* name : {"LEA-128", "LEA-192", "LEA-256"}) compare_gcm(name);
}
TEST(CryptoPp, Feedback) {
  compare_feedback<CryptoPP::IDEA>("IDEA");
  compare_feedback<CryptoPP::HIGHT>("HIGHT");
  compare_feedback<CryptoPP::LEA>("LEA-128");
  compare_feedback<CryptoPP::LEA>("LEA-256");
}
TEST(CryptoPp, Idea) { compare<CryptoPP::IDEA>("IDEA"); }
TEST(CryptoPp, Hight) { compare<CryptoPP::HIGHT>("HIGHT"); }
TEST(CryptoPp, Lea128) { compare<CryptoPP::LEA>("LEA-128"); }
TEST(CryptoPp, Lea192) { compare<CryptoPP::LEA>("LEA-192"); }
TEST(CryptoPp, Lea256) { compare<CryptoPP::LEA>("LEA-256"); }

}  // namespace
}  // namespace gpuctr::test
