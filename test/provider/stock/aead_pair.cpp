#include <algorithm>

#include "test/provider/stock/aead_pair.h"

namespace gpuctr::test {

bool AeadPair::set(const char* name, Bytes octets, std::size_t size) {
  return both([&](AeadSide& side) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, octets.data(), size),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(side.ctx.get(), params);
  });
}

bool AeadPair::set(const char* name, std::size_t value) {
  return both([&](AeadSide& side) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(name, &value),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(side.ctx.get(), params);
  });
}

bool AeadPair::get(const char* name, std::size_t size, Bytes* answer) {
  Bytes answers[2] = {Bytes(160, 0xa5), Bytes(160, 0xa5)};
  const bool done = both([&](AeadSide& side) {
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(name, answers[&side == &ours_].data(), size),
        OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_get_params(side.ctx.get(), params);
  });
  if (done) {
    EXPECT_EQ(to_hex(answers[1]), to_hex(answers[0])) << name;
  }
  *answer = answers[0];
  return done;
}

std::size_t AeadPair::number(const char* name) {
  std::size_t values[2] = {};
  both([&](AeadSide& side) {
    OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(name, &values[&side == &ours_]),
                           OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_get_params(side.ctx.get(), params);
  });
  EXPECT_EQ(values[1], values[0]) << name;
  return values[0];
}

void AeadPair::fill(std::size_t in, const Bytes& input) {
  for (auto& byte : stock_.memory) byte = static_cast<std::uint8_t>(random_());
  std::copy(input.begin(), input.end(), stock_.memory.begin() + static_cast<std::ptrdiff_t>(in));
  ours_.memory = stock_.memory;
}

bool AeadPair::call_only(bool one_shot, std::size_t out, std::size_t in, std::size_t n) {
  int sizes[2] = {};
  const bool done = both([&](AeadSide& side) {
    std::uint8_t* const to = out == kPairMemory ? nullptr : side.memory.data() + out;
    const std::uint8_t* const from = in == kPairMemory ? nullptr : side.memory.data() + in;
    int& size = sizes[&side == &ours_];
    if (!one_shot) return EVP_CipherUpdate(side.ctx.get(), to, &size, from, static_cast<int>(n));
    size = EVP_Cipher(side.ctx.get(), to, from, static_cast<unsigned>(n));
    return size < 0 ? 0 : 1;
  });
  EXPECT_EQ(sizes[1], sizes[0]);
  return done;
}

bool AeadPair::call(bool one_shot, std::size_t out, std::size_t in, std::size_t n) {
  const bool done = call_only(one_shot, out, in, n);
  EXPECT_EQ(ours_.memory, stock_.memory);
  return done;
}

bool AeadPair::init_both(bool with_cipher, const Bytes* key, const Bytes* iv, int encrypt) {
  return both([&](AeadSide& side) {
    return EVP_CipherInit_ex2(side.ctx.get(), with_cipher ? side.cipher.get() : nullptr,
                              key == nullptr ? nullptr : key->data(),
                              iv == nullptr ? nullptr : iv->data(), encrypt, nullptr);
  });
}

// Some versions of libcrypto copy no context of GCM.
void AeadPair::copy_both() {
  Evp<EVP_CIPHER_CTX> copies[2] = {Evp<EVP_CIPHER_CTX>(EVP_CIPHER_CTX_new()),
                                   Evp<EVP_CIPHER_CTX>(EVP_CIPHER_CTX_new())};
  EXPECT_EQ(1, EVP_CIPHER_CTX_copy(copies[1].get(), ours_.ctx.get())) << last_error();
  if (EVP_CIPHER_CTX_copy(copies[0].get(), stock_.ctx.get()) != 1) return ERR_clear_error();
  log("copy");
  if (chance(50)) {
    std::swap(copies[0], stock_.ctx);
    std::swap(copies[1], ours_.ctx);
  }
  Bytes out(48, 0x77);
  int n = 0;
  for (const auto& ctx : copies) EVP_CipherUpdate(ctx.get(), out.data(), &n, out.data(), 48);
  ERR_clear_error();
}

}  // namespace gpuctr::test
