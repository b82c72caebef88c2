// AES-GCM-SIV's parameters, and the mode's row kGcmSivMode.
#include "provider/core/errors.h"
#include "provider/mode/aead/aead_params.h"
#include "provider/mode/aead/gcm_siv.h"

namespace gpuctr {
namespace {

using Params = AeadParams<GcmSivContext>;

// As in OpenSSL's own cipher, a request of another type than octets gets no answer and no error.
bool get_tag(CipherContext& c, OSSL_PARAM* param) {
  if (param->data_type != OSSL_PARAM_OCTET_STRING) return true;
  const std::uint8_t* const tag = Params::of(c).made_tag();
  return tag != nullptr && param->data_size == kSivTag && answer_octets(param, tag, kSivTag);
}

bool set_speed(CipherContext& c, std::uint64_t on) {
  Params::of(c).set_many_texts(on != 0);
  return true;
}

constexpr ContextParam kParams[] = {
    Params::octets(OSSL_CIPHER_PARAM_AEAD_TAG, get_tag,
                   Params::set_octets<&GcmSivContext::set_tag>),
    {OSSL_CIPHER_PARAM_SPEED, Params::kUint, nullptr, set_speed, UINT32_MAX},
    Params::tag_length(),
    {nullptr, 0, nullptr, nullptr, 0},
};

CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<GcmSivContext>(cipher, services, cipher);
}

// RFC 8452 has AES only.
constexpr Mode row() {
  Mode mode = {"GCM-SIV", kEvpGcmSivMode, true,      true,      false,     kParams,
               make,      true,           kSivBlock, kSivNonce, kSivNonce, kSivNonce};
  mode.only_family = "AES";
  return mode;
}

}  // namespace

const Mode kGcmSivMode = row();

}  // namespace gpuctr
