#include <algorithm>

#include "test/provider/stock/ccm_pair.h"

namespace gpuctr::test {
namespace {

constexpr std::size_t kNone = kPairMemory;

// Ciphertext and tag, from a context of the stock cipher of its own.
Bytes sealed_ccm(const EVP_CIPHER* cipher, const Bytes& key, const Bytes& iv, const Bytes& aad,
                 const Bytes& plain, std::size_t tag_bytes) {
  const Evp<EVP_CIPHER_CTX> owner(EVP_CIPHER_CTX_new());
  EVP_CIPHER_CTX* const ctx = owner.get();
  int n = 0;
  Bytes out(plain), tag(tag_bytes);
  out.push_back(0);
  EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx, cipher, nullptr, nullptr, nullptr));
  EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(iv.size()), nullptr);
  EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, static_cast<int>(tag_bytes), nullptr);
  EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx, nullptr, key.data(), iv.data(), nullptr));
  EXPECT_EQ(1, EVP_EncryptUpdate(ctx, nullptr, &n, nullptr, static_cast<int>(plain.size())));
  if (!aad.empty()) {
    EXPECT_EQ(1, EVP_EncryptUpdate(ctx, nullptr, &n, aad.data(), static_cast<int>(aad.size())));
  }
  EXPECT_EQ(1, EVP_EncryptUpdate(ctx, out.data(), &n, out.data(), static_cast<int>(plain.size())));
  EXPECT_EQ(
      1, EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(tag_bytes), tag.data()));
  out.pop_back();
  append(&out, tag);
  return out;
}

}  // namespace

void CcmPair::start() {
  encrypt_ = chance(50);
  both([](AeadSide& side) { return EVP_CIPHER_CTX_reset(side.ctx.get()); });
  key_ = nullptr;
  iv_set_ = announced_ = ended_ = made_tag_ = tag_flag_ = has_length_ = tls_ = false;
  iv_bytes_ = 7;
  tag_bytes_ = key_tag_bytes_ = 12;
  aad_.clear();
  log("start: encrypt ", encrypt_);
  init_both(true, nullptr, nullptr, encrypt_ ? 1 : 0);
  set_lengths();
  set_key_and_iv();
}

// Lengths that are none are refused by both.
void CcmPair::set_lengths() {
  for (std::size_t i = pick(3); i-- != 0;) {
    const std::size_t n = chance(70) ? 12 : pick(17);
    log("ivlen = ", n);
    if (!set(OSSL_CIPHER_PARAM_IVLEN, n)) continue;
    if (n != iv_bytes_) iv_set_ = false;
    iv_bytes_ = n;
  }
  for (std::size_t i = pick(3); i-- != 0;) {
    const std::size_t n = pick(19);
    log("tag length = ", n);
    if (both([&](AeadSide& side) {
          return EVP_CIPHER_CTX_ctrl(side.ctx.get(), EVP_CTRL_AEAD_SET_TAG, static_cast<int>(n),
                                     nullptr);
        })) {
      tag_bytes_ = n;
    }
  }
}

void CcmPair::set_key_and_iv() {
  iv_ = bytes(iv_bytes_);
  const Bytes* const key = chance(95) ? &keys_[pick(3)] : nullptr;
  iv_set_ = chance(92);
  log("key ", key != nullptr, ", IV ", iv_set_, " of ", iv_bytes_, ", tag ", tag_bytes_);
  if (chance(50)) {
    init_both(false, key, iv_set_ ? &iv_ : nullptr, -1);
  } else {
    if (iv_set_) init_both(false, nullptr, &iv_, -1);
    if (key != nullptr) init_both(false, key, nullptr, -1);
  }
  key_ = key;
  key_tag_bytes_ = tag_bytes_;
}

