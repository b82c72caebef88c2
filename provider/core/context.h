// One loaded instance of the provider: what libcrypto gave it, and what it owns.
#ifndef GPUCTR_PROVIDER_CORE_CONTEXT_H
#define GPUCTR_PROVIDER_CORE_CONTEXT_H

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include <memory>

#include "kernels/bulk/engine.h"
#include "provider/cipher/algorithms.h"
#include "provider/config/offer.h"
#include "provider/rand/algorithms.h"

namespace gpuctr {

// What openssl.cnf says, beside the engine's part.
struct Settings {
  EngineConfig engine;
  bool legacy = false;  // legacy ciphers are there
  Offer offer = offer_all(false);
  std::uint64_t max_bytes = 0;  // of one key, for contexts that set no limit of their own; 0: none
};

// Written once while the provider loads, read-only after that: any thread may use it.
struct ProviderContext {
  const OSSL_CORE_HANDLE* core = nullptr;
  OSSL_FUNC_core_get_params_fn* get_core_params = nullptr;
  OSSL_FUNC_core_new_error_fn* new_error = nullptr;
  OSSL_FUNC_core_vset_error_fn* vset_error = nullptr;
  OSSL_FUNC_core_get_libctx_fn* get_library = nullptr;
  OSSL_FUNC_self_test_cb_fn* get_self_test_callback = nullptr;

  Settings settings;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<const RandMechanisms> rand;
  OSSL_ALGORITHM ciphers[kCipherAlgorithms + 1];  // what the settings offer
  OSSL_ALGORITHM generators[kCipherCount + 1];
  bool healthy = true;  // false after a failed self-test: nothing is offered any more
};

}  // namespace gpuctr

#endif
