// IVs that are made, counted and fixed, and the records of TLS that they are for.
#include <algorithm>

#include "test/provider/stock/gcm_pair.h"

namespace gpuctr::test {

// Encryption makes an IV where none was set: another one on each side, so nothing goes on with it.
void GcmPair::without_iv() {
  if (!needs_random_iv()) return;
  const std::size_t iv_bytes = number(OSSL_CIPHER_PARAM_IVLEN);
  log("no IV of ", iv_bytes);
  const Bytes input = bytes(100);
  fill(0, input);
  int n = 0;
  const bool done = both([&](AeadSide& side) {
    return EVP_EncryptUpdate(side.ctx.get(), side.memory.data(), &n, side.memory.data(), 100);
  });
  if (done) {
    Bytes iv(iv_bytes);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, iv.data(), iv.size()),
        OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(ours_.ctx.get(), params));
    EXPECT_NE(iv, Bytes(iv_bytes));
    EXPECT_EQ(part(sealed(stock_.cipher.get(), *key_, iv, {}, input), 0, 100),
              part(ours_.memory, 0, 100));
  }
  start();
}

// To encrypt, both have random bytes behind the fixed ones, and then the whole IV of one.
void GcmPair::fix_iv() {
  const std::size_t iv_bytes = number(OSSL_CIPHER_PARAM_IVLEN);
  // Of one longer than the IV OpenSSL 3.0 takes too much.
  const std::size_t n = chance(60) && iv_bytes >= 4 ? 4 : pick(iv_bytes + 1);
  log("fixed IV of ", n);
  if (!set(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, bytes(n))) return;
  Bytes iv(iv_bytes);
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, iv.data(), iv_bytes),
      OSSL_PARAM_construct_end()};
  EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(ours_.ctx.get(), params));
  EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(stock_.ctx.get(), params));
  if (chance(30)) std::fill(iv.end() - static_cast<std::ptrdiff_t>(pick(9)), iv.end(), 0xff);
  EXPECT_TRUE(set(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, iv, SIZE_MAX));
  new_iv(true);
  fixed_ = true;
}

void GcmPair::next_iv() {
  const std::size_t n = pick(20);
  log("next IV, ", n, " bytes");
  Bytes iv, whole;
  if (fixed_ && key_ != nullptr) {
    new_iv(true);
    begin_message();
  } else if (fixed_ != (key_ != nullptr)) {
    return;
  }
  get(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, n, &iv);
}

void GcmPair::set_explicit_iv() {
  const std::size_t n = pick(13);
  log("explicit IV of ", n);
  if (set(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, bytes(n))) new_iv(true);
}

// What libssl does with each record, and what it never does.
void GcmPair::record() {
  const std::size_t n = chance(90) ? 24 + some_size() : pick(24);
  Bytes header = bytes(chance(95) ? 13 : 12 + pick(3));
  header[11] = 0;
  if (header.size() == 13) {
    const std::size_t length = encrypt_ && n >= 16 ? n - 16 : n;
    header[11] = static_cast<std::uint8_t>(length >> 8);
    header[12] = static_cast<std::uint8_t>(length);
  }
  log("record of ", n, ", header ", header.size());
  made_tag_ = false;
  if (!set(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, header)) {
    // The stock cipher takes a header that it refuses: see the table of differences.
    if (header.size() == 13) start();
    return;
  }
  EXPECT_EQ(number(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD), kWholeTag);
  tag_known_ = false;
  Bytes data = bytes(n);
  if (!encrypt_ && n >= 24 && key_ != nullptr && fixed_ && chance(80)) {
    const std::size_t iv_bytes = number(OSSL_CIPHER_PARAM_IVLEN);
    Bytes iv;
    EXPECT_TRUE(get(OSSL_CIPHER_PARAM_IV, iv_bytes, &iv));
    iv.resize(iv_bytes - 8);
    append(&iv, part(data, 0, 8));
    header[11] = static_cast<std::uint8_t>((n - 24) >> 8);
    header[12] = static_cast<std::uint8_t>(n - 24);
    const Bytes all = sealed(stock_.cipher.get(), *key_, iv, header, part(data, 24, n - 24));
    std::copy(all.begin(), all.end(), data.begin() + 8);
    if (chance(30)) data[pick(n)] ^= static_cast<std::uint8_t>(1 + pick(255));
  }
  fill(10, data);
  if (n == 0 || chance(3)) {
    log("final of a record");
    both([&](AeadSide& side) {
      int size = 0;
      return EVP_CipherFinal_ex(side.ctx.get(), side.memory.data(), &size);
    });
  } else {
    call(chance(30), chance(95) ? 10 : 2100, 10, n);
  }
  begun_ = true;
  ended_ = true;
}

}  // namespace gpuctr::test
