// Messages in AES-GCM-SIV through EVP: inits, associated data in pieces, texts, finals, tags and
// copies in any order, against RFC 8452 bit by bit.
#ifndef GPUCTR_FUZZ_MESSAGES_SIV_MESSAGES_H
#define GPUCTR_FUZZ_MESSAGES_SIV_MESSAGES_H

#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <string>

#include "fuzz/input.h"
#include "kernels/cpu/backend.h"
#include "test/provider/mode/gcm_siv_model.h"

namespace gpuctr::fuzz {

class SivMessages {
 public:
  static bool takes(const CipherSpec& spec) { return std::string(spec.name).rfind("AES-", 0) == 0; }

  SivMessages(OSSL_LIB_CTX* library, const CipherSpec& spec, Input& in)
      : spec_(spec), in_(in), key_(in.bytes(spec.key_bytes)), iv_(in.bytes(12)) {
    const std::string name = std::string(spec.name) + "-GCM-SIV";
    EVP_CIPHER* const cipher = EVP_CIPHER_fetch(library, name.c_str(), nullptr);
    require(cipher != nullptr, "AES has the mode");
    init(cipher, true, true);
    EVP_CIPHER_free(cipher);
  }
  ~SivMessages() {
    EVP_CIPHER_CTX_free(ctx_);
    ERR_clear_error();
  }
  SivMessages(const SivMessages&) = delete;
  SivMessages& operator=(const SivMessages&) = delete;

  void step() {
    switch (in_.upto(7)) {
      case 0:
        return begin();
      case 1:
        return copy();
      case 2:
        return final();
      case 3:
      case 4:
        return add_aad();
      default:
        return encrypt_ ? encrypt() : decrypt();
    }
  }

 private:
  using Block = test::GcmSivModel::Block;

  test::GcmSivModel model() const {
    const auto encrypt = [this](const Bytes& key, const Block& block) {
      RoundKeys keys;
      Block out;
      spec_.expand(key.data(), &keys);
      find_backend("scalar")->ops[spec_.index].encrypt(keys, block.data(), out.data(), 1);
      return out;
    };
    return {encrypt, key_, iv_};
  }
  void init(const EVP_CIPHER* cipher, bool new_key, bool new_iv) {
    require(EVP_CipherInit_ex2(ctx_, cipher, new_key ? key_.data() : nullptr,
                               new_iv ? iv_.data() : nullptr, encrypt_ ? 1 : 0, nullptr) == 1,
            "init");
    has_text_ = has_tag_ = false;
  }
  void begin() {
    encrypt_ = in_.flag();
    const bool new_key = in_.flag(), new_iv = in_.flag();
    if (new_key) key_ = in_.bytes(spec_.key_bytes);
    if (new_iv) iv_ = in_.bytes(12);
    init(nullptr, new_key, new_iv);
  }
  // One context goes on, and the other is used and freed.
  void copy() {
    EVP_CIPHER_CTX* other = EVP_CIPHER_CTX_new();
    require(EVP_CIPHER_CTX_copy(other, ctx_) == 1, "copy");
    if (in_.flag()) std::swap(other, ctx_);
    std::uint8_t data[20] = {};
    int n = 0;
    EVP_CipherUpdate(other, nullptr, &n, data, sizeof data);
    EVP_CipherUpdate(other, data, &n, data, sizeof data);
    EVP_CIPHER_CTX_free(other);
    ERR_clear_error();
  }
  // Stays for the next messages; an update of no bytes removes it.
  void add_aad() {
    const Bytes more = in_.filler(in_.upto(40));
    const std::uint8_t none = 0;
    int n = 0;
    require(EVP_CipherUpdate(ctx_, nullptr, &n, more.empty() ? &none : more.data(),
                             static_cast<int>(more.size())) == 1 &&
                n == static_cast<int>(more.size()),
            "associated data");
    if (more.empty()) aad_.clear();
    aad_.insert(aad_.end(), more.begin(), more.end());
  }
  // Whether the update succeeded. A refused one writes nothing and leaves no error.
  bool update(const Bytes& from, Bytes* out) {
    const bool in_place = in_.flag();
    Bytes data(from);
    data.resize(from.size() + 1, 0x5a);
    Bytes apart(data.size(), 0x5a);
    Bytes& to = in_place ? data : apart;
    const Bytes before = to;
    int n = 0;
    const bool done =
        EVP_CipherUpdate(ctx_, to.data(), &n, data.data(), static_cast<int>(from.size())) == 1;
    require(done == !has_text_, "a message has one text");
    require(done || to == before, "a refused text stays as it was");
    require(ERR_peek_error() == 0, "as OpenSSL's own, no error");
    require(n == (done ? static_cast<int>(from.size()) : 0), "what was written");
    require(to.back() == 0x5a, "nothing is written past the end");
    has_tag_ = false;
    if (!done) return false;
    has_text_ = true;
    out->assign(to.begin(), to.end() - 1);
    return true;
  }
  void encrypt() {
    const Bytes text = in_.filler(1 + in_.upto(1200));
    Bytes out;
    if (!update(text, &out)) return check_tag();
    made_ = model().tag(aad_, text);
    has_tag_ = true;
    require(out == model().crypt(made_, text), "the ciphertext is the model's");
    check_tag();
  }
  void check_tag() {
    Bytes tag(16);
    const bool answered = EVP_CIPHER_CTX_ctrl(ctx_, EVP_CTRL_AEAD_GET_TAG, 16, tag.data()) == 1;
    require(answered == has_tag_, "a tag after a text");
    if (answered) require(std::equal(tag.begin(), tag.end(), made_.begin()), "the model's tag");
    ERR_clear_error();
  }
  // A message of the model's, perhaps with a changed byte. A wrong one becomes zeros.
  void decrypt() {
    const Bytes text = in_.filler(1 + in_.upto(1200));
    const Block right = model().tag(aad_, text);
    Bytes sealed = model().crypt(right, text), tag(right.begin(), right.end()), out;
    const bool spoil = in_.flag();
    Bytes& what = in_.flag() ? sealed : tag;
    if (spoil) what[in_.upto(what.size() - 1)] ^= static_cast<std::uint8_t>(1 + in_.upto(254));
    require(EVP_CIPHER_CTX_ctrl(ctx_, EVP_CTRL_AEAD_SET_TAG, 16, tag.data()) == 1, "set tag");
    if (!update(sealed, &out)) return;
    require(out == (spoil ? Bytes(text.size()) : text), "the text, or zeros");
    std::uint8_t none[16];
    int n = 0;
    require((EVP_CipherFinal_ex(ctx_, none, &n) == 1) == !spoil, "the tag decides");
    require(ERR_peek_error() == 0, "as OpenSSL's own, a wrong tag leaves no error");
  }
  // Without a text before it, the end of an empty one; after a refused one it fails.
  void final() {
    if (!encrypt_) return;
    std::uint8_t none[16];
    int n = 0;
    const bool done = EVP_CipherFinal_ex(ctx_, none, &n) == 1;
    require(done == (has_tag_ || !has_text_) && n == 0, "final");
    if (!has_text_) {
      made_ = model().tag(aad_, {});
      has_text_ = has_tag_ = true;
    }
    check_tag();
  }

  const CipherSpec& spec_;
  Input& in_;
  Bytes key_, iv_, aad_;
  bool encrypt_ = true;
  bool has_text_ = false, has_tag_ = false;  // of the present message
  Block made_{};
  EVP_CIPHER_CTX* ctx_ = EVP_CIPHER_CTX_new();
};

}  // namespace gpuctr::fuzz

#endif
