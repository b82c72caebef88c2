// Which algorithms a provider offers: openssl.cnf's `algorithms`.
#ifndef GPUCTR_PROVIDER_CONFIG_OFFER_H
#define GPUCTR_PROVIDER_CONFIG_OFFER_H

#include "kernels/cipher/registry.h"
#include "provider/mode/mode.h"

namespace gpuctr {

constexpr char kRandSuffix[] = "-CTR-DRBG";

struct Offer {
  bool cipher[kCipherCount][kModeCount];
  bool generator[kCipherCount];
};

// Every algorithm, those of legacy ciphers too or not.
Offer offer_all(bool legacy);

// "all"; "own", what OpenSSL has no cipher of; or names with commas between: of a cipher
// ("ARIA-256"), of its family ("ARIA"), of an algorithm ("ARIA-256-CBC", "LEA-128-CTR-DRBG"), in
// letters of any case. Without `legacy` there are no legacy ciphers. False: another text, and
// `offer` is as it was.
bool parse_offer(const char* text, bool legacy, Offer* offer);

}  // namespace gpuctr

#endif
