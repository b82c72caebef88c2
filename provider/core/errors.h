// Errors on OpenSSL's queue: one reason, and the data that a reader needs.
#ifndef GPUCTR_PROVIDER_CORE_ERRORS_H
#define GPUCTR_PROVIDER_CORE_ERRORS_H

#include <openssl/core.h>

namespace gpuctr {

struct ProviderContext;

// Values are seen by applications through ERR_GET_REASON: never renumber. 12 and 17 were never
// raised.
enum class Reason : int {
  kKeyLength = 1,
  kIvLength = 2,
  kNoKey = 3,
  kNoIv = 4,
  kOutputTooSmall = 5,
  kOverlap = 6,
  kCounterExhausted = 7,
  kBadParameter = 8,
  kBadPadding = 9,
  kPartialBlock = 10,
  kBadConfig = 11,
  kSelfTest = 13,
  kNoMemory = 14,
  kGpuRequired = 15,
  kByteLimit = 16,
  kRandState = 18,
  kRandStrength = 19,
  kRandParent = 20,
  kRandEntropy = 21,
  kRandInput = 22,
  kRandRequest = 23,
  kTlsRecord = 24,
  kDeviceMemory = 25,
  kWrongTag = 26,
  kTagState = 27,
  kIvUsed = 28,
  kAssociatedData = 29,
  kTextLength = 30,
};

// Puts one error with printf-style data on the calling thread's queue.
void raise(const ProviderContext* provider, Reason reason, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// The reasons' texts, for OSSL_FUNC_PROVIDER_GET_REASON_STRINGS.
const OSSL_ITEM* reason_strings();

}  // namespace gpuctr

#endif
