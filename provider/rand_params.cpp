// The parameters of a random generator: EVP_RAND(7) and EVP_RAND-CTR-DRBG(7), less its `cipher` and
// `properties`, which the algorithm's name settles. Unknown parameters are ignored, as everywhere
// in OpenSSL: 3.0 sets `cipher` on every DRBG that it makes.
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <array>
#include <cstring>

#include "provider/context.h"
#include "provider/rand_ctx.h"

namespace gpuctr {

const OSSL_PARAM* RandContext::settable_ctx_params(void*, void*) {
  static const OSSL_PARAM kParams[] = {
      OSSL_PARAM_uint64(OSSL_DRBG_PARAM_RESEED_REQUESTS, nullptr),
      OSSL_PARAM_time_t(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, nullptr),
      OSSL_PARAM_int(OSSL_DRBG_PARAM_USE_DF, nullptr), OSSL_PARAM_END};
  return kParams;
}

// One row a parameter; the two that OpenSSL asks for at each generate come first.
struct RandContext::Gettable {
  OSSL_PARAM descriptor;
  int (*get)(const RandContext& c, OSSL_PARAM* p);
};

const RandContext::Gettable RandContext::kGettable[] = {
    {OSSL_PARAM_size_t(OSSL_RAND_PARAM_MAX_REQUEST, nullptr),
     [](const RandContext&, OSSL_PARAM* p) { return OSSL_PARAM_set_size_t(p, kMaxRequest); }},
    {OSSL_PARAM_uint(OSSL_DRBG_PARAM_RESEED_COUNTER, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) {
       return OSSL_PARAM_set_uint(p, c.reseed_counter());
     }},
    {OSSL_PARAM_int(OSSL_RAND_PARAM_STATE, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) { return OSSL_PARAM_set_int(p, c.state()); }},
    {OSSL_PARAM_uint(OSSL_RAND_PARAM_STRENGTH, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) { return OSSL_PARAM_set_uint(p, c.strength()); }},
    {OSSL_PARAM_size_t(OSSL_DRBG_PARAM_MIN_ENTROPYLEN, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) {
       return OSSL_PARAM_set_size_t(p, c.drbg_.min_entropy());
     }},
    {OSSL_PARAM_size_t(OSSL_DRBG_PARAM_MAX_ENTROPYLEN, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) {
       return OSSL_PARAM_set_size_t(p, c.drbg_.max_entropy());
     }},
    {OSSL_PARAM_size_t(OSSL_DRBG_PARAM_MIN_NONCELEN, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) {
       return OSSL_PARAM_set_size_t(p, c.drbg_.min_nonce());
     }},
    {OSSL_PARAM_size_t(OSSL_DRBG_PARAM_MAX_NONCELEN, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) {
       return OSSL_PARAM_set_size_t(p, c.drbg_.max_nonce());
     }},
    {OSSL_PARAM_size_t(OSSL_DRBG_PARAM_MAX_PERSLEN, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) {
       return OSSL_PARAM_set_size_t(p, c.drbg_.max_personalization());
     }},
    {OSSL_PARAM_size_t(OSSL_DRBG_PARAM_MAX_ADINLEN, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) {
       return OSSL_PARAM_set_size_t(p, c.drbg_.max_additional());
     }},
    {OSSL_PARAM_uint64(OSSL_DRBG_PARAM_RESEED_REQUESTS, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) {
       return OSSL_PARAM_set_uint64(p, c.reseed_requests_);
     }},
    {OSSL_PARAM_time_t(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) {
       return OSSL_PARAM_set_time_t(p, c.reseed_time_interval_);
     }},
    {OSSL_PARAM_time_t(OSSL_DRBG_PARAM_RESEED_TIME, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) { return OSSL_PARAM_set_time_t(p, c.reseed_time_); }},
    {OSSL_PARAM_utf8_string(OSSL_DRBG_PARAM_CIPHER, nullptr, 0),
     [](const RandContext& c, OSSL_PARAM* p) {
       return OSSL_PARAM_set_utf8_string(p, c.algorithm_.cipher_name);
     }},
    {OSSL_PARAM_int(OSSL_DRBG_PARAM_USE_DF, nullptr),
     [](const RandContext& c, OSSL_PARAM* p) {
       return OSSL_PARAM_set_int(p, c.drbg_.uses_df() ? 1 : 0);
     }},
};

const OSSL_PARAM* RandContext::gettable_ctx_params(void*, void*) {
  constexpr std::size_t kRows = sizeof kGettable / sizeof kGettable[0];
  static const auto kParams = [] {
    std::array<OSSL_PARAM, kRows + 1> params;
    for (std::size_t i = 0; i < kRows; ++i) params[i] = kGettable[i].descriptor;
    params[kRows] = OSSL_PARAM_construct_end();
    return params;
  }();
  return kParams.data();
}

bool RandContext::get_params_locked(OSSL_PARAM* params) const {
  for (OSSL_PARAM* p = params; p != nullptr && p->key != nullptr; ++p) {
    for (const Gettable& row : kGettable) {
      if (std::strcmp(p->key, row.descriptor.key) != 0) continue;
      if (row.get(*this, p) != 1) return false;
      break;
    }
  }
  return true;
}

bool RandContext::set_params_locked(const OSSL_PARAM* params) {
  if (params == nullptr) return true;
  std::uint64_t requests = reseed_requests_;
  std::time_t interval = reseed_time_interval_;
  int use_df = drbg_.uses_df() ? 1 : 0;
  const OSSL_PARAM* p = OSSL_PARAM_locate_const(params, OSSL_DRBG_PARAM_RESEED_REQUESTS);
  bool right = p == nullptr || OSSL_PARAM_get_uint64(p, &requests) == 1;
  p = OSSL_PARAM_locate_const(params, OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL);
  right = right && (p == nullptr || OSSL_PARAM_get_time_t(p, &interval) == 1);
  p = OSSL_PARAM_locate_const(params, OSSL_DRBG_PARAM_USE_DF);
  right = right && (p == nullptr || OSSL_PARAM_get_int(p, &use_df) == 1);
  if (!right) {
    raise(provider_, Reason::kBadParameter, "a parameter of %s is not of its type", algorithm_.name);
    return false;
  }
  if (!drbg_.set_use_df(use_df != 0)) {
    raise(provider_, Reason::kBadParameter,
          "use_derivation_function cannot change while %s is instantiated", algorithm_.name);
    return false;
  }
  reseed_requests_ = requests;
  reseed_time_interval_ = interval;
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
