// XTS through EVP: published vectors, every cipher's names, and what a data unit is.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include "kernels/cipher/registry.h"
#include "provider/core/gpuctr.h"
#include "test/provider/batch/pointer_params.h"
#include "test/provider/support.h"
#include "test/support/vector_files.h"

namespace gpuctr::test {
namespace {

Bytes crypt(const EVP_CIPHER* cipher, const Bytes& key, const Bytes& iv, const Bytes& in,
            bool encrypt) {
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  Bytes out(in.size());
  int n = 0;
  EXPECT_EQ(1,
            EVP_CipherInit_ex2(ctx.get(), cipher, key.data(), iv.data(), encrypt ? 1 : 0, nullptr))
      << last_error();
  EXPECT_EQ(1, EVP_CipherUpdate(ctx.get(), out.data(), &n, in.data(), static_cast<int>(in.size())))
      << last_error();
  EXPECT_EQ(n, static_cast<int>(in.size()));
  EXPECT_EQ(1, EVP_CipherFinal_ex(ctx.get(), out.data(), &n));
  EXPECT_EQ(n, 0);
  return out;
}

TEST(Xts, PublishedVectors) {
  const Library library;
  for (const char* file : kPublishedXts) {
    for (const Stanza& stanza : read_vectors(file)) {
      SCOPED_TRACE(stanza.place());
      const Evp<EVP_CIPHER> cipher = library.cipher(stanza.text("Cipher"));
      ASSERT_NE(cipher, nullptr) << last_error();
      const Bytes key = stanza.bytes("Key"), iv = stanza.bytes("IV");
      const Bytes plain = stanza.bytes("Plaintext"), secret = stanza.bytes("Ciphertext");
      EXPECT_EQ(to_hex(crypt(cipher.get(), key, iv, plain, true)), to_hex(secret));
      EXPECT_EQ(to_hex(crypt(cipher.get(), key, iv, secret, false)), to_hex(plain));
    }
  }
}

// IEEE 1619 has keys of 128 and of 256 bits.
TEST(Xts, OfEveryCipherWithBlocksOf16BytesAndKeysOf128Or256Bits) {
  const Library library;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    const Evp<EVP_CIPHER> cipher = library.cipher(std::string(spec.name) + "-XTS");
    ERR_clear_error();
    const bool wanted = spec.block_bytes == 16 && (spec.key_bytes == 16 || spec.key_bytes == 32) &&
                        spec.least_key_bytes == spec.most_key_bytes;
    ASSERT_EQ(cipher != nullptr, wanted) << spec.name;
    if (!wanted) continue;
    EXPECT_EQ(EVP_CIPHER_get_key_length(cipher.get()), static_cast<int>(2 * spec.key_bytes));
    EXPECT_EQ(EVP_CIPHER_get_mode(cipher.get()), EVP_CIPH_XTS_MODE);
    Bytes key(2 * spec.key_bytes), iv(16, 3), text(100, 7);
    key[0] = 1;
    const Bytes secret = crypt(cipher.get(), key, iv, text, true);
    EXPECT_NE(secret, text);
    EXPECT_EQ(crypt(cipher.get(), key, iv, secret, false), text);
  }
}

// Encryption refuses two equal keys, and the context keeps what it had.
TEST(Xts, EqualKeys) {
  const Library library;
  if (find_cipher("AES-128") == nullptr) GTEST_SKIP() << "this build has no AES";
  const Evp<EVP_CIPHER> cipher = library.cipher("AES-128-XTS");
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  Bytes key(32, 1), iv(16, 2), text(32, 5), before(32), after(32);
  key[3] = 9;
  const Bytes equal(32, 4), other_iv(16, 8);
  int n = 0;
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), key.data(), iv.data(), nullptr));
  ASSERT_EQ(1, EVP_EncryptUpdate(ctx.get(), before.data(), &n, text.data(), 32));
  ASSERT_EQ(0, EVP_EncryptInit_ex2(ctx.get(), nullptr, equal.data(), other_iv.data(), nullptr));
  EXPECT_EQ(last_error(), "xts duplicated keys: the two keys of AES-128-XTS are equal");
  ASSERT_EQ(1, EVP_EncryptUpdate(ctx.get(), after.data(), &n, text.data(), 32));
  EXPECT_EQ(before, after);
  EXPECT_EQ(1, EVP_DecryptInit_ex2(ctx.get(), nullptr, equal.data(), nullptr, nullptr));
}

