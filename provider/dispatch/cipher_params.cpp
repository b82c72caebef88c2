// The parameters of the cipher algorithms, and the lists of their contexts' parameters.
#include "provider/dispatch/cipher_params.h"

#include <openssl/core_names.h>

#include "provider/core/ossl_param.h"
#include "provider/mode/base/context_params.h"
#include "provider/mode/base/des_key.h"

namespace gpuctr {
namespace {

// The lists of one mode's parameters.
struct Lists {
  OSSL_PARAM gettable[kMaxContextParams + 1];
  OSSL_PARAM settable[kMaxContextParams + 1];
};

// If a cipher has only one key length and get_cipher_params() reports this length, `keylen` is not
// listed as settable. EVP_CIPHER_CTX_set_key_length() then raises EVP's own error, as for OpenSSL's
// ciphers. OpenSSL's XTS and GCM-SIV list it.
bool lists_set(const CipherSpec& cipher, const Mode& mode, const ContextParam& row) {
  if (!row.is(OSSL_CIPHER_PARAM_KEYLEN) || mode.keys != 1 || &mode == &kGcmSivMode) {
    return row.can_set();
  }
  return cipher.least_key_bytes != cipher.most_key_bytes ||
         cipher.key_bytes != usual_key_bytes(cipher, mode);
}

// The IV's parameters are listed only for modes with an IV.
bool lists_get(const Mode& mode, const ContextParam& row) {
  const bool is_of_iv = row.is(OSSL_CIPHER_PARAM_IV) || row.is(OSSL_CIPHER_PARAM_UPDATED_IV) ||
                        row.is(OSSL_CIPHER_PARAM_NUM);
  return row.get != nullptr && (mode.has_iv || !is_of_iv);
}

void fill(const CipherSpec& cipher, const Mode& mode, Lists* lists_of_mode) {
  const ContextParam* rows[kMaxContextParams];
  const std::size_t count = context_params(cipher, mode, rows);
  std::size_t gettable = 0;
  std::size_t settable = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const ContextParam& row = *rows[i];
    const OSSL_PARAM entry = row.type == OSSL_PARAM_UNSIGNED_INTEGER ? param_uint(row.key)
                             : row.type == OSSL_PARAM_UTF8_STRING    ? param_text(row.key)
                             : row.type == OSSL_PARAM_OCTET_PTR      ? param_pointer(row.key)
                                                                     : param_octets(row.key);
    if (lists_get(mode, row)) lists_of_mode->gettable[gettable++] = entry;
    if (lists_set(cipher, mode, row)) lists_of_mode->settable[settable++] = entry;
  }
  lists_of_mode->gettable[gettable] = kParamEnd;
  lists_of_mode->settable[settable] = kParamEnd;
}

struct AllLists {
  Lists of[kCipherCount][kModeCount];
  AllLists() {
    for (std::size_t c = 0; c < kCipherCount; ++c) {
      for (std::size_t m = 0; m < kModeCount; ++m) fill(cipher_spec(c), *kModes[m], &of[c][m]);
    }
  }
};

const Lists& lists_of(const CipherSpec& cipher, const Mode& mode) {
  static const AllLists all;
  std::size_t i = 0;
  while (i + 1 < kModeCount && kModes[i] != &mode) ++i;
  return all.of[cipher.index][i];
}

}  // namespace

bool get_cipher_params(const CipherSpec& cipher, const Mode& mode, OSSL_PARAM* params) {
  const std::size_t evp_block = mode.evp_block_bytes != 0 ? mode.evp_block_bytes
                                : mode.stream             ? 1
                                                          : cipher.block_bytes;
  const struct {
    const char* key;
    std::uint64_t value;
    Width width;
  } answers[] = {
      {OSSL_CIPHER_PARAM_MODE, static_cast<std::uint64_t>(mode.evp), Width::kInt},
      {OSSL_CIPHER_PARAM_KEYLEN, usual_key_bytes(cipher, mode), Width::kSize},
      {OSSL_CIPHER_PARAM_IVLEN, mode.iv_bytes(cipher), Width::kSize},
      {OSSL_CIPHER_PARAM_BLOCK_SIZE, evp_block, Width::kSize},
      {OSSL_CIPHER_PARAM_AEAD, mode.aead ? 1u : 0u, Width::kInt},
      {OSSL_CIPHER_PARAM_CUSTOM_IV, mode.aead || mode.custom_iv || mode.keys != 1 ? 1u : 0u,
       Width::kInt},
      {OSSL_CIPHER_PARAM_CTS, 0, Width::kInt},
      {OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, 0, Width::kInt},
      {OSSL_CIPHER_PARAM_HAS_RAND_KEY, has_des_keys(cipher) ? 1u : 0u, Width::kInt},
  };
  for (const auto& answer : answers) {
    OSSL_PARAM* param = find_param(params, answer.key);
    if (param != nullptr && !answer_uint(param, answer.value, answer.width)) return false;
  }
  return true;
}

const OSSL_PARAM* gettable_cipher_params() {
  static const OSSL_PARAM list[] = {
      param_uint(OSSL_CIPHER_PARAM_MODE),         param_uint(OSSL_CIPHER_PARAM_KEYLEN),
      param_uint(OSSL_CIPHER_PARAM_IVLEN),        param_uint(OSSL_CIPHER_PARAM_BLOCK_SIZE),
      param_uint(OSSL_CIPHER_PARAM_AEAD),         param_uint(OSSL_CIPHER_PARAM_CUSTOM_IV),
      param_uint(OSSL_CIPHER_PARAM_CTS),          param_uint(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK),
      param_uint(OSSL_CIPHER_PARAM_HAS_RAND_KEY), kParamEnd};
  return list;
}

const OSSL_PARAM* gettable_cipher_ctx_params(const CipherSpec& cipher, const Mode& mode) {
  return lists_of(cipher, mode).gettable;
}

const OSSL_PARAM* settable_cipher_ctx_params(const CipherSpec& cipher, const Mode& mode) {
  return lists_of(cipher, mode).settable;
}

}  // namespace gpuctr
