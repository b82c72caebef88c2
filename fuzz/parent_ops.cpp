// The provider's generators, through their dispatch tables, under a parent that the fuzzer plays:
// too much entropy or too little or none, no nonce, a nonce of another size, a lock that fails, a
// reseed of its own at any time. Outputs, seeds and nonces for children are those of the second
// model of CTR_DRBG; each refusal has one error, and a generator that lost its source comes back.
#include <algorithm>
#include <optional>

#include "drbg/mechanism.h"
#include "fuzz/core.h"
#include "fuzz/scalar.h"
#include "test/drbg/model.h"

namespace gpuctr::fuzz {
namespace {

constexpr std::size_t kMost = 2500;  // several requests of a cipher with 64-bit blocks
constexpr std::size_t kTooMany = (std::size_t{1} << 30) + 1;

// What the child asks of it and what it was given.
class Parent {
 public:
  explicit Parent(Input* in) : in_(*in) {
    strength_ = in->upto(15) == 15 ? static_cast<unsigned>(in->upto(300)) : 256;
    gives_nonce_ = in->upto(3) != 3;
    static const OSSL_DISPATCH kAll[] = {
        {OSSL_FUNC_RAND_ENABLE_LOCKING, reinterpret_cast<void (*)()>(enable_locking)},
        {OSSL_FUNC_RAND_LOCK, reinterpret_cast<void (*)()>(lock)},
        {OSSL_FUNC_RAND_UNLOCK, reinterpret_cast<void (*)()>(unlock)},
        {OSSL_FUNC_RAND_GET_CTX_PARAMS, reinterpret_cast<void (*)()>(get_ctx_params)},
        {OSSL_FUNC_RAND_GET_SEED, reinterpret_cast<void (*)()>(get_seed)},
        {OSSL_FUNC_RAND_CLEAR_SEED, reinterpret_cast<void (*)()>(clear_seed)},
        {OSSL_FUNC_RAND_NONCE, reinterpret_cast<void (*)()>(nonce)},
        {0, nullptr}};
    std::copy(std::begin(kAll), std::end(kAll), functions_);
    if (!gives_nonce_) functions_[6] = {0, nullptr};
  }
  ~Parent() { require(held_ == 0 && !locked_, "seeds go back and the lock is released"); }

  const OSSL_DISPATCH* functions() const { return functions_; }
  unsigned strength() const { return strength_; }
  bool gives_nonce() const { return gives_nonce_; }

  // Decided before the call that will ask; what it gave is known after it.
  void prepare(std::size_t exact) {
    plan_ = in_.upto(31);
    exact_ = exact;
    seed_.clear();
    nonce_.clear();
  }
  const Bytes& seed() const { return seed_; }
  const Bytes& nonce_given() const { return nonce_; }
  bool nonce_good() const { return nonce_good_; }
  void refuse_locking() { locking_ = false; }
  void reseeded() { ++counter_; }
  unsigned counter() const { return counter_; }

 private:
  static Parent& self(void* context) { return *static_cast<Parent*>(context); }
  static int enable_locking(void* context) { return self(context).locking_ ? 1 : 0; }
  static int lock(void* context) {
    require(!self(context).locked_, "no call within a call");
    self(context).locked_ = true;
    return 1;
  }
  static void unlock(void* context) { self(context).locked_ = false; }
  static int get_ctx_params(void* context, OSSL_PARAM params[]) {
    OSSL_PARAM* p = find_param(params, OSSL_RAND_PARAM_STRENGTH);
    if (p != nullptr && !answer_uint(p, self(context).strength_)) return 0;
    p = find_param(params, OSSL_DRBG_PARAM_RESEED_COUNTER);
    return p == nullptr || answer_uint(p, self(context).counter_) ? 1 : 0;
  }
  static std::size_t get_seed(void* context, unsigned char** out, int, std::size_t min,
                              std::size_t max, int, const unsigned char*, std::size_t) {
    Parent& p = self(context);
    require(p.locked_, "the parent's lock is held");
    std::size_t n = std::min(max, min + p.exact_);
    if (p.plan_ == 31) n = min - 1;
    if (p.plan_ == 30) n = max < 1000 ? max + 1 : min;
    if (p.plan_ == 29) return 0;
    p.seed_ = p.in_.bytes(n);
    *out = static_cast<unsigned char*>(std::malloc(n));
    std::copy(p.seed_.begin(), p.seed_.end(), *out);
    ++p.held_;
    return n;
  }
  static void clear_seed(void* context, unsigned char* seed, std::size_t n) {
    require(n == self(context).seed_.size(), "a seed goes back whole");
    std::free(seed);
    --self(context).held_;
  }
  static std::size_t nonce(void* context, unsigned char* out, unsigned, std::size_t min,
                           std::size_t max) {
    Parent& p = self(context);
    const std::size_t n = std::min(max, min + p.exact_);
    p.nonce_good_ = p.plan_ != 28 && p.plan_ != 27;
    if (p.plan_ == 28) return out == nullptr ? n : n - 1;  // not what it said
    if (p.plan_ == 27) return max + 1;
    if (out == nullptr) return n;
    p.nonce_ = p.in_.bytes(n);
    std::copy(p.nonce_.begin(), p.nonce_.end(), out);
    return n;
  }

