#include "test/provider/support.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace gpuctr::test {

void configure(OSSL_LIB_CTX* context, const std::string& lines) {
  char path[] = "/tmp/gpuctr-config-XXXXXX";
  const int fd = mkstemp(path);
  close(fd);
  std::ofstream(path) << "config_diagnostics = 1\nopenssl_conf = init\n"
                         "[init]\nproviders = providers\n"
                         "[providers]\ndefault = default_sect\ngpuctr = gpuctr_sect\n"
                         "[default_sect]\nactivate = 1\n"
                         "[gpuctr_sect]\nmodule = " GPUCTR_MODULE_DIR "/gpuctr.so\n"
                      << lines << "\n";
  const int loaded = OSSL_LIB_CTX_load_config(context, path);
  std::remove(path);
  if (loaded != 1) throw std::runtime_error("cannot load a configuration: " + last_error());
}

Library::Library(const std::string& lines) : context_(OSSL_LIB_CTX_new()) {
  configure(context_.get(), "legacy = yes\n" + lines);
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

std::string take_reasons() {
  std::string text;
  while (const unsigned long code = ERR_get_error()) {
    if (ERR_GET_LIB(code) == ERR_LIB_CRYPTO) continue;
    const char* const library = ERR_lib_error_string(code);
    const char* const reason = ERR_reason_error_string(code);
    text += std::string(text.empty() ? "" : ", ") + (library != nullptr ? library : "?") + " " +
            std::to_string(ERR_GET_REASON(code)) + " " + (reason != nullptr ? reason : "?");
  }
  return text.empty() ? "none" : text;
}

}  // namespace gpuctr::test
