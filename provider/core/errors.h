// Errors on OpenSSL's queue: one reason, and the data that a reader needs.
#ifndef GPUCTR_PROVIDER_CORE_ERRORS_H
#define GPUCTR_PROVIDER_CORE_ERRORS_H

#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "provider/core/core.h"

namespace gpuctr {

// Programs compare library and reason of an error. Where OpenSSL's own provider raises an error,
// ours raises the same library and reason; where OpenSSL's own is silent, ours is. The table in
// errors.cpp says which. Values of the other reasons are seen through ERR_GET_REASON: never
// renumber. 12 and 17 were never raised.
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
  kRandState = 18,  // not instantiated
  kRandStrength = 19,
  kRandParent = 20,
  kRandEntropy = 21,
  kRandInput = 22,  // a personalization string
  kRandRequest = 23,
  kTlsRecord = 24,
  kDeviceMemory = 25,
  kWrongTag = 26,
  kTagState = 27,
  kIvUsed = 28,
  kAssociatedData = 29,
  kTextLength = 30,
  kUnreadableParameter = 31,
  kUnfitAnswer = 32,
  kTagNotNeeded = 33,
  kTagLength = 34,
  kTagAnswer = 35,
  kFixedIv = 36,
  kExplicitIv = 37,
  kRandInstantiated = 38,
  kRandNonce = 39,
  kRandParentLock = 40,
  kRandAdditional = 41,
  kRandShortEntropy = 42,  // of a caller, as kRandLongEntropy
  kRandLongEntropy = 43,
  kRandParameter = 44,
  kRandErrorState = 45,
};

// Where a reason is raised. OpenSSL's own GCM and CCM have one reason for all that goes wrong in an
// update, and none for a final or a call of EVP_Cipher().
enum class Call : unsigned char { kOther, kUpdate, kFinalOrOneShot };

// Puts one error with printf-style data on the calling thread's queue, or, where OpenSSL's own is
// silent, a line in the trace.
void raise(const Core& core, Reason reason, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// The same for a cipher's call in a mode of EVP (EVP_CIPH_GCM_MODE).
void vraise(const Core& core, Reason reason, int mode, Call call, const char* format, va_list args)
    __attribute__((format(printf, 5, 0)));

// The reasons that have a number of ours, for OSSL_FUNC_PROVIDER_GET_REASON_STRINGS.
const OSSL_ITEM* reason_strings();

// What the queue gets of a reason: a value of ours, a packed error of OpenSSL's (ERR_GET_LIB is not
// 0), or kSilent.
constexpr std::uint32_t kSilent = UINT32_MAX;
std::uint32_t error_code(Reason reason, int mode, Call call);

// The table's rows, for tests. The text of row i, or nullptr after the last.
const char* reason_row(std::size_t i, Reason* reason);

}  // namespace gpuctr

#endif
