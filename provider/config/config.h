// The provider's section of openssl.cnf: one table row per key. gpuctr(7) describes each key.
#ifndef GPUCTR_PROVIDER_CONFIG_CONFIG_H
#define GPUCTR_PROVIDER_CONFIG_CONFIG_H

#include "kernels/bulk/engine.h"
#include "provider/config/offer.h"
#include "provider/core/core.h"

namespace gpuctr {

struct Settings {
  EngineConfig engine;
  bool legacy = false;  // legacy ciphers are available
  Offer offer = offer_all(false);
  std::uint64_t max_bytes = 0;  // limit per key where a context sets none; 0: no limit
};

// Reads every key of the table from the core. A key that is not set keeps its default. False: a
// value is bad, one error names key and value, and the provider must not load.
bool read_config(const Core& core, Settings* settings);

}  // namespace gpuctr

#endif
