#include "provider/core/errors.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/proverr.h>
#include <openssl/randerr.h>

#include <array>
#include <cstdio>
#include <iterator>

#include "provider/core/trace.h"

namespace gpuctr {
namespace {

constexpr std::uint32_t kOurs = 0;

constexpr std::uint32_t stock(int reason, int library = ERR_LIB_PROV) {
  return static_cast<std::uint32_t>(library) << ERR_LIB_OFFSET | static_cast<std::uint32_t>(reason);
}

// Whether an error within a message of GCM, CCM or XTS has its own reason in OpenSSL's ciphers, or
// the one reason that they share.
enum class InMessage { kOwnReason, kOneReason };
constexpr InMessage kOne = InMessage::kOneReason;
constexpr InMessage kOwn = InMessage::kOwnReason;

// The code that OpenSSL's own provider raises in GCM, in CCM, and in all other modes and the
// generators.
struct ReasonRow {
  Reason reason;
  const char* text;
  std::uint32_t other, gcm, ccm;
  InMessage in_message;
};

constexpr ReasonRow same(Reason reason, const char* text, std::uint32_t code) {
  return {reason, text, code, code, code, kOwn};
}
constexpr ReasonRow ours(Reason reason, const char* text) {
  return {reason, text, kOurs, kOurs, kOurs, kOwn};
}
constexpr ReasonRow of_message(Reason reason, const char* text) {
  constexpr std::uint32_t kCode = stock(PROV_R_CIPHER_OPERATION_FAILED);
  return {reason, text, kCode, kCode, kCode, kOne};
}

constexpr ReasonRow kRows[] = {
    same(Reason::kKeyLength, "wrong key length", stock(PROV_R_INVALID_KEY_LENGTH)),
    {Reason::kIvLength, "wrong IV length", stock(PROV_R_INVALID_IV_LENGTH),
     stock(PROV_R_INVALID_IV_LENGTH), stock(PROV_R_INVALID_IV_LENGTH), kOne},
    {Reason::kNoKey, "no key set", stock(PROV_R_NO_KEY_SET), kSilent, kSilent, kOne},
    {Reason::kNoIv, "no IV set", kOurs, kSilent, kSilent, kOne},
    same(Reason::kOutputTooSmall, "output buffer too small", stock(PROV_R_OUTPUT_BUFFER_TOO_SMALL)),
    ours(Reason::kOverlap, "input and output overlap partly"),
    {Reason::kCounterExhausted, "counter exhausted", kOurs, stock(PROV_R_CIPHER_OPERATION_FAILED),
     stock(PROV_R_CIPHER_OPERATION_FAILED), kOne},
    ours(Reason::kBadParameter, "bad parameter"),
    same(Reason::kBadPadding, "bad padding", stock(PROV_R_BAD_DECRYPT)),
    same(Reason::kPartialBlock, "data is not a whole number of blocks",
         stock(PROV_R_WRONG_FINAL_BLOCK_LENGTH)),
    ours(Reason::kBadConfig, "bad configuration value"),
    ours(Reason::kSelfTest, "self-test failed"),
    ours(Reason::kNoMemory, "out of memory"),
    ours(Reason::kGpuRequired, "a GPU is required and cannot serve"),
    ours(Reason::kByteLimit, "byte limit of this key reached"),
    same(Reason::kRandState, "random generator not instantiated", stock(PROV_R_NOT_INSTANTIATED)),
    same(Reason::kRandStrength, "strength above the random generator's",
         stock(PROV_R_INSUFFICIENT_DRBG_STRENGTH)),
    same(Reason::kRandParent, "parent weaker than the random generator",
         stock(PROV_R_PARENT_STRENGTH_TOO_WEAK)),
    {Reason::kRandEntropy, "no usable entropy", stock(PROV_R_ERROR_RETRIEVING_ENTROPY),
     stock(PROV_R_ERROR_RETRIEVING_ENTROPY), stock(PROV_R_ERROR_RETRIEVING_ENTROPY), kOne},
    same(Reason::kRandInput, "personalization string too long",
         stock(PROV_R_PERSONALISATION_STRING_TOO_LONG)),
    same(Reason::kRandRequest, "request too large for a random generator",
         stock(PROV_R_REQUEST_TOO_LARGE_FOR_DRBG)),
    {Reason::kTlsRecord, "bad TLS record", stock(PROV_R_CIPHER_OPERATION_FAILED),
     stock(PROV_R_INVALID_AAD), stock(PROV_R_INVALID_DATA), kOne},
    ours(Reason::kDeviceMemory, "memory on a device cannot be used here"),
    of_message(Reason::kWrongTag, "the tag is wrong"),
    {Reason::kTagState, "no tag here", stock(PROV_R_INVALID_TAG), stock(PROV_R_INVALID_TAG),
     stock(PROV_R_TAG_NOT_SET), kOne},
    of_message(Reason::kIvUsed, "a new IV is needed"),
    of_message(Reason::kAssociatedData, "associated data cannot be taken here"),
    of_message(Reason::kTextLength, "length of the text is missing or wrong"),
    same(Reason::kUnreadableParameter, "parameter cannot be read",
         stock(PROV_R_FAILED_TO_GET_PARAMETER)),
    same(Reason::kUnfitAnswer, "answer does not fit", stock(PROV_R_FAILED_TO_SET_PARAMETER)),
    {Reason::kTagNotNeeded, "encryption makes its own tag", stock(PROV_R_INVALID_TAG),
     stock(PROV_R_INVALID_TAG), stock(PROV_R_TAG_NOT_NEEDED), kOne},
    {Reason::kTagLength, "wrong tag length", stock(PROV_R_INVALID_TAG), stock(PROV_R_INVALID_TAG),
     stock(PROV_R_INVALID_TAG_LENGTH), kOne},
    {Reason::kTagAnswer, "room for a tag of another length", stock(PROV_R_INVALID_TAG),
     stock(PROV_R_INVALID_TAG), kSilent, kOwn},
    {Reason::kFixedIv, "wrong length of an IV's fixed part", stock(PROV_R_FAILED_TO_GET_PARAMETER),
     stock(PROV_R_FAILED_TO_GET_PARAMETER), stock(PROV_R_INVALID_IV_LENGTH), kOwn},
    {Reason::kExplicitIv, "explicit IV refused", kSilent, kSilent, kSilent, kOwn},
    same(Reason::kRandInstantiated, "random generator already instantiated",
         stock(PROV_R_ALREADY_INSTANTIATED)),
    same(Reason::kRandNonce, "no usable nonce", stock(PROV_R_ERROR_RETRIEVING_NONCE)),
    same(Reason::kRandParentLock, "parent cannot be locked",
         stock(PROV_R_PARENT_LOCKING_NOT_ENABLED)),
    same(Reason::kRandAdditional, "additional input too long",
         stock(PROV_R_ADDITIONAL_INPUT_TOO_LONG)),
    same(Reason::kRandShortEntropy, "entropy too short",
         stock(RAND_R_ENTROPY_OUT_OF_RANGE, ERR_LIB_RAND)),
    same(Reason::kRandLongEntropy, "entropy too long",
         stock(RAND_R_ENTROPY_INPUT_TOO_LONG, ERR_LIB_RAND)),
    same(Reason::kRandParameter, "parameter of a random generator cannot be read", kSilent),
    same(Reason::kRandErrorState, "random generator in its error state",
         stock(PROV_R_IN_ERROR_STATE)),
    of_message(Reason::kDataUnit, "bad data unit"),
    same(Reason::kLongDataUnit, "data unit too long", stock(PROV_R_XTS_DATA_UNIT_IS_TOO_LARGE)),
    same(Reason::kEqualKeys, "the two keys are equal", stock(PROV_R_XTS_DUPLICATED_KEYS)),
    same(Reason::kFixedKeyLength, "the key's length is fixed", kSilent),
    same(Reason::kWrapLength, "length cannot be wrapped", stock(PROV_R_INVALID_INPUT_LENGTH)),
    same(Reason::kWrapCheck, "the wrapped key fails its check",
         stock(PROV_R_CIPHER_OPERATION_FAILED)),
    same(Reason::kNoInput, "there is no input", kSilent),
    same(Reason::kRc2Bits, "unsupported key size", stock(PROV_R_UNSUPPORTED_KEY_SIZE)),
    ours(Reason::kBatch, "a batch of messages that cannot be made"),
};

const ReasonRow& row_of(Reason reason) {
  const ReasonRow* row = kRows;
  while (row != std::end(kRows) - 1 && row->reason != reason) ++row;
  return *row;
}

// Writes a refusal to the trace that puts no error on the queue.
void trace_silent(const ReasonRow& row, const char* format, va_list args) {
  if (!trace_enabled()) return;
  char data[200];
  // clang-tidy 14 does not see the va_start() of the callers.
  std::vsnprintf(data, sizeof data, format, args);  // NOLINT(clang-analyzer-valist.Uninitialized)
  trace("refused: %s: %s", row.text, data);
}

}  // namespace

std::uint32_t error_code(Reason reason, int mode, Call call) {
  const ReasonRow& row = row_of(reason);
  const bool is_gcm = mode == EVP_CIPH_GCM_MODE, is_ccm = mode == EVP_CIPH_CCM_MODE;
  if ((is_gcm || is_ccm || mode == EVP_CIPH_XTS_MODE) && call != Call::kOther &&
      row.in_message == kOne) {
    return call == Call::kUpdate ? stock(PROV_R_CIPHER_OPERATION_FAILED) : kSilent;
  }
  // OpenSSL's GCM-SIV raises nothing within a message, and its DES3-WRAP nothing in EVP_Cipher().
  const bool silent =
      mode == kEvpGcmSivMode || (mode == EVP_CIPH_WRAP_MODE && call == Call::kFinalOrOneShot);
  if (silent && row.other == stock(PROV_R_CIPHER_OPERATION_FAILED)) return kSilent;
  const std::uint32_t code = is_gcm ? row.gcm : is_ccm ? row.ccm : row.other;
  return code == kOurs ? static_cast<std::uint32_t>(reason) : code;
}

void vraise(const Core& core, Reason reason, int mode, Call call, const char* format,
            va_list args) {
  const std::uint32_t code = error_code(reason, mode, call);
  if (code == kSilent) return trace_silent(row_of(reason), format, args);
  if (core.new_error == nullptr || core.vset_error == nullptr) return;
  core.new_error(core.handle);
  // An error whose library is not 0 keeps that library.
  core.vset_error(core.handle, code, format, args);
}

void raise(const Core& core, Reason reason, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vraise(core, reason, EVP_CIPH_STREAM_CIPHER, Call::kOther, format, args);
  va_end(args);
}

const OSSL_ITEM* reason_strings() {
  static const auto items = [] {
    std::array<OSSL_ITEM, std::size(kRows) + 1> made{};
    std::size_t count = 0;
    for (const ReasonRow& row : kRows) {
      if (row.other != kOurs) continue;
      // OSSL_ITEM has a void*, but no caller writes through this pointer.
      made[count++] = {static_cast<unsigned>(row.reason), const_cast<char*>(row.text)};
    }
    return made;
  }();
  return items.data();
}

const char* reason_row(std::size_t i, Reason* reason) {
  if (i >= std::size(kRows)) return nullptr;
  *reason = kRows[i].reason;
  return kRows[i].text;
}

}  // namespace gpuctr
