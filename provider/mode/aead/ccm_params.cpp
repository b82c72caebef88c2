// CCM's parameters, and the mode's row kCcmMode.
#include <openssl/evp.h>

#include <cstring>

#include "provider/core/errors.h"
#include "provider/mode/aead/aead_params.h"
#include "provider/mode/aead/ccm.h"

namespace gpuctr {

// An IV of another length is invalid under the new length.
bool CcmContext::set_iv_length(std::uint64_t bytes) {
  if (bytes < kCcmMinIv || bytes > kCcmMaxIv) return refuse_iv_bytes(bytes);
  if (bytes == state_.iv_bytes) return true;
  state_.iv_state = Iv::kNone;
  state_.iv_bytes = static_cast<std::size_t>(bytes);
  return true;
}

bool CcmContext::has_tag_answer() const {
  if (encrypts() && state_.has_made_tag) return true;
  refuse(Reason::kTagState, "%s-CCM has a tag after an encryption, once", cipher_->name);
  return false;
}

bool CcmContext::set_tag(const std::uint8_t* tag, std::size_t n) {
  if (n < kCcmMinTag || n > kCcmTag || n % 2 != 0) {
    refuse(Reason::kTagLength, "tag has %zu bytes: even numbers from %zu to %zu", n, kCcmMinTag,
           kCcmTag);
    return false;
  }
  if (tag != nullptr) {
    if (encrypts()) {
      refuse(Reason::kTagNotNeeded, "encryption with %s-CCM makes its own", cipher_->name);
      return false;
    }
    std::memcpy(state_.set_tag, tag, n);
    state_.has_set_tag = true;
  }
  state_.tag_bytes = n;
  return true;
}

namespace {

using Params = AeadParams<CcmContext>;

// Only a buffer of exactly the tag's length gets the tag, as in OpenSSL.
bool get_tag(CipherContext& c, OSSL_PARAM* param) {
  CcmContext& ccm = Params::of(c);
  const std::size_t n = ccm.made_tag_length();
  if (param->data_type != OSSL_PARAM_OCTET_STRING) return false;
  if (param->data_size != n) return false;
  if (!answer_octets(param, ccm.tag(), n)) return false;
  if (param->data != nullptr) ccm.took_tag();
  return true;
}

// In the order in which OpenSSL's own CCM sets its parameters.
constexpr ContextParam kParams[] = {
    Params::tag(get_tag, true, true),
    Params::iv_length(),
    Params::tls_header(),
    Params::tls_fixed_iv(),
    Params::tag_length(),
    Params::iv(OSSL_CIPHER_PARAM_IV),
    Params::iv(OSSL_CIPHER_PARAM_UPDATED_IV),
    Params::tls_pad(),
    {nullptr, 0, nullptr, nullptr, 0},
};

CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<CcmContext>(cipher, services, cipher);
}

}  // namespace

const Mode kCcmMode = {"CCM", EVP_CIPH_CCM_MODE, true, true,      false,    kParams, make,
                       true,  kCcmBlock,         12,   kCcmMinIv, kCcmMaxIv};

}  // namespace gpuctr
