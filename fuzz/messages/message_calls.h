// The dispatch tables of GCM, CCM and GCM-SIV called in any order, with any lengths and parameters.
// There is no model here (evp_ops has one): a call says so by its answer and by one error or none,
// writes where it may, and a refused one leaves the output as it was, or wiped.
#ifndef GPUCTR_FUZZ_MESSAGES_MESSAGE_CALLS_H
#define GPUCTR_FUZZ_MESSAGES_MESSAGE_CALLS_H

#include <openssl/core_names.h>

#include <algorithm>

#include "fuzz/dispatch_world.h"
#include "provider/mode/base/cipher_context.h"

namespace gpuctr::fuzz {

class Messages {
 public:
  Messages(World* world, Input& in) : core_(world->core()), spec_(in.cipher()) {
    const bool aes = std::string(spec_.name).rfind("AES-", 0) == 0;  // which also has GCM-SIV
    const std::size_t mode = in.upto(aes ? 2 : 1);
    siv_ = mode == 2;
    f_ = core_.find(OSSL_OP_CIPHER, spec_.name + std::string(kNames[mode]));
    require((f_ != nullptr) == (spec_.block_bytes == 16), "blocks of 16 bytes");
    if (f_ == nullptr) return;
    context_ = get<OSSL_FUNC_cipher_newctx_fn>(OSSL_FUNC_CIPHER_NEWCTX)(core_.context());
    require(context_ != nullptr, "a context");
    init(in);
  }
  ~Messages() {
    if (context_ != nullptr) free(context_);
  }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void step(Input& in) {
    if (context_ == nullptr) return;
    switch (in.upto(7)) {
      case 0:
        return init(in);
      case 1:
        return copy(in);
      case 2:
        return set(in);
      case 3:
        return ask(in);
      case 4:
        return final();
      default:
        return update(in);
    }
  }

 private:
  static constexpr const char* kNames[] = {"-CCM", "-GCM", "-GCM-SIV"};

  template <class F>
  F* get(int id) const {
    return function<F>(f_, id);
  }
  void free(void* context) const {
    get<OSSL_FUNC_cipher_freectx_fn>(OSSL_FUNC_CIPHER_FREECTX)(context);
  }

