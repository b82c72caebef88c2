// Which algorithms a provider offers: openssl.cnf's `algorithms`.
#ifndef GPUCTR_PROVIDER_CONFIG_OFFER_H
#define GPUCTR_PROVIDER_CONFIG_OFFER_H

#include "kernels/cpu/backend.h"
#include "provider/mode/base/mode.h"

namespace gpuctr {

constexpr char kRandSuffix[] = "-CTR-DRBG";
constexpr char kStreamSuffix[] = "-STREAM";

struct Offer {
  bool cipher[kCipherCount][kModeCount];
  bool generator[kCipherCount];
  bool stream[kCipherCount];
};

// Whether there is a stream generator over the cipher. Blocks of 64 bits would repeat too soon.
inline bool has_stream(const CipherSpec& spec) {
  return spec.generator_answer != nullptr && spec.block_bytes == 16;
}

// Every algorithm; those of legacy ciphers only if `legacy`.
Offer offer_all(bool legacy);

// Parses "all", or a list of words with commas and optional spaces between them. Ignores case. A
// word names a cipher ("ARIA-256"), its family ("ARIA") or an algorithm ("ARIA-256-CBC",
// "LEA-128-CTR-DRBG", "LEA-128-STREAM"). "own": the algorithms that OpenSSL's default provider
// lacks. "faster": "own" and the algorithms that are faster on `backend` than OpenSSL's. Without
// `legacy`, legacy ciphers have no names. False: any other text, and `offer` is unchanged.
bool parse_offer(const char* text, bool legacy, const Backend& backend, Offer* offer);

}  // namespace gpuctr

#endif
