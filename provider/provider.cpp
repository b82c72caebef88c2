// The module's entry point and the provider's own functions.
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <new>

#include "provider/algorithms.h"
#include "provider/config.h"
#include "provider/context.h"
#include "provider/errors.h"
#include "provider/params.h"
#include "provider/self_test.h"

#ifndef GPUCTR_VERSION
#error "the build defines GPUCTR_VERSION"
#endif

namespace gpuctr {
namespace {

using Function = void (*)(void);

ProviderContext* self(void* context) { return static_cast<ProviderContext*>(context); }

const OSSL_PARAM* gettable_params(void*) {
  static const OSSL_PARAM list[] = {
      {OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, nullptr, 0, 0},
      {OSSL_PROV_PARAM_VERSION, OSSL_PARAM_UTF8_PTR, nullptr, 0, 0},
      {OSSL_PROV_PARAM_BUILDINFO, OSSL_PARAM_UTF8_PTR, nullptr, 0, 0},
      {OSSL_PROV_PARAM_STATUS, OSSL_PARAM_INTEGER, nullptr, sizeof(int), 0},
      kParamEnd};
  return list;
}

int get_params(void* context, OSSL_PARAM* params) {
  const struct {
    const char* key;
    const char* text;
  } texts[] = {
      {OSSL_PROV_PARAM_NAME, "gpuctr: HIGHT, LEA and CHAM in counter mode"},
      {OSSL_PROV_PARAM_VERSION, GPUCTR_VERSION},
      {OSSL_PROV_PARAM_BUILDINFO, GPUCTR_VERSION},
  };
  for (const auto& text : texts) {
    OSSL_PARAM* param = find_param(params, text.key);
    if (param != nullptr && !answer_text(param, text.text)) return 0;
  }
  OSSL_PARAM* param = find_param(params, OSSL_PROV_PARAM_STATUS);
  return param == nullptr || answer_uint(param, self(context)->healthy ? 1 : 0) ? 1 : 0;
}

const OSSL_ALGORITHM* query(void* context, int operation, int* no_store) {
  *no_store = 0;
  if (!self(context)->healthy) return nullptr;
  switch (operation) {
    case OSSL_OP_CIPHER:
      return cipher_algorithms();
    default:
      return nullptr;
  }
}

const OSSL_ITEM* get_reason_strings(void*) { return reason_strings(); }

int run_self_test(void* context) {
  self(context)->healthy = self_test(*self(context));
  return self(context)->healthy ? 1 : 0;
}

void teardown(void* context) { delete self(context); }

template <class F>
Function fn(F* f) {
  return reinterpret_cast<Function>(f);
}

#define GPUCTR_FN(id, type, f) \
  { id, fn(static_cast<OSSL_FUNC_##type##_fn*>(f)) }

const OSSL_DISPATCH kFunctions[] = {
    GPUCTR_FN(OSSL_FUNC_PROVIDER_TEARDOWN, provider_teardown, teardown),
    GPUCTR_FN(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, provider_gettable_params, gettable_params),
    GPUCTR_FN(OSSL_FUNC_PROVIDER_GET_PARAMS, provider_get_params, get_params),
    GPUCTR_FN(OSSL_FUNC_PROVIDER_QUERY_OPERATION, provider_query_operation, query),
    GPUCTR_FN(OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, provider_get_reason_strings,
              get_reason_strings),
    GPUCTR_FN(OSSL_FUNC_PROVIDER_SELF_TEST, provider_self_test, run_self_test),
    {0, nullptr},
};

void take_core_functions(ProviderContext* context, const OSSL_DISPATCH* in) {
  for (; in->function_id != 0; ++in) {
    switch (in->function_id) {
      case OSSL_FUNC_CORE_GET_PARAMS:
        context->get_core_params = OSSL_FUNC_core_get_params(in);
        break;
      case OSSL_FUNC_CORE_NEW_ERROR:
        context->new_error = OSSL_FUNC_core_new_error(in);
        break;
      case OSSL_FUNC_CORE_VSET_ERROR:
        context->vset_error = OSSL_FUNC_core_vset_error(in);
        break;
      default:
        break;
    }
  }
}

}  // namespace
}  // namespace gpuctr

extern "C" __attribute__((visibility("default"))) int OSSL_provider_init(
    const OSSL_CORE_HANDLE* core, const OSSL_DISPATCH* in, const OSSL_DISPATCH** out,
    void** context) {
  auto* made = new (std::nothrow) gpuctr::ProviderContext;
  if (made == nullptr) return 0;
  made->core = core;
  gpuctr::take_core_functions(made, in);
  gpuctr::EngineConfig config;
  if (!gpuctr::read_config(*made, &config)) {
    delete made;
    return 0;
  }
  made->engine.reset(new (std::nothrow) gpuctr::Engine(config));
  if (made->engine == nullptr) {
    delete made;
    return 0;
  }
  *out = gpuctr::kFunctions;
  *context = made;
  return 1;
}
