#include "test/drbg/evp_cipher.h"

#include <openssl/provider.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "kernels/base/counter.h"

namespace gpuctr::test {
namespace {

struct Row {
  const char* name;
  const char* evp;
  std::size_t block, key;
  unsigned strength;
};
constexpr Row kRows[] = {
    {"AES-128", "AES-128-ECB", 16, 16, 128},
    {"AES-192", "AES-192-ECB", 16, 24, 192},
    {"AES-256", "AES-256-ECB", 16, 32, 256},
    {"3KeyTDEA", "DES-EDE3-ECB", 8, 21, 112},
    {"ARIA-128", "ARIA-128-ECB", 16, 16, 128},
    {"ARIA-192", "ARIA-192-ECB", 16, 24, 192},
    {"ARIA-256", "ARIA-256-ECB", 16, 32, 256},
    {"SEED", "SEED-ECB", 16, 16, 128},
    {"CAMELLIA-128", "CAMELLIA-128-ECB", 16, 16, 128},
    {"CAMELLIA-192", "CAMELLIA-192-ECB", 16, 24, 192},
    {"CAMELLIA-256", "CAMELLIA-256-ECB", 16, 32, 256},
};

// 7 key bits, then an odd-parity bit, 24 times.
void spread_tdea_key(const std::uint8_t* key, std::uint8_t* out) {
  for (unsigned i = 0; i < 24; ++i) {
    unsigned byte = 0;
    for (unsigned bit = 7 * i; bit < 7 * i + 7; ++bit) {
      byte = byte << 1 | (key[bit / 8] >> (7 - bit % 8) & 1u);
    }
    unsigned ones = 0;
    for (unsigned rest = byte; rest != 0; rest >>= 1) ones += rest & 1u;
    out[i] = static_cast<std::uint8_t>(byte << 1 | (ones % 2 == 0 ? 1u : 0u));
  }
}

// Unloaded before libcrypto's own cleanup at exit, which was registered first.
class LoadedProvider {
 public:
  explicit LoadedProvider(const char* name) : provider_(OSSL_PROVIDER_load(nullptr, name)) {}
  ~LoadedProvider() { OSSL_PROVIDER_unload(provider_); }
  LoadedProvider(const LoadedProvider&) = delete;
  LoadedProvider& operator=(const LoadedProvider&) = delete;

 private:
  OSSL_PROVIDER* provider_;
};

}  // namespace

std::unique_ptr<EvpCipher> EvpCipher::make(const std::string& name) {
  // SEED lives in the legacy provider; loading that one alone would drop the default one.
  static const LoadedProvider standard("default");
  static const LoadedProvider legacy("legacy");
  for (const Row& row : kRows) {
    if (name != row.name) continue;
    if (row.block > kMaxBlockBytes || row.key > kMaxKeyBytes) return nullptr;
    Cipher cipher(EVP_CIPHER_fetch(nullptr, row.evp, "provider!=gpuctr"), EVP_CIPHER_free);
    if (cipher == nullptr) return nullptr;
    return std::unique_ptr<EvpCipher>(
        new EvpCipher(std::move(cipher), row.block, row.key, row.strength));
  }
  throw std::invalid_argument("no row for " + name);
}

void EvpCipher::expand(const std::uint8_t* key, RoundKeys* out) const {
  std::memset(out->bytes, 0, sizeof out->bytes);
  if (key_bytes() == 21) {
    spread_tdea_key(key, out->bytes);
  } else {
    std::memcpy(out->bytes, key, key_bytes());
  }
}

void EvpCipher::encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                        std::size_t blocks) const {
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> ctx(EVP_CIPHER_CTX_new(),
                                                                            EVP_CIPHER_CTX_free);
  const int size = static_cast<int>(blocks * block_bytes());
  int written = 0;
  if (EVP_EncryptInit_ex(ctx.get(), cipher_.get(), nullptr, keys.bytes, nullptr) != 1 ||
      EVP_CIPHER_CTX_set_padding(ctx.get(), 0) != 1 ||
      EVP_EncryptUpdate(ctx.get(), out, &written, in, size) != 1 || written != size) {
    throw std::runtime_error("libcrypto did not encrypt");
  }
}

void EvpCipher::keystream(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                          std::size_t n) const {
  const std::size_t blocks = (n + block_bytes() - 1) / block_bytes();
  std::vector<std::uint8_t> stream(blocks * block_bytes());
  std::uint8_t v[kMaxBlockBytes];
  std::memcpy(v, counter, block_bytes());
  for (std::size_t i = 0; i < blocks; ++i) {
    std::memcpy(&stream[i * block_bytes()], v, block_bytes());
    counter_add(v, block_bytes(), 1);
  }
  if (blocks != 0) encrypt(keys, stream.data(), stream.data(), blocks);
  std::copy_n(stream.data(), n, out);
}

bool EvpCipher::output(const BulkSegment* segments, std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i) {
    const BulkSegment& s = segments[i];
    RoundKeys expanded;
    if (s.keys == nullptr) expand(s.key, &expanded);
    keystream(s.keys != nullptr ? *s.keys : expanded, s.counter, s.out, s.bytes);
  }
  return true;
}

}  // namespace gpuctr::test