  Input& in_;
  OSSL_DISPATCH functions_[8];
  unsigned strength_;
  bool gives_nonce_;
  bool locking_ = true;
  bool locked_ = false;
  unsigned counter_ = 1;
  std::size_t plan_ = 0, exact_ = 0;
  Bytes seed_, nonce_;
  bool nonce_good_ = true;
  int held_ = 0;
};

Core& core() {
  static Core* const one = new Core(test::Core::Section{{"gpu", "off"}});
  return *one;
}

class Sequence {
 public:
  explicit Sequence(Input& in)
      : spec_(in.cipher()),
        mechanism_(spec_, scalar_engine()),
        strength_(static_cast<unsigned>(8 * spec_.key_bytes)),
        seed_bytes_(spec_.key_bytes + spec_.block_bytes),
        request_(spec_.block_bytes == 8 ? 1024 : 65536),
        has_parent_(in.upto(15) != 15),
        parent_(&in),
        f_(core().find(OSSL_OP_RAND, std::string(spec_.name) + "-CTR-DRBG")) {
    auto* const create = get<OSSL_FUNC_rand_newctx_fn>(OSSL_FUNC_RAND_NEWCTX);
    context_ = create(core().context(), has_parent_ ? &parent_ : nullptr,
                      has_parent_ ? parent_.functions() : nullptr);
    const bool legal = !has_parent_ || parent_.strength() >= strength_;
    expect(context_ != nullptr, legal, "a generator takes a parent of its strength");
  }
  ~Sequence() {
    if (context_ != nullptr) get<OSSL_FUNC_rand_freectx_fn>(OSSL_FUNC_RAND_FREECTX)(context_);
  }
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  void step(Input& in) {
    if (context_ == nullptr) return;
    switch (in.upto(9)) {
      case 0:
      case 1:
        return instantiate(in);
      case 2:
        return reseed(in);
      case 3:
        return settings(in);
      case 4:
        return ask(in);
      case 5:
        return child(in);
      case 6:
        return rare(in);
      default:
        return generate(in);
    }
  }

 private:
  enum class State { kNone, kReady, kError };

  template <class F>
  F* get(int id) const {
    return function<F>(f_, id);
  }
  void expect(bool done, bool legal, const char* what) {
    require(done == legal, what);
    core().check_errors(legal);
  }
  static const std::uint8_t* at(const Bytes& b) { return b.empty() ? nullptr : b.data(); }

  std::size_t least() const { return use_df_ ? spec_.key_bytes : seed_bytes_; }
  bool fits(const Bytes& b) const { return use_df_ || b.size() <= seed_bytes_; }
  void fail() {
    state_ = State::kError;
    model_.reset();
  }
  void seeded() {
    state_ = State::kReady;
    served_ = 0;
    recorded_ = parent_.counter();
  }
  void prepare(Input& in) { parent_.prepare(use_df_ ? in.upto(30) : 0); }