// A new IV, perhaps with a key and another direction. Under a length of before the stock cipher
// would go on with the old one: see the table of differences.
void CcmPair::init() {
  if (tls_) return;
  const bool with_key = chance(40) || key_ == nullptr;
  if (with_key) {
    set_lengths();
    key_ = &keys_[pick(3)];
    key_tag_bytes_ = tag_bytes_;
    if (chance(30)) encrypt_ = !encrypt_;
  }
  iv_ = bytes(iv_bytes_);
  log("init: key ", with_key, ", IV, encrypt ", encrypt_);
  init_both(false, with_key ? key_ : nullptr, &iv_, encrypt_ ? 1 : 0);
  iv_set_ = true;
  announced_ = ended_ = false;
  aad_.clear();
  if (has_length_) announce(some_size());
}

void CcmPair::announce(std::size_t n) {
  if (ended_ && iv_set_) return;  // an IV for a second message
  log("length ", n);
  const bool runs = may_run();
  const bool done = call(false, kNone, kNone, n);
  EXPECT_EQ(done, runs && !tls_);
  if (!done) return;
  announced_ = has_length_ = true;
  made_tag_ = false;  // the stock cipher still gives it: see the table of differences
  text_bytes_ = n;
  aad_.clear();
}

void CcmPair::aad() {
  const std::size_t n = some_size();
  if (!tls_ && (!aad_.empty() || (ended_ && iv_set_))) return;  // a second time, or after the text
  if (!announced_ && has_length_ && iv_set_) return;
  const bool one_shot = chance(20) && n != 0;
  log("associated data: ", n, ", one shot ", one_shot);
  const Bytes in = bytes(n);
  fill(7, in);
  if (!call(one_shot, kNone, 7, n) || n == 0) return;
  aad_ = in;
  made_tag_ = false;  // the stock cipher writes over one that nobody fetched
}

void CcmPair::compare_memory(bool done, const Bytes& before, std::size_t out, std::size_t n) {
  if (done) {
    EXPECT_EQ(ours_.memory, stock_.memory);
    return;
  }
  Bytes wiped(before);
  std::fill_n(wiped.begin() + static_cast<std::ptrdiff_t>(out), n, std::uint8_t{0});
  EXPECT_TRUE(ours_.memory == before || ours_.memory == wiped);
  stock_.memory = ours_.memory;
}

// The tag of a text, or a wrong one, or none.
void CcmPair::set_tag_for(const Bytes& plain) {
  if (key_ == nullptr || !iv_set_ || chance(10)) return;
  const Bytes all = sealed_ccm(stock_.cipher.get(), *key_, iv_, aad_, plain, key_tag_bytes_);
  Bytes tag = part(all, plain.size(), key_tag_bytes_);
  if (chance(20)) tag[pick(tag.size())] ^= static_cast<std::uint8_t>(1 + pick(255));
  log("tag of ", tag.size());
  if (set(OSSL_CIPHER_PARAM_AEAD_TAG, tag)) {
    tag_bytes_ = tag.size();
    tag_flag_ = true;
  }
}

void CcmPair::text() {
  if (tls_) return record();
  if (ended_ && iv_set_ && chance(80)) return;
  std::size_t n = announced_ && text_bytes_ < 3500 && chance(90) ? text_bytes_ : some_size();
  if (ended_ && n == 0) n = 1;  // the stock cipher makes a tag of nothing under the old IV
  const bool one_shot = chance(20) && n != 0;
  const std::size_t in = pick(40);
  const std::size_t out = n >= 2000 || chance(60) ? in : 2048 + pick(40);
  log("text: ", n, ", in at ", in, ", out at ", out, ", one shot ", one_shot);
  const Bytes plain = bytes(n);
  Bytes input(plain);
  if (!encrypt_ && may_run()) {
    set_tag_for(plain);
    input = part(sealed_ccm(stock_.cipher.get(), *key_, iv_, aad_, plain, key_tag_bytes_), 0, n);
  }
  fill(in, input);
  const Bytes before = ours_.memory;
  const bool done = call_only(one_shot, out, in, n);
  compare_memory(done, before, out, n);
  // What a refused text leaves of a stock context: see the table of differences.
  if (!done) return start();
  if (!encrypt_) {
    EXPECT_EQ(to_hex(part(ours_.memory, out, n)), to_hex(plain));
  }
  announced_ = false;
  ended_ = true;
  made_tag_ = tag_flag_ = encrypt_;
  has_length_ = encrypt_;
  if (!encrypt_) iv_set_ = false;
}

