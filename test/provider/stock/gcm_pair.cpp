#include "test/provider/stock/gcm_pair.h"

namespace gpuctr::test {

Bytes sealed(const EVP_CIPHER* cipher, const Bytes& key, const Bytes& iv, const Bytes& aad,
             const Bytes& text) {
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  std::size_t iv_bytes = iv.size();
  const OSSL_PARAM length[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &iv_bytes),
                               OSSL_PARAM_construct_end()};
  EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher, nullptr, nullptr, nullptr));
  EXPECT_EQ(1, EVP_CIPHER_CTX_set_params(ctx.get(), length));
  EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, key.data(), iv.data(), nullptr));
  int n = 0;
  Bytes out(text.size() + kWholeTag);
  EXPECT_EQ(1, EVP_EncryptUpdate(ctx.get(), nullptr, &n, aad.data(), static_cast<int>(aad.size())));
  EXPECT_EQ(
      1, EVP_EncryptUpdate(ctx.get(), out.data(), &n, text.data(), static_cast<int>(text.size())));
  EXPECT_EQ(1, EVP_EncryptFinal_ex(ctx.get(), out.data(), &n));
  OSSL_PARAM tag[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG,
                                                        out.data() + text.size(), kWholeTag),
                      OSSL_PARAM_construct_end()};
  EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(ctx.get(), tag));
  return out;
}

void GcmPair::start() {
  const Bytes iv = bytes(12);
  const bool with_iv = chance(85);
  key_ = chance(90) ? &keys_[pick(3)] : nullptr;
  encrypt_ = chance(50);
  log("start: key ", key_ != nullptr, ", encrypt ", encrypt_, ", IV ", with_iv);
  both([](AeadSide& side) { return EVP_CIPHER_CTX_reset(side.ctx.get()); });
  init_both(true, key_, with_iv ? &iv : nullptr, encrypt_ ? 1 : 0);
  new_iv(with_iv);
  fixed_ = tag_known_ = made_tag_ = false;
}

void GcmPair::init() {
  const Bytes iv = bytes(128);
  // A key in the middle of a message: see the table of differences.
  const bool with_iv = ended_ ? chance(85) : chance(40);
  const Bytes* const key = chance(30) && (with_iv || !begun_) ? &keys_[pick(3)] : nullptr;
  const int encrypt = static_cast<int>(pick(3)) - 1;
  log("init: key ", key != nullptr, ", encrypt ", encrypt, ", IV ", with_iv);
  init_both(false, key, with_iv ? &iv : nullptr, encrypt);
  if (key != nullptr) key_ = key;
  if (encrypt >= 0) encrypt_ = encrypt == 1;
  if (with_iv) new_iv(true);
}

void GcmPair::set_iv_length() {
  const std::size_t before = number(OSSL_CIPHER_PARAM_IVLEN);
  const std::size_t bytes = chance(40) ? 12 : pick(131);
  log("ivlen = ", bytes);
  if (!set(OSSL_CIPHER_PARAM_IVLEN, bytes) || bytes == before) return;
  if (iv_set_ || begun_) ended_ = true;
  fixed_ = false;  // for this test: the stock cipher counts in front of an IV that is too short
  if (bytes < 20) start();
}

void GcmPair::begin_message() {
  if (begun_) return;
  begun_ = true;
  made_tag_ = false;
  iv_set_ = false;
  iv_.assign(number(OSSL_CIPHER_PARAM_IVLEN), 0);
  Bytes iv;
  if (get(OSSL_CIPHER_PARAM_IV, iv_.size(), &iv)) iv_ = part(iv, 0, iv_.size());
  aad_.clear();
  plain_.clear();
}

void GcmPair::aad() {
  if (needs_random_iv()) return without_iv();
  const std::size_t n = some_size();
  const bool one_shot = chance(20) && n != 0;
  log("associated data: ", n, ", one shot ", one_shot);
  if (may_run() && n != 0) begin_message();
  const Bytes in = bytes(n);
  fill(7, in);
  if (call(one_shot, kPairMemory, 7, n) && may_run()) append(&aad_, in);
}

