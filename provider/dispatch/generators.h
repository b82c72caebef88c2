// The RAND algorithms that the provider offers to libcrypto.
#ifndef GPUCTR_PROVIDER_DISPATCH_GENERATORS_H
#define GPUCTR_PROVIDER_DISPATCH_GENERATORS_H

#include "provider/instance.h"

namespace gpuctr {

// Fills instance->generators with the algorithms that its settings offer ("LEA-128-CTR-DRBG", ...),
// and an end. No algorithm has the plain name CTR-DRBG: it would serve every random byte of a
// process in which this provider comes first. The entries point to memory that is never freed.
void list_generators(Instance* instance);

}  // namespace gpuctr

#endif
