// Key wrapping through EVP against the model of RFC 3394 and RFC 5649: texts of any length, wrapped
// keys, wrapped keys with a changed byte, and bytes that are none, at any overlap of input and
// output.
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <algorithm>
#include <string>

#include "fuzz/input.h"
#include "kernels/cpu/backend.h"
#include "test/provider/wrap/wrap_model.h"

extern "C" OSSL_provider_init_fn OSSL_provider_init;

namespace gpuctr::fuzz {
namespace {

OSSL_LIB_CTX* library() {
  static OSSL_LIB_CTX* const made = [] {
    OSSL_LIB_CTX* const context = OSSL_LIB_CTX_new();
    require(OSSL_PROVIDER_add_builtin(context, "gpuctr", OSSL_provider_init) == 1, "add_builtin");
    require(OSSL_PROVIDER_load(context, "gpuctr") != nullptr, "the provider loads");
    return context;
  }();
  return made;
}

// After a call that failed: one error, and it is ours. An update of no input has none.
void one_error() {
  require(ERR_get_error() != 0, "a refusal puts an error on the queue");
  require(ERR_peek_error() == 0, "and only one");
}

class Wrapping {
 public:
  Wrapping(const CipherSpec& spec, Input& in)
      : spec_(spec),
        in_(in),
        mode_(test::kWrapModes[in.upto(3)]),
        key_(in.bytes(spec.key_bytes)),
        iv_(in.bytes(mode_.pads ? 4 : 8)),
        has_iv_(in.flag()) {}
  ~Wrapping() {
    EVP_CIPHER_CTX_free(ctx_);
    EVP_CIPHER_free(cipher_);
    ERR_clear_error();
  }
  Wrapping(const Wrapping&) = delete;
  Wrapping& operator=(const Wrapping&) = delete;

  void run() {
    const std::string name = std::string(spec_.name) + "-" + mode_.name;
    cipher_ = EVP_CIPHER_fetch(library(), name.c_str(), nullptr);
    require((cipher_ != nullptr) == (spec_.block_bytes == 16), "blocks of 16");
    if (cipher_ == nullptr) return;
    EVP_CIPHER_CTX_set_flags(ctx_, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    while (in_.more()) {
      const Bytes text = in_.filler(in_.flag() ? 8 * in_.upto(20) : in_.upto(60));
      if (in_.flag()) {
        wrap(text);
      } else {
        unwrap(text);
      }
    }
  }

 private:
  bool can_wrap(std::size_t n) const { return mode_.pads ? n != 0 : n % 8 == 0 && n >= 16; }
  Bytes model(const Bytes& text) const {
    const auto block = [this](const Bytes& key, const Bytes& in, bool encrypt) {
      RoundKeys keys;
      Bytes out(in.size());
      spec_.expand(key.data(), &keys);
      const CipherOps& ops = find_backend("scalar")->ops[spec_.index];
      (encrypt ? ops.encrypt : ops.decrypt)(keys, in.data(), out.data(), 1);
      return out;
    };
    return test::model_wrap(block, mode_, key_, has_iv_ ? &iv_ : nullptr, text);
  }
  // One update: the output, and whether it succeeded.
  bool update(bool encrypt, const Bytes& from, Bytes* out) {
    require(EVP_CipherInit_ex2(ctx_, cipher_, key_.data(), has_iv_ ? iv_.data() : nullptr,
                               encrypt ? 1 : 0, nullptr) == 1,
            "init");
    constexpr std::size_t kAt = 100;
    Bytes memory = in_.filler(kAt + 2 * from.size() + 300);
    const std::size_t at = in_.upto(kAt + from.size() + 100);
    std::copy(from.begin(), from.end(), memory.begin() + kAt);
    const Bytes before = memory;
    int written = -1;
    const bool done = EVP_CipherUpdate(ctx_, memory.data() + at, &written, memory.data() + kAt,
                                       static_cast<int>(from.size())) == 1;
    const std::size_t most = from.size() + (encrypt ? 15 : 0);
    for (std::size_t i = 0; i < memory.size(); ++i) {
      const bool here = i >= at && i < at + most;
      require(here || memory[i] == before[i], "nothing is written elsewhere");
      require(done || memory[i] == before[i] || memory[i] == 0, "a refusal hands nothing out");
    }
    if (!done) return one_error(), false;
    const auto first = memory.begin() + static_cast<std::ptrdiff_t>(at);
    out->assign(first, first + written);
    return true;
  }
  void wrap(const Bytes& text) {
    Bytes out;
    const bool done = update(true, text, &out);
    require(done == (text.empty() || can_wrap(text.size())), "which texts are wrapped");
    if (done && !text.empty()) require(out == model(text), "the wrapped key is the model's");
  }
  void unwrap(const Bytes& text) {
    Bytes out, wrapped;
    if (!can_wrap(text.size())) {  // bytes that are no wrapped key
      require(!update(false, text, &out) || text.empty(), "no wrapped key");
      return;
    }
    wrapped = model(text);
    const bool spoil = in_.flag();
    if (spoil)
      wrapped[in_.upto(wrapped.size() - 1)] ^= static_cast<std::uint8_t>(1 + in_.upto(254));
    require(update(false, wrapped, &out) == !spoil, "the check decides");
    if (!spoil) require(out == text, "unwrapping gives the text");
  }

  const CipherSpec& spec_;
  Input& in_;
  const test::WrapMode& mode_;
  const Bytes key_, iv_;
  const bool has_iv_;
  EVP_CIPHER* cipher_ = nullptr;
  EVP_CIPHER_CTX* const ctx_ = EVP_CIPHER_CTX_new();
};

}  // namespace
}  // namespace gpuctr::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpuctr::fuzz::Input in(data, size);
  const gpuctr::CipherSpec& spec = in.cipher();
  gpuctr::fuzz::Wrapping(spec, in).run();
  return 0;
}
