// Rows of the function tables that the provider passes to libcrypto.
#ifndef GPUCTR_PROVIDER_CORE_DISPATCH_H
#define GPUCTR_PROVIDER_CORE_DISPATCH_H

#include <openssl/core_dispatch.h>

namespace gpuctr {

// The function's type, OSSL_FUNC_..._fn of core_dispatch.h, checks the function's signature.
template <class Type>
OSSL_DISPATCH dispatch(int id, Type* function) {
  return {id, reinterpret_cast<void (*)(void)>(function)};
}

}  // namespace gpuctr

#endif
