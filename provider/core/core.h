// libcrypto's interface to the provider: the handle and the functions of libcrypto that the
// provider calls.
#ifndef GPUCTR_PROVIDER_CORE_CORE_H
#define GPUCTR_PROVIDER_CORE_CORE_H

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

namespace gpuctr {

// Written once while the provider loads and read-only after that, so any thread may use it. A
// function that libcrypto does not offer is nullptr.
struct Core {
  Core() = default;
  // From the arguments of OSSL_provider_init().
  Core(const OSSL_CORE_HANDLE* core_handle, const OSSL_DISPATCH* functions);

  const OSSL_CORE_HANDLE* handle = nullptr;
  OSSL_FUNC_core_get_params_fn* get_params = nullptr;
  OSSL_FUNC_core_new_error_fn* new_error = nullptr;
  OSSL_FUNC_core_vset_error_fn* vset_error = nullptr;
  OSSL_FUNC_core_get_libctx_fn* get_library = nullptr;
  OSSL_FUNC_self_test_cb_fn* get_self_test_callback = nullptr;
};

}  // namespace gpuctr

#endif