  // What the parent gave, as the generator has to take it. False: it was not enough.
  bool seeding(const Bytes& personalization) {
    const std::size_t wanted_nonce = use_df_ ? spec_.key_bytes / 2 : 0;
    if (!fits(personalization)) return false;  // before anybody is asked, and nothing changes
    if (!has_parent_) {
      model_.emplace(mechanism_, use_df_);
      seeded();
      return true;
    }
    if (wanted_nonce != 0 && parent_.gives_nonce() && !parent_.nonce_good()) return fail(), false;
    Bytes entropy = parent_.seed(), nonce = parent_.nonce_given();
    const bool nonce_within = wanted_nonce != 0 && !parent_.gives_nonce();
    const std::size_t min = least() + (nonce_within ? wanted_nonce : 0);
    if (entropy.size() < min || (!use_df_ && entropy.size() > seed_bytes_)) return fail(), false;
    if (nonce_within) {
      nonce.assign(entropy.end() - static_cast<std::ptrdiff_t>(wanted_nonce), entropy.end());
      entropy.resize(entropy.size() - wanted_nonce);
    }
    if (!fits(personalization)) return false;
    model_.emplace(mechanism_, use_df_);
    model_->instantiate(entropy, nonce, personalization);
    seeded();
    return true;
  }

  void instantiate(Input& in) {
    const Bytes text = in.bytes(in.upto(60));
    const bool own = in.flag();  // the provider's personalization string
    const unsigned wanted =
        in.upto(15) == 15 ? strength_ + 1 : static_cast<unsigned>(in.upto(strength_));
    prepare(in);
    auto* const call = get<OSSL_FUNC_rand_instantiate_fn>(OSSL_FUNC_RAND_INSTANTIATE);
    const std::uint8_t none = 0;
    const bool done = call(context_, wanted, in.flag() ? 1 : 0,
                           own ? nullptr : (text.empty() ? &none : text.data()),
                           own ? 0 : text.size(), nullptr) == 1;
    if (wanted > strength_ || state_ == State::kReady) return expect(done, false, "instantiate");
    expect(done, seeding(own ? default_text() : text), "instantiate");
  }
  static Bytes default_text() {
    const std::string text = "gpuctr CTR_DRBG";
    return Bytes(text.begin(), text.end());
  }

  // What precedes a reseed or a request: a generator in its error state is instantiated again.
  // nullopt: it works as it is.
  std::optional<bool> comes_back() {
    if (state_ == State::kReady) return std::nullopt;
    return state_ == State::kError && seeding(default_text());
  }

  void reseed(Input& in) {
    const Bytes own = in.bytes(in.flag() ? least() - 1 + in.upto(20) : 0);
    const Bytes more = in.bytes(in.upto(60));
    prepare(in);
    if (state_ == State::kError) return;  // asks the parent twice in one call: see generate()
    auto* const call = get<OSSL_FUNC_rand_reseed_fn>(OSSL_FUNC_RAND_RESEED);
    const bool done = call(context_, 0, at(own), own.size(), at(more), more.size()) == 1;
    if (state_ == State::kNone) return expect(done, false, "a reseed of nothing");
    const bool taken = own.empty() || (own.size() >= least() &&
                                       (use_df_ || own.size() == seed_bytes_) && fits(more));
    if (!taken) return expect(done, false, "own entropy of another length");
    if (!own.empty()) {
      if (has_parent_) model_->reseed(own, more);
      served_ = 0;
    }
    expect(done, reseed_from_parent(own.empty() ? more : Bytes()), "reseed");
  }
  bool reseed_from_parent(const Bytes& more) {
    if (!has_parent_) return fits(more) ? seeded(), true : false;
    if (!fits(more)) return false;  // before the parent is asked
    const Bytes& seed = parent_.seed();
    if (seed.size() < least() || (!use_df_ && seed.size() > seed_bytes_)) return fail(), false;
    model_->reseed(seed, more);
    seeded();
    return true;
  }

  void generate(Input& in) {
    const std::size_t n = in.upto(31) == 31 ? kTooMany : in.upto(in.upto(3) == 3 ? kMost : 100);
    const bool resist = in.upto(7) == 7;
    const unsigned wanted = in.upto(15) == 15 ? strength_ + 1 : 0;
    const Bytes more = in.bytes(in.upto(3) == 3 ? in.upto(60) : 0);
    prepare(in);
    Bytes out((n == kTooMany ? 0 : n) + 1, 0x5a);
    // One call may ask for several seeds, which are not all kept: those cases are the CTest
    // suite's.
    const bool reseeds =
        resist || recorded_ != parent_.counter() || requests_ == 1 || served_ >= interval();
    if (state_ == State::kReady && served_ + n / request_ + 1 > interval() && n > request_) return;
    if (state_ == State::kReady && requests_ == 1 && n > request_) return;
    if (state_ == State::kReady && reseeds && !more.empty() && served_ + 3 > interval()) return;
    const bool several = n > request_ && n != kTooMany;
    if (state_ == State::kError && (resist || requests_ == 1 || several)) return;
    auto* const call = get<OSSL_FUNC_rand_generate_fn>(OSSL_FUNC_RAND_GENERATE);
    const bool done =
        call(context_, out.data(), n, wanted, resist ? 1 : 0, at(more), more.size()) == 1;
    require(out.back() == 0x5a, "nothing is written past the end");
    const bool legal = produce(&out, n, wanted, reseeds, more, done);
    expect(done, legal, "generate");
  }

