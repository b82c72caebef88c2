// Errors on OpenSSL's queue: each has one reason and data for the reader.
#ifndef GPUCTR_PROVIDER_CORE_ERRORS_H
#define GPUCTR_PROVIDER_CORE_ERRORS_H

#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "provider/core/core.h"

namespace gpuctr {

// Programs compare library and reason of an error. If OpenSSL's own provider raises an error, this
// provider raises the same library and reason. If OpenSSL's provider raises none, this provider
// raises none. The table in errors.cpp lists both cases. The values of the other reasons are
// visible through ERR_GET_REASON, so never renumber them. The values 12 and 17 are unused.
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
  kRandInput = 22,  // the personalization string is too long
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
  kRandShortEntropy = 42,  // entropy from the caller, as in kRandLongEntropy
  kRandLongEntropy = 43,
  kRandParameter = 44,
  kRandErrorState = 45,
  kWrapLength = 46,
  kWrapCheck = 47,  // of an unwrapped key, or the text is too short to have one
  kNoInput = 48,
  kDataUnit = 49,
  kLongDataUnit = 50,
  kEqualKeys = 51,
  kFixedKeyLength = 52,
  kBatch = 55,
  kRc2Bits = 60,
};

// EVP_CIPH_GCM_SIV_MODE of OpenSSL 3.2 and later.
constexpr int kEvpGcmSivMode = 0x10005;

// The call that raises a reason. For most failures within a message, OpenSSL's own GCM, CCM
// and XTS have one reason in an update, and none in a final or in EVP_Cipher(). The table in
// errors.cpp marks these failures with kOne.
enum class Call : unsigned char { kOther, kUpdate, kFinalOrOneShot };

// Puts one error with printf-style data on the calling thread's queue. If OpenSSL's own provider
// raises no such error, writes a line to the trace instead.
void raise(const Core& core, Reason reason, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// As raise(), for a call of a cipher in the EVP mode `mode` (EVP_CIPH_GCM_MODE, ...).
void vraise(const Core& core, Reason reason, int mode, Call call, const char* format, va_list args)
    __attribute__((format(printf, 5, 0)));

// The reasons with a number of this provider, for OSSL_FUNC_PROVIDER_GET_REASON_STRINGS.
const OSSL_ITEM* reason_strings();

// The code of a reason on the queue: a value of this provider, a packed error of OpenSSL
// (ERR_GET_LIB is not 0), or kSilent (no error).
constexpr std::uint32_t kSilent = UINT32_MAX;
std::uint32_t error_code(Reason reason, int mode, Call call);

// For tests: sets `reason` to the reason of the table's row i and returns its text. nullptr: no row
// i.
const char* reason_row(std::size_t i, Reason* reason);

}  // namespace gpuctr

#endif
