// The provider's random generators through EVP_RAND, for the tests: a library context with our
// module in it, and generators under TEST-RAND, whose entropy the test chooses.
#ifndef GPUCTR_TEST_DRBG_EVP_RAND_H
#define GPUCTR_TEST_DRBG_EVP_RAND_H

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/proverr.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/randerr.h>

#include <cstring>
#include <memory>
#include <string>

#include "provider/core/errors.h"
#include "test/support/generators.h"
#include "test/support/vectors.h"

namespace gpuctr::test {

struct LibContext {
  LibContext() : ctx(OSSL_LIB_CTX_new()) {
    OSSL_PROVIDER_set_default_search_path(ctx, GPUCTR_MODULE_DIR);
    defaults = OSSL_PROVIDER_load(ctx, "default");
    ours = OSSL_PROVIDER_load(ctx, "gpuctr");
    if (ours == nullptr) ERR_print_errors_fp(stderr);
  }
  ~LibContext() {
    OSSL_PROVIDER_unload(ours);
    OSSL_PROVIDER_unload(defaults);
    OSSL_LIB_CTX_free(ctx);
  }
  LibContext(const LibContext&) = delete;
  LibContext& operator=(const LibContext&) = delete;

  OSSL_LIB_CTX* ctx;
  OSSL_PROVIDER* defaults;
  OSSL_PROVIDER* ours;
};

// The context of a test program. Never destroyed: libcrypto's own cleanup at exit comes first, and
// a context must not outlive it.
inline const LibContext& lib() {
  static const auto* const instance = new LibContext;
  return *instance;
}

// What the last failure left on the queue: "the text that came with it". Empties the queue.
inline std::string last_error() {
  const char* data = nullptr;
  int flags = 0;
  // Ours comes first; libcrypto may add its own after it.
  ERR_peek_error_all(nullptr, nullptr, nullptr, &data, &flags);
  const std::string text = (flags & ERR_TXT_STRING) != 0 && data != nullptr ? data : "";
  ERR_clear_error();
  return text;
}

// The same, of a failure that must have left one error of our module: of OpenSSL's `library`, or,
// 0, of ours.
inline std::string last_error(int reason, int library) {
  const unsigned long first = ERR_peek_error();
  EXPECT_EQ(ERR_GET_REASON(first), reason);
  EXPECT_EQ(library == 0, ERR_GET_LIB(first) >= ERR_LIB_USER);
  if (library != 0) {
    EXPECT_EQ(ERR_GET_LIB(first), library);
  }
  const char* data = nullptr;
  int flags = 0;
  ERR_get_error_all(nullptr, nullptr, nullptr, &data, &flags);
  const std::string text = (flags & ERR_TXT_STRING) != 0 && data != nullptr ? data : "";
  for (unsigned long next; (next = ERR_get_error()) != 0;) {
    EXPECT_NE(ERR_GET_LIB(next), ERR_GET_LIB(first)) << "a second error of ours";
  }
  return text;
}

inline std::string last_error(Reason reason) { return last_error(static_cast<int>(reason), 0); }
inline std::string stock_error(int reason) { return last_error(reason, ERR_LIB_PROV); }

// Parameters as a caller writes them.
class Params {
 public:
  Params() = default;
  // Copies the numbers too: the copy's parameters point to its own numbers.
  Params(const Params& other) : count_(other.count_) {
    for (std::size_t i = 0; i < count_; ++i) {
      params_[i] = other.params_[i];
      uints_[i] = other.uints_[i];
      if (params_[i].data == &other.uints_[i]) params_[i].data = &uints_[i];
    }
  }
  Params& operator=(const Params&) = delete;
  Params& uint(const char* key, unsigned value) {
    uints_[count_] = value;
    params_[count_] = OSSL_PARAM_construct_uint(key, &uints_[count_]);
    ++count_;
    return *this;
  }
  Params& octets(const char* key, const Bytes& value) {
    params_[count_++] = OSSL_PARAM_construct_octet_string(
        key, const_cast<std::uint8_t*>(value.data()), value.size());
    return *this;
  }
  Params& text(const char* key, const char* value) {
    params_[count_++] =
        OSSL_PARAM_construct_utf8_string(key, const_cast<char*>(value), std::strlen(value));
    return *this;
  }
  const OSSL_PARAM* get() {
    params_[count_] = OSSL_PARAM_construct_end();
    return params_;
  }

 private:
  OSSL_PARAM params_[8];
  unsigned uints_[8] = {};
  std::size_t count_ = 0;
};

// A generator and its parent. nullptr for a parent: none.
class Generator {
 public:
  Generator(const LibContext& lib, const std::string& name, EVP_RAND_CTX* parent,
            const char* properties = nullptr) {
    EVP_RAND* rand = EVP_RAND_fetch(lib.ctx, name.c_str(), properties);
    if (rand != nullptr) ctx_ = EVP_RAND_CTX_new(rand, parent);
    EVP_RAND_free(rand);
  }
  ~Generator() { EVP_RAND_CTX_free(ctx_); }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  EVP_RAND_CTX* get() const { return ctx_; }
  bool set(Params params) { return EVP_RAND_CTX_set_params(ctx_, params.get()) == 1; }
  bool instantiate(const Bytes& personalization = {1, 2, 3}, unsigned strength = 0,
                   bool prediction_resistance = false) {
    return EVP_RAND_instantiate(ctx_, strength, prediction_resistance ? 1 : 0,
                                personalization.data(), personalization.size(), nullptr) == 1;
  }
  // Empty: it failed.
  Bytes generate(std::size_t n, const Bytes& additional = {}, bool prediction_resistance = false,
                 unsigned strength = 0) {
    Bytes out(n);
    if (EVP_RAND_generate(ctx_, out.data(), n, strength, prediction_resistance ? 1 : 0,
                          additional.empty() ? nullptr : additional.data(),
                          additional.size()) != 1) {
      out.clear();
    }
    return out;
  }
  bool reseed(const Bytes& entropy = {}, const Bytes& additional = {}) {
    return EVP_RAND_reseed(ctx_, 0, entropy.empty() ? nullptr : entropy.data(), entropy.size(),
                           additional.empty() ? nullptr : additional.data(),
                           additional.size()) == 1;
  }
  std::uint64_t number(const char* key) {
    std::uint64_t value = ~std::uint64_t{0};
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_uint64(key, &value), OSSL_PARAM_construct_end()};
    return EVP_RAND_CTX_get_params(ctx_, params) == 1 ? value : ~std::uint64_t{0};
  }

 private:
  EVP_RAND_CTX* ctx_ = nullptr;
};

// TEST-RAND: gives `entropy` each time it is asked, and `nonce` where there is one.
class TestSource : public Generator {
 public:
  explicit TestSource(const LibContext& lib, unsigned strength = 256)
      : Generator(lib, "TEST-RAND", nullptr) {
    EXPECT_TRUE(set(Params().uint(OSSL_RAND_PARAM_STRENGTH, strength)));
    EXPECT_TRUE(instantiate({}));
  }
  void give(const Bytes& entropy) {
    EXPECT_TRUE(set(Params().octets(OSSL_RAND_PARAM_TEST_ENTROPY, entropy)));
  }
  void give_nonce(const Bytes& nonce) {
    if (nonce.empty()) return;  // libcrypto takes no empty one
    EXPECT_TRUE(set(Params().octets(OSSL_RAND_PARAM_TEST_NONCE, nonce)));
  }
};

}  // namespace gpuctr::test

#endif
