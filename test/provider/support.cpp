#include "test/provider/support.h"

#include <stdexcept>

namespace gpuctr::test {

Library::Library() : context_(OSSL_LIB_CTX_new()) {
  OSSL_PROVIDER_set_default_search_path(context_.get(), GPUCTR_MODULE_DIR);
  gpuctr_.reset(OSSL_PROVIDER_load(context_.get(), "gpuctr"));
  if (gpuctr_ == nullptr) throw std::runtime_error("cannot load gpuctr: " + last_error());
  default_.reset(OSSL_PROVIDER_load(context_.get(), "default"));
  if (default_ == nullptr) throw std::runtime_error("cannot load default: " + last_error());
}

Evp<EVP_CIPHER> Library::cipher(const std::string& name) const {
  return Evp<EVP_CIPHER>(EVP_CIPHER_fetch(context_.get(), name.c_str(), "provider=gpuctr"));
}

Evp<EVP_CIPHER> Library::stock(const std::string& name) const {
  return Evp<EVP_CIPHER>(EVP_CIPHER_fetch(context_.get(), name.c_str(), "provider!=gpuctr"));
}

std::string last_error() {
  std::string text;
  int count = 0;
  const char* data = nullptr;
  int flags = 0;
  while (const unsigned long code = ERR_get_error_all(nullptr, nullptr, nullptr, &data, &flags)) {
    const char* reason = ERR_reason_error_string(code);
    text = reason != nullptr ? reason : "reason " + std::to_string(ERR_GET_REASON(code));
    if ((flags & ERR_TXT_STRING) != 0 && data != nullptr && *data != '\0') {
      text += ": " + std::string(data);
    }
    ++count;
  }
  return count > 1 ? std::to_string(count) + " errors, last: " + text : text;
}

}  // namespace gpuctr::test
