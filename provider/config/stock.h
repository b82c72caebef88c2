// Which of this provider's algorithms OpenSSL's default provider also has, and which are faster
// here.
#ifndef GPUCTR_PROVIDER_CONFIG_STOCK_H
#define GPUCTR_PROVIDER_CONFIG_STOCK_H

#include "kernels/cpu/backend.h"
#include "provider/mode/base/mode.h"

namespace gpuctr {

// Whether OpenSSL's default provider has this cipher in this mode.
bool in_default_provider(const CipherSpec& cipher, const Mode& mode);

// Whether this provider's algorithm is faster on this backend, by the rule in stock.cpp. False for
// an algorithm that the default provider lacks.
bool is_faster(const CipherSpec& cipher, const Mode& mode, const Backend& backend);

// Whether `word` is the name of the cipher or of its family: "ARIA" for "ARIA-256". Ignores case.
bool names_cipher(const char* word, const CipherSpec& cipher);

}  // namespace gpuctr

#endif
