// The parameters that GCM and CCM share, as rows for their tables.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_AEAD_PARAMS_H
#define GPUCTR_PROVIDER_MODE_AEAD_AEAD_PARAMS_H

#include <openssl/core_names.h>

#include "provider/core/ossl_param.h"
#include "provider/mode/base/context_params.h"

namespace gpuctr {

// `Context` is the mode's context class.
template <class Context>
struct AeadParams {
  static constexpr unsigned kUint = OSSL_PARAM_UNSIGNED_INTEGER;
  static constexpr unsigned kOctets = OSSL_PARAM_OCTET_STRING;
  using Get = bool (*)(CipherContext& c, OSSL_PARAM* param);
  using SetOctets = bool (*)(CipherContext& c, const std::uint8_t* data, std::size_t n);
  using HasAnswer = bool (*)(CipherContext& c);

  static Context& of(CipherContext& c) { return static_cast<Context&>(c); }

  template <std::size_t (Context::*kLength)() const>
  static bool get_length(CipherContext& c, OSSL_PARAM* param) {
    return answer_uint(param, (of(c).*kLength)());
  }
  template <bool (Context::*kSet)(const std::uint8_t*, std::size_t)>
  static bool set_octets(CipherContext& c, const std::uint8_t* data, std::size_t n) {
    return (of(c).*kSet)(data, n);
  }
  template <bool (Context::*kHas)() const>
  static bool has_answer(CipherContext& c) {
    return (of(c).*kHas)();
  }
  // As in OpenSSL's ciphers, a buffer too small for the whole IV gets no answer, not even the IV's
  // length.
  static bool get_iv(CipherContext& c, OSSL_PARAM* param) {
    return param->data_size >= of(c).iv_length() &&
           answer_octets(param, of(c).current_iv(), of(c).iv_answer_length(param->data_size));
  }
  static bool set_iv_length(CipherContext& c, std::uint64_t bytes) {
    return of(c).set_iv_length(bytes);
  }

  static constexpr ContextParam octets(const char* key, Get get, SetOctets set,
                                       HasAnswer has = nullptr, bool size_alone = false,
                                       Reason wrong_type = Reason::kUnreadableParameter,
                                       Reason wrong_size = Reason::kUnreadableParameter) {
    return {key, kOctets,    get,   nullptr, 0,          set,
            has, size_alone, false, false,   wrong_type, wrong_size};
  }
  // `changes`: see ContextParam.
  static constexpr ContextParam tag(Get get, bool size_alone, bool changes = false) {
    ContextParam row = octets(OSSL_CIPHER_PARAM_AEAD_TAG, get, set_octets<&Context::set_tag>,
                              has_answer<&Context::has_tag_answer>, size_alone,
                              Reason::kUnreadableParameter, Reason::kTagAnswer);
    row.changes = changes;
    return row;
  }
  static constexpr ContextParam changing(const char* key, Get get, HasAnswer has, Reason wrong) {
    ContextParam row = octets(key, get, nullptr, has, false, wrong, wrong);
    row.changes = true;
    return row;
  }
  // The row of OSSL_CIPHER_PARAM_IV or OSSL_CIPHER_PARAM_UPDATED_IV. Both return the same IV in
  // these modes.
  static constexpr ContextParam iv(const char* key, HasAnswer has = nullptr, Get get = get_iv) {
    return octets(key, get, nullptr, has, false, Reason::kUnreadableParameter, Reason::kIvLength);
  }
  static constexpr ContextParam iv_length() {
    return {OSSL_CIPHER_PARAM_IVLEN, kUint, get_length<&Context::iv_length>, set_iv_length,
            UINT64_MAX};
  }
  static constexpr ContextParam tag_length() {
    return {OSSL_CIPHER_PARAM_AEAD_TAGLEN, kUint, get_length<&Context::tag_length>, nullptr, 0};
  }
  static constexpr ContextParam tls_header() {
    return octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, nullptr, set_octets<&Context::set_tls_header>,
                  nullptr, false, Reason::kUnreadableParameter, Reason::kTlsRecord);
  }
  static constexpr ContextParam tls_fixed_iv() {
    return octets(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, nullptr,
                  set_octets<&Context::set_tls_fixed_iv>, nullptr, false,
                  Reason::kUnreadableParameter, Reason::kFixedIv);
  }
  static constexpr ContextParam tls_pad() {
    return {OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, kUint, get_length<&Context::tls_pad>, nullptr, 0};
  }
};

}  // namespace gpuctr

#endif