void GcmPair::text() {
  if (needs_random_iv()) return without_iv();
  const std::size_t n = some_size();
  const bool one_shot = chance(20) && n != 0;
  const std::size_t in = pick(40);
  const std::size_t out = n >= 2000 || chance(60) ? in : 2048 + pick(40);
  log("text: ", n, ", in at ", in, ", out at ", out, ", one shot ", one_shot);
  if (may_run() && n != 0) begin_message();
  const Bytes input = bytes(n);
  fill(in, input);
  if (call(one_shot, out, in, n) && may_run()) {
    const Bytes& in_plain = encrypt_ ? input : stock_.memory;
    const auto first = in_plain.begin() + static_cast<std::ptrdiff_t>(encrypt_ ? 0 : out);
    plain_.insert(plain_.end(), first, first + static_cast<std::ptrdiff_t>(n));
  }
}

void GcmPair::final() {
  if (needs_random_iv()) return without_iv();
  const bool one_shot = chance(20);
  const bool runs = may_run();
  if (!encrypt_ && runs && (!tag_known_ || chance(80))) {
    begin_message();
    const Bytes all = sealed(stock_.cipher.get(), *key_, iv_, aad_, plain_);
    Bytes tag = part(all, plain_.size(), 1 + pick(kWholeTag));
    if (chance(25)) tag[pick(tag.size())] ^= static_cast<std::uint8_t>(1 + pick(255));
    log("tag of ", tag.size());
    set(OSSL_CIPHER_PARAM_AEAD_TAG, tag);
    tag_known_ = true;
    made_tag_ = false;
  }
  if (!encrypt_ && !tag_known_) return;
  log("final, one shot ", one_shot);
  int sizes[2] = {};
  const bool done = both([&](AeadSide& side) {
    int& size = sizes[&side == &ours_];
    if (!one_shot) return EVP_CipherFinal_ex(side.ctx.get(), side.memory.data(), &size);
    size = EVP_Cipher(side.ctx.get(), side.memory.data(), nullptr, 0);
    return size < 0 ? 0 : 1;
  });
  EXPECT_EQ(sizes[1], sizes[0]);
  if (!runs) return;
  ended_ = true;
  if (done) {
    tag_known_ = true;
    made_tag_ = encrypt_;
    return;
  }
  // After a wrong tag the stock cipher goes on: see the table of differences.
  const Bytes iv = bytes(128);
  init_both(false, nullptr, &iv, -1);
  new_iv(true);
}

void GcmPair::set_some_tag() {
  const std::size_t n = pick(18);
  log("tag of ", n);
  // The stock cipher takes the bytes even where it refuses them.
  tag_known_ = set(OSSL_CIPHER_PARAM_AEAD_TAG, bytes(n));
  made_tag_ = false;
}

void GcmPair::get_some_tag() {
  // Until the end of an encryption the stock cipher gives the tag before it: see the table of
  // differences.
  if (encrypt_ && !(made_tag_ && tag_known_)) return;
  // Behind a shorter tag that was set the stock cipher has bytes of earlier ones.
  const std::size_t whole = number(OSSL_CIPHER_PARAM_AEAD_TAGLEN);
  Bytes tag;
  get(OSSL_CIPHER_PARAM_AEAD_TAG, whole == kWholeTag ? pick(19) : pick(whole + 1), &tag);
}

void GcmPair::compare_state() {
  number(OSSL_CIPHER_PARAM_IVLEN);
  number(OSSL_CIPHER_PARAM_KEYLEN);
  number(OSSL_CIPHER_PARAM_AEAD_TAGLEN);
  number(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD);
  if (!iv_set_ && !begun_) return;
  Bytes iv;
  for (const char* name : {OSSL_CIPHER_PARAM_IV, OSSL_CIPHER_PARAM_UPDATED_IV}) {
    get(name, pick(20) == 0 ? pick(128) : 128, &iv);
  }
}

void GcmPair::step() {
  const std::size_t what = pick(100);
  if (what < 35) {
    text();
  } else if (what < 50) {
    aad();
  } else if (what < 60) {
    final();
  } else if (what < 70) {
    init();
  } else if (what < 73) {
    set_iv_length();
  } else if (what < 76) {
    set_some_tag();
  } else if (what < 79) {
    get_some_tag();
  } else if (what < 81) {
    without_iv();
  } else if (what < 84) {
    fix_iv();
  } else if (what < 86) {
    next_iv();
  } else if (what < 88) {
    set_explicit_iv();
  } else if (what < 95) {
    record();
  } else if (what < 97) {
    copy_both();
  } else {
    start();
  }
  compare_state();
}

}  // namespace gpuctr::test
