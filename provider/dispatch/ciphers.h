// The cipher algorithms that libcrypto gets.
#ifndef GPUCTR_PROVIDER_DISPATCH_CIPHERS_H
#define GPUCTR_PROVIDER_DISPATCH_CIPHERS_H

#include "provider/instance.h"

namespace gpuctr {

constexpr char kPropertyDefinition[] = "provider=gpuctr";

// Fills instance->ciphers with those that its settings offer, cipher by cipher in the registry's
// order, and an end. What the entries point to is never freed.
void list_ciphers(Instance* instance);

}  // namespace gpuctr

#endif
