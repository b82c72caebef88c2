// Parameters of the ciphers and of their contexts.
#ifndef GPUCTR_PROVIDER_CIPHER_PARAMS_H
#define GPUCTR_PROVIDER_CIPHER_PARAMS_H

#include <openssl/core.h>

#include "provider/cipher/context.h"

namespace gpuctr {

// Names of our own parameters; gpuctr(7) describes them.
constexpr char kParamCounterBits[] = "ctr-bits";
constexpr char kParamMachine[] = "machine";
constexpr char kParamMaxBytes[] = "max-bytes";

bool get_cipher_params(const CipherSpec& cipher, Mode mode, OSSL_PARAM* params);
const OSSL_PARAM* gettable_cipher_params();

// A request for updated-iv by pointer lends the counter: see CipherContext::lend_counter().
bool get_cipher_ctx_params(CipherContext* ctx, OSSL_PARAM* params);
const OSSL_PARAM* gettable_cipher_ctx_params(Mode mode);

// Unknown parameters are ignored, as libcrypto expects; a bad value of a known one is an error, and
// then none is set.
bool set_cipher_ctx_params(CipherContext* ctx, const OSSL_PARAM* params);
const OSSL_PARAM* settable_cipher_ctx_params(Mode mode);

}  // namespace gpuctr

#endif
