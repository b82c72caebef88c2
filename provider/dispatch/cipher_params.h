// The parameters of the cipher algorithms, and the lists of their contexts' parameters.
#ifndef GPUCTR_PROVIDER_DISPATCH_CIPHER_PARAMS_H
#define GPUCTR_PROVIDER_DISPATCH_CIPHER_PARAMS_H

#include <openssl/core.h>

#include "kernels/cipher/registry.h"
#include "provider/mode/base/mode.h"

namespace gpuctr {

bool get_cipher_params(const CipherSpec& cipher, const Mode& mode, OSSL_PARAM* params);
const OSSL_PARAM* gettable_cipher_params();
const OSSL_PARAM* gettable_cipher_ctx_params(const CipherSpec& cipher, const Mode& mode);
const OSSL_PARAM* settable_cipher_ctx_params(const CipherSpec& cipher, const Mode& mode);

}  // namespace gpuctr

#endif
