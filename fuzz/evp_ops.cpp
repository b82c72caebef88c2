// Sequences of EVP cipher operations on the provider against the scalar reference, which here is
// one block at a time at a position kept by the target: init with key, IV or neither, updates of
// any split, in place and not, copies, num, ctr-bits, max-bytes, bad lengths; ECB with and without
// padding; CFB and OFB (feedback_messages.h); GCM-SIV (siv_messages.h); messages in GCM and CCM
// against the models of SP 800-38D and RFC 3610.
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <algorithm>
#include <optional>
#include <string>

#include "fuzz/input.h"
#include "fuzz/messages/feedback_messages.h"
#include "fuzz/messages/siv_messages.h"
#include "kernels/cpu/backend.h"
#include "test/provider/mode/ccm_model.h"
#include "test/provider/mode/gcm_model.h"
#include "test/provider/reference.h"

extern "C" OSSL_provider_init_fn OSSL_provider_init;

namespace gpuctr::fuzz {
namespace {

constexpr std::size_t kMost = 3000;

struct World {
  World() : library(OSSL_LIB_CTX_new()) {
    require(OSSL_PROVIDER_add_builtin(library, "gpuctr", OSSL_provider_init) == 1, "add_builtin");
    OSSL_PROVIDER* const provider = OSSL_PROVIDER_load(library, "gpuctr");
    require(provider != nullptr, "the provider loads");
    require(OSSL_PROVIDER_self_test(provider) == 1, "the self-test passes");
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      if (cipher_spec(i).legacy) continue;
      const std::string stem = cipher_spec(i).name;
      ctr[i] = EVP_CIPHER_fetch(library, (stem + "-CTR").c_str(), nullptr);
      ecb[i] = EVP_CIPHER_fetch(library, (stem + "-ECB").c_str(), nullptr);
      gcm[i] = EVP_CIPHER_fetch(library, (stem + "-GCM").c_str(), nullptr);
      ccm[i] = EVP_CIPHER_fetch(library, (stem + "-CCM").c_str(), nullptr);
      require(ctr[i] != nullptr && ecb[i] != nullptr, "fetch");
      const bool wide = cipher_spec(i).block_bytes == 16;
      require((gcm[i] != nullptr) == wide && (ccm[i] != nullptr) == wide, "blocks of 16");
      ERR_clear_error();
    }
  }
  OSSL_LIB_CTX* library;
  EVP_CIPHER* ctr[kCipherCount];
  EVP_CIPHER* ecb[kCipherCount];
  EVP_CIPHER* gcm[kCipherCount];
  EVP_CIPHER* ccm[kCipherCount];
};

World& world() {
  static World w;
  return w;
}

// After a call that failed: one error, and it is ours.
void one_error() {
  require(ERR_get_error() != 0, "a refusal puts an error on the queue");
  require(ERR_peek_error() == 0, "and only one");
}

// What the context should be.
struct Model {
  std::optional<Bytes> key;
  std::optional<Bytes> iv;
  unsigned bits;
  std::size_t position = 0;  // bytes since the IV
  std::uint64_t had = 0;     // bytes of this key
  std::uint64_t most = 0;
};

class Sequence {
 public:
  Sequence(const CipherSpec& spec)
      : spec_(spec),
        block_(spec.block_bytes),
        model_{{}, {}, static_cast<unsigned>(8 * block_), 0, 0, 0},
        ctx_(EVP_CIPHER_CTX_new()) {
    require(EVP_EncryptInit_ex2(ctx_, world().ctr[spec.index], nullptr, nullptr, nullptr) == 1,
            "an init with neither key nor IV");
  }
  ~Sequence() {
    EVP_CIPHER_CTX_free(ctx_);
    ERR_clear_error();
  }
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  void step(Input& in) {
    switch (in.upto(7)) {
      case 0:
        return init(in);
      case 1:
        return copy(in);
      case 2:
        return width(in);
      case 3:
        return limit(in);
      case 4:
        return check_position();
      default:
        return update(in);
    }
  }

