#include "peer.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <stdexcept>

namespace gpuctr::avr {
namespace {

void require(bool ok, const std::string& what) {
  if (ok) return;
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  ERR_clear_error();
  throw std::runtime_error(what + ": " + text);
}

OSSL_provider_init_fn* g_built_in = nullptr;

OSSL_LIB_CTX* library() {
  static OSSL_LIB_CTX* const context = [] {
    OSSL_LIB_CTX* made = OSSL_LIB_CTX_new();
    OSSL_PROVIDER_set_default_search_path(made, GPUCTR_MODULE_DIR);
    require(g_built_in == nullptr || OSSL_PROVIDER_add_builtin(made, "gpuctr", g_built_in) == 1,
            "the built-in provider");
    require(OSSL_PROVIDER_load(made, "gpuctr") != nullptr, "loading gpuctr");
    require(OSSL_PROVIDER_load(made, "default") != nullptr, "loading default");
    return made;
  }();
  return context;
}

struct Free {
  void operator()(EVP_CIPHER* p) const { EVP_CIPHER_free(p); }
  void operator()(EVP_CIPHER_CTX* p) const { EVP_CIPHER_CTX_free(p); }
  void operator()(EVP_MAC* p) const { EVP_MAC_free(p); }
  void operator()(EVP_MAC_CTX* p) const { EVP_MAC_CTX_free(p); }
};
using Cipher = std::unique_ptr<EVP_CIPHER, Free>;

Cipher fetch(const std::string& name) {
  Cipher cipher(EVP_CIPHER_fetch(library(), name.c_str(), "provider=gpuctr"));
  require(cipher != nullptr, name);
  return cipher;
}

Bytes encrypt(const std::string& name, const Bytes& key, const std::uint8_t* iv, const Bytes& data,
              const OSSL_PARAM params[]) {
  const Cipher cipher = fetch(name);
  const std::unique_ptr<EVP_CIPHER_CTX, Free> context(EVP_CIPHER_CTX_new());
  Bytes out(data.size() + 16);
  int n = 0;
  require(EVP_EncryptInit_ex2(context.get(), cipher.get(), key.data(), iv, params) == 1, name);
  EVP_CIPHER_CTX_set_padding(context.get(), 0);
  require(EVP_EncryptUpdate(context.get(), out.data(), &n, data.data(),
                            static_cast<int>(data.size())) == 1,
          name);
  require(static_cast<std::size_t>(n) == data.size(), name + " gave another length");
  out.resize(data.size());
  return out;
}

const std::uint8_t* pointer(const Bytes& bytes) { return bytes.empty() ? nullptr : bytes.data(); }

// A context of CCM that knows key, nonce, lengths and associated data. `tag` is what opening
// checks.
std::unique_ptr<EVP_CIPHER_CTX, Free> start_ccm(const std::string& name, bool seal,
                                                const Bytes& key, const Bytes& nonce,
                                                const Bytes& aad, std::size_t size, Bytes tag) {
  const Cipher cipher = fetch(name + "-CCM");
  std::unique_ptr<EVP_CIPHER_CTX, Free> made(EVP_CIPHER_CTX_new());
  EVP_CIPHER_CTX* const context = made.get();
  int n = 0;
  require(EVP_CipherInit_ex2(context, cipher.get(), nullptr, nullptr, seal, nullptr) == 1 &&
              EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(nonce.size()),
                                  nullptr) == 1 &&
              EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, static_cast<int>(tag.size()),
                                  seal ? nullptr : tag.data()) == 1 &&
              EVP_CipherInit_ex2(context, nullptr, key.data(), nonce.data(), seal, nullptr) == 1 &&
              EVP_CipherUpdate(context, nullptr, &n, nullptr, static_cast<int>(size)) == 1 &&
              (aad.empty() || EVP_CipherUpdate(context, nullptr, &n, aad.data(),
                                               static_cast<int>(aad.size())) == 1),
          name + "-CCM");
  return made;
}

EVP_RAND_CTX* make_rand(const char* name, EVP_RAND_CTX* parent) {
  EVP_RAND* rand = EVP_RAND_fetch(library(), name, nullptr);
  require(rand != nullptr, name);
  EVP_RAND_CTX* context = EVP_RAND_CTX_new(rand, parent);
  EVP_RAND_free(rand);
  require(context != nullptr, name);
  return context;
}

void set_number(EVP_RAND_CTX* context, const char* key, unsigned value) {
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(key, &value), OSSL_PARAM_construct_end()};
  require(EVP_RAND_CTX_set_params(context, params) == 1, key);
}

void set_octets(EVP_RAND_CTX* context, const char* key, Bytes value) {
  if (value.empty()) return;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(key, value.data(), value.size()),
                               OSSL_PARAM_construct_end()};
  require(EVP_RAND_CTX_set_params(context, params) == 1, key);
}

}  // namespace

void peer_use(OSSL_provider_init_fn* init) { g_built_in = init; }

std::size_t peer_key_size(const std::string& name) {
  return static_cast<std::size_t>(EVP_CIPHER_get_key_length(fetch(name + "-CTR").get()));
}

std::size_t peer_block_size(const std::string& name) {
  return static_cast<std::size_t>(EVP_CIPHER_get_block_size(fetch(name + "-ECB").get()));
}