// A call with only an output buffer does nothing.
void CcmPair::no_text() {
  if (tls_) return;
  log("no text");
  fill(0, {});
  call(false, 100, kNone, pick(50));
}

// Of a message that has had no text OpenSSL 3.0 made nothing at its end; later ones take an empty
// text there, and so does ours.
bool CcmPair::final_both() {
  const bool empty = may_run();
  return both([&](AeadSide& side) {
    int n = 0;
    std::uint8_t none[1] = {};
    if (empty && &side == &stock_ && EVP_CipherUpdate(side.ctx.get(), none, &n, none, 0) != 1) {
      ERR_clear_error();  // an update's; the stock cipher's final leaves none
      return 0;
    }
    return EVP_CipherFinal_ex(side.ctx.get(), none, &n);
  });
}

void CcmPair::final() {
  if (tls_) return;  // versions of the stock cipher differ: see the table of differences
  const bool pending = may_run();
  if (pending && announced_ && text_bytes_ != 0 && chance(70)) return;
  if (pending && !encrypt_) set_tag_for({});
  log("final");
  if (!final_both()) return start();
  if (!pending) return;
  announced_ = false;
  ended_ = true;
  made_tag_ = tag_flag_ = encrypt_;
  has_length_ = encrypt_;
  if (!encrypt_) iv_set_ = false;
}

void CcmPair::get_tag() {
  // One that was set for decryption, or is lost, is none.
  if (encrypt_ && tag_flag_ && !made_tag_) return;
  const std::size_t n = chance(80) ? key_tag_bytes_ : pick(18);
  log("get tag of ", n);
  Bytes tag;
  const bool done = get(OSSL_CIPHER_PARAM_AEAD_TAG, n, &tag);
  EXPECT_EQ(done, encrypt_ && made_tag_ && n == key_tag_bytes_);
  if (!done) return;
  made_tag_ = tag_flag_ = has_length_ = iv_set_ = announced_ = false;
  ended_ = true;
}

// A tag of any size, which the next text will not have.
void CcmPair::set_some_tag() {
  const std::size_t n = chance(50) ? key_tag_bytes_ : pick(19);
  log("some tag of ", n);
  if (!set(OSSL_CIPHER_PARAM_AEAD_TAG, bytes(n))) return;
  tag_bytes_ = n;
  tag_flag_ = true;
  after_change();
}

// A length after the key. Of an IV that is longer than the key's, see the table of differences.
void CcmPair::change_length() {
  if (tls_ || key_ == nullptr) return;
  const std::size_t before = iv_bytes_;
  if (chance(50)) {
    set_lengths();
    if (iv_bytes_ > before) return start();
  } else {
    const std::size_t n = 2 * pick(10);
    log("tag length = ", n);
    if (both([&](AeadSide& side) {
          return EVP_CIPHER_CTX_ctrl(side.ctx.get(), EVP_CTRL_AEAD_SET_TAG, static_cast<int>(n),
                                     nullptr);
        })) {
      tag_bytes_ = n;
    }
  }
  if (iv_bytes_ < before) {
    const Bytes iv = bytes(iv_bytes_);
    log("an IV of ", iv_bytes_);
    init_both(false, nullptr, &iv, -1);
    compare_state();
    EXPECT_FALSE(call(false, kNone, kNone, 20));
    return start();
  }
  after_change();
}

// Decryption with another tag length than the key's is refused by both; encryption does not mind.
void CcmPair::after_change() {
  compare_state();
  if (encrypt_ || tag_bytes_ == key_tag_bytes_) return;
  log("text of another tag length");
  const Bytes input = bytes(20);
  fill(5, input);
  const Bytes before = ours_.memory;
  EXPECT_FALSE(call_only(false, 5, 5, 20));
  compare_memory(false, before, 5, 20);
  start();
}