 private:
  void init(Input& in) {
    const bool with_key = in.flag(), with_iv = in.flag(), encrypt = in.flag();
    const Bytes key = in.bytes(spec_.key_bytes), iv = in.counter(block_);
    require(EVP_CipherInit_ex2(ctx_, nullptr, with_key ? key.data() : nullptr,
                               with_iv ? iv.data() : nullptr, encrypt ? 1 : 0, nullptr) == 1,
            "init");
    if (with_key) {
      model_.key = key;
      model_.had = 0;
    }
    if (with_iv) model_.iv = iv;
    // Without an IV the counter goes on, from a whole block.
    model_.position = with_iv ? 0 : (model_.position + block_ - 1) / block_ * block_;
  }

  // The copy goes on, the original is freed first or last.
  void copy(Input& in) {
    EVP_CIPHER_CTX* other = EVP_CIPHER_CTX_new();
    require(EVP_CIPHER_CTX_copy(other, ctx_) == 1, "copy");
    if (in.flag()) std::swap(ctx_, other);
    EVP_CIPHER_CTX_free(other);
  }

  void width(Input& in) {
    if (model_.position != 0) return;  // what happens in the middle is the tests' business
    unsigned bits = static_cast<unsigned>(in.upto(8 * block_ + 8));
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("ctr-bits", &bits),
                                 OSSL_PARAM_construct_end()};
    const bool legal = bits >= 16 && bits <= 8 * block_;
    require((EVP_CIPHER_CTX_set_params(ctx_, params) == 1) == legal, "ctr-bits");
    if (legal) model_.bits = bits;
    if (!legal) one_error();
  }

  void limit(Input& in) {
    std::uint64_t most = in.upto(2 * kMost);
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint64("max-bytes", &most),
                                 OSSL_PARAM_construct_end()};
    require(EVP_CIPHER_CTX_set_params(ctx_, params) == 1, "max-bytes");
    model_.most = most;
  }

  bool whole() const { return model_.bits == 8 * block_; }

  void check_position() {
    if (!model_.iv || !model_.key) return;
    unsigned num = 99;
    std::uint8_t next[kMaxBlockBytes] = {};
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, next, block_),
        OSSL_PARAM_construct_end()};
    require(EVP_CIPHER_CTX_get_params(ctx_, params) == 1, "get_params");
    Bytes expected = *model_.iv;
    for (std::size_t at = 0; at < model_.position; at += block_) {
      test::step_field(&expected, model_.bits);
    }
    require(num == model_.position % block_, "num is the position in the block");
    require(std::equal(expected.begin(), expected.end(), next), "updated-iv is the next counter");
  }

  void update(Input& in) {
    const std::size_t n = in.length(16, kMost);
    const bool in_place = in.flag();
    const Bytes data = in.filler(n);
    Bytes out = in_place ? data : Bytes(n, 0x5a);
    out.resize(n + 16, 0x5a);
    const Bytes before = out;
    int written = -1;
    const bool done =
        EVP_CipherUpdate(ctx_, out.data(), &written, in_place ? out.data() : data.data(),
                         static_cast<int>(n)) == 1;
    const bool ready = model_.key && model_.iv;
    const bool enough =
        model_.most == 0 || (model_.had <= model_.most && n <= model_.most - model_.had);
    const std::size_t blocks = (model_.position + n + block_ - 1) / block_;
    const bool in_field = whole() || model_.bits >= 40 || blocks <= std::size_t{1} << model_.bits;
    const bool legal = ready && enough && in_field;
    if (n == 0) {  // nothing to do may be refused or not, but writes nothing
      require(out == before && (!done || written == 0), "an update of nothing");
      ERR_clear_error();
      return;
    }
    require(done == legal, legal ? "a legal update" : "an illegal update");
    if (!legal) {
      one_error();
      require(out == before, "a refused update writes nothing");
      return;
    }
    require(written == static_cast<int>(n), "every byte in gives one out");
    Bytes stream_in(model_.position);
    stream_in.insert(stream_in.end(), data.begin(), data.end());
    const Bytes expected =
        test::reference_ctr(spec_, *model_.key, *model_.iv, stream_in, model_.bits);
    require(std::equal(expected.begin() + static_cast<std::ptrdiff_t>(model_.position),
                       expected.end(), out.begin()),
            "the bytes are the reference's");
    require(std::all_of(out.begin() + static_cast<std::ptrdiff_t>(n), out.end(),
                        [](std::uint8_t b) { return b == 0x5a; }),
            "nothing is written past the end");
    model_.position += n;
    model_.had += n;
  }

  const CipherSpec& spec_;
  const std::size_t block_;
  Model model_;
  EVP_CIPHER_CTX* ctx_;
};

