#include "test/provider/stock/gcm_siv_pair.h"

namespace gpuctr::test {
namespace {

// Ciphertext and tag of a whole message, from the stock cipher.
Bytes sealed_by_stock(const EVP_CIPHER* cipher, const Bytes& key, const Bytes& iv, const Bytes& aad,
                      const Bytes& text) {
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  const std::uint8_t none = 0;
  int n = 0;
  Bytes out(text.size() + kWholeTag);
  EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher, key.data(), iv.data(), nullptr));
  if (!aad.empty()) {
    EXPECT_EQ(1,
              EVP_EncryptUpdate(ctx.get(), nullptr, &n, aad.data(), static_cast<int>(aad.size())));
  }
  EXPECT_EQ(1, EVP_EncryptUpdate(ctx.get(), out.data(), &n, text.empty() ? &none : text.data(),
                                 static_cast<int>(text.size())));
  EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_GET_TAG, kWholeTag, &out[text.size()]));
  return out;
}

}  // namespace

void GcmSivPair::start() {
  key_ = &keys_[pick(3)];
  iv_ = bytes(12);
  encrypt_ = chance(50);
  aad_.clear();
  log("start: encrypt ", encrypt_);
  both([](AeadSide& side) { return EVP_CIPHER_CTX_reset(side.ctx.get()); });
  init_both(true, key_, &iv_, encrypt_ ? 1 : 0);
}

void GcmSivPair::init() {
  const Bytes* const key = chance(30) ? &keys_[pick(3)] : nullptr;
  const bool with_iv = chance(60);
  const int encrypt = static_cast<int>(pick(3)) - 1;
  log("init: key ", key != nullptr, ", IV ", with_iv, ", encrypt ", encrypt);
  if (key != nullptr) key_ = key;
  if (with_iv) iv_ = bytes(12);
  if (encrypt >= 0) encrypt_ = encrypt == 1;
  init_both(false, key, with_iv ? &iv_ : nullptr, encrypt);
}

void GcmSivPair::aad() {
  const std::size_t n = chance(15) ? 0 : some_size();
  const bool one_shot = chance(20) && n != 0;
  log("associated data: ", n, ", one shot ", one_shot);
  const Bytes in = bytes(n);
  fill(7, in);
  if (!call(one_shot, kPairMemory, 7, n)) return;
  n == 0 ? aad_.clear() : append(&aad_, in);
}

void GcmSivPair::encrypt() {
  const std::size_t n = some_size();
  const bool one_shot = chance(20) && n != 0;
  const std::size_t in = pick(40);
  const std::size_t out = n >= 2000 || chance(60) ? in : 2048 + pick(40);
  log("text: ", n, ", in at ", in, ", out at ", out, ", one shot ", one_shot);
  fill(in, bytes(n));
  call(one_shot, out, in, n);
}

// Of a text with a wrong tag ours gives zeros: see the table of differences.
void GcmSivPair::decrypt() {
  const std::size_t n = some_size();
  const Bytes text = bytes(n);
  const Bytes all = sealed_by_stock(stock_.cipher.get(), *key_, iv_, aad_, text);
  const bool sets_tag = chance(85), wrong = chance(25);
  Bytes tag = part(all, n, kWholeTag);
  if (wrong) tag[pick(kWholeTag)] ^= static_cast<std::uint8_t>(1 + pick(255));
  if (sets_tag) set(OSSL_CIPHER_PARAM_AEAD_TAG, tag);
  const std::size_t in = pick(40);
  const std::size_t out = n >= 2000 || chance(60) ? in : 2048 + pick(40);
  log("ciphertext: ", n, ", in at ", in, ", out at ", out, ", tag ", sets_tag, ", wrong ", wrong);
  fill(in, part(all, 0, n));
  if (!call_only(chance(20) && n != 0, out, in, n)) return;
  const bool right = sets_tag && !wrong;
  EXPECT_EQ(part(ours_.memory, out, n), right ? text : Bytes(n));
  if (right) {
    EXPECT_EQ(ours_.memory, stock_.memory);
  }
}

void GcmSivPair::final() {
  const std::size_t how = pick(5);
  log("final, ", how);
  int sizes[2] = {};
  both([&](AeadSide& side) {
    int& size = sizes[&side == &ours_];
    if (how < 3) return EVP_CipherFinal_ex(side.ctx.get(), side.memory.data(), &size);
    if (how == 3) return EVP_CipherUpdate(side.ctx.get(), side.memory.data(), &size, nullptr, 5);
    size = EVP_Cipher(side.ctx.get(), side.memory.data(), nullptr, 0);
    return size < 0 ? 0 : 1;
  });
  EXPECT_EQ(sizes[1], sizes[0]);
}

void GcmSivPair::set_some_tag() {
  const std::size_t n = chance(50) ? kWholeTag : pick(18);
  log("tag of ", n);
  set(OSSL_CIPHER_PARAM_AEAD_TAG, bytes(n));
}

void GcmSivPair::get_some_tag() {
  const std::size_t n = chance(70) ? kWholeTag : pick(19);
  log("asks for a tag of ", n);
  Bytes tag;
  get(OSSL_CIPHER_PARAM_AEAD_TAG, n, &tag);
}

void GcmSivPair::set_some_number() {
  const char* const names[] = {OSSL_CIPHER_PARAM_SPEED, OSSL_CIPHER_PARAM_KEYLEN,
                               OSSL_CIPHER_PARAM_IVLEN};
  const std::size_t which = pick(3);
  // libcrypto keeps another length of the IV, and the init that is then refused changes the stock
  // cipher.
  const std::size_t value = which == 0 ? pick(3) : which == 1 ? 8 * pick(5) : 12;
  log(names[which], " = ", value);
  set(names[which], value);
}

void GcmSivPair::compare_state() {
  number(OSSL_CIPHER_PARAM_KEYLEN);
  number(OSSL_CIPHER_PARAM_AEAD_TAGLEN);
  EXPECT_EQ(EVP_CIPHER_CTX_get_iv_length(ours_.ctx.get()),
            EVP_CIPHER_CTX_get_iv_length(stock_.ctx.get()));
  EXPECT_EQ(EVP_CIPHER_CTX_get_tag_length(ours_.ctx.get()),
            EVP_CIPHER_CTX_get_tag_length(stock_.ctx.get()));
}

void GcmSivPair::step() {
  const std::size_t what = pick(100);
  if (what < 30) {
    encrypt_ ? encrypt() : decrypt();
  } else if (what < 45) {
    aad();
  } else if (what < 60) {
    final();
  } else if (what < 78) {
    init();
  } else if (what < 80) {
    set_some_tag();
  } else if (what < 90) {
    get_some_tag();
  } else if (what < 93) {
    set_some_number();
  } else if (what < 97) {
    copy_both();
  } else {
    start();
  }
  compare_state();
}

}  // namespace gpuctr::test
