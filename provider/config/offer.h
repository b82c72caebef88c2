// Which algorithms a provider offers: openssl.cnf's `algorithms`.
#ifndef GPUCTR_PROVIDER_CONFIG_OFFER_H
#define GPUCTR_PROVIDER_CONFIG_OFFER_H

#include "kernels/cpu/backend.h"
#include "provider/mode/base/mode.h"

namespace gpuctr {

constexpr char kRandSuffix[] = "-CTR-DRBG";

struct Offer {
  bool cipher[kCipherCount][kModeCount];
  bool generator[kCipherCount];
};

// Every algorithm, those of legacy ciphers too or not.
Offer offer_all(bool legacy);

// Reads "all", or a list with commas and perhaps spaces between its words, in letters of any case.
// A word names a cipher ("ARIA-256"), its family ("ARIA") or an algorithm ("ARIA-256-CBC",
// "LEA-128-CTR-DRBG"); "own" is what OpenSSL's default provider lacks; "faster" is "own" and what
// runs faster on `backend` than OpenSSL's. Without `legacy` there are no legacy ciphers. False:
// the text is something else, and `offer` is unchanged.
bool parse_offer(const char* text, bool legacy, const Backend& backend, Offer* offer);

}  // namespace gpuctr

#endif
