// The provider's dispatch tables called as libcrypto may call them, and as it never would: counter
// mode contexts and the pipelines of OpenSSL 3.5 with keys, IVs, rooms, overlaps and parameters of
// any kind, on host memory and on the fake device's, with faults, against a model that makes one
// block at a time. What is refused gives one error, writes nothing and moves nothing. And GCM and
// CCM by the same bytes: message_calls.h.
#include <algorithm>

#include "fuzz/ctr_model.h"
#include "fuzz/dispatch_world.h"
#include "fuzz/messages/message_calls.h"
#include "provider/mode/ctr/pipeline.h"

namespace gpuctr {

const DeviceLayer* current_layer() __asm__("__wrap__ZN6gpuctr10cuda_layerEv");
const DeviceLayer* current_layer() { return g_layer; }

namespace fuzz {
namespace {

constexpr std::size_t kMost = 1500;

class Context {
 public:
  Context(World* world, Input& in)
      : world_(*world),
        spec_(in.cipher()),
        f_(world->core().find(OSSL_OP_CIPHER, std::string(spec_.name) + "-CTR")),
        model_(spec_) {
    require(f_ != nullptr, "the algorithm is offered");
    context_ = get<OSSL_FUNC_cipher_newctx_fn>(OSSL_FUNC_CIPHER_NEWCTX)(world->core().context());
    require(context_ != nullptr, "a context");
    model_.most = world->max_bytes;
  }
  ~Context() { free(context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void step(Input& in) {
    switch (in.upto(10)) {
      case 0:
      case 1:
        return init(in);
      case 2:
        return copy(in);
      case 3:
        return set(in);
      case 4:
        return ask(in);
      case 5:
        return pipeline_init(in);
      case 6:
      case 7:
        return pipeline_update(in);
      case 8:
        if (world_.device && in.upto(3) == 0) return world_.fault(in);
        return odd_calls(in);
      default:
        return update(in);
    }
  }

 private:
  template <class F>
  F* get(int id) const {
    return function<F>(f_, id);
  }
  void free(void* context) const {
    get<OSSL_FUNC_cipher_freectx_fn>(OSSL_FUNC_CIPHER_FREECTX)(context);
  }
  Core& core() { return world_.core(); }
  // What a call must have returned, and its errors.
  void expect(bool done, bool legal, const char* what) {
    require(done == legal, what);
    core().check_errors(legal);
  }
  // Whether a legal call may be refused: work for a device without one that works.
  bool may_fail(bool uses_device) const {
    return world_.required ? world_.faulty || !world_.device : uses_device && world_.faulty;
  }

  void init(Input& in) {
    const Bytes key = in.bytes(spec_.key_bytes), iv = in.counter(model_.block());
    const bool with_key = in.upto(3) != 0, with_iv = in.upto(3) != 0;
    const std::size_t key_bytes = in.upto(15) == 0 ? in.upto(40) : key.size();
    const std::size_t iv_bytes = in.upto(15) == 0 ? in.upto(20) : iv.size();
    const bool legal =
        (!with_key || key_bytes == key.size()) && (!with_iv || iv_bytes == iv.size());
    auto* const call = in.flag()
                           ? get<OSSL_FUNC_cipher_encrypt_init_fn>(OSSL_FUNC_CIPHER_ENCRYPT_INIT)
                           : get<OSSL_FUNC_cipher_decrypt_init_fn>(OSSL_FUNC_CIPHER_DECRYPT_INIT);
    const bool done = call(context_, with_key ? key.data() : nullptr, key_bytes,
                           with_iv ? iv.data() : nullptr, iv_bytes, nullptr) == 1;
    expect(done, legal, "init");
    if (!legal) return;
    if (with_key) {
      model_.key = key;
      model_.had = 0;
    }
    if (with_iv) model_.iv = iv;
    if (with_iv) model_.restart();
    model_.num = 0;  // without an IV the counter goes on, from a whole block
  }

  void copy(Input& in) {
    void* other = get<OSSL_FUNC_cipher_dupctx_fn>(OSSL_FUNC_CIPHER_DUPCTX)(context_);
    expect(other != nullptr, true, "dup");
    if (in.flag()) std::swap(context_, other);
    free(other);
  }

  void set(Input& in) {
    auto* const call = get<OSSL_FUNC_cipher_set_ctx_params_fn>(OSSL_FUNC_CIPHER_SET_CTX_PARAMS);
    const std::size_t what = in.upto(4);
    constexpr const char* kKeys[] = {"num", "ctr-bits", "max-bytes", "keylen", "padding"};
    std::uint64_t wanted = in.upto(what == 0 ? 2 * model_.block() : 150);
    if (what == 1 && in.flag()) wanted = 16;
    if (what == 2) wanted = in.upto(2 * kMost);
    if (in.upto(31) == 0) wanted = ~wanted;
    const Setting setting(in, kKeys[what], wanted);
    const std::uint64_t v = setting.value;
    bool legal = setting.legal;
    if (legal && what == 0) {
      legal = v < model_.block() && (v == 0 || model_.ready());
      if (legal && v != 0 && model_.num == 0) legal = model_.blocks_left() != 0;
    }
    if (legal && what == 1) legal = v >= 16 && v <= 8 * model_.block() && model_.blocks == 0;
    if (legal && what == 3) legal = v == spec_.key_bytes;
    if (legal && what == 4) legal = v <= UINT32_MAX;
    expect(call(context_, setting.params) == 1, legal, "set_ctx_params");
    if (!legal) return;
    if (what == 0) {
      if (v != 0 && model_.num == 0) ++model_.blocks;
      model_.num = static_cast<std::size_t>(v);
    }
    if (what == 1) model_.bits = static_cast<unsigned>(v);
    if (what == 2) model_.most = v;
  }

  // Answers into buffers of any type and size; what does not fit is refused.
  void ask(Input& in) {
    auto* const call = get<OSSL_FUNC_cipher_get_ctx_params_fn>(OSSL_FUNC_CIPHER_GET_CTX_PARAMS);
    const struct {
      const char* key;
      std::uint64_t value;
    } kNumbers[] = {{"num", model_.num},        {"ctr-bits", model_.bits},
                    {"max-bytes", model_.most}, {"keylen", spec_.key_bytes},
                    {"ivlen", model_.block()},  {"padding", 1}};
    const std::size_t what = in.upto(8);
    const std::size_t size = in.upto(20);
    Bytes room(size);
    const bool sized = in.flag() || size == 0;  // only the size is asked for
    void* const to = sized ? nullptr : room.data();
    if (what < 5) {
      const bool is_signed = in.flag();
      const unsigned type = is_signed ? OSSL_PARAM_INTEGER : OSSL_PARAM_UNSIGNED_INTEGER;
      OSSL_PARAM params[] = {{kNumbers[what].key, type, to, size, OSSL_PARAM_UNMODIFIED},
                             kParamEnd};
      const std::uint64_t v = kNumbers[what].value;
      const std::size_t bits = 8 * size - (is_signed && size != 0 ? 1 : 0);
      const bool fits = size != 0 && (bits >= 64 || v >> bits == 0);
      expect(call(context_, params) == 1, sized || fits, "get_ctx_params");
      if (sized || !fits) return;
      std::uint64_t told = 0;
      std::memcpy(&told, to, std::min(size, sizeof told));
      require(told == v, "the number is the model's");
      return;
    }
    constexpr const char* kTexts[] = {"iv", "updated-iv", "backend", "iv"};
    const bool pointer = in.flag();
    const bool text = what == 7;
    const unsigned type = text ? (pointer ? OSSL_PARAM_UTF8_PTR : OSSL_PARAM_UTF8_STRING)
                               : (pointer ? OSSL_PARAM_OCTET_PTR : OSSL_PARAM_OCTET_STRING);
    const void* at = nullptr;
    OSSL_PARAM params[] = {
        {kTexts[what - 5], type, pointer && !sized ? &at : to, size, OSSL_PARAM_UNMODIFIED},
        kParamEnd};
    const bool done = call(context_, params) == 1;
    core().check_errors(done);
    if (text) return require(done == (pointer || sized || size >= params[0].return_size), "text");
    require(done == (pointer || sized || size >= model_.block()), "octets");
    require(params[0].return_size == model_.block(), "the size of an IV");
    if (!done || sized || !model_.iv) return;
    const Bytes expected =
        what == 6 ? counter_at(*model_.iv, model_.bits, model_.blocks) : *model_.iv;
    require(std::memcmp(pointer ? at : to, expected.data(), expected.size()) == 0, "the IV");
  }

  Place::Kind place(Input& in) const {
    const std::size_t kind = in.upto(world_.device_memory ? 9 : 5);
    if (kind >= 6) return Place::kDeviceInPlace;
    return kind == 2 && in.upto(3) != 0
               ? Place::kApart
               : static_cast<Place::Kind>(world_.device_memory ? kind : kind % 3);
  }
  std::size_t length(Input& in) const {
    const bool large = world_.device && in.upto(7) == 0;
    return large ? in.length(16 * 1024, kMostOnDevice / 2) : in.length(16, kMost);
  }

  void update(Input& in) {
    if (model_.bits == 16 && model_.block() == 8 && in.upto(31) == 0) return exhaust();
    const Bytes data = in.filler(length(in));
    const std::size_t n = data.size();
    const Place place(&world_, this->place(in), data, in.upto(15));
    const std::size_t room = in.upto(15) == 0 ? in.upto(n + 1) : n;
    const bool legal =
        n == 0 ? model_.key.has_value() : model_.allows(n) && !place.overlaps() && room >= n;
    std::size_t written = 99;
    const bool one_shot = in.upto(3) == 0;
    auto* const call = one_shot ? get<OSSL_FUNC_cipher_cipher_fn>(OSSL_FUNC_CIPHER_CIPHER)
                                : get<OSSL_FUNC_cipher_update_fn>(OSSL_FUNC_CIPHER_UPDATE);
    const bool done = call(context_, place.out(), &written, room, place.in(), n) == 1;
    finish_update({&model_}, {&place}, {data}, legal, done);
    require(written == (done ? n : 0), "written is what was written");
  }

  // After an update of one message or of many.
  void finish_update(const std::vector<CtrModel*>& models, const std::vector<const Place*>& places,
                     const std::vector<Bytes>& data, bool legal, bool done) {
    bool uses_device = false;
    for (const Place* place : places) uses_device = uses_device || place->uses_device();
    const bool failed = legal && !done && may_fail(uses_device);
    if (failed) {
      core().check_errors(false);
    } else {
      expect(done, legal, "update");
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!done) {
        places[i]->check_untouched(failed);
      } else if (!data[i].empty()) {
        places[i]->check(models[i]->crypt(data[i]));
        models[i]->advance(data[i].size());
      }
    }
  }

  // Up to the last block of a short counter, where nothing may come any more.
  void exhaust() {
    if (!model_.ready() || model_.most != 0) return;
    const std::size_t n = static_cast<std::size_t>(model_.blocks_left()) * model_.block();
    Bytes bytes(n);
    std::size_t written = 0;
    auto* const call = get<OSSL_FUNC_cipher_update_fn>(OSSL_FUNC_CIPHER_UPDATE);
    const bool done = call(context_, bytes.data(), &written, n, bytes.data(), n) == 1;
    if (!done && may_fail(false)) return core().check_errors(false);
    expect(done, true, "all blocks of a short counter");
    model_.advance(n);
  }

  // What is listed is known by name and type; what is asked of the cipher is answered.
  void lists() {
    const OSSL_PARAM* const all[] = {
        get<OSSL_FUNC_cipher_gettable_ctx_params_fn>(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS)(
            context_, core().context()),
        get<OSSL_FUNC_cipher_settable_ctx_params_fn>(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS)(
            context_, core().context()),
        get<OSSL_FUNC_cipher_gettable_params_fn>(OSSL_FUNC_CIPHER_GETTABLE_PARAMS)(
            core().context())};
    for (const OSSL_PARAM* list : all) require(list[0].key != nullptr, "a list of parameters");
    auto* const call = get<OSSL_FUNC_cipher_get_params_fn>(OSSL_FUNC_CIPHER_GET_PARAMS);
    for (const OSSL_PARAM* p = all[2]; p->key != nullptr; ++p) {
      std::size_t number = 99;
      OSSL_PARAM params[] = {*p, kParamEnd};
      params[0].data = &number;
      require(call(params) == 1 && params[0].return_size == sizeof number, "get_params");
      if (std::strcmp(p->key, "keylen") == 0) require(number == spec_.key_bytes, "keylen");
    }
  }

  void odd_calls(Input& in) {
    if (in.upto(7) == 7) return lists();
    std::size_t written = 99;
    auto* const final = get<OSSL_FUNC_cipher_final_fn>(OSSL_FUNC_CIPHER_FINAL);
    expect(final(context_, nullptr, &written, 0) == 1, model_.key.has_value(), "final");
    require(written == 0, "counter mode has no tail");
    auto* const pipes = get<OSSL_FUNC_cipher_pipeline_final_fn>(OSSL_FUNC_CIPHER_PIPELINE_FINAL);
    const std::size_t count = in.flag() ? pipes_.size() : in.upto(kMaxPipes);
    std::size_t each[kMaxPipes];
    expect(pipes(context_, count, nullptr, each, nullptr) == 1, count == pipes_.size(), "finals");
  }

  void pipeline_init(Input& in) {
    const std::size_t count = in.upto(15) == 0 ? in.upto(1) * (kMaxPipes + 1) : 1 + in.upto(7);
    const Bytes key = in.bytes(spec_.key_bytes);
    const bool with_key = in.upto(3) != 0, with_ivs = in.upto(7) != 0;
    const std::size_t key_bytes = in.upto(15) == 0 ? in.upto(40) : key.size();
    const std::size_t iv_bytes = in.upto(15) == 0 ? in.upto(20) : model_.block();
    std::vector<Bytes> ivs(count);
    std::vector<const unsigned char*> list(count + 1);
    bool any_iv = false;
    for (std::size_t i = 0; i < count; ++i) {
      ivs[i] = in.counter(model_.block());
      list[i] = in.upto(7) == 0 ? nullptr : ivs[i].data();
      any_iv = any_iv || list[i] != nullptr;
    }
    const bool legal = count >= 1 && count <= kMaxPipes && (!with_key || key_bytes == key.size()) &&
                       (!with_ivs || !any_iv || iv_bytes == model_.block());
    auto* const call = get<OSSL_FUNC_cipher_pipeline_encrypt_init_fn>(
        in.flag() ? OSSL_FUNC_CIPHER_PIPELINE_ENCRYPT_INIT
                  : OSSL_FUNC_CIPHER_PIPELINE_DECRYPT_INIT);
    const bool done = call(context_, with_key ? key.data() : nullptr, key_bytes, count,
                           with_ivs ? list.data() : nullptr, iv_bytes, nullptr) == 1;
    expect(done, legal, "pipeline init");
    if (!legal) return;
    if (with_key) {  // the context keeps it, and counts its bytes
      model_.key = key;
      model_.had = 0;
      model_.num = 0;
    }
    pipes_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      CtrModel pipe = model_;
      pipe.most = 0;
      pipe.iv.reset();
      if (with_ivs && list[i] != nullptr) pipe.iv = ivs[i];
      pipe.restart();
      pipes_.push_back(pipe);
    }
  }

