// The dispatch table of each RAND algorithm, and the C functions behind it.
#include "provider/dispatch/generators.h"

#include <openssl/core_names.h>

#include <cstdio>
#include <new>
#include <utility>

#include "provider/core/dispatch.h"
#include "provider/core/errors.h"
#include "provider/dispatch/ciphers.h"
#include "provider/rand/child_seed.h"
#include "provider/rand/rand_context.h"
#include "provider/rand/stream_context.h"

namespace gpuctr {
namespace {

// The mechanism that a context of each class needs.
const RandMechanism& row_for(RandContext*, const RandMechanism& row) { return row; }
const drbg::Mechanism& row_for(StreamContext*, const RandMechanism& row) { return row.mechanism; }

template <class Context>
[[gnu::noinline]] void* make_context(void* provider, void* parent,
                                     const OSSL_DISPATCH* parent_functions, std::size_t cipher) {
  const auto* const instance = static_cast<const Instance*>(provider);
  const RandMechanism& row = (*instance->mechanisms)[cipher];
  auto* context = new (std::nothrow) Context(
      instance->core, row_for(static_cast<Context*>(nullptr), row), parent, parent_functions);
  if (context == nullptr) {
    raise(instance->core, Reason::kNoMemory, "a random generator over %s", row.spec.name);
    return nullptr;
  }
  if (!context->parent_is_strong_enough()) {
    delete context;
    context = nullptr;
  }
  return context;
}

template <class Context, std::size_t Index>
void* newctx(void* provider, void* parent, const OSSL_DISPATCH* parent_functions) {
  return make_context<Context>(provider, parent, parent_functions, Index);
}

// The functions of the contexts of one class.
template <class Context>
struct Calls {
  static Context* cast(void* context) { return static_cast<Context*>(context); }

  static void freectx(void* context) { delete cast(context); }

  static int instantiate(void* context, unsigned strength, int prediction_resistance,
                         const unsigned char* personalization, std::size_t size,
                         const OSSL_PARAM* params) {
    return cast(context)->instantiate(strength, prediction_resistance != 0, {personalization, size},
                                      params)
               ? 1
               : 0;
  }

  static int uninstantiate(void* context) {
    cast(context)->uninstantiate();
    return 1;
  }

  static int generate(void* context, unsigned char* out, std::size_t n, unsigned strength,
                      int prediction_resistance, const unsigned char* additional,
                      std::size_t size) {
    return cast(context)->generate(out, n, strength, prediction_resistance != 0, {additional, size})
               ? 1
               : 0;
  }

  static int reseed(void* context, int prediction_resistance, const unsigned char* entropy,
                    std::size_t entropy_size, const unsigned char* additional, std::size_t size) {
    return cast(context)->reseed(prediction_resistance != 0, {entropy, entropy_size},
                                 {additional, size})
               ? 1
               : 0;
  }

  static std::size_t nonce(void* context, unsigned char* out, unsigned strength, std::size_t min,
                           std::size_t max) {
    return cast(context)->nonce(out, strength, min, max);
  }

  static int enable_locking(void* context) { return cast(context)->enable_locking() ? 1 : 0; }

  static int verify_zeroization(void* context) { return cast(context)->is_zeroized() ? 1 : 0; }

