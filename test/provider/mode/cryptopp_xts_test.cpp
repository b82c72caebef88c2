// Crypto++'s XTS as an oracle, over its own ARIA, Camellia, SEED, LEA and AES. (Its CHAM is the
// cipher of 2017, with fewer rounds.)
#include <cryptopp/aes.h>
#include <cryptopp/aria.h>
#include <cryptopp/camellia.h>
#include <cryptopp/lea.h>
#include <cryptopp/seed.h>
#include <cryptopp/xts.h>
#include <gtest/gtest.h>

#include <random>

#include "kernels/cipher/registry.h"
#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

template <class Direction>
Bytes oracle(const Bytes& key, const Bytes& iv, const Bytes& in) {
  Direction xts(key.data(), key.size(), iv.data());
  Bytes out(in.size());
  // Data units of whole blocks have no last block of their own.
  if (in.size() % 16 == 0) {
    xts.ProcessData(out.data(), in.data(), in.size());
    return out;
  }
  const std::size_t last = 16 + in.size() % 16, first = in.size() - last;
  if (first != 0) xts.ProcessData(out.data(), in.data(), first);
  xts.ProcessLastBlock(out.data() + first, last, in.data() + first, last);
  return out;
}

// Every length from a block on, in place and not, and some long ones.
template <class Cipher>
void compare(const std::string& name) {
  const CipherSpec* const spec = find_cipher(name.c_str());
  if (spec == nullptr) GTEST_SKIP() << "this build has no " << name;
  const Library library;
  const Evp<EVP_CIPHER> cipher = library.cipher(name + "-XTS");
  ASSERT_NE(cipher, nullptr);
  std::mt19937 random(41);
  const auto bytes = [&random](std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
    return b;
  };
  const Bytes key = bytes(2 * spec->key_bytes);
  const Evp<EVP_CIPHER_CTX> seal(EVP_CIPHER_CTX_new()), open(EVP_CIPHER_CTX_new());
  ASSERT_EQ(1, EVP_EncryptInit_ex2(seal.get(), cipher.get(), key.data(), nullptr, nullptr));
  ASSERT_EQ(1, EVP_DecryptInit_ex2(open.get(), cipher.get(), key.data(), nullptr, nullptr));
  for (std::size_t size = 16; size <= 230; ++size) {
    const std::size_t n = size <= 200 ? size : 16 + random() % 20000;
    const int length = static_cast<int>(n);
    const Bytes iv = bytes(16), text = bytes(n);
    const Bytes want = oracle<typename CryptoPP::XTS<Cipher>::Encryption>(key, iv, text);
    Bytes out(n), in_place = text;
    int written = 0;
    ASSERT_EQ(1, EVP_EncryptInit_ex2(seal.get(), nullptr, nullptr, iv.data(), nullptr));
    ASSERT_EQ(1, EVP_EncryptUpdate(seal.get(), out.data(), &written, text.data(), length));
    ASSERT_EQ(out, want) << n;
    ASSERT_EQ(1, EVP_EncryptUpdate(seal.get(), in_place.data(), &written, in_place.data(), length));
    ASSERT_EQ(in_place, want) << n;
    ASSERT_EQ(1, EVP_DecryptInit_ex2(open.get(), nullptr, nullptr, iv.data(), nullptr));
    ASSERT_EQ(1, EVP_DecryptUpdate(open.get(), in_place.data(), &written, in_place.data(), length));
    ASSERT_EQ(in_place, text) << n;
    ASSERT_EQ(1, EVP_DecryptUpdate(open.get(), out.data(), &written, want.data(), length));
    ASSERT_EQ(out, text) << n;
  }
}

TEST(CryptoPpXts, Aes) {
  compare<CryptoPP::AES>("AES-128");
  compare<CryptoPP::AES>("AES-256");
}
TEST(CryptoPpXts, Aria) {
  compare<CryptoPP::ARIA>("ARIA-128");
  compare<CryptoPP::ARIA>("ARIA-256");
}
TEST(CryptoPpXts, Camellia) {
  compare<CryptoPP::Camellia>("CAMELLIA-128");
  compare<CryptoPP::Camellia>("CAMELLIA-256");
}
TEST(CryptoPpXts, Lea) {
  compare<CryptoPP::LEA>("LEA-128");
  compare<CryptoPP::LEA>("LEA-256");
}
TEST(CryptoPpXts, Seed) { compare<CryptoPP::SEED>("SEED"); }

}  // namespace
}  // namespace gpuctr::test
