// The parameters of RC2 in an AlgorithmIdentifier (RFC 2268 section 6): CMS and PKCS#12 store them.
#ifndef GPUCTR_PROVIDER_MODE_BASE_RC2_PARAMS_H
#define GPUCTR_PROVIDER_MODE_BASE_RC2_PARAMS_H

#include <openssl/core.h>

#include "provider/mode/base/cipher_context.h"

namespace gpuctr {

// Answers with SEQUENCE { INTEGER version, OCTET STRING iv } in DER. The version stands for 40, 64
// or 128 effective key bits. False, with an error: other bits, or no room.
bool get_rc2_parameters(CipherContext& context, OSSL_PARAM* param);

// Sets the IV, the effective key bits and the length of the next key, which has the same bits.
// False, with an error: other bytes.
bool set_rc2_parameters(CipherContext& context, const std::uint8_t* der, std::size_t size);

}  // namespace gpuctr

#endif
