#include "test/mesh/oracle.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mesh {
namespace {

[[noreturn]] void stop(const char* what) {
  std::fprintf(stderr, "the oracle: %s\n", what);
  std::exit(2);
}

}  // namespace

void add_to(Bytes& counter, std::uint64_t by) {
  for (std::size_t i = counter.size(); i-- != 0 && by != 0;) {
    by += counter[i];
    counter[i] = static_cast<std::uint8_t>(by);
    by >>= 8;
  }
}

Oracle::Oracle(const Element& element, const std::string& modules) : element_(element) {
  const bool des = std::strcmp(element.evp, "DES-ECB") == 0;
  library_ = OSSL_LIB_CTX_new();
  if (!des) OSSL_PROVIDER_set_default_search_path(library_, modules.c_str());
  provider_ = OSSL_PROVIDER_load(library_, des ? "legacy" : "gpuctr");
  if (provider_ == nullptr && des) {
    std::printf("skipped: libcrypto has no legacy provider here, whose DES is the model\n");
    std::exit(77);
  }
  if (provider_ == nullptr) stop("cannot load the module");
  cipher_ = EVP_CIPHER_fetch(library_, element.evp, nullptr);
  ctx_ = EVP_CIPHER_CTX_new();
  if (cipher_ == nullptr || ctx_ == nullptr) stop("no such cipher");
}

Oracle::~Oracle() {
  EVP_CIPHER_CTX_free(ctx_);
  EVP_CIPHER_free(cipher_);
  OSSL_PROVIDER_unload(provider_);
  OSSL_LIB_CTX_free(library_);
}

Bytes Oracle::keystream(const Bytes& key, const Bytes& counter, std::size_t bytes) {
  Bytes in(bytes), out(bytes + 16);
  const bool ecb = EVP_CIPHER_get_mode(cipher_) == EVP_CIPH_ECB_MODE;
  if (ecb) {  // whole blocks of counters
    in.clear();
    for (Bytes at = counter; in.size() < bytes; add_to(at, 1))
      in.insert(in.end(), at.begin(), at.end());
    out.resize(in.size() + 16);
  }
  int done = 0;
  if (EVP_EncryptInit_ex2(ctx_, cipher_, key.data(), ecb ? nullptr : counter.data(), nullptr) !=
          1 ||
      EVP_CIPHER_CTX_set_padding(ctx_, 0) != 1 ||
      EVP_EncryptUpdate(ctx_, out.data(), &done, in.data(), static_cast<int>(in.size())) != 1 ||
      static_cast<std::size_t>(done) != in.size()) {
    stop("no keystream");
  }
  out.resize(bytes);
  return out;
}

}  // namespace mesh