// Sectors in one update are the same as one by one.
TEST(Xts, ManySectors) {
  const Library library;
  for (const char* name : {"AES-128-XTS", "AES-256-XTS", "LEA-128-XTS", "ARIA-256-XTS"}) {
    const Evp<EVP_CIPHER> cipher = library.cipher(name);
    ERR_clear_error();
    if (cipher == nullptr) continue;  // not in this build
    SCOPED_TRACE(name);
    constexpr std::size_t kCount = 300;
    auto bytes = [n = 1u](std::size_t size) mutable {
      Bytes b(size);
      for (auto& byte : b) byte = static_cast<std::uint8_t>((n = 1664525 * n + 1013904223) >> 24);
      return b;
    };
    const Bytes key = bytes(64), ivs = bytes(16 * kCount);
    const auto iv_of = [&](std::size_t i) {
      const auto at = ivs.begin() + static_cast<std::ptrdiff_t>(16 * i);
      return Bytes(at, at + 16);
    };
    for (const std::size_t sector : {16, 17, 512, 4096}) {
      const Bytes text = bytes(sector * kCount);
      Bytes want;
      for (std::size_t i = 0; i < kCount; ++i) {
        const auto at = text.begin() + static_cast<std::ptrdiff_t>(sector * i);
        const Bytes one = crypt(cipher.get(), key, iv_of(i),
                                Bytes(at, at + static_cast<std::ptrdiff_t>(sector)), true);
        want.insert(want.end(), one.begin(), one.end());
      }
      // All of one length; lengths; lengths and places, from the last to the first.
      std::vector<std::uint32_t> lengths(kCount, static_cast<std::uint32_t>(sector));
      std::vector<std::uint64_t> offsets;
      for (std::size_t i = 0; i < kCount; ++i) offsets.push_back(sector * i);
      for (const int arrays : {0, 1, 2}) {
        for (const bool encrypt : {true, false}) {
          const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
          PointerParams params;
          params.add(GPUCTR_PARAM_BATCH_IVS, ivs.data(), ivs.size());
          if (arrays > 0) params.add(GPUCTR_PARAM_BATCH_LENGTHS, lengths.data(), 4 * kCount);
          if (arrays > 1) params.add(GPUCTR_PARAM_BATCH_OFFSETS, offsets.data(), 8 * kCount);
          unsigned count = kCount;
          const OSSL_PARAM number[] = {
              OSSL_PARAM_construct_uint(GPUCTR_PARAM_BATCH_MESSAGES, &count),
              OSSL_PARAM_construct_end()};
          ASSERT_EQ(1, EVP_CipherInit_ex2(ctx.get(), cipher.get(), key.data(), nullptr,
                                          encrypt ? 1 : 0, number));
          ASSERT_EQ(1, params.set(ctx.get())) << last_error();
          Bytes data = encrypt ? text : want;
          int n = 0;
          ASSERT_EQ(1, EVP_CipherUpdate(ctx.get(), data.data(), &n, data.data(),
                                        static_cast<int>(data.size())))
              << last_error();
          ASSERT_TRUE(data == (encrypt ? want : text)) << sector << " bytes, arrays " << arrays;
        }
      }
    }
  }
}

