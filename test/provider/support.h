// Loads the built module into libcrypto, and keeps EVP's objects by RAII.
#ifndef GPUCTR_TEST_PROVIDER_SUPPORT_H
#define GPUCTR_TEST_PROVIDER_SUPPORT_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <memory>
#include <string>

#include "test/support/vectors.h"

namespace gpuctr::test {

struct FreeEvp {
  void operator()(EVP_CIPHER* p) const { EVP_CIPHER_free(p); }
  void operator()(EVP_CIPHER_CTX* p) const { EVP_CIPHER_CTX_free(p); }
  void operator()(OSSL_LIB_CTX* p) const { OSSL_LIB_CTX_free(p); }
  void operator()(OSSL_PROVIDER* p) const { OSSL_PROVIDER_unload(p); }
};
template <class T>
using Evp = std::unique_ptr<T, FreeEvp>;

// Has the context read an openssl.cnf with `lines` in the provider's section, which loads nothing
// but the default provider. Throws std::runtime_error.
void configure(OSSL_LIB_CTX* context, const std::string& lines);

// A library context of its own with gpuctr, all its ciphers, and the default provider. Throws
// std::runtime_error. A program has few of them: each takes one of libcrypto's 127 numbers for
// libraries of errors, and later ones have wrong names.
class Library {
 public:
  // `lines` of openssl.cnf, in the provider's section.
  explicit Library(const std::string& lines = "");
  OSSL_LIB_CTX* get() const { return context_.get(); }
  OSSL_PROVIDER* provider() const { return gpuctr_.get(); }
  Evp<EVP_CIPHER> cipher(const std::string& name) const;  // ours
  // libcrypto's own, which may have the name of one of ours: the model of a comparison.
  Evp<EVP_CIPHER> stock(const std::string& name) const;

 private:
  Evp<OSSL_LIB_CTX> context_;
  Evp<OSSL_PROVIDER> gpuctr_;
  Evp<OSSL_PROVIDER> default_;
};

// Empties the thread's error queue: "reason: data" of the last error, or "" if there was none.
// More than one error on the queue is reported as "N errors, last: ...".
std::string last_error();

// Empties the thread's error queue: library, reason and its text of every error, or "none". Later
// versions of OpenSSL add an error of their functions for parameters, which a provider without
// libcrypto does not call: it is left out.
std::string take_reasons();

}  // namespace gpuctr::test

#endif