void CcmPair::fix_iv() {
  const std::size_t n = chance(80) ? 4 : pick(14);
  log("fixed IV of ", n);
  const Bytes fixed = bytes(n);
  if (!set(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, fixed)) return;
  std::copy(fixed.begin(), fixed.end(), iv_.begin());
}

// As libssl sets a context up.
void CcmPair::records() {
  start();
  set(OSSL_CIPHER_PARAM_IVLEN, 12);
  iv_bytes_ = 12;
  iv_ = bytes(12);
  iv_set_ = false;
  fix_iv();
  const Bytes fixed = bytes(4);
  EXPECT_TRUE(set(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, fixed));
  std::copy(fixed.begin(), fixed.end(), iv_.begin());
  key_ = &keys_[pick(3)];
  init_both(false, key_, nullptr, -1);
  key_tag_bytes_ = tag_bytes_;
  tls_ = true;
  for (std::size_t i = 1 + pick(5); i-- != 0 && tls_;) record();
  if (chance(50)) start();
}

// What libssl does with each record, and what it never does.
void CcmPair::record() {
  const std::size_t more = 8 + tag_bytes_;
  const std::size_t n = chance(90) ? more + some_size() : pick(more);
  Bytes header = bytes(chance(95) ? 13 : 12 + pick(3));
  if (header.size() == 13) {
    const std::size_t length = encrypt_ && n >= tag_bytes_ ? n - tag_bytes_ : n;
    header[11] = static_cast<std::uint8_t>(length >> 8);
    header[12] = static_cast<std::uint8_t>(length);
  }
  log("record of ", n, ", header ", header.size());
  if (!set(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, header)) {
    // The stock cipher takes a header that it refuses: see the table of differences. Nor are there
    // records without one.
    return start();
  }
  EXPECT_EQ(number(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD), tag_bytes_);
  Bytes data = bytes(n);
  if (!encrypt_ && n >= more && chance(80)) {
    Bytes iv = part(iv_, 0, 4);
    append(&iv, part(data, 0, 8));
    header[11] = static_cast<std::uint8_t>((n - more) >> 8);
    header[12] = static_cast<std::uint8_t>(n - more);
    const Bytes all =
        sealed_ccm(stock_.cipher.get(), *key_, iv, header, part(data, more, n - more), tag_bytes_);
    std::copy(all.begin(), all.end(), data.begin() + 8);
    if (chance(30)) data[pick(n)] ^= static_cast<std::uint8_t>(1 + pick(255));
  }
  fill(10, data);
  call(chance(30) && n != 0, chance(95) ? 10 : 2100, 10, n);
}

void CcmPair::compare_state() {
  number(OSSL_CIPHER_PARAM_IVLEN);
  number(OSSL_CIPHER_PARAM_KEYLEN);
  number(OSSL_CIPHER_PARAM_AEAD_TAGLEN);
  number(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD);
  if (!iv_set_) return;
  Bytes iv;
  for (const char* name : {OSSL_CIPHER_PARAM_IV, OSSL_CIPHER_PARAM_UPDATED_IV}) {
    get(name, chance(90) ? iv_bytes_ : pick(iv_bytes_), &iv);
  }
}

void CcmPair::step() {
  const std::size_t what = pick(100);
  if (what < 22) {
    text();
  } else if (what < 37) {
    announce(chance(2) ? 70000 : some_size());
  } else if (what < 50) {
    aad();
  } else if (what < 56) {
    final();
  } else if (what < 66) {
    get_tag();
  } else if (what < 76) {
    init();
  } else if (what < 79) {
    set_some_tag();
  } else if (what < 81) {
    change_length();
  } else if (what < 84) {
    records();
  } else if (what < 86) {
    no_text();
  } else if (what < 88) {
    fix_iv();
  } else if (what < 92) {
    copy_both();
  } else {
    start();
  }
  compare_state();
}

}  // namespace gpuctr::test
