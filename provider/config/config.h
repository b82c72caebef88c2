// The provider's section of openssl.cnf: one table row a key. gpuctr(7) says what each does.
#ifndef GPUCTR_PROVIDER_CONFIG_CONFIG_H
#define GPUCTR_PROVIDER_CONFIG_CONFIG_H

#include "provider/core/context.h"

namespace gpuctr {

// Reads every key of the table from the core. False: a value is bad; one error names key and value,
// and the provider must not load. A key that is not set leaves its default.
bool read_config(const ProviderContext& provider, Settings* settings);

}  // namespace gpuctr

#endif
