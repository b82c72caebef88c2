// The lists that libcrypto asks for, made from the cipher table.
#ifndef GPUCTR_PROVIDER_CIPHER_ALGORITHMS_H
#define GPUCTR_PROVIDER_CIPHER_ALGORITHMS_H

#include <openssl/core.h>

namespace gpuctr {

constexpr char kPropertyDefinition[] = "provider=gpuctr";

// Built once, immutable after that, never freed. Any thread.
const OSSL_ALGORITHM* cipher_algorithms();

}  // namespace gpuctr

#endif
