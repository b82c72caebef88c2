// One loaded instance of the provider: what libcrypto gave it, and what it owns.
#ifndef GPUCTR_PROVIDER_CONTEXT_H
#define GPUCTR_PROVIDER_CONTEXT_H

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include <memory>

#include "kernels/bulk.h"

namespace gpuctr {

// Written once while the provider loads, read-only after that: any thread may use it.
struct ProviderContext {
  const OSSL_CORE_HANDLE* core = nullptr;
  OSSL_FUNC_core_get_params_fn* get_core_params = nullptr;
  OSSL_FUNC_core_new_error_fn* new_error = nullptr;
  OSSL_FUNC_core_vset_error_fn* vset_error = nullptr;

  std::unique_ptr<Engine> engine;
  bool healthy = true;  // false after a failed self-test: nothing is offered any more
};

}  // namespace gpuctr

#endif
