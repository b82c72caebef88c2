#include "test/provider/wycheproof/answers.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <stdexcept>

namespace gpuctr::test::wycheproof {
namespace {

constexpr std::size_t kRoom = 32;  // bytes that padding or a key wrap's header can add

// A context of one message, which remembers the first refusal.
class Message {
 public:
  Message(const Library& library, const std::string& name, bool encrypt)
      : cipher_(library.cipher(name)), encrypt_(encrypt) {
    if (cipher_ == nullptr) throw std::runtime_error("no " + name + ": " + last_error());
    EVP_CIPHER_CTX_set_flags(ctx_.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    keep(EVP_CipherInit_ex2(ctx_.get(), cipher_.get(), nullptr, nullptr, encrypt ? 1 : 0, nullptr));
  }
  bool ccm() const { return EVP_CIPHER_get_mode(cipher_.get()) == EVP_CIPH_CCM_MODE; }

  void control(int type, std::size_t n, const Bytes* bytes) {
    // EVP takes the bytes of a new tag by a pointer to void.
    keep(
        EVP_CIPHER_CTX_ctrl(ctx_.get(), type, static_cast<int>(n),
                            bytes == nullptr ? nullptr : const_cast<std::uint8_t*>(bytes->data())));
  }
  void key(const Bytes& key, const Bytes& iv) {
    keep(EVP_CIPHER_CTX_get_key_length(ctx_.get()) == static_cast<int>(key.size()) ||
         EVP_CIPHER_CTX_set_key_length(ctx_.get(), static_cast<int>(key.size())) == 1);
    keep(EVP_CipherInit_ex2(ctx_.get(), nullptr, key.data(), iv.empty() ? nullptr : iv.data(),
                            encrypt_ ? 1 : 0, nullptr));
  }
  void length(std::size_t n) {
    int unused = 0;
    keep(EVP_CipherUpdate(ctx_.get(), nullptr, &unused, nullptr, static_cast<int>(n)));
  }
  void associated(const Bytes& data) {
    int unused = 0;
    if (data.empty()) return;
    keep(
        EVP_CipherUpdate(ctx_.get(), nullptr, &unused, data.data(), static_cast<int>(data.size())));
  }
  void data(const Bytes& in) {
    out_.resize(in.size() + kRoom);
    const std::uint8_t none = 0;  // an empty text has an address too
    int n = 0;
    keep(EVP_CipherUpdate(ctx_.get(), out_.data(), &n, in.empty() ? &none : in.data(),
                          static_cast<int>(in.size())));
    out_.resize(good_ ? static_cast<std::size_t>(n) : 0);
  }
  void final() {
    const std::size_t n = out_.size();
    int last = 0;
    out_.resize(n + kRoom);
    keep(EVP_CipherFinal_ex(ctx_.get(), out_.data() + n, &last));
    out_.resize(good_ ? n + static_cast<std::size_t>(last) : 0);
  }
  void append_tag(std::size_t n) {
    Bytes tag(n);
    control(EVP_CTRL_AEAD_GET_TAG, n, &tag);
    out_.insert(out_.end(), tag.begin(), tag.end());
  }
  Answer answer() const {
    ERR_clear_error();
    return good_ ? Answer(out_) : std::nullopt;
  }

 private:
  // A call after a refusal would change nothing: EVP itself takes any order of calls.
  void keep(bool good) { good_ = good_ && good; }
  void keep(int rc) { keep(rc == 1); }

  Evp<EVP_CIPHER> cipher_;
  Evp<EVP_CIPHER_CTX> ctx_{EVP_CIPHER_CTX_new()};
  bool encrypt_;
  bool good_ = true;
  Bytes out_;
};

Answer aead(const Library& library, const std::string& name, const Case& c, bool encrypt) {
  Message message(library, name, encrypt);
  message.control(EVP_CTRL_AEAD_SET_IVLEN, c.iv.size(), nullptr);
  // CCM's tag length is part of the first block.
  if (message.ccm() && encrypt) message.control(EVP_CTRL_AEAD_SET_TAG, c.tag.size(), nullptr);
  if (!encrypt) message.control(EVP_CTRL_AEAD_SET_TAG, c.tag.size(), &c.tag);
  message.key(c.key, c.iv);
  const Bytes& in = encrypt ? c.msg : c.ct;
  if (message.ccm()) message.length(in.size());
  message.associated(c.aad);
  message.data(in);
  // In CCM the update of the text compares the tag.
  if (!message.ccm() || encrypt) message.final();
  if (encrypt) message.append_tag(c.tag.size());
  return message.answer();
}

Answer block(const Library& library, const std::string& name, const Case& c, bool encrypt) {
  Message message(library, name, encrypt);
  message.key(c.key, c.iv);
  message.data(encrypt ? c.msg : c.ct);
  message.final();
  return message.answer();
}

// The first bytes of a MAC of OpenSSL's over our cipher.
Answer mac(const Library& library, const char* kind, const std::string& name, const Case& c) {
  std::string cipher = name, properties = "provider=gpuctr";
  Bytes iv = c.iv;
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher.data(), 0),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, properties.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, iv.data(), iv.size()),
      OSSL_PARAM_construct_end()};
  if (std::string(kind) == "CMAC") params[2] = OSSL_PARAM_construct_end();
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> fetched(
      EVP_MAC_fetch(library.get(), kind, nullptr), EVP_MAC_free);
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> ctx(
      EVP_MAC_CTX_new(fetched.get()), EVP_MAC_CTX_free);
  Bytes tag(16);
  std::size_t n = 0;
  const bool good = EVP_MAC_init(ctx.get(), c.key.data(), c.key.size(), params) == 1 &&
                    EVP_MAC_update(ctx.get(), c.msg.data(), c.msg.size()) == 1 &&
                    EVP_MAC_final(ctx.get(), tag.data(), &n, tag.size()) == 1 && c.tag.size() <= n;
  ERR_clear_error();
  if (!good) return std::nullopt;
  tag.resize(c.tag.size());
  return tag;
}

Answer verified(Answer tag, const Case& c) {
  return tag.has_value() && *tag == c.tag ? Answer(c.msg) : std::nullopt;
}

Case with_long_iv(Case c) {
  c.iv.resize(16);
  return c;
}

}  // namespace

const Kind kAead = {
    [](const Library& l, const std::string& name, const Case& c) { return aead(l, name, c, true); },
    [](const Library& l, const std::string& name, const Case& c) {
      return aead(l, name, c, false);
    }};

const Kind kBlock = {[](const Library& l, const std::string& name, const Case& c) {
                       return block(l, name, c, true);
                     },
                     [](const Library& l, const std::string& name, const Case& c) {
                       return block(l, name, c, false);
                     }};

const Kind kXts = {[](const Library& l, const std::string& name, const Case& c) {
                     return block(l, name, with_long_iv(c), true);
                   },
                   [](const Library& l, const std::string& name, const Case& c) {
                     return block(l, name, with_long_iv(c), false);
                   }};

const Kind kCmac = {[](const Library& l, const std::string& name, const Case& c) {
                      return mac(l, "CMAC", name, c);
                    },
                    [](const Library& l, const std::string& name, const Case& c) {
                      return verified(mac(l, "CMAC", name, c), c);
                    }};

const Kind kGmac = {[](const Library& l, const std::string& name, const Case& c) {
                      return mac(l, "GMAC", name, c);
                    },
                    [](const Library& l, const std::string& name, const Case& c) {
                      return verified(mac(l, "GMAC", name, c), c);
                    }};

}  // namespace gpuctr::test::wycheproof
