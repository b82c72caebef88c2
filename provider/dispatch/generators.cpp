// The dispatch table of each RAND algorithm, and the C functions behind it.
#include "provider/dispatch/generators.h"

#include <openssl/core_names.h>

#include <cstdio>
#include <new>
#include <utility>

#include "provider/core/dispatch.h"
#include "provider/core/errors.h"
#include "provider/dispatch/ciphers.h"
#include "provider/rand/rand_context.h"

namespace gpuctr {
namespace {

RandContext* cast(void* context) { return static_cast<RandContext*>(context); }

template <std::size_t Index>
void* newctx(void* provider, void* parent, const OSSL_DISPATCH* parent_functions) {
  const auto* const instance = static_cast<const Instance*>(provider);
  const RandMechanism& mechanism = (*instance->mechanisms)[Index];
  auto* context =
      new (std::nothrow) RandContext(instance->core, mechanism, parent, parent_functions);
  if (context == nullptr) {
    raise(instance->core, Reason::kNoMemory, "a context of %s", mechanism.name);
    return nullptr;
  }
  if (!context->parent_is_strong_enough()) {
    delete context;
    context = nullptr;
  }
  return context;
}

void freectx(void* context) { delete cast(context); }

int instantiate(void* context, unsigned strength, int prediction_resistance,
                const unsigned char* personalization, std::size_t size, const OSSL_PARAM* params) {
  return cast(context)->instantiate(strength, prediction_resistance != 0, {personalization, size},
                                    params)
             ? 1
             : 0;
}

int uninstantiate(void* context) {
  cast(context)->uninstantiate();
  return 1;
}

int generate(void* context, unsigned char* out, std::size_t n, unsigned strength,
             int prediction_resistance, const unsigned char* additional, std::size_t size) {
  return cast(context)->generate(out, n, strength, prediction_resistance != 0, {additional, size})
             ? 1
             : 0;
}

int reseed(void* context, int prediction_resistance, const unsigned char* entropy,
           std::size_t entropy_size, const unsigned char* additional, std::size_t size) {
  return cast(context)->reseed(prediction_resistance != 0, {entropy, entropy_size},
                               {additional, size})
             ? 1
             : 0;
}

std::size_t nonce(void* context, unsigned char* out, unsigned strength, std::size_t min,
                  std::size_t max) {
  return cast(context)->nonce(out, strength, min, max);
}

int enable_locking(void* context) { return cast(context)->enable_locking() ? 1 : 0; }

// These do nothing, because each function takes the lock itself. Not every caller takes the lock:
// OpenSSL's own DRBG calls its parent's nonce function without it.
int lock(void*) { return 1; }
void unlock(void*) {}

int verify_zeroization(void* context) { return cast(context)->is_zeroized() ? 1 : 0; }

std::size_t get_seed(void* context, unsigned char** out, int bits, std::size_t min, std::size_t max,
                     int prediction_resistance, const unsigned char* additional, std::size_t size) {
  return cast(context)->get_seed(out, bits, min, max, prediction_resistance != 0,
                                 {additional, size});
}

void clear_seed(void*, unsigned char* seed, std::size_t n) { RandContext::clear_seed(seed, n); }

struct Functions {
  OSSL_DISPATCH entries[19];
};

template <std::size_t Index>
const OSSL_DISPATCH* functions() {
  static const Functions kTable = {{
      dispatch<OSSL_FUNC_rand_newctx_fn>(OSSL_FUNC_RAND_NEWCTX, newctx<Index>),
      dispatch<OSSL_FUNC_rand_freectx_fn>(OSSL_FUNC_RAND_FREECTX, freectx),
      dispatch<OSSL_FUNC_rand_instantiate_fn>(OSSL_FUNC_RAND_INSTANTIATE, instantiate),
      dispatch<OSSL_FUNC_rand_uninstantiate_fn>(OSSL_FUNC_RAND_UNINSTANTIATE, uninstantiate),
      dispatch<OSSL_FUNC_rand_generate_fn>(OSSL_FUNC_RAND_GENERATE, generate),
      dispatch<OSSL_FUNC_rand_reseed_fn>(OSSL_FUNC_RAND_RESEED, reseed),
      dispatch<OSSL_FUNC_rand_nonce_fn>(OSSL_FUNC_RAND_NONCE, nonce),
      dispatch<OSSL_FUNC_rand_enable_locking_fn>(OSSL_FUNC_RAND_ENABLE_LOCKING, enable_locking),
      dispatch<OSSL_FUNC_rand_lock_fn>(OSSL_FUNC_RAND_LOCK, lock),
      dispatch<OSSL_FUNC_rand_unlock_fn>(OSSL_FUNC_RAND_UNLOCK, unlock),
      dispatch<OSSL_FUNC_rand_gettable_ctx_params_fn>(OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS,
                                                      RandContext::gettable_ctx_params),
      dispatch<OSSL_FUNC_rand_get_ctx_params_fn>(OSSL_FUNC_RAND_GET_CTX_PARAMS,
                                                 RandContext::get_ctx_params),
      dispatch<OSSL_FUNC_rand_settable_ctx_params_fn>(OSSL_FUNC_RAND_SETTABLE_CTX_PARAMS,
                                                      RandContext::settable_ctx_params),
      dispatch<OSSL_FUNC_rand_set_ctx_params_fn>(OSSL_FUNC_RAND_SET_CTX_PARAMS,
                                                 RandContext::set_ctx_params),
      dispatch<OSSL_FUNC_rand_verify_zeroization_fn>(OSSL_FUNC_RAND_VERIFY_ZEROIZATION,
                                                     verify_zeroization),
      dispatch<OSSL_FUNC_rand_get_seed_fn>(OSSL_FUNC_RAND_GET_SEED, get_seed),
      dispatch<OSSL_FUNC_rand_clear_seed_fn>(OSSL_FUNC_RAND_CLEAR_SEED, clear_seed),
      {0, nullptr},
  }};
  return kTable.entries;
}

// Names and descriptions of all algorithms, made once from the registry.
class Algorithms {
 public:
  Algorithms() { fill(std::make_index_sequence<kCipherCount>()); }
  const OSSL_ALGORITHM& operator[](std::size_t index) const { return list_[index]; }

 private:
  template <std::size_t... Index>
  void fill(std::index_sequence<Index...>) {
    (fill_one(Index, functions<Index>()), ...);
  }

  void fill_one(std::size_t i, const OSSL_DISPATCH* functions_of) {
    const CipherSpec& spec = cipher_spec(i);
    std::snprintf(names_[i], sizeof names_[i], spec.alias == nullptr ? "%s%s" : "%s%s:%s%s",
                  spec.name, kRandSuffix, spec.alias, kRandSuffix);
    std::snprintf(descriptions_[i], sizeof descriptions_[i],
                  "the CTR_DRBG construction of SP 800-90A over %s", spec.name);
    list_[i] = {names_[i], kPropertyDefinition, functions_of, descriptions_[i]};
  }

  char names_[kCipherCount][64];
  char descriptions_[kCipherCount][80];
  OSSL_ALGORITHM list_[kCipherCount];
};

}  // namespace

void list_generators(Instance* instance) {
  static const Algorithms kAlgorithms;
  const Offer& offer = instance->settings.offer;
  OSSL_ALGORITHM* const list = instance->generators;
  std::size_t count = 0;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (offer.generator[i]) list[count++] = kAlgorithms[i];
  }
  list[count] = {nullptr, nullptr, nullptr, nullptr};
}

}  // namespace gpuctr
