// A refused call changes nothing: for every parameter of every mode, one good and one bad value in
// both orders, as a set, with an init and with a pipeline's init. The context then gives the same
// answers and the same output as a copy that never had the call.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>

#include "provider/core/gpuctr.h"
#include "provider/mode/ctr/pipeline.h"
#include "test/provider/reference.h"
#include "test/support/core.h"
#include "test/support/gtest_name.h"
#include "test/support/module.h"

namespace gpuctr::test {
namespace {

// A parameter and the memory of its value.
struct Value {
  const char* key;
  unsigned type;
  Bytes data;
  bool no_data = false;

  OSSL_PARAM param() {
    return {key, type, no_data ? nullptr : data.data(), data.size(), OSSL_PARAM_UNMODIFIED};
  }
};

Value number(const char* key, std::uint64_t value) {
  Bytes data(sizeof value);
  std::memcpy(data.data(), &value, sizeof value);
  return {key, OSSL_PARAM_UNSIGNED_INTEGER, data};
}
Value octets(const char* key, std::size_t n) {
  return {key, OSSL_PARAM_OCTET_STRING, Bytes(n, 0x5a)};
}

// An octet pointer to 8 bytes, or to nothing.
Value pointer(const char* key, bool null = false) {
  static constexpr std::uint8_t kOctets[8] = {};
  const std::uint8_t* const octets = null ? nullptr : kOctets;
  Bytes data(sizeof octets);
  std::memcpy(data.data(), &octets, sizeof octets);
  return {key, OSSL_PARAM_OCTET_PTR, data};
}

struct Param {
  Value good;
  std::vector<Value> bad;
};

// Every parameter that any mode takes. `mode` and the cipher decide between values.
std::vector<Param> all_params(const CipherSpec& spec, const std::string& mode) {
  const bool ccm = mode == "CCM", siv = mode == "GCM-SIV";
  const std::size_t usual = std::min<std::size_t>(spec.key_bytes, EVP_MAX_KEY_LENGTH);
  const std::size_t key = mode == "XTS"                   ? 2 * spec.key_bytes
                          : spec.least_key_bytes != usual ? spec.least_key_bytes
                                                          : spec.most_key_bytes;
  Value header = octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, 13);
  Value tag_length{OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_PARAM_OCTET_STRING, Bytes(8), true};
  const std::string iv = mode == "ECB" ? "" : "0102030405060708";
  Value rc2_parameters{OSSL_CIPHER_PARAM_ALGORITHM_ID_PARAMS, OSSL_PARAM_OCTET_STRING,
                       from_hex((iv.empty() ? "3006020200a00400" : "300e020200a00408") + iv)};
  std::vector<Param> all = {
      {number(OSSL_CIPHER_PARAM_KEYLEN, key),
       {number(OSSL_CIPHER_PARAM_KEYLEN, spec.most_key_bytes + 1)}},
      {number(OSSL_CIPHER_PARAM_PADDING, 0), {}},
      {number("max-bytes", 10), {}},
      {number("ctr-bits", 32), {number("ctr-bits", 7)}},
      {number(OSSL_CIPHER_PARAM_NUM, 5), {number(OSSL_CIPHER_PARAM_NUM, 200)}},
      {number(OSSL_CIPHER_PARAM_USE_BITS, 1), {}},
      {octets("tweak", spec.tweak_bytes), {octets("tweak", spec.tweak_bytes + 1)}},
      {number(OSSL_CIPHER_PARAM_TLS_VERSION, 0x303), {number(OSSL_CIPHER_PARAM_TLS_VERSION, 7)}},
      {number(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, 20), {number(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, 1000)}},
      {number(OSSL_CIPHER_PARAM_IVLEN, 13), {number(OSSL_CIPHER_PARAM_IVLEN, 0)}},
      {ccm ? tag_length : octets(OSSL_CIPHER_PARAM_AEAD_TAG, siv ? 16 : 12),
       {octets(OSSL_CIPHER_PARAM_AEAD_TAG, 17)}},
      {number(OSSL_CIPHER_PARAM_SPEED, 1), {number(OSSL_CIPHER_PARAM_SPEED, 1ULL << 32)}},
      {header, {octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, 12)}},
      {octets(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, 4),
       {octets(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, 3)}},
      {octets(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, 8),
       {octets(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, 200)}},
      {number(OSSL_CIPHER_PARAM_RC2_KEYBITS, 41), {}},
      {rc2_parameters, {octets(OSSL_CIPHER_PARAM_ALGORITHM_ID_PARAMS, 9)}},
  };
  all.push_back({number(GPUCTR_PARAM_BATCH_MESSAGES, 3),
                 {number(GPUCTR_PARAM_BATCH_MESSAGES, std::uint64_t{1} << 32)}});
  for (const char* array :
       {GPUCTR_PARAM_BATCH_KEYS, GPUCTR_PARAM_BATCH_KEY_INDEX, GPUCTR_PARAM_BATCH_IVS,
        GPUCTR_PARAM_BATCH_LENGTHS, GPUCTR_PARAM_BATCH_OFFSETS, GPUCTR_PARAM_BATCH_AAD,
        GPUCTR_PARAM_BATCH_AAD_LENGTHS, GPUCTR_PARAM_BATCH_TAGS, GPUCTR_PARAM_BATCH_RESULTS}) {
    all.push_back({pointer(array), {pointer(array, true), octets(array, 8)}});
  }
  // And of a type that it is not.
  for (Param& param : all) param.bad.push_back({param.good.key, OSSL_PARAM_UTF8_STRING, Bytes(8)});
  return all;
}

