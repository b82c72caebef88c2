// What OpenSSL's default provider has of our algorithms, and where ours are faster.
#ifndef GPUCTR_PROVIDER_CONFIG_STOCK_H
#define GPUCTR_PROVIDER_CONFIG_STOCK_H

#include "kernels/cpu/backend.h"
#include "provider/mode/base/mode.h"

namespace gpuctr {

// Whether OpenSSL's default provider has this cipher in this mode.
bool in_default_provider(const CipherSpec& cipher, const Mode& mode);

// Whether ours is faster on this backend, by the rule in stock.cpp. False for an algorithm that the
// default provider lacks.
bool is_faster(const CipherSpec& cipher, const Mode& mode, const Backend& backend);

// Whether `word` is the cipher's name, or that of its family: "ARIA" for "ARIA-256". In letters of
// any case.
bool names_cipher(const char* word, const CipherSpec& cipher);

}  // namespace gpuctr

#endif
