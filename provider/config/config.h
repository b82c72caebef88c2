// The provider's section of openssl.cnf: one table row a key. gpuctr(7) says what each does.
#ifndef GPUCTR_PROVIDER_CONFIG_CONFIG_H
#define GPUCTR_PROVIDER_CONFIG_CONFIG_H

#include "kernels/bulk/engine.h"
#include "provider/config/offer.h"
#include "provider/core/core.h"

namespace gpuctr {

struct Settings {
  EngineConfig engine;
  bool legacy = false;  // legacy ciphers are there
  Offer offer = offer_all(false);
  std::uint64_t max_bytes = 0;  // of one key, for contexts that set no limit of their own; 0: none
};

// Reads every key of the table from the core. False: a value is bad; one error names key and value,
// and the provider must not load. A key that is not set leaves its default.
bool read_config(const Core& core, Settings* settings);

}  // namespace gpuctr

#endif
