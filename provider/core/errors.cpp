#include "provider/core/errors.h"

#include <cstdarg>
#include <cstdint>

#include "provider/core/context.h"

namespace gpuctr {
namespace {

constexpr OSSL_ITEM item(Reason reason, const char* text) {
  // OSSL_ITEM wants void*, though nobody writes through it.
  return {static_cast<unsigned>(reason), const_cast<char*>(text)};
}

const OSSL_ITEM kReasons[] = {
    item(Reason::kKeyLength, "wrong key length"),
    item(Reason::kIvLength, "wrong IV length"),
    item(Reason::kNoKey, "no key set"),
    item(Reason::kNoIv, "no IV set"),
    item(Reason::kOutputTooSmall, "output buffer too small"),
    item(Reason::kOverlap, "input and output overlap partly"),
    item(Reason::kCounterExhausted, "counter exhausted"),
    item(Reason::kBadParameter, "bad parameter"),
    item(Reason::kBadPadding, "bad padding"),
    item(Reason::kPartialBlock, "data is not a whole number of blocks"),
    item(Reason::kBadConfig, "bad configuration value"),
    item(Reason::kSelfTest, "self-test failed"),
    item(Reason::kNoMemory, "out of memory"),
    item(Reason::kGpuRequired, "a GPU is required and cannot serve"),
    item(Reason::kByteLimit, "byte limit of this key reached"),
    item(Reason::kRandState, "random generator in the wrong state"),
    item(Reason::kRandStrength, "strength above the random generator's"),
    item(Reason::kRandParent, "unusable parent of a random generator"),
    item(Reason::kRandEntropy, "no usable entropy or nonce"),
    item(Reason::kRandInput, "random generator's input too long"),
    item(Reason::kRandRequest, "request too large for a random generator"),
    item(Reason::kTlsRecord, "bad TLS record"),
    item(Reason::kDeviceMemory, "memory on a card cannot be used here"),
    item(Reason::kWrongTag, "the tag is wrong"),
    item(Reason::kTagState, "no tag here"),
    item(Reason::kIvUsed, "a new IV is needed"),
    item(Reason::kAssociatedData, "associated data cannot be taken here"),
    item(Reason::kTextLength, "length of the text is missing or wrong"),
    {0, nullptr},
};

}  // namespace

void raise(const ProviderContext* provider, Reason reason, const char* format, ...) {
  if (provider->new_error == nullptr || provider->vset_error == nullptr) return;
  provider->new_error(provider->core);
  va_list args;
  va_start(args, format);
  provider->vset_error(provider->core, static_cast<std::uint32_t>(reason), format, args);
  va_end(args);
}

const OSSL_ITEM* reason_strings() { return kReasons; }

}  // namespace gpuctr
