// Messages in CFB, CFB8, CFB1 and OFB through EVP, in updates of any split, by copies, with `num`
// and an input block set, against a model that makes one byte or bit at a time.
#ifndef GPUCTR_FUZZ_MESSAGES_FEEDBACK_MESSAGES_H
#define GPUCTR_FUZZ_MESSAGES_FEEDBACK_MESSAGES_H

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <string>

#include "fuzz/input.h"
#include "test/provider/mode/feedback_model.h"

namespace gpuctr::fuzz {

class FeedbackMessage {
 public:
  FeedbackMessage(OSSL_LIB_CTX* library, const CipherSpec& spec, Input& in)
      : in_(in),
        mode_(kModeNames[in.upto(3)]),
        bits_(mode_ == "CFB1" && in.flag()),
        encrypt_(in.flag()),
        iv_(in.bytes(spec.block_bytes)),
        model_(spec, mode_) {
    const std::string name = std::string(spec.name) + "-" + mode_;
    EVP_CIPHER* const cipher = EVP_CIPHER_fetch(library, name.c_str(), nullptr);
    require(cipher != nullptr, "every cipher is offered in the mode");
    const Bytes key = in.bytes(spec.key_bytes);
    require(
        EVP_CipherInit_ex2(ctx_, cipher, key.data(), iv_.data(), encrypt_ ? 1 : 0, nullptr) == 1,
        "init");
    if (bits_) EVP_CIPHER_CTX_set_flags(ctx_, EVP_CIPH_FLAG_LENGTH_BITS);
    EVP_CIPHER_free(cipher);
    model_.set_key(key);
    model_.iv = iv_;
  }
  ~FeedbackMessage() {
    EVP_CIPHER_CTX_free(ctx_);
    ERR_clear_error();
  }
  FeedbackMessage(const FeedbackMessage&) = delete;
  FeedbackMessage& operator=(const FeedbackMessage&) = delete;

  void step() {
    switch (in_.upto(7)) {
      case 0:
        return begin();
      case 1:
        return copy();
      case 2:
        return set_num();
      case 3:
        return write_block();
      default:
        return update();
    }
  }

 private:
  static constexpr const char* kModeNames[] = {"CFB", "CFB8", "CFB1", "OFB"};

  void begin() {
    encrypt_ = in_.flag();
    require(EVP_CipherInit_ex2(ctx_, nullptr, nullptr, nullptr, encrypt_ ? 1 : 0, nullptr) == 1,
            "an init without an IV");
    model_.iv = iv_;
    model_.num = 0;
  }
  void copy() {
    EVP_CIPHER_CTX* const made = EVP_CIPHER_CTX_new();
    require(EVP_CIPHER_CTX_copy(made, ctx_) == 1, "copy");
    EVP_CIPHER_CTX_free(ctx_);
    ctx_ = made;
  }
  void set_num() {
    auto num = static_cast<unsigned>(in_.upto(2 * iv_.size()));
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
                                 OSSL_PARAM_construct_end()};
    const bool legal = num < iv_.size();
    require((EVP_CIPHER_CTX_set_params(ctx_, params) == 1) == legal, "num is within a block");
    if (legal) model_.num = num;
    ERR_clear_error();
  }
  void write_block() {
    model_.iv = in_.bytes(iv_.size());
    void* at = nullptr;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_UPDATED_IV, &at, iv_.size()),
        OSSL_PARAM_construct_end()};
    require(EVP_CIPHER_CTX_get_params(ctx_, params) == 1, "a pointer to the input block");
    std::copy(model_.iv.begin(), model_.iv.end(), static_cast<std::uint8_t*>(at));
  }
  void update() {
    const std::size_t most = mode_ == "CFB1" ? 100 : mode_ == "CFB8" ? 600 : 5000;
    const std::size_t n = in_.length(iv_.size(), most), bytes = bits_ ? (n + 7) / 8 : n;
    const Bytes text = in_.filler(bytes);
    Bytes apart(bytes + 1, 0x5a), same = text, expected = in_.flag() ? same : apart;
    const bool in_place = expected.size() == same.size();
    model_.crypt(encrypt_, text.data(), expected.data(), n, bits_);
    Bytes& out = in_place ? same : apart;
    int written = 0;
    require(EVP_CipherUpdate(ctx_, out.data(), &written, in_place ? same.data() : text.data(),
                             static_cast<int>(n)) == 1 &&
                written == static_cast<int>(n),
            "an update");
    require(out == expected, "the bytes are the model's");
    require(EVP_CIPHER_CTX_get_num(ctx_) == static_cast<int>(model_.num), "num is the model's");
  }

  Input& in_;
  const std::string mode_;
  const bool bits_;
  bool encrypt_;
  const Bytes iv_;
  test::FeedbackModel model_;
  EVP_CIPHER_CTX* ctx_ = EVP_CIPHER_CTX_new();
};

}  // namespace gpuctr::fuzz

#endif
