// The cipher algorithms that the provider offers to libcrypto.
#ifndef GPUCTR_PROVIDER_DISPATCH_CIPHERS_H
#define GPUCTR_PROVIDER_DISPATCH_CIPHERS_H

#include "provider/instance.h"

namespace gpuctr {

constexpr char kPropertyDefinition[] = "provider=gpuctr";

// Fills instance->ciphers with the algorithms that its settings offer, cipher by cipher in the
// registry's order, and an end. The entries point to memory that is never freed.
void list_ciphers(Instance* instance);

}  // namespace gpuctr

#endif