Bytes peer_ecb(const std::string& name, const Bytes& key, const Bytes& data) {
  return encrypt(name + "-ECB", key, nullptr, data, nullptr);
}

Bytes peer_ctr(const std::string& name, const Bytes& key, const Bytes& iv, const Bytes& data,
               unsigned bits) {
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("ctr-bits", &bits),
                               OSSL_PARAM_construct_end()};
  return encrypt(name + "-CTR", key, iv.data(), data, bits == 0 ? nullptr : params);
}

Bytes peer_cmac(const std::string& name, const Bytes& key, const Bytes& data) {
  const std::unique_ptr<EVP_MAC, Free> mac(EVP_MAC_fetch(library(), "CMAC", "provider=default"));
  require(mac != nullptr, "CMAC");
  const std::unique_ptr<EVP_MAC_CTX, Free> context(EVP_MAC_CTX_new(mac.get()));
  std::string cipher = name + "-CBC", properties = "provider=gpuctr";
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher.data(), 0),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, properties.data(), 0),
      OSSL_PARAM_construct_end()};
  Bytes tag(16);
  std::size_t size = 0;
  require(EVP_MAC_init(context.get(), key.data(), key.size(), params) == 1 &&
              EVP_MAC_update(context.get(), data.data(), data.size()) == 1 &&
              EVP_MAC_final(context.get(), tag.data(), &size, tag.size()) == 1,
          "CMAC of " + name);
  tag.resize(size);
  return tag;
}

Bytes peer_ccm_seal(const std::string& name, const Bytes& key, const Bytes& nonce, const Bytes& aad,
                    const Bytes& text, std::size_t tag_size) {
  const auto context = start_ccm(name, true, key, nonce, aad, text.size(), Bytes(tag_size));
  Bytes out(text.size() + 1), tag(tag_size);
  int n = 0, last = 0;
  require(EVP_EncryptUpdate(context.get(), out.data(), &n, text.empty() ? out.data() : text.data(),
                            static_cast<int>(text.size())) == 1 &&
              EVP_EncryptFinal_ex(context.get(), out.data() + n, &last) == 1 &&
              EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(tag_size),
                                  tag.data()) == 1,
          name + "-CCM");
  out.resize(text.size());
  out.insert(out.end(), tag.begin(), tag.end());
  return out;
}

std::optional<Bytes> peer_ccm_open(const std::string& name, const Bytes& key, const Bytes& nonce,
                                   const Bytes& aad, const Bytes& sealed, const Bytes& tag) {
  const auto context = start_ccm(name, false, key, nonce, aad, sealed.size(), tag);
  Bytes out(sealed.size() + 1);
  int n = 0;
  const bool right =
      EVP_DecryptUpdate(context.get(), out.data(), &n, sealed.empty() ? out.data() : sealed.data(),
                        static_cast<int>(sealed.size())) == 1;
  ERR_clear_error();
  if (!right) return std::nullopt;
  out.resize(sealed.size());
  return out;
}

// The parent is ready before its child is made: the child asks its strength.
PeerDrbg::PeerDrbg(const std::string& name, bool use_df)
    : parent_(make_rand("TEST-RAND", nullptr)) {
  set_number(parent_, OSSL_RAND_PARAM_STRENGTH, 256);
  require(EVP_RAND_instantiate(parent_, 0, 0, nullptr, 0, nullptr) == 1, "TEST-RAND");
  drbg_ = make_rand((name + "-CTR-DRBG").c_str(), parent_);
  set_number(drbg_, OSSL_DRBG_PARAM_USE_DF, use_df ? 1 : 0);
}

PeerDrbg::~PeerDrbg() {
  EVP_RAND_CTX_free(drbg_);
  EVP_RAND_CTX_free(parent_);
}

void PeerDrbg::instantiate(const Bytes& entropy, const Bytes& nonce, const Bytes& personalization) {
  set_octets(parent_, OSSL_RAND_PARAM_TEST_ENTROPY, entropy);
  set_octets(parent_, OSSL_RAND_PARAM_TEST_NONCE, nonce);
  // No pointer would stand for a default string; an empty string needs one.
  const std::uint8_t none = 0;
  const std::uint8_t* data = personalization.empty() ? &none : personalization.data();
  require(EVP_RAND_instantiate(drbg_, 0, 0, data, personalization.size(), nullptr) == 1,
          "instantiate");
}

void PeerDrbg::reseed(const Bytes& entropy, const Bytes& additional) {
  set_octets(parent_, OSSL_RAND_PARAM_TEST_ENTROPY, entropy);
  require(EVP_RAND_reseed(drbg_, 0, nullptr, 0, pointer(additional), additional.size()) == 1,
          "reseed");
}

Bytes PeerDrbg::generate(std::size_t size, const Bytes& additional) {
  Bytes out(size);
  require(
      EVP_RAND_generate(drbg_, out.data(), size, 0, 0, pointer(additional), additional.size()) == 1,
      "generate");
  return out;
}

Bytes PeerDrbg::generate_fresh(std::size_t size, const Bytes& entropy, const Bytes& additional) {
  set_octets(parent_, OSSL_RAND_PARAM_TEST_ENTROPY, entropy);
  Bytes out(size);
  require(
      EVP_RAND_generate(drbg_, out.data(), size, 0, 1, pointer(additional), additional.size()) == 1,
      "generate with prediction resistance");
  return out;
}

}  // namespace gpuctr::avr