// ECB both ways in any split, with a damaged end where the fuzzer wants one.
void ecb(const CipherSpec& spec, Input& in) {
  const std::size_t block = spec.block_bytes;
  const Bytes key = in.bytes(spec.key_bytes);
  const bool padding = in.flag();
  const Bytes plain = in.filler(in.upto(200));
  Bytes sealed(plain.size() + 2 * block), again(sealed.size() + 2 * block);
  EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
  std::size_t done = 0;
  int written = 0;
  const auto pass = [&](bool encrypt, const Bytes& from, std::size_t n, Bytes* to) {
    require(EVP_CipherInit_ex2(ctx, world().ecb[spec.index], key.data(), nullptr, encrypt ? 1 : 0,
                               nullptr) == 1,
            "init");
    EVP_CIPHER_CTX_set_padding(ctx, padding ? 1 : 0);
    done = 0;
    for (std::size_t at = 0; at < n;) {
      const std::size_t take = std::min(n - at, 1 + in.upto(40));
      require(EVP_CipherUpdate(ctx, to->data() + done, &written, from.data() + at,
                               static_cast<int>(take)) == 1,
              "update");
      done += static_cast<std::size_t>(written);
      at += take;
    }
    const bool ended = EVP_CipherFinal_ex(ctx, to->data() + done, &written) == 1;
    if (ended) done += static_cast<std::size_t>(written);
    return ended;
  };
  const bool legal = padding || plain.size() % block == 0;
  require(pass(true, plain, plain.size(), &sealed) == legal, "final of encryption");
  if (!legal) one_error();
  if (legal) {
    const std::size_t n = done;
    require(n == (padding ? plain.size() / block * block + block : plain.size()), "size");
    require(pass(false, sealed, n, &again), "final of decryption");
    require(done == plain.size() && std::equal(plain.begin(), plain.end(), again.begin()),
            "decryption gives the plaintext");
    if (padding && in.flag()) {
      sealed[in.upto(n - 1)] ^= static_cast<std::uint8_t>(1 + in.upto(254));
      if (!pass(false, sealed, n, &again)) one_error();
      require(done <= n, "no more than was put in");
    }
  }
  EVP_CIPHER_CTX_free(ctx);
  ERR_clear_error();
}

// Bytes in any pieces, as associated data where `out` is nullptr.
void feed(EVP_CIPHER_CTX* ctx, const Bytes& from, Bytes* out, Input& in) {
  int written = 0;
  for (std::size_t at = 0; at < from.size();) {
    const std::size_t n = std::min(from.size() - at, 1 + in.upto(300));
    require(EVP_CipherUpdate(ctx, out == nullptr ? nullptr : out->data() + at, &written,
                             from.data() + at, static_cast<int>(n)) == 1 &&
                written == static_cast<int>(n),
            "update");
    at += n;
  }
}

