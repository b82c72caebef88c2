// The parameters of a stream generator: some of EVP_RAND(7), and what its numbers are.
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <strings.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/base/wipe.h"
#include "provider/core/errors.h"
#include "provider/core/ossl_param.h"
#include "provider/rand/rand_context.h"
#include "provider/rand/stream_context.h"

namespace gpuctr {
namespace {

constexpr char kOutput[] = "output";
constexpr char kType[] = "type";
constexpr char kMean[] = "mean";
constexpr char kStddev[] = "stddev";
constexpr char kLow[] = "low";
constexpr char kHigh[] = "high";
constexpr char kP[] = "p";
constexpr char kSeed[] = "seed";
constexpr char kCall[] = "call";

constexpr const char* kOutputs[] = {"bytes", "uniform", "normal", "integers", "bernoulli"};
constexpr const char* kTypes[] = {"float32", "float64", "float16", "bfloat16",
                                  "int32",   "int64",   "uint8"};

constexpr OSSL_PARAM real(const char* key) {
  return {key, OSSL_PARAM_REAL, nullptr, sizeof(double), OSSL_PARAM_UNMODIFIED};
}

// The position of a text parameter's value in a list. False: not there, or no text.
template <class Word, std::size_t kCount>
bool read_word(const OSSL_PARAM& param, const char* const (&words)[kCount], Word* word) {
  if (param.data_type != OSSL_PARAM_UTF8_STRING || param.data == nullptr) return false;
  const auto* const text = static_cast<const char*>(param.data);
  for (std::size_t i = 0; i < kCount; ++i) {
    if (std::strlen(words[i]) != strnlen(text, param.data_size) ||
        strncasecmp(words[i], text, param.data_size) != 0) {
      continue;
    }
    *word = static_cast<Word>(i);
    return true;
  }
  return false;
}

bool read_bound(const OSSL_PARAM& param, StreamBound* bound) {
  if (param.data == nullptr) return false;
  std::uint64_t positive;
  if (param.data_type == OSSL_PARAM_REAL && param.data_size == sizeof(double)) {
    std::memcpy(&bound->real, param.data, sizeof(double));
    bound->is_integer = std::abs(bound->real) <= 0x1p53 && bound->real == std::floor(bound->real);
    if (bound->is_integer) bound->integer = static_cast<std::int64_t>(bound->real);
    return std::isfinite(bound->real);
  }
  if (read_uint(param, &positive)) {
    bound->integer = positive;
  } else if (param.data_type == OSSL_PARAM_INTEGER && param.data_size == sizeof(std::int64_t)) {
    std::int64_t value;
    std::memcpy(&value, param.data, sizeof value);
    bound->integer = value;
  } else if (param.data_type == OSSL_PARAM_INTEGER && param.data_size == sizeof(std::int32_t)) {
    std::int32_t value;
    std::memcpy(&value, param.data, sizeof value);
    bound->integer = value;
  } else {
    return false;
  }
  bound->is_integer = true;
  bound->real = static_cast<double>(bound->integer);
  return true;
}

bool read_real(const OSSL_PARAM& param, double* value) {
  StreamBound bound;
  if (!read_bound(param, &bound)) return false;
  *value = bound.real;
  return true;
}

// The bounds of integers. False: a bound is no integer of 64 bits.
bool set_integers(StreamSettings* settings) {
  const StreamBound &low = settings->low, &high = settings->high;
  if (!low.is_integer || !high.is_integer) return false;
  if (low.integer < INT64_MIN || low.integer > INT64_MAX) return false;
  if (high.integer <= INT64_MIN || high.integer - 1 > INT64_MAX) return false;
  settings->what.first = static_cast<std::int64_t>(low.integer);
  settings->what.last = static_cast<std::int64_t>(high.integer - 1);
  return true;
}

struct Settable {
  const char* key;
  bool (*set)(const OSSL_PARAM& param, StreamSettings* settings);
};
constexpr Settable kSettable[] = {
    {kOutput, [](const OSSL_PARAM& p,
                 StreamSettings* s) { return read_word(p, kOutputs, &s->what.output); }},
    {kType,
     [](const OSSL_PARAM& p, StreamSettings* s) { return read_word(p, kTypes, &s->what.type); }},
    {kMean, [](const OSSL_PARAM& p, StreamSettings* s) { return read_real(p, &s->what.mean); }},
    {kStddev, [](const OSSL_PARAM& p, StreamSettings* s) { return read_real(p, &s->what.stddev); }},
    {kLow, [](const OSSL_PARAM& p, StreamSettings* s) { return read_bound(p, &s->low); }},
    {kHigh, [](const OSSL_PARAM& p, StreamSettings* s) { return read_bound(p, &s->high); }},
    {kP, [](const OSSL_PARAM& p, StreamSettings* s) { return read_real(p, &s->what.p); }},
    {kCall, [](const OSSL_PARAM& p, StreamSettings* s) { return read_uint(p, &s->call); }},
};

bool set_seed(const OSSL_PARAM& param, std::size_t key_bytes, StreamSettings* settings) {
  if (param.data_type != OSSL_PARAM_OCTET_STRING) return false;
  if (param.data_size == 0) {
    wipe(settings->seed, sizeof settings->seed);
    settings->has_seed = false;
    return true;
  }
  if (param.data_size != key_bytes || param.data == nullptr) return false;
  std::memcpy(settings->seed, param.data, key_bytes);
  settings->has_seed = true;
  settings->call = 0;
  return true;
}

}  // namespace

const OSSL_PARAM* StreamContext::settable_ctx_params(void*, void*) {
  static const OSSL_PARAM kParams[] = {
      param_text(kOutput), param_text(kType), real(kMean),         real(kStddev),     real(kLow),
      real(kHigh),         real(kP),          param_octets(kSeed), param_uint(kCall), kParamEnd};
  return kParams;
}

const OSSL_PARAM* StreamContext::gettable_ctx_params(void*, void*) {
  static const OSSL_PARAM kParams[] = {
      param_uint(OSSL_RAND_PARAM_MAX_REQUEST),
      {OSSL_RAND_PARAM_STATE, OSSL_PARAM_INTEGER, nullptr, sizeof(int), OSSL_PARAM_UNMODIFIED},
      param_uint(OSSL_RAND_PARAM_STRENGTH),
      param_uint(OSSL_DRBG_PARAM_RESEED_COUNTER),
      param_text(kOutput),
      param_text(kType),
      param_uint(kCall),
      kParamEnd};
  return kParams;
}

bool StreamContext::get_params_locked(OSSL_PARAM* params) {
  for (OSSL_PARAM* p = params; p != nullptr && p->key != nullptr; ++p) {
    bool done = true;
    if (is_key(*p, OSSL_RAND_PARAM_MAX_REQUEST)) {
      done = answer_uint(p, kMaxRequest);
    } else if (is_key(*p, OSSL_RAND_PARAM_STATE)) {
      done =
          answer_uint(p, ready_ ? EVP_RAND_STATE_READY : EVP_RAND_STATE_UNINITIALISED, Width::kInt);
    } else if (is_key(*p, OSSL_RAND_PARAM_STRENGTH)) {
      done = answer_uint(p, strength(), Width::kInt);
    } else if (is_key(*p, OSSL_DRBG_PARAM_RESEED_COUNTER)) {
      done = answer_uint(p, std::max(1u, parent_.present() ? parent_.reseed_counter() : 1u),
                         Width::kInt);
    } else if (is_key(*p, kOutput)) {
      done = answer_text(p, kOutputs[static_cast<std::size_t>(settings_.what.output)]);
    } else if (is_key(*p, kType)) {
      done = answer_text(p, kTypes[static_cast<std::size_t>(settings_.what.type)]);
    } else if (is_key(*p, kCall)) {
      done = answer_uint(p, settings_.call);
    }
    if (!done) return false;
  }
  return true;
}

// All parameters, or none.
bool StreamContext::set_params_locked(const OSSL_PARAM* params) {
  Wiped<StreamSettings> next;
  next.value = settings_;
  const OSSL_PARAM* const seed = find_param(params, kSeed);
  if (seed != nullptr && !set_seed(*seed, mechanism_.key, &next.value)) {
    raise(core_, Reason::kBadParameter, "%s: the seed is a key of %zu bytes, or empty", name_,
          mechanism_.key);
    return false;
  }
  for (const Settable& row : kSettable) {
    const OSSL_PARAM* const p = find_param(params, row.key);
    if (p == nullptr || row.set(*p, &next.value)) continue;
    raise(core_, Reason::kBadParameter, "%s: no %s of these numbers", name_, row.key);
    return false;
  }
  next.value.what.low = next.value.low.real;
  next.value.what.high = next.value.high.real;
  const char* fault = nullptr;
  if (next.value.what.output == Output::kIntegers && !set_integers(&next.value)) {
    fault = "low and high of integers are integers of 64 bits";
  } else {
    fault = fault_of(next.value.what);
  }
  if (fault != nullptr) {
    raise(core_, Reason::kBadParameter, "%s: %s", name_, fault);
    return false;
  }
  settings_ = next.value;
  return true;
}

int StreamContext::get_ctx_params(void* context, OSSL_PARAM* params) {
  auto* stream = static_cast<StreamContext*>(context);
  const ForkLock::Guard locked(&stream->lock_);
  return stream->get_params_locked(params) ? 1 : 0;
}

int StreamContext::set_ctx_params(void* context, const OSSL_PARAM* params) {
  auto* stream = static_cast<StreamContext*>(context);
  const ForkLock::Guard locked(&stream->lock_);
  return stream->set_params_locked(params) ? 1 : 0;
}

}  // namespace gpuctr