  // A piece of each message; sometimes pipes that write into one another.
  void pipeline_update(Input& in) {
    const std::size_t count = in.upto(15) == 0 ? in.upto(kMaxPipes) : pipes_.size();
    std::vector<std::unique_ptr<Place>> owned;
    std::vector<const Place*> places;
    std::vector<Bytes> data(count);
    std::vector<unsigned char*> out(count + 1);
    std::vector<const unsigned char*> from(count + 1);
    std::vector<std::size_t> size(count + 1), room(count + 1), written(count + 1, 99);
    bool legal = count == pipes_.size();
    std::vector<CtrModel*> models;
    std::size_t on_device = 0;
    std::size_t total = 0;
    for (std::size_t i = 0; i < count; ++i) {
      data[i] = in.filler(count > 8 ? in.upto(40) : in.upto(7) == 0 ? 0 : length(in) / 2);
      const std::size_t n = size[i] = data[i].size();
      const bool fits = on_device + n <= kMostOnDevice;
      owned.push_back(
          std::make_unique<Place>(&world_, fits ? place(in) : Place::kApart, data[i], on_device));
      if (owned[i]->uses_device()) on_device += n;
      places.push_back(owned[i].get());
      out[i] = owned[i]->out();
      from[i] = owned[i]->in();
      room[i] = in.upto(63) == 0 ? in.upto(n) : n;
      total += n;
      if (!legal) continue;
      models.push_back(&pipes_[i]);
      legal = (n == 0 ? pipes_[i].key.has_value()
                      : pipes_[i].allows(n) && !owned[i]->overlaps() && room[i] >= n);
    }
    if (count >= 2 && in.upto(15) == 0) {
      // Beside an empty message nothing is known: the other's output is not where its place says,
      // and no longer overlaps what it says.
      if (size[0] == 0 || size[1] == 0) return;
      out[1] = out[0];
      legal = false;
    }
    legal = legal && model_.within_limit(total);
    auto* const call = get<OSSL_FUNC_cipher_pipeline_update_fn>(OSSL_FUNC_CIPHER_PIPELINE_UPDATE);
    const bool done = call(context_, count, out.data(), written.data(), room.data(), from.data(),
                           size.data()) == 1;
    finish_update(models, places, data, legal, done);
    if (done) model_.had += total;
    for (std::size_t i = 0; i < count; ++i) {
      require(written[i] == (done ? size[i] : 0), "written is what each pipe wrote");
    }
  }