constexpr std::size_t kPipes = 2;

// One cipher in one mode, called past libcrypto.
class Subject {
 public:
  Subject(const Core& core, const CipherSpec& spec, std::string mode)
      : core_(core),
        spec_(spec),
        mode_(std::move(mode)),
        table_(core.find(OSSL_OP_CIPHER, first_name())) {}

  bool exists() const { return table_ != nullptr; }
  bool pipes() const { return mode_ == "CTR"; }
  void* make() const {
    return call<OSSL_FUNC_cipher_newctx_fn>(OSSL_FUNC_CIPHER_NEWCTX)(core_.context());
  }
  void free(void* ctx) const { call<OSSL_FUNC_cipher_freectx_fn>(OSSL_FUNC_CIPHER_FREECTX)(ctx); }

  int init(void* ctx, bool encrypt, const Bytes* key, const Bytes* iv, OSSL_PARAM* params) const {
    return call<OSSL_FUNC_cipher_encrypt_init_fn>(encrypt ? OSSL_FUNC_CIPHER_ENCRYPT_INIT
                                                          : OSSL_FUNC_CIPHER_DECRYPT_INIT)(
        ctx, key != nullptr ? key->data() : nullptr, key != nullptr ? key->size() : 0,
        iv != nullptr ? iv->data() : nullptr, iv != nullptr ? iv->size() : 0, params);
  }
  int init_pipes(void* ctx, const Bytes* key, const Bytes& iv, OSSL_PARAM* params) const {
    const unsigned char* ivs[kPipes] = {iv.data(), iv.data()};
    return call<OSSL_FUNC_cipher_pipeline_encrypt_init_fn>(OSSL_FUNC_CIPHER_PIPELINE_ENCRYPT_INIT)(
        ctx, key != nullptr ? key->data() : nullptr, key != nullptr ? key->size() : 0, kPipes, ivs,
        iv.size(), params);
  }
  int set(void* ctx, OSSL_PARAM* params) const {
    return call<OSSL_FUNC_cipher_set_ctx_params_fn>(OSSL_FUNC_CIPHER_SET_CTX_PARAMS)(ctx, params);
  }
  int get(void* ctx, OSSL_PARAM* params) const {
    return call<OSSL_FUNC_cipher_get_ctx_params_fn>(OSSL_FUNC_CIPHER_GET_CTX_PARAMS)(ctx, params);
  }
  int update(void* ctx, Bytes* data, std::size_t n, std::size_t* written) const {
    return call<OSSL_FUNC_cipher_update_fn>(OSSL_FUNC_CIPHER_UPDATE)(ctx, data->data(), written,
                                                                     data->size(), data->data(), n);
  }
  const OSSL_PARAM* list(bool settable) const {
    return settable ? call<OSSL_FUNC_cipher_settable_ctx_params_fn>(
                          OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS)(nullptr, nullptr)
                    : call<OSSL_FUNC_cipher_gettable_ctx_params_fn>(
                          OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS)(nullptr, nullptr);
  }

