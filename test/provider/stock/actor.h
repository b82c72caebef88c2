// A cipher that is called as differences_test.cpp wants, and what the calls answer.
#ifndef GPUCTR_TEST_PROVIDER_STOCK_ACTOR_H
#define GPUCTR_TEST_PROVIDER_STOCK_ACTOR_H

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <cstring>
#include <string>

#include "test/provider/support.h"

namespace gpuctr::test {

// A cipher with a block of 16 bytes, and what was done with it so far.
class Actor {
 public:
  explicit Actor(Evp<EVP_CIPHER> cipher) : cipher_(std::move(cipher)) {
    for (std::size_t i = 0; i < sizeof memory; ++i) memory[i] = static_cast<std::uint8_t>(i);
    begin(true);
  }
  void begin(bool encrypt) {
    EXPECT_EQ(1, EVP_CIPHER_CTX_reset(ctx.get()));
    EVP_CIPHER_CTX_set_flags(ctx.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), cipher_.get(), key, iv, encrypt ? 1 : 0, nullptr));
  }
  void without_iv() {
    EXPECT_EQ(1, EVP_CIPHER_CTX_reset(ctx.get()));
    EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), cipher_.get(), key, nullptr, 1, nullptr));
  }
  void without_key() {
    EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), cipher_.get(), nullptr, nullptr, 1, nullptr));
  }
  // Status, and how many bytes.
  std::string update(std::size_t out, std::size_t in, int n) {
    int written = 0;
    const int status = EVP_CipherUpdate(ctx.get(), memory + out, &written, memory + in, n);
    return answer(status, written);
  }
  std::string one_shot(std::size_t out, std::size_t in, unsigned n) {
    const int written = EVP_Cipher(ctx.get(), memory + out, memory + in, n);
    return answer(written < 0 ? 0 : 1, written);
  }
  std::string final() {
    int written = 0;
    const int status = EVP_CipherFinal_ex(ctx.get(), memory, &written);
    return answer(status, written);
  }
  std::string set(const char* name, unsigned value) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(name, &value),
                                 OSSL_PARAM_construct_end()};
    return answer(EVP_CIPHER_CTX_set_params(ctx.get(), params), 0);
  }
  Bytes bytes(std::size_t at, std::size_t n) const { return Bytes(memory + at, memory + at + n); }

  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};
  std::uint8_t key[32] = {1}, iv[16] = {2};
  std::uint8_t memory[256];

 private:
  static std::string answer(int status, int written) {
    ERR_clear_error();
    return status == 1 ? std::to_string(written) : "refused";
  }
  Evp<EVP_CIPHER> cipher_;
};

}  // namespace gpuctr::test

#endif
