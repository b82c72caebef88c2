// How much memory a context takes: bytes that malloc() has given out, libcrypto's own among them,
// for many contexts with a key and an IV that have encrypted one short message.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <vector>

#include "kernels/cipher/registry.h"
#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

constexpr std::size_t kContexts = 200;
constexpr std::size_t kMessage = 64;

// Contexts of one cipher, all alike; without one, libcrypto's part only.
class Contexts {
 public:
  explicit Contexts(const EVP_CIPHER* cipher) : before_(in_use()) {
    if (cipher == nullptr) {
      for (auto& context : contexts_) context.reset(EVP_CIPHER_CTX_new());
      return;
    }
    const std::uint8_t key[kMaxKeyBytes] = {1}, iv[EVP_MAX_IV_LENGTH] = {2};
    for (auto& context : contexts_) {
      context.reset(EVP_CIPHER_CTX_new());
      EXPECT_EQ(EVP_EncryptInit_ex2(context.get(), cipher, key, iv, nullptr), 1);
    }
  }
  void update(std::size_t n) {
    std::uint8_t data[kMessage + kMaxBlockBytes] = {};
    int written = 0;
    for (auto& context : contexts_) {
      EXPECT_EQ(EVP_EncryptUpdate(context.get(), data, &written, data, static_cast<int>(n)), 1);
    }
  }
  // Bytes a context, without what is in none.
  std::size_t bytes_each() const { return (in_use() - before_ + kContexts - 1) / kContexts; }

 private:
  static std::size_t in_use() {
    const struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
  }
  // First, because it is what was there before the contexts.
  std::size_t before_;
  Evp<EVP_CIPHER_CTX> contexts_[kContexts];
};

// libcrypto's part of a context in OpenSSL 3.0, which the bounds include. Later versions have more.
constexpr std::size_t kOfOpenssl30 = 192;

// The most that a context may take, of which `keys` are the round keys that most ciphers stay
// below. CBC has room for two blocks of the build's largest cipher.
struct Bound {
  const char* mode;
  std::size_t bytes;
  std::size_t keys;
};
constexpr Bound kBounds[] = {{"CTR", 1536, 768}, {"ECB", 1536, 768}, {"CBC", 1664, 768},
                             {"CCM", 1536, 768}, {"GCM", 2252, 288}, {"XTS", 2304, 768}};

TEST(Memory, OfAContext) {
  const Library library;
  const std::size_t of_libcrypto = std::max(Contexts(nullptr).bytes_each(), kOfOpenssl30);
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    for (const Bound& bound : kBounds) {
      const std::string name = std::string(spec.name) + "-" + bound.mode;
      ERR_set_mark();
      const Evp<EVP_CIPHER> cipher(
          EVP_CIPHER_fetch(library.get(), name.c_str(), "provider=gpuctr"));
      ERR_pop_to_mark();
      if (cipher == nullptr) continue;                    // a mode for other blocks
      if (spec.key_bytes > EVP_MAX_KEY_LENGTH) continue;  // libcrypto passes no such key
      Contexts contexts(cipher.get());
      contexts.update(kMessage);
      const std::size_t keys = std::max(spec.round_key_bytes, bound.keys) - bound.keys;
      const std::size_t blocks = 3 * (std::max<std::size_t>(spec.block_bytes, 16) - 16);
      const std::size_t more = keys + blocks + of_libcrypto - kOfOpenssl30;
      EXPECT_LE(contexts.bytes_each(), bound.bytes + more) << name;
      RecordProperty(name, static_cast<int>(contexts.bytes_each()));
    }
  }
}

}  // namespace
}  // namespace gpuctr::test
