// Whole blocks: what an engine has to make of them. libcrypto says so where it has the cipher, else
// the scalar backend, a block at a time.
#ifndef GPUCTR_TEST_BULK_BLOCKS_SUPPORT_H
#define GPUCTR_TEST_BULK_BLOCKS_SUPPORT_H

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <memory>
#include <string>

#include "test/bulk/support.h"
#include "test/support/generators.h"

namespace gpuctr::test {

// The operations, CBC decryption and CFB decryption.
enum class Blocks { kEncrypt, kDecrypt, kChain, kFeedback };
constexpr Blocks kAllBlocks[] = {Blocks::kEncrypt, Blocks::kDecrypt, Blocks::kChain,
                                 Blocks::kFeedback};

class BlockKey {
 public:
  explicit BlockKey(const CipherSpec& c) : cipher(c), key_(random_bytes(c.key_bytes, 11)) {
    cipher.expand(key_.data(), &keys);
  }

  BulkStatus run(Engine* engine, Blocks what, const std::uint8_t* in, std::uint8_t* out,
                 std::size_t bytes, bool* by_device = nullptr) const {
    bool ignored;
    return engine->blocks(cipher, keys, operation(what), before(what), in, out,
                          bytes / cipher.block_bytes, by_device != nullptr ? by_device : &ignored);
  }
  static BlockOperation operation(Blocks what) {
    return what == Blocks::kEncrypt || what == Blocks::kFeedback ? BlockOperation::kEncrypt
                                                                 : BlockOperation::kDecrypt;
  }
  const std::uint8_t* before(Blocks what) const { return chains(what) ? before_.data() : nullptr; }

  static bool chains(Blocks what) { return what == Blocks::kChain || what == Blocks::kFeedback; }

  Bytes expect(Blocks what, const Bytes& in) const {
    const std::string name = std::string(cipher.name) + (what == Blocks::kChain      ? "-CBC"
                                                         : what == Blocks::kFeedback ? "-CFB"
                                                                                     : "-ECB");
    static OSSL_PROVIDER* const providers[] = {OSSL_PROVIDER_load(nullptr, "default"),
                                               OSSL_PROVIDER_load(nullptr, "legacy")};
    std::unique_ptr<EVP_CIPHER, decltype(&EVP_CIPHER_free)> stock(
        EVP_CIPHER_fetch(nullptr, name.c_str(), "provider=default"), EVP_CIPHER_free);
    if (stock == nullptr && providers[1] != nullptr)
      stock.reset(EVP_CIPHER_fetch(nullptr, name.c_str(), "provider=legacy"));
    return stock != nullptr ? by_libcrypto(stock.get(), what, in) : by_scalar(what, in);
  }

  const CipherSpec& cipher;
  RoundKeys keys;

 private:
  Bytes by_libcrypto(const EVP_CIPHER* stock, Blocks what, const Bytes& in) const {
    const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> ctx(EVP_CIPHER_CTX_new(),
                                                                              EVP_CIPHER_CTX_free);
    Bytes out(in.size() + kMaxBlockBytes);
    int n = 0;
    EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), stock, key_.data(), before(what),
                                    what == Blocks::kEncrypt ? 1 : 0, nullptr));
    EXPECT_EQ(1, EVP_CIPHER_CTX_set_padding(ctx.get(), 0));
    EXPECT_EQ(1,
              EVP_CipherUpdate(ctx.get(), out.data(), &n, in.data(), static_cast<int>(in.size())));
    out.resize(in.size());
    return out;
  }
  Bytes by_scalar(Blocks what, const Bytes& in) const {
    const CipherOps& ops = find_backend("scalar")->ops[cipher.index];
    const std::size_t block = cipher.block_bytes;
    Bytes out(in.size());
    const auto run = operation(what) == BlockOperation::kEncrypt ? ops.encrypt : ops.decrypt;
    // In CFB the blocks are encrypted that CBC's are XORed with, and the other way round.
    Bytes shifted(before_.begin(), before_.begin() + static_cast<std::ptrdiff_t>(block));
    shifted.insert(shifted.end(), in.begin(), in.end());
    shifted.resize(in.size());
    const Bytes& from = what == Blocks::kFeedback ? shifted : in;
    const Bytes& text = what == Blocks::kFeedback ? in : shifted;
    // DES takes as long for one block as for many.
    if (cipher.legacy && !in.empty()) run(keys, from.data(), out.data(), in.size() / block);
    for (std::size_t at = 0; at < in.size(); at += block) {
      if (!cipher.legacy) run(keys, &from[at], &out[at], 1);
      for (std::size_t i = 0; chains(what) && i < block; ++i) out[at + i] ^= text[at + i];
    }
    return out;
  }

  const Bytes key_;
  const Bytes before_ = random_bytes(kMaxBlockBytes, 12);
};

// Of whatever ciphers this build has: the first that is not a legacy cipher, if there is one. With
// AES in the build it is AES, whose expected bytes come from libcrypto: of SEED the scalar backend
// makes mebibytes in seconds.
inline const CipherSpec& any_cipher() {
  const std::vector<std::size_t> usual = usual_ciphers();
  return cipher_spec(usual.empty() ? 0 : usual.front());
}

inline std::string cipher_name(const testing::TestParamInfo<std::size_t>& test) {
  std::string name = cipher_spec(test.param).name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

}  // namespace gpuctr::test

#endif
