// The cipher algorithms that libcrypto is told of.
#ifndef GPUCTR_PROVIDER_CIPHER_ALGORITHMS_H
#define GPUCTR_PROVIDER_CIPHER_ALGORITHMS_H

#include <openssl/core.h>

#include "kernels/cipher/registry.h"
#include "provider/config/offer.h"
#include "provider/mode/mode.h"

namespace gpuctr {

constexpr char kPropertyDefinition[] = "provider=gpuctr";
constexpr std::size_t kCipherAlgorithms = kCipherCount * kModeCount;

// Writes those that are offered, cipher by cipher in the registry's order, and an end. What the
// entries point to is never freed. Any thread.
void list_ciphers(const Offer& offer, OSSL_ALGORITHM (&list)[kCipherAlgorithms + 1]);

}  // namespace gpuctr

#endif
