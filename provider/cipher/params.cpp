#include "provider/cipher/params.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include "provider/core/errors.h"
#include "provider/core/params.h"

namespace gpuctr {
namespace {

struct Setting {
  const char* key;
  bool (CipherContext::*set)(std::uint64_t);
  bool ctr_only;
  std::uint64_t most;
};

// The order is the order of application: the width before the position in the block, and what
// cannot fail after what can.
const Setting kSettings[] = {
    {kParamCounterBits, &CipherContext::set_counter_bits, true, UINT64_MAX},
    {OSSL_CIPHER_PARAM_NUM, &CipherContext::set_num, true, UINT32_MAX},
    {OSSL_CIPHER_PARAM_PADDING, &CipherContext::set_padding, false, UINT32_MAX},
    {kParamMaxBytes, &CipherContext::set_max_bytes, false, UINT64_MAX},
};
constexpr std::size_t kSettingCount = sizeof kSettings / sizeof *kSettings;

bool check_key_length(const CipherContext& ctx, const OSSL_PARAM& param) {
  std::uint64_t bytes = 0;
  if (read_uint(param, &bytes) && bytes == ctx.spec().key_bytes) return true;
  raise(ctx.provider(), Reason::kKeyLength, "key is %llu bytes, %s takes %zu",
        static_cast<unsigned long long>(bytes), ctx.spec().name, ctx.spec().key_bytes);
  return false;
}

}  // namespace

bool get_cipher_params(const CipherSpec& cipher, Mode mode, OSSL_PARAM* params) {
  const bool ctr = mode == Mode::kCtr;
  const struct {
    const char* key;
    std::uint64_t value;
    Width width;
  } answers[] = {
      {OSSL_CIPHER_PARAM_MODE, ctr ? std::uint64_t{EVP_CIPH_CTR_MODE} : EVP_CIPH_ECB_MODE,
       Width::kInt},
      {OSSL_CIPHER_PARAM_KEYLEN, cipher.key_bytes, Width::kSize},
      {OSSL_CIPHER_PARAM_IVLEN, ctr ? cipher.block_bytes : 0, Width::kSize},
      {OSSL_CIPHER_PARAM_BLOCK_SIZE, ctr ? 1 : cipher.block_bytes, Width::kSize},
      {OSSL_CIPHER_PARAM_AEAD, 0, Width::kInt},
      {OSSL_CIPHER_PARAM_CUSTOM_IV, 0, Width::kInt},
      {OSSL_CIPHER_PARAM_CTS, 0, Width::kInt},
      {OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, 0, Width::kInt},
      {OSSL_CIPHER_PARAM_HAS_RAND_KEY, 0, Width::kInt},
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

namespace {

bool answer(CipherContext* ctx, OSSL_PARAM* param) {
  const struct {
    const char* key;
    std::uint64_t value;
    Width width;
  } numbers[] = {
      {OSSL_CIPHER_PARAM_IVLEN, ctx->iv_bytes(), Width::kSize},
      {OSSL_CIPHER_PARAM_KEYLEN, ctx->spec().key_bytes, Width::kSize},
      {OSSL_CIPHER_PARAM_PADDING, ctx->padding() ? 1u : 0u, Width::kInt},
      {OSSL_CIPHER_PARAM_NUM, ctx->num(), Width::kInt},
      {kParamCounterBits, ctx->counter_bits(), Width::kSize},
      {kParamMaxBytes, ctx->max_bytes(), Width::kSize},
  };
  for (const auto& number : numbers) {
    if (is_key(*param, number.key)) return answer_uint(param, number.value, number.width);
  }
  if (is_key(*param, OSSL_CIPHER_PARAM_IV)) return answer_octets(param, ctx->iv(), ctx->iv_bytes());
  if (is_key(*param, OSSL_CIPHER_PARAM_UPDATED_IV)) {
    const bool lend = param->data_type == OSSL_PARAM_OCTET_PTR && ctx->mode() == Mode::kCtr;
    return answer_octets(param, lend ? ctx->lend_counter() : ctx->counter(), ctx->iv_bytes());
  }
  return !is_key(*param, kParamMachine) || answer_text(param, ctx->machine());
}

}  // namespace

bool get_cipher_ctx_params(CipherContext* ctx, OSSL_PARAM* params) {
  for (; params != nullptr && params->key != nullptr; ++params) {
    if (answer(ctx, params)) continue;
    raise(ctx->provider(), Reason::kBadParameter, "%s does not fit %zu bytes of type %u",
          params->key, params->data_size, params->data_type);
    return false;
  }
  return true;
}

const OSSL_PARAM* gettable_cipher_ctx_params(Mode mode) {
  static const OSSL_PARAM list[] = {param_uint(OSSL_CIPHER_PARAM_KEYLEN),
                                    param_uint(OSSL_CIPHER_PARAM_IVLEN),
                                    param_uint(OSSL_CIPHER_PARAM_PADDING),
                                    param_text(kParamMachine),
                                    param_uint(kParamMaxBytes),
                                    param_uint(OSSL_CIPHER_PARAM_NUM),
                                    param_uint(kParamCounterBits),
                                    param_octets(OSSL_CIPHER_PARAM_IV),
                                    param_octets(OSSL_CIPHER_PARAM_UPDATED_IV),
                                    kParamEnd};
  static const OSSL_PARAM ecb[] = {param_uint(OSSL_CIPHER_PARAM_KEYLEN),
                                   param_uint(OSSL_CIPHER_PARAM_IVLEN),
                                   param_uint(OSSL_CIPHER_PARAM_PADDING),
                                   param_text(kParamMachine),
                                   param_uint(kParamMaxBytes),
                                   kParamEnd};
  return mode == Mode::kCtr ? list : ecb;
}

bool set_cipher_ctx_params(CipherContext* ctx, const OSSL_PARAM* params) {
  if (params == nullptr) return true;
  const OSSL_PARAM* param = find_param(params, OSSL_CIPHER_PARAM_KEYLEN);
  if (param != nullptr && !check_key_length(*ctx, *param)) return false;
  // Every value is read before one is set.
  bool wanted[kSettingCount] = {};
  std::uint64_t values[kSettingCount] = {};
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    const Setting& setting = kSettings[i];
    param = find_param(params, setting.key);
    if (param == nullptr || (setting.ctr_only && ctx->mode() != Mode::kCtr)) continue;
    wanted[i] = true;
    if (read_uint(*param, &values[i]) && values[i] <= setting.most) continue;
    raise(ctx->provider(), Reason::kBadParameter, "%s is not a non-negative integer%s", setting.key,
          setting.most == UINT32_MAX ? " of 32 bits" : "");
    return false;
  }
  const unsigned bits = ctx->counter_bits();
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    if (!wanted[i] || (ctx->*kSettings[i].set)(values[i])) continue;
    ctx->restore_counter_bits(bits);
    return false;
  }
  return true;
}

const OSSL_PARAM* settable_cipher_ctx_params(Mode mode) {
  static const OSSL_PARAM list[] = {
      param_uint(OSSL_CIPHER_PARAM_KEYLEN), param_uint(OSSL_CIPHER_PARAM_PADDING),
      param_uint(OSSL_CIPHER_PARAM_NUM),    param_uint(kParamCounterBits),
      param_uint(kParamMaxBytes),           kParamEnd};
  static const OSSL_PARAM ecb[] = {param_uint(OSSL_CIPHER_PARAM_KEYLEN),
                                   param_uint(OSSL_CIPHER_PARAM_PADDING),
                                   param_uint(kParamMaxBytes), kParamEnd};
  return mode == Mode::kCtr ? list : ecb;
}

}  // namespace gpuctr
