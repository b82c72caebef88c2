#include "test/bench/evp/messages.h"

#include <openssl/provider.h>

#include <cstdio>
#include <filesystem>

namespace gpuctr::bench {

Library::Library(const std::string& backend, bool legacy) : context_(OSSL_LIB_CTX_new()) {
  if (backend.empty()) {
    must(OSSL_PROVIDER_load(context_, "default") != nullptr, "the default provider");
    if (legacy) OSSL_PROVIDER_try_load(context_, "legacy", 1);
    return;
  }
  const std::string path = "build/bench/calls.cnf";
  std::filesystem::create_directories("build/bench");
  std::FILE* const file = std::fopen(path.c_str(), "w");
  must(file != nullptr, path.c_str());
  std::fprintf(file,
               "openssl_conf = init\n[init]\nproviders = providers\n[providers]\n"
               "gpuctr = gpuctr_provider\n[gpuctr_provider]\nactivate = 1\nlegacy = yes\n"
               "gpu = off\nmodule = %s/gpuctr.so\ncpu = %s\n",
               GPUCTR_MODULE_DIR, backend.c_str());
  must(std::fclose(file) == 0, path.c_str());
  must(OSSL_LIB_CTX_load_config(context_, path.c_str()) == 1 &&
           OSSL_PROVIDER_available(context_, "gpuctr") == 1,
       "the module");
}

Messages::Messages(EVP_CIPHER* cipher, bool encrypts) : cipher_(cipher), encrypts_(encrypts) {
  must(cipher != nullptr, "a cipher");
  gcm_ = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_GCM_MODE;
  ccm_ = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
  siv_ = EVP_CIPHER_get_mode(cipher) == 0x10005;  // EVP_CIPH_GCM_SIV_MODE of OpenSSL 3.2
  wraps_ = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_WRAP_MODE;
  xts_ = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_XTS_MODE;
}

Messages::~Messages() {
  EVP_CIPHER_CTX_free(context_);
  EVP_CIPHER_free(cipher_);
}

bool Messages::takes(Way way, int bytes) const {
  if ((ccm_ || siv_) && way == Way::kUpdate) return false;
  if ((wraps_ || xts_) && bytes < 16) return false;
  return bytes % EVP_CIPHER_get_block_size(cipher_) == 0;
}

// What is decrypted has its right tag, and so is the same message again.
void Messages::call(Way way, int bytes) {
  if ((gcm_ || ccm_ || siv_ || wraps_) && !encrypts_) {
    if (sealed_bytes_ != bytes) seal(bytes);
  } else {
    ++(way == Way::kIv ? iv_ : key_)[0];
  }
  const bool continues = way == Way::kUpdate && last_ == way && last_bytes_ == bytes;
  if (!continues) init(way);
  last_ = way;
  last_bytes_ = bytes;
  int n = 0;
  if (siv_ && !encrypts_) {
    must(EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_SET_TAG, 16, tag_) == 1, "a tag");
  }
  const int in_bytes = wraps_ && !encrypts_ ? wrapped_bytes_ : bytes;
  must(EVP_CipherUpdate(context_, out_, &n, in_, in_bytes) == 1, "an update");
  if (way != Way::kUpdate && (gcm_ || siv_ || (ccm_ && encrypts_))) finish();
  if (way == Way::kContext) {
    EVP_CIPHER_CTX_free(context_);
    context_ = nullptr;
  }
}

void Messages::init(Way way) {
  const bool fresh = context_ == nullptr;
  if (fresh) context_ = EVP_CIPHER_CTX_new();
  if (fresh && wraps_) EVP_CIPHER_CTX_set_flags(context_, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
  if (ccm_) {  // its tag comes before its key
    if (fresh) {
      must(EVP_CipherInit_ex2(context_, cipher_, nullptr, nullptr, encrypts_, nullptr) == 1,
           "a cipher");
    }
    unsigned char* const tag = encrypts_ ? nullptr : tag_;
    must(EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1, "a tag");
  }
  const unsigned char* const key = way == Way::kIv && !fresh ? nullptr : key_;
  must(EVP_CipherInit_ex2(context_, fresh && !ccm_ ? cipher_ : nullptr, key, iv_, encrypts_,
                          nullptr) == 1,
       "an init");
  if (fresh && !gcm_ && !ccm_ && !siv_) EVP_CIPHER_CTX_set_padding(context_, 0);
}

void Messages::finish() {
  int n = 0;
  if (gcm_ && !encrypts_) {
    must(EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_SET_TAG, 16, tag_) == 1, "a tag");
  }
  must(EVP_CipherFinal_ex(context_, out_, &n) == 1, "a final");
  if (encrypts_) {
    must(EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_GET_TAG, 16, tag_) == 1, "a tag");
  }
}

void Messages::seal(int bytes) {
  EVP_CIPHER_CTX* const context = EVP_CIPHER_CTX_new();
  EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
  int n = 0;
  int& sealed = wraps_ ? wrapped_bytes_ : n;
  must(EVP_EncryptInit_ex2(context, cipher_, nullptr, nullptr, nullptr) == 1 &&
           (!ccm_ || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, nullptr) == 1) &&
           EVP_EncryptInit_ex2(context, nullptr, key_, iv_, nullptr) == 1 &&
           EVP_EncryptUpdate(context, in_, &sealed, out_, bytes) == 1 &&
           EVP_EncryptFinal_ex(context, out_, &n) == 1 &&
           (wraps_ || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag_) == 1),
       "a sealed message");
  EVP_CIPHER_CTX_free(context);
  sealed_bytes_ = bytes;
}

}  // namespace gpuctr::bench
