#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <cstring>
#include <memory>
#include <stdexcept>

#include "test/bench/leaks/leaks.h"

namespace gpuctr::bench {
namespace {

constexpr std::size_t kText = 32;

struct Evp {
  explicit Evp(const char* name) {
    OSSL_PROVIDER_set_default_search_path(nullptr, GPUCTR_MODULE_DIR);
    if (OSSL_PROVIDER_load(nullptr, "gpuctr") == nullptr) throw std::runtime_error("no module");
    cipher = EVP_CIPHER_fetch(nullptr, name, "provider=gpuctr");
    if (cipher == nullptr) throw std::runtime_error(name);
  }
  ~Evp() {
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
  }
  Evp(const Evp&) = delete;
  Evp& operator=(const Evp&) = delete;

  void begin(bool encrypt, const std::uint8_t* in, std::size_t n) {
    int written = 0;
    if (EVP_CipherInit_ex2(ctx, cipher, key, iv, encrypt ? 1 : 0, nullptr) != 1 ||
        EVP_CipherUpdate(ctx, out, &written, in, static_cast<int>(n)) != 1) {
      throw std::runtime_error("update");
    }
    at = written;
  }
  // The end of a message whose check fails.
  void end() {
    int written = 0;
    status = EVP_CipherFinal_ex(ctx, out + at, &written);
  }

  EVP_CIPHER* cipher = nullptr;
  EVP_CIPHER_CTX* ctx = EVP_CIPHER_CTX_new();
  std::uint8_t key[16] = {1}, iv[16] = {2}, out[128] = {}, text[kText] = {}, tag[16] = {};
  int at = 0, status = 0;
};

// Wrong tags: at the first byte, or at the last.
void add_tag(const char* name, std::vector<Trial>* trials) {
  const auto evp = std::make_shared<Evp>(name);
  evp->begin(true, evp->text, kText);
  evp->end();
  const auto sealed = std::make_shared<Bytes>(evp->out, evp->out + kText);
  const auto right = std::make_shared<Bytes>(16);
  OSSL_PARAM get[] = {
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, right->data(), 16),
      OSSL_PARAM_construct_end()};
  if (EVP_CIPHER_CTX_get_params(evp->ctx, get) != 1) throw std::runtime_error("tag");
  trials->push_back({"evp", std::string(name) + ": place of a wrong byte in a tag", false,
                     [evp, sealed, right](bool random) {
                       evp->begin(false, sealed->data(), kText);
                       std::memcpy(evp->tag, right->data(), 16);
                       evp->tag[random ? 15 : 0] ^= 1;
                       OSSL_PARAM set[] = {OSSL_PARAM_construct_octet_string(
                                               OSSL_CIPHER_PARAM_AEAD_TAG, evp->tag, 16),
                                           OSSL_PARAM_construct_end()};
                       if (EVP_CIPHER_CTX_set_params(evp->ctx, set) != 1)
                         throw std::runtime_error("tag");
                       ERR_clear_error();
                     },
                     [evp] { evp->end(); }});
}

// Wrong paddings: a length that is none, or a wrong byte in front of a right length.
void add_padding(const char* name, std::vector<Trial>* trials) {
  const auto evp = std::make_shared<Evp>(name);
  const auto sealed = [&](const std::uint8_t(&last)[16]) {
    EVP_CIPHER_CTX_set_padding(evp->ctx, 0);
    std::uint8_t plain[kText] = {};
    std::memcpy(plain + kText - 16, last, 16);
    if (EVP_CipherInit_ex2(evp->ctx, evp->cipher, evp->key, evp->iv, 1, nullptr) != 1)
      throw std::runtime_error("init");
    EVP_CIPHER_CTX_set_padding(evp->ctx, 0);
    int written = 0;
    if (EVP_CipherUpdate(evp->ctx, evp->out, &written, plain, kText) != 1)
      throw std::runtime_error("update");
    EVP_CIPHER_CTX_set_padding(evp->ctx, 1);
    return std::make_shared<Bytes>(evp->out, evp->out + kText);
  };
  std::uint8_t none[16] = {}, byte[16];
  none[15] = 99;
  std::memset(byte, 16, sizeof byte);
  byte[0] = 15;
  const auto first = sealed(none), second = sealed(byte);
  trials->push_back({"evp", std::string(name) + ": what is wrong in a padding", false,
                     [evp, first, second](bool random) {
                       evp->begin(false, (random ? second : first)->data(), kText);
                       ERR_clear_error();
                     },
                     [evp] { evp->end(); }});
}

}  // namespace

void add_evp(std::vector<Trial>* trials) {
  for (const char* name : {"AES-128-GCM", "LEA-128-GCM"}) add_tag(name, trials);
  for (const char* name : {"AES-128-CBC", "LEA-128-CBC"}) add_padding(name, trials);
}

}  // namespace gpuctr::bench