  // Compares with the model; false where the request has to be refused.
  bool produce(Bytes* out, std::size_t n, unsigned wanted, bool reseeds, const Bytes& additional,
               bool done) {
    const Bytes untouched(out->size(), 0x5a);
    const auto refuse = [&] {
      require(*out == untouched, "a refused request writes nothing");
      return false;
    };
    // As OpenSSL's: out of the error state first, and refused then.
    const std::optional<bool> back = comes_back();
    if (back && !*back) return refuse();
    if (wanted > strength_ || n == kTooMany || !fits(additional)) return refuse();
    bool spent = false;  // the additional input went to the reseed
    if (reseeds && !back) {
      if (!reseed_from_parent(additional)) return refuse();
      spent = true;
    }
    if (!done || !has_parent_) return true;
    Bytes expected;
    do {
      const std::size_t take = std::min(n - expected.size(), request_);
      const Bytes part = model_->generate(take, spent ? Bytes() : additional);
      // Without additional input the whole chain follows the reseed.
      if (!additional.empty()) spent = false;
      expected.insert(expected.end(), part.begin(), part.end());
      ++served_;
    } while (expected.size() != n);
    out->resize(n);
    require(*out == expected, "the output is the model's");
    return true;
  }
  std::uint64_t interval() const {
    return requests_ == 0 ? UINT64_MAX : std::max<std::uint64_t>(requests_ - 1, 1);
  }

  void settings(Input& in) {
    auto* const call = get<OSSL_FUNC_rand_set_ctx_params_fn>(OSSL_FUNC_RAND_SET_CTX_PARAMS);
    std::int64_t requests = static_cast<std::int64_t>(in.upto(6)) - (in.upto(15) == 15 ? 7 : 0);
    int use_df = in.flag() ? 1 : 0;
    std::uint32_t seconds = 3600;
    const OSSL_PARAM params[] = {
        {OSSL_DRBG_PARAM_RESEED_REQUESTS, OSSL_PARAM_INTEGER, &requests, sizeof requests, 0},
        {OSSL_DRBG_PARAM_USE_DF, OSSL_PARAM_INTEGER, &use_df, sizeof use_df, 0},
        {OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, OSSL_PARAM_UNSIGNED_INTEGER, &seconds,
         sizeof seconds, 0},
        kParamEnd};
    const bool legal = requests >= 0 && (state_ != State::kReady || use_df_ == (use_df == 1));
    require((call(context_, params) == 1) == legal, "set_ctx_params");
    // As OpenSSL's own, an integer that cannot be read is refused in silence.
    core().check_errors(legal || requests < 0);
    if (!legal) return;
    requests_ = static_cast<std::uint64_t>(requests);
    use_df_ = use_df == 1;
  }

  void ask(Input& in) {
    auto* const list =
        get<OSSL_FUNC_rand_gettable_ctx_params_fn>(OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS);
    auto* const call = get<OSSL_FUNC_rand_get_ctx_params_fn>(OSSL_FUNC_RAND_GET_CTX_PARAMS);
    const OSSL_PARAM* p = list(context_, core().context());
    for (std::size_t skip = in.upto(20); skip != 0 && p[1].key != nullptr; --skip) ++p;
    std::uint64_t number = 0;
    char text[40] = {};
    OSSL_PARAM params[] = {*p, kParamEnd};
    const bool is_text = p->data_type == OSSL_PARAM_UTF8_STRING;
    params[0].data = is_text ? static_cast<void*>(text) : &number;
    params[0].data_size = is_text ? sizeof text : sizeof number;
    require(call(context_, params) == 1, "what is listed is answered");
    const struct {
      const char* key;
      std::uint64_t value;
    } known[] = {{"state", static_cast<std::uint64_t>(state_)},
                 {"strength", strength_},
                 {"min_entropylen", least()},
                 {"min_noncelen", use_df_ ? spec_.key_bytes / 2 : 0},
                 {"reseed_requests", requests_},
                 {"use_derivation_function", use_df_ ? 1u : 0u}};
    for (const auto& row : known) {
      if (std::strcmp(row.key, p->key) == 0) require(number == row.value, "as the model has it");
    }
    require(!is_text || text[0] != '\0', "the cipher has a name");
    static_cast<void>(get<OSSL_FUNC_rand_settable_ctx_params_fn>(
        OSSL_FUNC_RAND_SETTABLE_CTX_PARAMS)(context_, nullptr));
  }