  // Everything that can be seen of a context, by calls to copies of it.
  std::string seen(void* ctx) const {
    std::string text;
    for (const OSSL_PARAM* p = list(false); p->key != nullptr; ++p) add_answers(ctx, *p, &text);
    for (const std::size_t n : {std::size_t{5}, std::size_t{48}}) add_output(dup(ctx), n, &text);
    // What the next inits meet.
    const Bytes key = key_of(0x77);
    const Bytes iv = iv_of(0x78);
    for (const int what : {0, 1, 2}) {
      void* const d = dup(ctx);
      const int status =
          init(d, true, what == 1 ? &key : nullptr, what == 2 ? &iv : nullptr, nullptr);
      text += "init " + std::to_string(status) + ": ";
      add_output(d, 48, &text);
    }
    if (pipes()) add_pipes(ctx, &text);
    return text;
  }

  Bytes key_of(std::uint8_t fill) const {
    Bytes key(spec_.key_bytes, fill);
    if (mode_ == "XTS") key.resize(2 * key.size(), static_cast<std::uint8_t>(fill + 1));
    return key;
  }
  Bytes iv_of(std::uint8_t fill) const {
    if (mode_ == "GCM" || mode_ == "GCM-SIV") return Bytes(12, fill);
    if (mode_ == "CCM") return Bytes(7, fill);
    if (mode_ == "WRAP" || mode_ == "WRAP-INV") return Bytes(8, fill);
    if (mode_ == "WRAP-PAD" || mode_ == "WRAP-PAD-INV") return Bytes(4, fill);
    return Bytes(iv_bytes_of(spec_), fill);
  }