// A message in GCM both ways, and with a bit of tag, text or associated data changed.
void gcm(const CipherSpec& spec, Input& in) {
  const Bytes key = in.bytes(spec.key_bytes);
  const Bytes iv = in.bytes(in.flag() ? 12 : 1 + in.upto(127));
  Bytes aad = in.filler(in.upto(50));
  const Bytes plain = in.filler(in.upto(1200));
  RoundKeys keys;
  spec.expand(key.data(), &keys);
  const test::GcmModel model([&](const test::GcmModel::Block& block) {
    test::GcmModel::Block out;
    find_backend("scalar")->ops[spec.index].encrypt(keys, block.data(), out.data(), 1);
    return out;
  });
  Bytes sealed = model.crypt(iv, plain);
  Bytes tag = model.tag(iv, aad, sealed);
  tag.resize(1 + in.upto(15));
  EVP_CIPHER_CTX* ctx = EVP_CIPHER_CTX_new();
  const auto init = [&](bool encrypt) {
    const int direction = encrypt ? 1 : 0;
    require(EVP_CipherInit_ex2(ctx, world().gcm[spec.index], key.data(), nullptr, direction,
                               nullptr) == 1 &&
                EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(iv.size()),
                                    nullptr) == 1 &&
                EVP_CipherInit_ex2(ctx, nullptr, nullptr, iv.data(), direction, nullptr) == 1,
            "init");
  };
  int written = 0;
  std::uint8_t none[16];
  init(true);
  feed(ctx, aad, nullptr, in);
  Bytes out(plain.size());
  feed(ctx, plain, &out, in);
  require(out == sealed, "the ciphertext is the model's");
  if (in.flag()) {
    EVP_CIPHER_CTX* const copy = EVP_CIPHER_CTX_new();
    require(EVP_CIPHER_CTX_copy(copy, ctx) == 1, "copy");
    EVP_CIPHER_CTX_free(ctx);
    ctx = copy;
  }
  require(EVP_CipherFinal_ex(ctx, none, &written) == 1, "final");
  Bytes made(tag.size());
  require(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(made.size()),
                              made.data()) == 1 &&
              made == tag,
          "the tag is the model's");
  const bool spoil = in.flag();
  if (spoil) {
    Bytes* const what = in.flag() && !sealed.empty() ? &sealed
                        : in.flag() && !aad.empty()  ? &aad
                                                     : &tag;
    (*what)[in.upto(what->size() - 1)] ^= static_cast<std::uint8_t>(1 + in.upto(254));
  }
  Bytes right = model.tag(iv, aad, sealed);
  right.resize(tag.size());
  const bool good = right == tag;
  init(false);
  require(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, static_cast<int>(tag.size()),
                              tag.data()) == 1,
          "set tag");
  feed(ctx, aad, nullptr, in);
  feed(ctx, sealed, &out, in);
  ERR_clear_error();
  require((EVP_CipherFinal_ex(ctx, none, &written) == 1) == good, "the tag decides");
  require(ERR_peek_error() == 0, "as OpenSSL's own, a wrong tag leaves no error");
  if (!spoil) require(out == plain, "decryption gives the plaintext");
  EVP_CIPHER_CTX_free(ctx);
  ERR_clear_error();
}

// A message in CCM both ways, and with a bit of tag, text or associated data changed; lengths that
// are not kept are refused.
class CcmMessages {
 public:
  CcmMessages(const CipherSpec& spec, Input& in)
      : spec_(spec),
        in_(in),
        key_(in.bytes(spec.key_bytes)),
        iv_(in.bytes(7 + in.upto(6))),
        aad_(in.filler(in.upto(50))),
        plain_(in.filler(in.upto(1200))),
        tag_bytes_(4 + 2 * in.upto(6)) {
    spec.expand(key_.data(), &keys_);
  }
  ~CcmMessages() {
    EVP_CIPHER_CTX_free(ctx_);
    ERR_clear_error();
  }
  void run() {
    const test::CcmModel model([this](const test::CcmModel::Block& block) {
      test::CcmModel::Block out;
      find_backend("scalar")->ops[spec_.index].encrypt(keys_, block.data(), out.data(), 1);
      return out;
    });
    Bytes sealed = model.crypt(iv_, plain_), tag = model.tag(iv_, aad_, plain_, tag_bytes_);
    init(true);
    Bytes out = text(plain_, true);
    require(out == sealed, "the ciphertext is the model's");
    Bytes made(tag_bytes_);
    require(control(EVP_CTRL_AEAD_GET_TAG, &made) && made == tag, "the tag is the model's");
    const bool spoil = in_.flag();
    if (spoil) {
      Bytes* const what = in_.flag() && !sealed.empty() ? &sealed
                          : in_.flag() && !aad_.empty() ? &aad_
                                                        : &tag;
      (*what)[in_.upto(what->size() - 1)] ^= static_cast<std::uint8_t>(1 + in_.upto(254));
    }
    const Bytes opened = model.crypt(iv_, sealed);
    const bool good = model.tag(iv_, aad_, opened, tag_bytes_) == tag;
    init(false);
    require(control(EVP_CTRL_AEAD_SET_TAG, &tag), "set tag");
    out = text(sealed, good);
    require(out == (good ? opened : Bytes(sealed.size())), "a wrong tag gives no text");
  }

