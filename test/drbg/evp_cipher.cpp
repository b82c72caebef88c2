#include "test/drbg/evp_cipher.h"

#include <openssl/evp.h>
#include <openssl/provider.h>

#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
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

// Of all rows. A build whose own ciphers have smaller blocks and keys compiles every row, but uses
// only those that fit.
constexpr std::size_t kMostBlockBytes = 16;
constexpr std::size_t kMostKeyBytes = 32;

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

// What a backend does with one row. The functions of a backend have no argument for the row.
template <std::size_t I>
struct Ops {
  static constexpr Row kRow = kRows[I];
  static EVP_CIPHER* cipher;

  static void expand(const std::uint8_t* key, std::size_t, RoundKeys* out) {
    std::memset(out->bytes, 0, sizeof out->bytes);
    if (kRow.key == 21) {
      spread_tdea_key(key, out->bytes);
    } else {
      std::memcpy(out->bytes, key, kRow.key);
    }
  }
  static void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> ctx(EVP_CIPHER_CTX_new(),
                                                                              EVP_CIPHER_CTX_free);
    const int size = static_cast<int>(blocks * kRow.block);
    int written = 0;
    if (EVP_EncryptInit_ex(ctx.get(), cipher, nullptr, keys.bytes, nullptr) != 1 ||
        EVP_CIPHER_CTX_set_padding(ctx.get(), 0) != 1 ||
        EVP_EncryptUpdate(ctx.get(), out, &written, in, size) != 1 || written != size) {
      throw std::runtime_error("libcrypto did not encrypt");
    }
  }
  static void ctr(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    const std::size_t blocks = (n + kRow.block - 1) / kRow.block;
    std::vector<std::uint8_t> stream(blocks * kRow.block);
    std::uint8_t v[kMostBlockBytes];
    std::memcpy(v, counter, kRow.block);
    for (std::size_t i = 0; i < blocks; ++i) {
      std::memcpy(&stream[i * kRow.block], v, kRow.block);
      counter_add(v, kRow.block, 1);
    }
    if (blocks != 0) encrypt(keys, stream.data(), stream.data(), blocks);
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = static_cast<std::uint8_t>(stream[i] ^ (in != nullptr ? in[i] : 0));
    }
  }
  static void step(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                   std::size_t n, std::uint8_t* seed) {
    ctr(keys, counter, nullptr, out, n);
    std::uint8_t next[kMostBlockBytes];
    std::memcpy(next, counter, kRow.block);
    counter_add(next, kRow.block, (n + kRow.block - 1) / kRow.block);
    ctr(keys, next, nullptr, seed, ((kRow.key + kRow.block - 1) / kRow.block + 1) * kRow.block);
  }
  static void chain(std::uint8_t* key, std::uint8_t* v, std::uint64_t blocks, ChainLink* links,
                    std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      counter_add(v, kRow.block, 1);
      std::memcpy(links[i].key, key, kRow.key);
      std::memcpy(links[i].counter, v, kRow.block);
      counter_add(v, kRow.block, blocks);
      RoundKeys keys;
      expand(key, kRow.key, &keys);
      std::uint8_t seed[kMostKeyBytes + 2 * kMostBlockBytes];
      step(keys, v, nullptr, 0, seed);
      std::memcpy(key, seed, kRow.key);
      std::memcpy(v, seed + kRow.key, kRow.block);
    }
  }

  static void fill(EVP_CIPHER* fetched, EvpCipher* out) {
    cipher = fetched;
    out->spec.name = kRow.name;
    out->spec.block_bytes = kRow.block;
    out->spec.key_bytes = out->spec.least_key_bytes = out->spec.most_key_bytes = kRow.key;
    out->spec.round_key_bytes = sizeof(RoundKeys);
    out->spec.strength_bits = kRow.strength;
    out->spec.expand_bytes = expand;
    out->backend.name = "libcrypto";
    CipherOps& ops = out->backend.ops[out->spec.index];
    ops.encrypt = encrypt;
    ops.ctr = ctr;
    ops.step = step;
    ops.chain = chain;
  }
};
template <std::size_t I>
EVP_CIPHER* Ops<I>::cipher = nullptr;

template <std::size_t... I>
constexpr auto fills(std::index_sequence<I...>) {
  return std::array<void (*)(EVP_CIPHER*, EvpCipher*), sizeof...(I)>{Ops<I>::fill...};
}
constexpr std::size_t kRowCount = sizeof kRows / sizeof kRows[0];
constexpr auto kFills = fills(std::make_index_sequence<kRowCount>());

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

const EvpCipher* evp_cipher(const std::string& name) {
  // SEED is in the legacy provider; to load only that one would drop the default one.
  static const LoadedProvider standard("default");
  static const LoadedProvider legacy("legacy");
  using Fetched = std::unique_ptr<EVP_CIPHER, decltype(&EVP_CIPHER_free)>;
  static std::vector<Fetched> fetched;
  static EvpCipher ciphers[kRowCount];
  for (std::size_t i = 0; i < kRowCount; ++i) {
    const Row& row = kRows[i];
    if (name != row.name) continue;
    if (row.block > kMaxBlockBytes || row.key > kMaxKeyBytes) return nullptr;
    if (ciphers[i].spec.name != nullptr) return &ciphers[i];
    fetched.emplace_back(EVP_CIPHER_fetch(nullptr, row.evp, "provider!=gpuctr"), EVP_CIPHER_free);
    if (fetched.back() == nullptr) return nullptr;
    kFills[i](fetched.back().get(), &ciphers[i]);
    return &ciphers[i];
  }
  throw std::invalid_argument("no row for " + name);
}

}  // namespace gpuctr::test