 private:
  template <class Type>
  Type* call(int id) const {
    return function<Type>(table_, id);
  }
  void* dup(void* ctx) const {
    return call<OSSL_FUNC_cipher_dupctx_fn>(OSSL_FUNC_CIPHER_DUPCTX)(ctx);
  }
  // The answer of whichever sizes get one.
  void add_answers(void* ctx, const OSSL_PARAM& entry, std::string* text) const {
    *text += std::string(entry.key) + ":";
    if (std::strcmp(entry.key, OSSL_CIPHER_PARAM_RANDOM_KEY) == 0) return;
    const bool is_number = entry.data_type == OSSL_PARAM_UNSIGNED_INTEGER;
    for (const std::size_t size : {4U, 8U, 12U, 16U, 128U}) {
      if (size == 4 && !is_number) continue;
      void* const d = dup(ctx);
      Bytes data(size);
      const void* pointer = nullptr;
      OSSL_PARAM params[] = {{entry.key, entry.data_type, data.data(), size, OSSL_PARAM_UNMODIFIED},
                             OSSL_PARAM_construct_end()};
      if (std::strcmp(entry.key, OSSL_CIPHER_PARAM_TLS_MAC) == 0) {
        params[0].data_type = OSSL_PARAM_OCTET_PTR;
        params[0].data = &pointer;
      }
      const int status = get(d, params);
      if (pointer != nullptr)
        std::memcpy(data.data(), pointer, std::min(size, params[0].return_size));
      *text += " " + std::to_string(status) + " " + std::to_string(params[0].return_size) + " " +
               to_hex(data);
      free(d);
      if (is_number && size == 8) break;
    }
    *text += "\n";
  }
  // Frees the copy. A random IV would be another one each time: whether there is one to use shows.
  void add_output(void* d, std::size_t n, std::string* text) const {
    Bytes iv(128);
    OSSL_PARAM has_iv[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, iv.data(), 128),
                           OSSL_PARAM_construct_end()};
    const bool random = (mode_ == "GCM" && get(d, has_iv) != 1) || is_triple_des_wrap();
    Bytes data(256, 0x31);
    std::size_t written = 0, last = 0;
    const int updated = update(d, &data, n, &written);
    const int ended =
        call<OSSL_FUNC_cipher_final_fn>(OSSL_FUNC_CIPHER_FINAL)(d, data.data() + 128, &last, 128);
    *text += std::to_string(updated) + " " + std::to_string(written) + " " + std::to_string(ended) +
             " " + std::to_string(last);
    if (!random) *text += " " + to_hex(data);
    for (const std::size_t size : {std::size_t{8}, std::size_t{12}}) {
      Bytes tag(size);
      OSSL_PARAM params[] = {
          OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag.data(), size),
          OSSL_PARAM_construct_end()};
      const int status = get(d, params);
      *text += " " + std::to_string(status) + (random ? "" : " " + to_hex(tag));
    }
    *text += "\n";
    free(d);
  }
  void add_pipes(void* ctx, std::string* text) const {
    void* const d = dup(ctx);
    Bytes data[kPipes] = {Bytes(20, 1), Bytes(20, 2)};
    unsigned char* out[kPipes] = {data[0].data(), data[1].data()};
    const unsigned char* in[kPipes] = {data[0].data(), data[1].data()};
    const std::size_t sizes[kPipes] = {20, 20};
    std::size_t written[kPipes] = {};
    const int status = call<OSSL_FUNC_cipher_pipeline_update_fn>(OSSL_FUNC_CIPHER_PIPELINE_UPDATE)(
        d, kPipes, out, written, sizes, in, sizes);
    *text += "pipes " + std::to_string(status) + " " + to_hex(data[0]) + to_hex(data[1]) + "\n";
    free(d);
  }

  bool is_triple_des_wrap() const { return mode_ == "WRAP" && spec_.block_bytes == 8; }
  std::string first_name() const {
    return is_triple_des_wrap() ? "DES3-WRAP" : std::string(spec_.name) + "-" + mode_;
  }

  const Core& core_;
  const CipherSpec& spec_;
  std::string mode_;
  const OSSL_DISPATCH* table_;
};

// What a context has had before the refused call.
enum class State { kNew, kEncrypts, kDecrypts, kInAMessage, kHasFixedIv, kHasPipes };