  World& world_;
  const CipherSpec& spec_;
  const OSSL_DISPATCH* const f_;
  void* context_;
  CtrModel model_;
  std::vector<CtrModel> pipes_;
};

// What the provider tells of itself, and its self-test, which may be told to fail.
void provider_calls(World* world, Input& in) {
  Core& core = world->core();
  void* const context = core.context();
  OSSL_PARAM params[3] = {};
  const OSSL_PARAM* const list =
      core.call<OSSL_FUNC_provider_gettable_params_fn>(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS)(context);
  std::size_t count = 0;
  while (list[count].key != nullptr) ++count;
  params[0] = list[in.upto(count - 1)];
  char room[200] = {};
  const char* text = nullptr;
  std::uint64_t number = 0;
  if (params[0].data_type == OSSL_PARAM_UTF8_PTR) {
    params[0].data = &text;
  } else if (params[0].data_type == OSSL_PARAM_UTF8_STRING) {
    params[0].data = room;
    params[0].data_size = sizeof room;
  } else {
    params[0].data = &number;
    params[0].data_size = in.flag() ? 8 : 4;
  }
  require(core.call<OSSL_FUNC_provider_get_params_fn>(OSSL_FUNC_PROVIDER_GET_PARAMS)(context,
                                                                                     params) == 1,
          "the provider answers what it lists");
  require(core.find(OSSL_OP_KDF, "HIGHT-CTR") == nullptr, "nothing else is offered");
  if (in.upto(127) != 127) return;  // 50 ms
  const auto nth = static_cast<unsigned>(in.upto(3) == 0 ? 0 : 1 + in.upto(60));
  core.corrupt(nth);
  const BackendList backends = cpu_backends();
  // Of the generators, and of each cipher and of GHASH on each backend.
  auto tests = static_cast<unsigned>(test::generator_ciphers().size());
  for (std::size_t i = 0; i < backends.count; ++i) {
    if (backends.first[i]->available()) tests += kCipherCount + 1;
  }
  const bool passes = nth == 0 || nth > tests;
  auto* const run = core.call<OSSL_FUNC_provider_self_test_fn>(OSSL_FUNC_PROVIDER_SELF_TEST);
  require((run(context) == 1) == passes, "the self-test sees what is corrupt, and nothing else");
  core.check_errors(passes);
  require((core.find(OSSL_OP_CIPHER, "HIGHT-CTR") != nullptr) == passes,
          "after a failed self-test nothing is offered");
}

}  // namespace
}  // namespace fuzz
}  // namespace gpuctr

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuctr;
  {
    fuzz::Input in(data, size);
    fuzz::World world(in);
    {
      fuzz::Context context(&world, in);
      for (int steps = 0; in.more() && steps < 24; ++steps) context.step(in);
    }
    {
      fuzz::Input again(data, size);
      fuzz::Messages messages(&world, again);
      for (int steps = 0; again.more() && steps < 24; ++steps) messages.step(again);
    }
    if (in.upto(7) == 7) fuzz::provider_calls(&world, in);
  }
  if (gpuctr::g_layer != nullptr) test::fake_retire();
  return 0;
}
