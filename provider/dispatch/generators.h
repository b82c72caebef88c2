// The RAND algorithms that libcrypto gets.
#ifndef GPUCTR_PROVIDER_DISPATCH_GENERATORS_H
#define GPUCTR_PROVIDER_DISPATCH_GENERATORS_H

#include "provider/instance.h"

namespace gpuctr {

// Fills instance->generators with those that its settings offer, "LEA-128-CTR-DRBG" and so on, and
// an end. There is no plain CTR-DRBG among them: it would capture every random byte of a process in
// which this provider comes first. What the entries point to is never freed.
void list_generators(Instance* instance);

}  // namespace gpuctr

#endif