  // What a generator below this one asks for.
  void child(Input& in) {
    if (state_ == State::kError) return;
    prepare(in);
    const bool reseeds = recorded_ != parent_.counter() || requests_ == 1 || served_ >= interval();
    if (in.flag()) {
      auto* const call = get<OSSL_FUNC_rand_nonce_fn>(OSSL_FUNC_RAND_NONCE);
      const std::size_t n = call(context_, nullptr, strength_, 8, 40);
      require(n >= 8 && n <= 40, "the size of a nonce");
      Bytes out(n + 1, 0x5a);
      const bool done = call(context_, out.data(), strength_, 8, 40) == n;
      return expect(done, produce(&out, n, 0, reseeds, {}, done), "nonce");
    }
    auto* const call = get<OSSL_FUNC_rand_get_seed_fn>(OSSL_FUNC_RAND_GET_SEED);
    unsigned char* seed = nullptr;
    const std::size_t n = call(context_, &seed, 128, 16 + in.upto(10), 48, 0, nullptr, 0);
    Bytes out(49, 0x5a);
    if (n != 0) out.assign(seed, seed + n);
    const bool done = n != 0;
    const bool legal = produce(&out, done ? n : 16, 0, reseeds, {}, done);
    get<OSSL_FUNC_rand_clear_seed_fn>(OSSL_FUNC_RAND_CLEAR_SEED)(context_, seed, n);
    expect(done, legal, "get_seed");
  }

  void rare(Input& in) {
    switch (in.upto(3)) {
      case 0:
        return parent_.reseeded();
      case 1: {
        if (in.flag()) parent_.refuse_locking();
        auto* const call = get<OSSL_FUNC_rand_enable_locking_fn>(OSSL_FUNC_RAND_ENABLE_LOCKING);
        const bool done = call(context_) == 1;
        core().check_errors(done);
        require(done || has_parent_, "only a parent can refuse");
        return;
      }
      case 2:
        require(get<OSSL_FUNC_rand_lock_fn>(OSSL_FUNC_RAND_LOCK)(context_) == 1, "lock");
        return get<OSSL_FUNC_rand_unlock_fn>(OSSL_FUNC_RAND_UNLOCK)(context_);
      default:
        require(get<OSSL_FUNC_rand_uninstantiate_fn>(OSSL_FUNC_RAND_UNINSTANTIATE)(context_) == 1,
                "uninstantiate");
        require(get<OSSL_FUNC_rand_verify_zeroization_fn>(OSSL_FUNC_RAND_VERIFY_ZEROIZATION)(
                    context_) == 1,
                "nothing is left");
        state_ = State::kNone;
        model_.reset();
    }
  }

  const CipherSpec& spec_;
  const drbg::Mechanism mechanism_;
  const unsigned strength_;
  const std::size_t seed_bytes_, request_;
  const bool has_parent_;
  Parent parent_;
  const OSSL_DISPATCH* const f_;
  void* context_ = nullptr;
  std::optional<test::ModelDrbg> model_;
  State state_ = State::kNone;
  bool use_df_ = true;
  std::uint64_t requests_ = 256;
  std::uint64_t served_ = 0;
  unsigned recorded_ = 1;  // the parent's counter at the last seeding
};

}  // namespace
}  // namespace gpuctr::fuzz

// The trace's text is made as for a file.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  return setenv("GPUCTR_TRACE", "/dev/null", 1);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuctr;
  fuzz::Input in(data, size);
  fuzz::Sequence sequence(in);
  for (int steps = 0; in.more() && steps < 24; ++steps) sequence.step(in);
  return 0;
}