class Refused : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(core.load(module_entry()));
    if (!kModes[std::get<1>(GetParam())]->takes(spec)) GTEST_SKIP() << "no mode of " << spec.name;
    ASSERT_TRUE(subject().exists());
    for (Param& param : all_params(spec, mode)) {
      if (settable().count(param.good.key) != 0) params.push_back(param);
    }
  }
  Subject subject() { return Subject(core, spec, mode); }
  std::set<std::string> settable() {
    std::set<std::string> keys;
    for (const OSSL_PARAM* p = subject().list(true); p->key != nullptr; ++p) keys.insert(p->key);
    return keys;
  }
  // nullptr: the mode has no such state.
  void* make(State state) {
    const Subject s = subject();
    const bool aead = mode == "GCM" || mode == "CCM";
    if ((state == State::kHasFixedIv && !aead) || (state == State::kHasPipes && !s.pipes())) {
      return nullptr;
    }
    void* const ctx = s.make();
    if (state == State::kNew) return ctx;
    const Bytes key = s.key_of(0x11), iv = s.iv_of(0x22);
    const bool encrypt = state != State::kDecrypts && state != State::kHasFixedIv;
    EXPECT_EQ(s.init(ctx, encrypt, &key, &iv, nullptr), 1);
    if (state == State::kHasFixedIv) {
      Value fixed = octets(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, 4);
      OSSL_PARAM set[] = {fixed.param(), OSSL_PARAM_construct_end()};
      EXPECT_EQ(s.set(ctx, set), 1);
    } else if (state == State::kHasPipes) {
      EXPECT_EQ(s.init_pipes(ctx, &key, iv, nullptr), 1);
    } else if (state == State::kInAMessage) {
      Bytes data(32 + spec.block_bytes, 0x44);
      std::size_t written = 0;
      const bool whole = mode.rfind("WRAP", 0) == 0;
      EXPECT_EQ(s.update(ctx, &data, whole ? 16 : 21, &written), 1);
    }
    return ctx;
  }

  static constexpr State kStates[] = {State::kNew,        State::kEncrypts,   State::kDecrypts,
                                      State::kInAMessage, State::kHasFixedIv, State::kHasPipes};
  const CipherSpec& spec = cipher_spec(std::get<0>(GetParam()));
  const std::string mode = kModes[std::get<1>(GetParam())]->name;
  Core core{Core::Section{{"legacy", "yes"}}};
  std::vector<Param> params;
};

// A new parameter has to be added to all_params().
TEST_P(Refused, EveryParameterHasValues) {
  std::set<std::string> known;
  for (const Param& param : params) known.insert(param.good.key);
  EXPECT_EQ(known, settable());
}

// Otherwise the other tests would compare nothing: a good value shows, and a bad one is refused.
TEST_P(Refused, GoodValuesShow) {
  const Subject s = subject();
  for (Param& param : params) {
    bool shows = std::strcmp(param.good.key, OSSL_CIPHER_PARAM_KEYLEN) == 0;  // the only length
    // A wrong tag of GCM-SIV is as none.
    shows |= mode == "GCM-SIV" && std::strcmp(param.good.key, OSSL_CIPHER_PARAM_AEAD_TAG) == 0;
    for (const State state : kStates) {
      void* const ctx = make(state);
      if (ctx == nullptr) continue;
      const std::string before = s.seen(ctx);
      OSSL_PARAM good[] = {param.good.param(), OSSL_PARAM_construct_end()};
      shows |= s.set(ctx, good) == 1 && s.seen(ctx) != before;
      s.free(ctx);
    }
    EXPECT_TRUE(shows) << param.good.key;
  }
}

// Calls `refused` with each set of parameters that has to be refused.
template <class F>
void for_each_bad(std::vector<Param>& params, F refused) {
  for (Param& with_bad : params) {
    for (Value& bad : with_bad.bad) {
      OSSL_PARAM only[] = {bad.param(), OSSL_PARAM_construct_end()};
      refused(only, std::string(bad.key));
      for (Param& other : params) {
        if (&other == &with_bad) continue;
        OSSL_PARAM two[] = {other.good.param(), bad.param(), OSSL_PARAM_construct_end()};
        refused(two, std::string(other.good.key) + ", bad " + bad.key);
        std::swap(two[0], two[1]);
        refused(two, std::string("bad ") + bad.key + ", " + other.good.key);
      }
    }
  }
}

// Whether `what` refuses an explicit IV, for which OpenSSL's GCM leaves no error if the IV has
// octets, or another key length, for which OpenSSL's XTS leaves none.
bool may_be_silent(const std::string& mode, const std::string& what) {
  const auto has = [&](const char* text) { return what.find(text) != std::string::npos; };
  if (mode == "XTS") return has("keylen");
  const bool last = what.rfind("tlsivinv") == what.size() - std::strlen("tlsivinv");
  return has("bad tlsivinv") || (!has("bad ") && has("tlsivinv") && last);
}

