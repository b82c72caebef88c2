// The parameters of a random generator: those of EVP_RAND(7) and EVP_RAND-CTR-DRBG(7). `cipher` and
// `properties` cannot be set, because the algorithm's name determines both. Unknown parameters are
// ignored, as everywhere in OpenSSL: 3.0 sets `cipher` on every DRBG that it makes.
#include <openssl/core_names.h>

#include <array>

#include "provider/core/errors.h"
#include "provider/core/ossl_param.h"
#include "provider/rand/rand_context.h"

namespace gpuctr {
namespace {

constexpr OSSL_PARAM entry(const char* key, unsigned type, std::size_t size) {
  return {key, type, nullptr, size, OSSL_PARAM_UNMODIFIED};
}
constexpr OSSL_PARAM as_int(const char* key) { return entry(key, OSSL_PARAM_INTEGER, sizeof(int)); }
constexpr OSSL_PARAM as_uint(const char* key) {
  return entry(key, OSSL_PARAM_UNSIGNED_INTEGER, sizeof(unsigned));
}
constexpr OSSL_PARAM as_uint64(const char* key) {
  return entry(key, OSSL_PARAM_UNSIGNED_INTEGER, sizeof(std::uint64_t));
}
constexpr OSSL_PARAM as_size(const char* key) {
  return entry(key, OSSL_PARAM_UNSIGNED_INTEGER, sizeof(std::size_t));
}
constexpr OSSL_PARAM as_time(const char* key) {
  return entry(key, OSSL_PARAM_INTEGER, sizeof(std::time_t));
}

}  // namespace

const OSSL_PARAM* RandContext::settable_ctx_params(void*, void*) {
  static const OSSL_PARAM kParams[] = {as_uint64(OSSL_DRBG_PARAM_RESEED_REQUESTS),
                                       as_time(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL),
                                       as_int(OSSL_DRBG_PARAM_USE_DF), kParamEnd};
  return kParams;
}

// One row per integer parameter. The two that OpenSSL reads at each generate come first.
struct RandContext::Gettable {
  OSSL_PARAM descriptor;
  std::uint64_t (*get)(const RandContext& c);
};

const RandContext::Gettable RandContext::kGettable[] = {
    {as_size(OSSL_RAND_PARAM_MAX_REQUEST),
     [](const RandContext&) -> std::uint64_t { return kMaxRequest; }},
    {as_uint(OSSL_DRBG_PARAM_RESEED_COUNTER),
     [](const RandContext& c) -> std::uint64_t { return c.reseed_counter(); }},
    {as_int(OSSL_RAND_PARAM_STATE),
     [](const RandContext& c) { return static_cast<std::uint64_t>(c.state()); }},
    {as_uint(OSSL_RAND_PARAM_STRENGTH),
     [](const RandContext& c) -> std::uint64_t { return c.strength(); }},
    {as_size(OSSL_DRBG_PARAM_MIN_ENTROPYLEN),
     [](const RandContext& c) -> std::uint64_t { return c.drbg_.min_entropy(); }},
    {as_size(OSSL_DRBG_PARAM_MAX_ENTROPYLEN),
     [](const RandContext& c) -> std::uint64_t { return c.drbg_.max_entropy(); }},
    {as_size(OSSL_DRBG_PARAM_MIN_NONCELEN),
     [](const RandContext& c) -> std::uint64_t { return c.drbg_.min_nonce(); }},
    {as_size(OSSL_DRBG_PARAM_MAX_NONCELEN),
     [](const RandContext& c) -> std::uint64_t { return c.drbg_.max_nonce(); }},
    {as_size(OSSL_DRBG_PARAM_MAX_PERSLEN),
     [](const RandContext& c) -> std::uint64_t { return c.drbg_.max_personalization(); }},
    {as_size(OSSL_DRBG_PARAM_MAX_ADINLEN),
     [](const RandContext& c) -> std::uint64_t { return c.drbg_.max_additional(); }},
    {as_uint64(OSSL_DRBG_PARAM_RESEED_REQUESTS),
     [](const RandContext& c) { return c.reseed_requests_; }},
    {as_time(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL),
     [](const RandContext& c) { return static_cast<std::uint64_t>(c.reseed_time_interval_); }},
    {as_time(OSSL_DRBG_PARAM_RESEED_TIME),
     [](const RandContext& c) { return static_cast<std::uint64_t>(c.reseed_time_); }},
    {as_int(OSSL_DRBG_PARAM_USE_DF),
     [](const RandContext& c) -> std::uint64_t { return c.drbg_.uses_df() ? 1 : 0; }},
};

const OSSL_PARAM* RandContext::gettable_ctx_params(void*, void*) {
  constexpr std::size_t kRows = sizeof kGettable / sizeof kGettable[0];
  static const auto kParams = [] {
    std::array<OSSL_PARAM, kRows + 2> params;
    for (std::size_t i = 0; i < kRows; ++i) params[i] = kGettable[i].descriptor;
    params[kRows] = param_text(OSSL_DRBG_PARAM_CIPHER);
    params[kRows + 1] = kParamEnd;
    return params;
  }();
  return kParams.data();
}

bool RandContext::get_params_locked(OSSL_PARAM* params) const {
  for (OSSL_PARAM* p = params; p != nullptr && p->key != nullptr; ++p) {
    const bool is_cipher = is_key(*p, OSSL_DRBG_PARAM_CIPHER);
    if (is_cipher && !answer_text(p, algorithm_.cipher_name)) return false;
    for (const Gettable& row : kGettable) {
      if (!is_key(*p, row.descriptor.key)) continue;
      if (!answer_uint(p, row.get(*this))) return false;
      break;
    }
  }
  return true;
}

bool RandContext::set_params_locked(const OSSL_PARAM* params) {
  std::uint64_t requests = reseed_requests_;
  std::uint64_t interval = static_cast<std::uint64_t>(reseed_time_interval_);
  std::uint64_t use_df = drbg_.uses_df() ? 1 : 0;
  const struct {
    const char* key;
    std::uint64_t* value;
  } rows[] = {{OSSL_DRBG_PARAM_RESEED_REQUESTS, &requests},
              {OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, &interval},
              {OSSL_DRBG_PARAM_USE_DF, &use_df}};
  for (const auto& row : rows) {
    const OSSL_PARAM* p = find_param(params, row.key);
    if (p == nullptr || read_uint(*p, row.value)) continue;
    raise(core_, Reason::kRandParameter, "%s of %s takes an integer from 0 on", row.key,
          algorithm_.name);
    return false;
  }
  if (!drbg_.set_use_df(use_df != 0)) {
    raise(core_, Reason::kBadParameter,
          "use_derivation_function cannot change while %s is instantiated", algorithm_.name);
    return false;
  }
  reseed_requests_ = requests;
  reseed_time_interval_ = static_cast<std::time_t>(interval);
  apply_reseed_requests();
  return true;
}

int RandContext::get_ctx_params(void* context, OSSL_PARAM* params) {
  auto* rand = static_cast<RandContext*>(context);
  const ForkLock::Guard locked(&rand->lock_);
  return rand->get_params_locked(params) ? 1 : 0;
}

int RandContext::set_ctx_params(void* context, const OSSL_PARAM* params) {
  auto* rand = static_cast<RandContext*>(context);
  const ForkLock::Guard locked(&rand->lock_);
  return rand->set_params_locked(params) ? 1 : 0;
}

}  // namespace gpuctr
