// The module's entry point and the provider's own functions.
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <cstdio>
#include <memory>

#include "provider/core/dispatch.h"
#include "provider/core/errors.h"
#include "provider/core/ossl_param.h"
#include "provider/core/trace.h"
#include "provider/dispatch/ciphers.h"
#include "provider/dispatch/generators.h"
#include "provider/instance.h"
#include "provider/self_test/self_test.h"

#ifndef GPUCTR_VERSION
#error "the build defines GPUCTR_VERSION"
#endif

namespace gpuctr {
namespace {

// Counters of the bulk engine since the provider was loaded; gpuctr(7) describes them.
constexpr char kParamCpuBytes[] = "cpu-bytes";
constexpr char kParamGpuBytes[] = "gpu-bytes";
constexpr char kParamGpuFallbacks[] = "gpu-fallbacks";
constexpr char kParamGpuFailure[] = "gpu-failure";

Instance* self(void* context) { return static_cast<Instance*>(context); }

const OSSL_PARAM* gettable_params(void*) {
  static const OSSL_PARAM list[] = {
      {OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, nullptr, 0, 0},
      {OSSL_PROV_PARAM_VERSION, OSSL_PARAM_UTF8_PTR, nullptr, 0, 0},
      {OSSL_PROV_PARAM_BUILDINFO, OSSL_PARAM_UTF8_PTR, nullptr, 0, 0},
      {OSSL_PROV_PARAM_STATUS, OSSL_PARAM_INTEGER, nullptr, sizeof(int), 0},
      param_uint(kParamCpuBytes),
      param_uint(kParamGpuBytes),
      param_uint(kParamGpuFallbacks),
      param_text(kParamGpuFailure),
      kParamEnd};
  return list;
}

// Step and reason of the last fallback from a device to the CPU, such as "launch: out of memory".
// Empty: no work has fallen back. The answer is always a copied string, because a UTF-8 pointer
// would have to outlive the call.
bool answer_failure(OSSL_PARAM* param, const BulkStats& stats) {
  char text[128] = "";
  if (stats.fallbacks != 0) {
    std::snprintf(text, sizeof text, "%s: %s", stats.last_where,
                  device_status_text(stats.last_status));
  }
  return param->data_type == OSSL_PARAM_UTF8_STRING && answer_text(param, text);
}

int get_params(void* context, OSSL_PARAM* params) {
  const struct {
    const char* key;
    const char* text;
  } texts[] = {
      {OSSL_PROV_PARAM_NAME, "gpuctr: block ciphers and CTR_DRBG at the speed of the hardware"},
      {OSSL_PROV_PARAM_VERSION, GPUCTR_VERSION},
      {OSSL_PROV_PARAM_BUILDINFO, GPUCTR_VERSION},
  };
  for (const auto& text : texts) {
    OSSL_PARAM* param = find_param(params, text.key);
    if (param != nullptr && !answer_text(param, text.text)) return 0;
  }
  const BulkStats stats = self(context)->engine->stats();
  const struct {
    const char* key;
    std::uint64_t value;
  } numbers[] = {
      {OSSL_PROV_PARAM_STATUS, self(context)->healthy ? 1u : 0u},
      {kParamCpuBytes, stats.cpu_bytes},
      {kParamGpuBytes, stats.device_bytes},
      {kParamGpuFallbacks, stats.fallbacks},
  };
  for (const auto& number : numbers) {
    OSSL_PARAM* param = find_param(params, number.key);
    if (param != nullptr && !answer_uint(param, number.value)) return 0;
  }
  OSSL_PARAM* param = find_param(params, kParamGpuFailure);
  return param == nullptr || answer_failure(param, stats) ? 1 : 0;
}

const OSSL_ALGORITHM* query(void* context, int operation, int* no_store) {
  *no_store = 0;
  if (!self(context)->healthy) return nullptr;
  switch (operation) {
    case OSSL_OP_CIPHER:
      return self(context)->ciphers;
    case OSSL_OP_RAND:
      return self(context)->generators;
    default:
      return nullptr;
  }
}

const OSSL_ITEM* get_reason_strings(void*) { return reason_strings(); }

int run_self_test(void* context) {
  self(context)->healthy = self_test(self(context)->core, *self(context)->mechanisms);
  return self(context)->healthy ? 1 : 0;
}

void teardown(void* context) { delete self(context); }

const OSSL_DISPATCH kFunctions[] = {
    dispatch<OSSL_FUNC_provider_teardown_fn>(OSSL_FUNC_PROVIDER_TEARDOWN, teardown),
    dispatch<OSSL_FUNC_provider_gettable_params_fn>(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS,
                                                    gettable_params),
    dispatch<OSSL_FUNC_provider_get_params_fn>(OSSL_FUNC_PROVIDER_GET_PARAMS, get_params),
    dispatch<OSSL_FUNC_provider_query_operation_fn>(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query),
    dispatch<OSSL_FUNC_provider_get_reason_strings_fn>(OSSL_FUNC_PROVIDER_GET_REASON_STRINGS,
                                                       get_reason_strings),
    dispatch<OSSL_FUNC_provider_self_test_fn>(OSSL_FUNC_PROVIDER_SELF_TEST, run_self_test),
    {0, nullptr},
};

}  // namespace
}  // namespace gpuctr

extern "C" __attribute__((visibility("default"))) int OSSL_provider_init(
    const OSSL_CORE_HANDLE* core, const OSSL_DISPATCH* in, const OSSL_DISPATCH** out,
    void** context) {
  gpuctr::trace_enabled();  // opens the trace while the process may still make every system call
  std::unique_ptr<gpuctr::Instance> made = gpuctr::Instance::make({core, in});
  if (made == nullptr) return 0;
  gpuctr::list_ciphers(made.get());
  gpuctr::list_generators(made.get());
  *out = gpuctr::kFunctions;
  *context = made.release();
  return 1;
}