  // The length of IV that the context has now.
  std::size_t iv_bytes() const {
    std::size_t n = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &n), kParamEnd};
    require(get<OSSL_FUNC_cipher_get_ctx_params_fn>(OSSL_FUNC_CIPHER_GET_CTX_PARAMS)(context_,
                                                                                     params) == 1,
            "an IV has a length");
    return n;
  }

  void init(Input& in) {
    const bool encrypt = in.flag();
    const Bytes key = in.filler(40), iv = in.filler(140);
    const std::size_t key_bytes = in.upto(15) == 0 ? in.upto(40) : spec_.key_bytes;
    auto* const call = encrypt
                           ? get<OSSL_FUNC_cipher_encrypt_init_fn>(OSSL_FUNC_CIPHER_ENCRYPT_INIT)
                           : get<OSSL_FUNC_cipher_decrypt_init_fn>(OSSL_FUNC_CIPHER_DECRYPT_INIT);
    core_.check_errors(call(context_, in.upto(3) == 0 ? nullptr : key.data(), key_bytes,
                            in.upto(3) == 0 ? nullptr : iv.data(),
                            in.upto(15) == 0 ? in.upto(140) : iv_bytes(), nullptr) == 1);
  }

  void copy(Input& in) {
    void* other = get<OSSL_FUNC_cipher_dupctx_fn>(OSSL_FUNC_CIPHER_DUPCTX)(context_);
    require(other != nullptr, "dup");
    if (in.flag()) std::swap(context_, other);
    free(other);
  }

  void set(Input& in) {
    auto* const call = get<OSSL_FUNC_cipher_set_ctx_params_fn>(OSSL_FUNC_CIPHER_SET_CTX_PARAMS);
    const std::size_t what = in.upto(7);
    if (what < 2 && in.flag()) return;  // less often: an IV is none any more
    if (what < 3) {
      const Setting setting(in, what == 2 ? "max-bytes" : OSSL_CIPHER_PARAM_IVLEN, in.upto(140));
      return core_.check_errors(call(context_, setting.params) == 1);
    }
    const char* const keys[] = {
        OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD,
        OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV};
    constexpr std::size_t kSizes[] = {16, 12, 13, 4, 8};
    Bytes data = in.filler(140);
    data[11] = static_cast<std::uint8_t>(data[11] & 1);
    const std::size_t n = in.upto(3) == 0 ? in.upto(20) : kSizes[what - 3];
    const bool size_alone = in.upto(3) == 0;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(keys[what - 3], size_alone ? nullptr : data.data(), n),
        kParamEnd};
    core_.check_errors(call(context_, params) == 1, what == 7);  // an explicit IV
  }

  void ask(Input& in) {
    constexpr const char* kKeys[] = {OSSL_CIPHER_PARAM_AEAD_TAG,
                                     OSSL_CIPHER_PARAM_IV,
                                     OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN,
                                     OSSL_CIPHER_PARAM_AEAD_TAGLEN,
                                     OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD,
                                     OSSL_CIPHER_PARAM_UPDATED_IV};
    const std::size_t what = in.upto(5);
    Bytes answer(160, 0x5a);
    const std::size_t room = in.upto(3) == 0 ? in.upto(150) : what == 0 ? 16 : 8;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(kKeys[what], answer.data(), room),
                           kParamEnd};
    if (what == 3 || what == 4) params[0].data_type = OSSL_PARAM_UNSIGNED_INTEGER;
    auto* const call = get<OSSL_FUNC_cipher_get_ctx_params_fn>(OSSL_FUNC_CIPHER_GET_CTX_PARAMS);
    core_.check_errors(call(context_, params) == 1, what != 3 && what != 4);
    // As in OpenSSL's, the next IV without a size is all of it, as long as it may be.
    const std::size_t most = what == 2 && room == 0 ? kMaxIvBytes : room;
    require(std::all_of(answer.begin() + static_cast<std::ptrdiff_t>(most), answer.end(),
                        [](std::uint8_t b) { return b == 0x5a; }),
            "an answer stays in its room");
  }

  void final() {
    std::uint8_t out = 0x5a;
    std::size_t written = 9;
    auto* const call = get<OSSL_FUNC_cipher_final_fn>(OSSL_FUNC_CIPHER_FINAL);
    const bool done = call(context_, &out, &written, 1) == 1;
    if (siv_) {  // a missing key or IV is an error
      core_.check_errors(done, true);
    } else {
      require(core_.take_errors().empty(), "a final is refused in silence");
    }
    require(out == 0x5a && written == 0, "a final writes nothing");
  }

  // Text, associated data, a length alone, or nothing; a whole record where one is awaited.
  void update(Input& in) {
    constexpr std::size_t kOut = 700, kBeyond = 40;
    const std::size_t n = in.upto(3) == 0 ? in.upto(600) : in.upto(60);
    Bytes memory = in.filler(2 * kOut + kBeyond);
    const Bytes before = memory;
    const std::size_t place = in.upto(7);
    const std::size_t at = place < 4 ? 0 : place == 4 ? 1 + n / 3 : kOut;
    std::uint8_t* const out = place == 7 ? nullptr : memory.data() + at;
    const std::uint8_t* const from = in.upto(7) == 0 ? nullptr : memory.data();
    const std::size_t room = in.upto(15) == 0 ? in.upto(n) : n;
    std::size_t written = 9;
    const bool one_shot = in.upto(7) == 0;
    const bool done = one_shot ? get<OSSL_FUNC_cipher_cipher_fn>(OSSL_FUNC_CIPHER_CIPHER)(
                                     context_, out, &written, room, from, n) == 1
                               : get<OSSL_FUNC_cipher_update_fn>(OSSL_FUNC_CIPHER_UPDATE)(
                                     context_, out, &written, room, from, n) == 1;
    core_.check_errors(done, one_shot || siv_);
    require(written <= n && (done || written == 0), "what was written");
    for (std::size_t i = 0; i < memory.size(); ++i) {
      const bool may = out != nullptr && i >= at && i < at + n;
      require(may || memory[i] == before[i], "nothing else is written");
      require(done || memory[i] == before[i] || memory[i] == 0, "a refused text is wiped");
    }
  }

  Core& core_;
  const CipherSpec& spec_;
  const OSSL_DISPATCH* f_ = nullptr;
  bool siv_ = false;
  void* context_ = nullptr;
};

}  // namespace gpuctr::fuzz

#endif
