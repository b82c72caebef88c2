// GCM's parameters, and the mode's row kGcmMode.
#include <openssl/evp.h>

#include <cstring>

#include "provider/core/errors.h"
#include "provider/mode/aead/aead_params.h"
#include "provider/mode/aead/gcm.h"

namespace gpuctr {

// An IV of another length is invalid under the new length.
bool GcmContext::set_iv_length(std::uint64_t bytes) {
  if (bytes == 0 || bytes > kMaxIvBytes) return refuse_iv_bytes(bytes);
  if (bytes == state_.iv_bytes) return true;
  if (state_.iv_state != Iv::kNone) state_.iv_state = Iv::kUsed;
  state_.iv_bytes = static_cast<std::size_t>(bytes);
  return true;
}

bool GcmContext::has_iv_answer() const {
  return state_.iv_state != Iv::kNone || refuse_without_iv();
}

bool GcmContext::has_tag_answer() const {
  if (encrypts() && state_.has_made_tag) return true;
  refuse(Reason::kTagState, "%s-GCM has a tag after the end of an encryption", cipher_->name);
  return false;
}

bool GcmContext::set_tag(const std::uint8_t* tag, std::size_t n) {
  if (encrypts()) {
    refuse(n > kGcmTag ? Reason::kUnreadableParameter : Reason::kTagNotNeeded,
           "encryption with %s-GCM makes its own", cipher_->name);
    return false;
  }
  if (n == 0 || n > kGcmTag) {
    refuse(n == 0 ? Reason::kTagLength : Reason::kUnreadableParameter,
           "tag has %zu bytes, 1 to %zu are taken", n, kGcmTag);
    return false;
  }
  if (n == kGcmTag) {  // the usual size, without a call
    std::memcpy(state_.tag, tag, kGcmTag);
  } else {
    std::memcpy(state_.tag, tag, n);
  }
  state_.tag_bytes = n;
  state_.has_made_tag = false;
  return true;
}

namespace {

using Params = AeadParams<GcmContext>;

// Without a buffer the answer is a length, as in OpenSSL from 3.6 on.
bool get_iv(CipherContext& c, OSSL_PARAM* param) {
  if (param->data == nullptr) return answer_octets(param, nullptr, Params::of(c).iv_length());
  return Params::get_iv(c, param);
}

// Returns as many bytes of the tag as the stated size, as in OpenSSL.
bool get_tag(CipherContext& c, OSSL_PARAM* param) {
  if (param->data == nullptr) return answer_octets(param, nullptr, kGcmTag);
  const std::size_t n = param->data_size;
  return n != 0 && n <= kGcmTag && param->data_type == OSSL_PARAM_OCTET_STRING &&
         answer_octets(param, Params::of(c).tag(), n);
}

bool get_next_iv(CipherContext& c, OSSL_PARAM* param) {
  if (param->data == nullptr || param->data_type != OSSL_PARAM_OCTET_STRING) return false;
  param->return_size =
      Params::of(c).next_tls_iv(static_cast<std::uint8_t*>(param->data), param->data_size);
  return true;
}

constexpr auto kHasIv = Params::has_answer<&GcmContext::has_iv_answer>;

// In the order in which OpenSSL's own GCM sets its parameters.
constexpr ContextParam kParams[] = {
    Params::tag(get_tag, false),
    Params::iv_length(),
    Params::tls_header(),
    Params::tls_fixed_iv(),
    Params::octets(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, nullptr,
                   Params::set_octets<&GcmContext::set_tls_explicit_iv>, nullptr, false,
                   Reason::kExplicitIv, Reason::kExplicitIv),
    Params::tag_length(),
    Params::iv(OSSL_CIPHER_PARAM_IV, kHasIv, get_iv),
    Params::iv(OSSL_CIPHER_PARAM_UPDATED_IV, kHasIv, get_iv),
    Params::tls_pad(),
    Params::changing(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, get_next_iv,
                     Params::has_answer<&GcmContext::has_next_tls_iv>, Reason::kExplicitIv),
    {nullptr, 0, nullptr, nullptr, 0},
};

CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<GcmContext>(cipher, services, cipher);
}

}  // namespace

const Mode kGcmMode = {"GCM", EVP_CIPH_GCM_MODE, true, true, false,      kParams, make,
                       true,  kGcmBlock,         12,   1,    kMaxIvBytes};

}  // namespace gpuctr