TEST_P(Refused, ChangesNothing) {
  const Subject s = subject();
  const Bytes key = s.key_of(0x66), iv = s.iv_of(0x67);
  for (const State state : kStates) {
    void* const ctx = make(state);
    if (ctx == nullptr) continue;
    const std::string before = s.seen(ctx);
    const auto expect_refused = [&](int status, const std::string& what) {
      EXPECT_EQ(status, 0) << what;
      const std::size_t errors = core.take_errors().size();
      EXPECT_TRUE(errors == 1 || (errors == 0 && may_be_silent(mode, what))) << what;
      const bool same = s.seen(ctx) == before;
      core.take_errors();
      EXPECT_TRUE(same) << what << ", state " << static_cast<int>(state);
      return same && status == 0;
    };
    core.take_errors();
    bool good = true;
    for_each_bad(params, [&](OSSL_PARAM* bad, const std::string& what) {
      good = good && expect_refused(s.set(ctx, bad), "set: " + what);
      for (int with = 0; with < 8 && good; ++with) {
        const bool encrypt = (with & 4) != 0;
        // GCM without an IV, and an own one, is the other state's.
        good = expect_refused(s.init(ctx, encrypt, (with & 1) != 0 ? &key : nullptr,
                                     (with & 2) != 0 ? &iv : nullptr, bad),
                              "init " + std::to_string(with) + ": " + what);
      }
      for (int with = 0; with < 2 && good && s.pipes(); ++with) {
        good = expect_refused(s.init_pipes(ctx, with != 0 ? &key : nullptr, iv, bad),
                              "pipes " + std::to_string(with) + ": " + what);
      }
    });
    s.free(ctx);
    ASSERT_TRUE(good);
  }
}

// A request that has several answers, of which one does not fit.
TEST_P(Refused, RequestsChangeNothing) {
  const Subject s = subject();
  for (const State state : kStates) {
    void* const ctx = make(state);
    if (ctx == nullptr) continue;
    if (mode == "CCM" && state == State::kEncrypts) {  // makes a tag, which is given once
      Bytes data(20);
      std::size_t written = 0;
      EXPECT_EQ(s.update(ctx, &data, 20, &written), 1);
    }
    const std::string before = s.seen(ctx);
    for (const char* key : {OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN}) {
      Bytes answer(12);
      std::uint8_t small[1];
      OSSL_PARAM get[] = {OSSL_PARAM_construct_octet_string(key, answer.data(), answer.size()),
                          {OSSL_CIPHER_PARAM_KEYLEN, OSSL_PARAM_UTF8_STRING, small, 1, 0},
                          OSSL_PARAM_construct_end()};
      EXPECT_EQ(s.get(ctx, get), 0);
      EXPECT_TRUE(s.seen(ctx) == before) << key << ", state " << static_cast<int>(state);
    }
    s.free(ctx);
  }
}

// The first cipher of each kind: block, key lengths, tweak, the modes of AES and of Triple DES.
std::vector<std::size_t> kinds_of_ciphers() {
  std::set<std::tuple<std::size_t, bool, bool, bool, bool, bool>> seen;
  std::vector<std::size_t> kinds;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& c = cipher_spec(i);
    const bool new_kind = seen.emplace(c.block_bytes, c.least_key_bytes != c.most_key_bytes,
                                       c.tweak_bytes != 0, c.key_bytes > EVP_MAX_KEY_LENGTH,
                                       kGcmSivMode.takes(c), kTripleDesWrapMode.takes(c))
                              .second;
    if (new_kind) kinds.push_back(i);
  }
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Kinds, Refused,
                         testing::Combine(testing::ValuesIn(kinds_of_ciphers()),
                                          testing::Range(std::size_t{0}, kModeCount)),
                         [](const auto& param) {
                           return gtest_name(
                               std::string(cipher_spec(std::get<0>(param.param)).name) + "_" +
                               kModes[std::get<1>(param.param)]->name +
                               (kModes[std::get<1>(param.param)] == &kTripleDesWrapMode
                                    ? "_of_Triple_DES"
                                    : ""));
                         });

}  // namespace
}  // namespace gpuctr::test