 private:
  bool control(int what, Bytes* data) {
    return EVP_CIPHER_CTX_ctrl(ctx_, what, static_cast<int>(data->size()), data->data()) == 1;
  }
  void init(bool encrypt) {
    const int direction = encrypt ? 1 : 0;
    require(EVP_CipherInit_ex2(ctx_, world().ccm[spec_.index], nullptr, nullptr, direction,
                               nullptr) == 1 &&
                EVP_CIPHER_CTX_ctrl(ctx_, EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(iv_.size()),
                                    nullptr) == 1 &&
                EVP_CIPHER_CTX_ctrl(ctx_, EVP_CTRL_AEAD_SET_TAG, static_cast<int>(tag_bytes_),
                                    nullptr) == 1 &&
                EVP_CipherInit_ex2(ctx_, nullptr, key_.data(), iv_.data(), direction, nullptr) == 1,
            "init");
  }
  bool update(std::uint8_t* out, const std::uint8_t* data, std::size_t n) {
    int written = 0;
    const bool done = EVP_CipherUpdate(ctx_, out, &written, data, static_cast<int>(n)) == 1;
    require(written == (done ? static_cast<int>(n) : 0), "what was written");
    return done;
  }
  void refused(bool done) {
    require(!done, "a length that is not kept");
    one_error();
  }
  // A whole text, with its length and associated data before it; sometimes by a copy.
  Bytes text(const Bytes& from, bool good) {
    const bool announce = !aad_.empty() || in_.flag();
    if (!aad_.empty() && in_.flag()) refused(update(nullptr, aad_.data(), aad_.size()));
    if (announce) {
      require(update(nullptr, nullptr, from.size()), "length");
      if (!aad_.empty()) require(update(nullptr, aad_.data(), aad_.size()), "associated data");
      if (!aad_.empty() && in_.flag()) refused(update(nullptr, aad_.data(), aad_.size()));
    }
    if (in_.flag()) {
      EVP_CIPHER_CTX* const copy = EVP_CIPHER_CTX_new();
      require(EVP_CIPHER_CTX_copy(copy, ctx_) == 1, "copy");
      EVP_CIPHER_CTX_free(ctx_);
      ctx_ = copy;
    }
    Bytes data(from), out(from.size() + 1);
    data.push_back(0);
    const bool in_place = in_.flag();
    Bytes& to = in_place ? data : out;
    if (announce && in_.flag()) refused(update(to.data(), data.data(), from.size() + 1));
    require(update(to.data(), data.data(), from.size()) == good, "the tag decides");
    if (!good) one_error();
    refused(update(to.data(), data.data(), from.size()));
    to.pop_back();
    return to;
  }

  const CipherSpec& spec_;
  Input& in_;
  Bytes key_, iv_, aad_, plain_;
  std::size_t tag_bytes_;
  RoundKeys keys_;
  EVP_CIPHER_CTX* ctx_ = EVP_CIPHER_CTX_new();
};

}  // namespace
}  // namespace gpuctr::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuctr;
  fuzz::Input in(data, size);
  const CipherSpec& spec = in.cipher();
  const std::size_t what = in.upto(4);
  if (what == 0) {
    fuzz::ecb(spec, in);
    return 0;
  }
  if (what == 1 && fuzz::SivMessages::takes(spec) && in.flag()) {
    fuzz::SivMessages messages(fuzz::world().library, spec, in);
    for (int steps = 0; in.more() && steps < 24; ++steps) messages.step();
    return 0;
  }
  if (what == 1 && spec.block_bytes == 16) {
    fuzz::gcm(spec, in);
    return 0;
  }
  if (what == 2 && spec.block_bytes == 16) {
    fuzz::CcmMessages(spec, in).run();
    return 0;
  }
  if (what == 3) {
    fuzz::FeedbackMessage message(fuzz::world().library, spec, in);
    for (int steps = 0; in.more() && steps < 24; ++steps) message.step();
    return 0;
  }
  fuzz::Sequence sequence(spec);
  for (int steps = 0; in.more() && steps < 24; ++steps) sequence.step(in);
  return 0;
}