TEST(Xts, RefusedBatches) {
  const Library library;
  if (find_cipher("AES-128") == nullptr) GTEST_SKIP() << "this build has no AES";
  const Evp<EVP_CIPHER> cipher = library.cipher("AES-128-XTS");
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  const Bytes ivs(32), keys(64, 1);
  Bytes key(32), data(64);
  key[0] = 1;
  const std::uint32_t lengths[] = {15, 49};
  unsigned count = 2;
  const OSSL_PARAM number[] = {OSSL_PARAM_construct_uint(GPUCTR_PARAM_BATCH_MESSAGES, &count),
                               OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), key.data(), nullptr, number));
  PointerParams params;
  params.add(GPUCTR_PARAM_BATCH_IVS, ivs.data(), ivs.size());
  params.add(GPUCTR_PARAM_BATCH_LENGTHS, lengths, sizeof lengths);
  ASSERT_EQ(1, params.set(ctx.get())) << last_error();
  int n = 0;
  EXPECT_EQ(0, EVP_EncryptUpdate(ctx.get(), data.data(), &n, data.data(), 64));
  EXPECT_EQ(last_error(),
            "cipher operation failed: message 0 has 15 bytes, a data unit of AES-128-XTS at least "
            "16");
  PointerParams with_keys;
  with_keys.add(GPUCTR_PARAM_BATCH_KEYS, keys.data(), keys.size());
  with_keys.add(GPUCTR_PARAM_BATCH_LENGTHS, nullptr, 0);
  ASSERT_EQ(1, with_keys.set(ctx.get())) << last_error();
  EXPECT_EQ(0, EVP_EncryptUpdate(ctx.get(), data.data(), &n, data.data(), 64));
  EXPECT_EQ(last_error(),
            "a batch of messages that cannot be made: AES-128-XTS takes one key for all messages, "
            "and no batch-keys");
  EXPECT_EQ(data, Bytes(64));
}

// IEEE 1619 5.1: 2^20 blocks.
TEST(Xts, ABatchWithALongUnit) {
  const Library library;
  if (find_cipher("AES-128") == nullptr) GTEST_SKIP() << "this build has no AES";
  const Evp<EVP_CIPHER> cipher = library.cipher("AES-128-XTS");
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  constexpr std::size_t kMost = std::size_t{1} << 24;
  const Bytes ivs(32);
  Bytes key(32), data(16 + kMost + 1);
  key[0] = 1;
  unsigned count = 2;
  const OSSL_PARAM number[] = {OSSL_PARAM_construct_uint(GPUCTR_PARAM_BATCH_MESSAGES, &count),
                               OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), key.data(), nullptr, number));
  std::uint32_t lengths[] = {16, kMost + 1};
  PointerParams params;
  params.add(GPUCTR_PARAM_BATCH_IVS, ivs.data(), ivs.size());
  params.add(GPUCTR_PARAM_BATCH_LENGTHS, lengths, sizeof lengths);
  ASSERT_EQ(1, params.set(ctx.get())) << last_error();
  int n = 0;
  const auto update = [&](std::size_t bytes) {
    return EVP_EncryptUpdate(ctx.get(), data.data(), &n, data.data(), static_cast<int>(bytes));
  };
  EXPECT_EQ(0, update(data.size()));
  EXPECT_EQ(last_error(),
            "xts data unit is too large: message 1 has 16777217 bytes, more than a data unit of "
            "AES-128-XTS");
  EXPECT_EQ(data, Bytes(data.size()));
  lengths[1] = kMost;
  EXPECT_EQ(1, update(16 + kMost)) << last_error();
}

// The byte limit of a key counts data units, and a refused unit is not written.
TEST(Xts, LimitOfAKey) {
  const Library library;
  if (find_cipher("AES-128") == nullptr) GTEST_SKIP() << "this build has no AES";
  const Evp<EVP_CIPHER> cipher = library.cipher("AES-128-XTS");
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  Bytes key(32, 1), iv(16, 2), text(64, 5), out(64);
  key[3] = 9;
  unsigned most = 100;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("max-bytes", &most),
                               OSSL_PARAM_construct_end()};
  int n = 0;
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), key.data(), iv.data(), params));
  EXPECT_EQ(1, EVP_EncryptUpdate(ctx.get(), out.data(), &n, text.data(), 64));
  out = Bytes(64);
  EXPECT_EQ(0, EVP_EncryptUpdate(ctx.get(), out.data(), &n, text.data(), 64));
  EXPECT_EQ(last_error().substr(0, 32), "byte limit of this key reached: ");
  EXPECT_EQ(out, Bytes(64));
}

}  // namespace
}  // namespace gpuctr::test