  static std::size_t get_seed(void* context, unsigned char** out, int bits, std::size_t min,
                              std::size_t max, int prediction_resistance,
                              const unsigned char* additional, std::size_t size) {
    return cast(context)->get_seed(out, bits, min, max, prediction_resistance != 0,
                                   {additional, size});
  }
};

// These do nothing, because each function takes the lock itself. Not every caller takes the lock:
// OpenSSL's own DRBG calls its parent's nonce function without it.
int lock(void*) { return 1; }
void unlock(void*) {}

void clear_seed(void*, unsigned char* seed, std::size_t n) { clear_child_seed(seed, n); }

struct Functions {
  OSSL_DISPATCH entries[19];
};

template <class Context>
Functions functions_with(OSSL_FUNC_rand_newctx_fn* newctx) {
  using C = Calls<Context>;
  return {{
      dispatch<OSSL_FUNC_rand_newctx_fn>(OSSL_FUNC_RAND_NEWCTX, newctx),
      dispatch<OSSL_FUNC_rand_freectx_fn>(OSSL_FUNC_RAND_FREECTX, C::freectx),
      dispatch<OSSL_FUNC_rand_instantiate_fn>(OSSL_FUNC_RAND_INSTANTIATE, C::instantiate),
      dispatch<OSSL_FUNC_rand_uninstantiate_fn>(OSSL_FUNC_RAND_UNINSTANTIATE, C::uninstantiate),
      dispatch<OSSL_FUNC_rand_generate_fn>(OSSL_FUNC_RAND_GENERATE, C::generate),
      dispatch<OSSL_FUNC_rand_reseed_fn>(OSSL_FUNC_RAND_RESEED, C::reseed),
      dispatch<OSSL_FUNC_rand_nonce_fn>(OSSL_FUNC_RAND_NONCE, C::nonce),
      dispatch<OSSL_FUNC_rand_enable_locking_fn>(OSSL_FUNC_RAND_ENABLE_LOCKING, C::enable_locking),
      dispatch<OSSL_FUNC_rand_lock_fn>(OSSL_FUNC_RAND_LOCK, lock),
      dispatch<OSSL_FUNC_rand_unlock_fn>(OSSL_FUNC_RAND_UNLOCK, unlock),
      dispatch<OSSL_FUNC_rand_gettable_ctx_params_fn>(OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS,
                                                      Context::gettable_ctx_params),
      dispatch<OSSL_FUNC_rand_get_ctx_params_fn>(OSSL_FUNC_RAND_GET_CTX_PARAMS,
                                                 Context::get_ctx_params),
      dispatch<OSSL_FUNC_rand_settable_ctx_params_fn>(OSSL_FUNC_RAND_SETTABLE_CTX_PARAMS,
                                                      Context::settable_ctx_params),
      dispatch<OSSL_FUNC_rand_set_ctx_params_fn>(OSSL_FUNC_RAND_SET_CTX_PARAMS,
                                                 Context::set_ctx_params),
      dispatch<OSSL_FUNC_rand_verify_zeroization_fn>(OSSL_FUNC_RAND_VERIFY_ZEROIZATION,
                                                     C::verify_zeroization),
      dispatch<OSSL_FUNC_rand_get_seed_fn>(OSSL_FUNC_RAND_GET_SEED, C::get_seed),
      dispatch<OSSL_FUNC_rand_clear_seed_fn>(OSSL_FUNC_RAND_CLEAR_SEED, clear_seed),
      {0, nullptr},
  }};
}

// Functions, names and descriptions of all algorithms, made once from the registry.
class Algorithms {
 public:
  Algorithms() { fill(std::make_index_sequence<kCipherCount>()); }
  const OSSL_ALGORITHM& drbg(std::size_t index) const { return drbgs_[index].algorithm; }
  const OSSL_ALGORITHM& stream(std::size_t index) const { return streams_[index].algorithm; }

 private:
  struct Row {
    char names[64];
    char description[80];
    Functions functions;
    OSSL_ALGORITHM algorithm;
  };

  template <std::size_t... Index>
  void fill(std::index_sequence<Index...>) {
    constexpr OSSL_FUNC_rand_newctx_fn* kDrbgs[] = {newctx<RandContext, Index>...};
    constexpr OSSL_FUNC_rand_newctx_fn* kStreams[] = {newctx<StreamContext, Index>...};
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      fill_one(&drbgs_[i], cipher_spec(i), kRandSuffix,
               "the CTR_DRBG construction of SP 800-90A over",
               functions_with<RandContext>(kDrbgs[i]));
      fill_one(&streams_[i], cipher_spec(i), kStreamSuffix,
               "random numbers, a new key for each request, over",
               functions_with<StreamContext>(kStreams[i]));
    }
  }

  static void fill_one(Row* row, const CipherSpec& spec, const char* suffix, const char* what,
                       const Functions& functions) {
    row->functions = functions;
    std::snprintf(row->names, sizeof row->names, spec.alias == nullptr ? "%s%s" : "%s%s:%s%s",
                  spec.name, suffix, spec.alias, suffix);
    std::snprintf(row->description, sizeof row->description, "%s %s", what, spec.name);
    row->algorithm = {row->names, kPropertyDefinition, row->functions.entries, row->description};
  }

  Row drbgs_[kCipherCount];
  Row streams_[kCipherCount];
};

}  // namespace

void list_generators(Instance* instance) {
  static const Algorithms kAlgorithms;
  const Offer& offer = instance->settings.offer;
  OSSL_ALGORITHM* const list = instance->generators;
  std::size_t count = 0;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (offer.generator[i]) list[count++] = kAlgorithms.drbg(i);
    if (offer.stream[i]) list[count++] = kAlgorithms.stream(i);
  }
  list[count] = {nullptr, nullptr, nullptr, nullptr};
}

}  // namespace gpuctr
