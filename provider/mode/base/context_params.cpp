#include "provider/mode/base/context_params.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstring>

#include "provider/core/errors.h"
#include "provider/core/ossl_param.h"
#include "provider/core/random.h"
#include "provider/mode/base/des_key.h"
#include "provider/mode/base/rc2_params.h"

namespace gpuctr {
namespace {

bool get_ivlen(CipherContext& c, OSSL_PARAM* param) { return answer_uint(param, c.iv_length()); }
bool get_keylen(CipherContext& c, OSSL_PARAM* param) { return answer_uint(param, c.key_bytes()); }
bool get_padding(CipherContext& c, OSSL_PARAM* param) {
  return answer_uint(param, c.padding() ? 1 : 0, Width::kInt);
}
bool get_num(CipherContext& c, OSSL_PARAM* param) {
  return answer_uint(param, c.num(), Width::kInt);
}
bool get_max_bytes(CipherContext& c, OSSL_PARAM* param) {
  return answer_uint(param, c.max_bytes());
}
bool get_backend(CipherContext& c, OSSL_PARAM* param) {
  return answer_text(param, c.last_backend());
}
bool get_iv(CipherContext& c, OSSL_PARAM* param) {
  return answer_octets(param, c.iv(), c.iv_bytes());
}
bool get_updated_iv(CipherContext& c, OSSL_PARAM* param) {
  const bool by_pointer = param->data_type == OSSL_PARAM_OCTET_PTR;
  return answer_octets(param, c.updated_iv(by_pointer), c.iv_bytes());
}

bool get_effective_bits(CipherContext& c, OSSL_PARAM* param) {
  return answer_uint(param, c.effective_bits());
}
bool set_effective_bits(CipherContext& c, std::uint64_t bits) { return c.set_effective_bits(bits); }

bool set_keylen(CipherContext& c, std::uint64_t bytes) { return c.set_key_bytes(bytes); }
bool get_tweak(CipherContext& c, OSSL_PARAM* param) {
  return answer_octets(param, c.tweak(), c.spec().tweak_bytes);
}
// GivenParams::read() has checked the size.
bool set_tweak(CipherContext& c, const std::uint8_t* tweak, std::size_t) {
  c.set_tweak(tweak);
  return true;
}
// EVP_CIPHER_CTX_rand_key() states a buffer of 0 bytes, but the buffer has room for a key.
bool get_random_key(CipherContext& c, OSSL_PARAM* param) {
  const std::size_t n = c.spec().key_bytes;
  if (param->data_type != OSSL_PARAM_OCTET_STRING || param->data == nullptr ||
      (param->data_size != 0 && param->data_size < n)) {
    c.refuse(Reason::kBadParameter, "%s is %zu bytes, the buffer has %zu of type %u", param->key, n,
             param->data == nullptr ? 0 : param->data_size, param->data_type);
    return false;
  }
  if (!make_des_keys(system_random, static_cast<std::uint8_t*>(param->data), n)) {
    c.refuse(Reason::kRandEntropy, "the system gave no random key for %s", c.spec().name);
    return false;
  }
  param->return_size = n;
  return true;
}
bool set_padding(CipherContext& c, std::uint64_t on) { return c.set_padding(on); }
bool set_max_bytes(CipherContext& c, std::uint64_t bytes) { return c.set_max_bytes(bytes); }

constexpr unsigned kUint = OSSL_PARAM_UNSIGNED_INTEGER;

// The parameters that all modes share: the key's length, and the rows of kCommon that has()
// accepts.
constexpr ContextParam kKeyLength = {OSSL_CIPHER_PARAM_KEYLEN, kUint, get_keylen, set_keylen,
                                     UINT64_MAX};
constexpr ContextParam kCommon[] = {
    {OSSL_CIPHER_PARAM_IVLEN, kUint, get_ivlen, nullptr, 0},
    {OSSL_CIPHER_PARAM_PADDING, kUint, get_padding, set_padding, UINT32_MAX},
    {OSSL_CIPHER_PARAM_NUM, kUint, get_num, nullptr, 0},
    {kParamMaxBytes, kUint, get_max_bytes, set_max_bytes, UINT64_MAX},
    {kParamBackend, OSSL_PARAM_UTF8_STRING, get_backend, nullptr, 0},
    {OSSL_CIPHER_PARAM_IV, OSSL_PARAM_OCTET_STRING, get_iv, nullptr, 0},
    {OSSL_CIPHER_PARAM_UPDATED_IV, OSSL_PARAM_OCTET_STRING, get_updated_iv, nullptr, 0},
    {kParamTweak, OSSL_PARAM_OCTET_STRING, get_tweak, nullptr, 0, set_tweak},
    {OSSL_CIPHER_PARAM_RC2_KEYBITS, kUint, get_effective_bits, set_effective_bits, UINT32_MAX},
    {OSSL_CIPHER_PARAM_ALGORITHM_ID_PARAMS, OSSL_PARAM_OCTET_STRING, get_rc2_parameters, nullptr, 0,
     set_rc2_parameters, nullptr, false, false, true, Reason::kUnfitAnswer, Reason::kUnfitAnswer},
    {OSSL_CIPHER_PARAM_RANDOM_KEY, OSSL_PARAM_OCTET_STRING, get_random_key, nullptr, 0, nullptr,
     nullptr, false, false, true},
};

// Whether a cipher has the common row in a mode. An authenticated mode has no padding, and its own
// rows for the IV. So has a mode with custom_iv.
bool has(const CipherSpec& cipher, const Mode& mode, const ContextParam& row) {
  if (row.get == get_tweak) return cipher.tweak_bytes != 0;
  if (row.get == get_random_key) return has_des_keys(cipher);
  if (row.get == get_effective_bits || row.get == get_rc2_parameters) {
    return cipher.expand_effective != nullptr && !mode.aead && !mode.custom_iv;
  }
  return !(mode.aead || mode.custom_iv) || row.get == get_max_bytes || row.get == get_backend;
}

bool is_replaced(const Mode& mode, const ContextParam& common) {
  const ContextParam* row = mode.params;
  while (row->key != nullptr && !row->is(common.key)) ++row;
  return row->key != nullptr;
}

// The row by which a parameter is read, or set.
const ContextParam* row_of(const CipherSpec& cipher, const Mode& mode, const OSSL_PARAM& param,
                           bool set) {
  const auto fits = [set](const ContextParam& row) {
    return set ? row.can_set() : row.get != nullptr;
  };
  for (const ContextParam* row = mode.params; row->key != nullptr; ++row) {
    if (fits(*row) && is_key(param, row->key)) return row;
  }
  if (is_key(param, kKeyLength.key)) return &kKeyLength;
  for (const ContextParam& row : kCommon) {
    if (is_key(param, row.key)) return has(cipher, mode, row) && fits(row) ? &row : nullptr;
  }
  if (!has_batches(cipher, mode)) return nullptr;
  for (const ContextParam* row = kBatchParams; row->key != nullptr; ++row) {
    if (is_key(param, row->key)) return has_batch_param(mode, *row) && fits(*row) ? row : nullptr;
  }
  return nullptr;
}

// Spares a call without parameters of batches the search for each of them.
bool names_batch(const OSSL_PARAM* params) {
  for (; params != nullptr && params->key != nullptr; ++params) {
    if (std::strncmp(params->key, "batch-", 6) == 0) return true;
  }
  return false;
}

}  // namespace

std::size_t context_params(const CipherSpec& cipher, const Mode& mode,
                           const ContextParam* (&rows)[kMaxContextParams], bool batches) {
  std::size_t count = 0;
  if (!is_replaced(mode, kKeyLength)) rows[count++] = &kKeyLength;
  for (const ContextParam* row = mode.params; row->key != nullptr; ++row) rows[count++] = row;
  for (const ContextParam& row : kCommon) {
    if (has(cipher, mode, row) && !is_replaced(mode, row)) rows[count++] = &row;
  }
  if (!batches || !has_batches(cipher, mode)) return count;
  for (const ContextParam* row = kBatchParams; row->key != nullptr; ++row) {
    if (has_batch_param(mode, *row)) rows[count++] = row;
  }
  return count;
}

std::size_t usual_key_bytes(const CipherSpec& cipher, const Mode& mode) {
  return std::min<std::size_t>(mode.keys * cipher.key_bytes, EVP_MAX_KEY_LENGTH);
}

namespace {

bool answer(CipherContext* ctx, const ContextParam& row, OSSL_PARAM* param) {
  if (row.has_answer != nullptr && !row.has_answer(*ctx)) return false;
  if (row.get(*ctx, param)) return true;
  if (row.raises) return false;
  ctx->refuse(row.unfit(*param), "%s does not fit %zu bytes of type %u", param->key,
              param->data_size, param->data_type);
  return false;
}

// At each init, libcrypto requests the key's or the IV's length in this form. False: `param` is
// another request.
inline bool answer_length(const CipherContext& ctx, OSSL_PARAM* param) {
  if (param->data_type != OSSL_PARAM_UNSIGNED_INTEGER || param->data == nullptr ||
      param->data_size != sizeof(std::size_t)) {
    return false;
  }
  std::size_t length;
  if (is_key(*param, OSSL_CIPHER_PARAM_KEYLEN)) {
    length = ctx.key_bytes();
  } else if (is_key(*param, OSSL_CIPHER_PARAM_IVLEN)) {
    length = ctx.iv_length();
  } else {
    return false;
  }
  std::memcpy(param->data, &length, sizeof length);
  param->return_size = sizeof length;
  return true;
}

}  // namespace

bool get_cipher_ctx_params(CipherContext* ctx, OSSL_PARAM* params) {
  const ContextParam* last_row = nullptr;
  OSSL_PARAM* last = nullptr;
  for (; params != nullptr && params->key != nullptr; ++params) {
    if (answer_length(*ctx, params)) continue;
    const ContextParam* const row = row_of(ctx->spec(), ctx->mode(), *params, false);
    if (row == nullptr) continue;
    if (!row->changes) {
      if (!answer(ctx, *row, params)) return false;
    } else if (last == nullptr) {
      last_row = row;
      last = params;
    }
  }
  return last == nullptr || answer(ctx, *last_row, last);
}

// An octet pointer of 0 bytes may be NULL.
bool GivenParams::read_pointer(const CipherContext& ctx, const OSSL_PARAM& param, Value* value) {
  if (param.data_type != OSSL_PARAM_OCTET_PTR || param.data == nullptr) {
    ctx.refuse(Reason::kUnreadableParameter, "%s is not an octet pointer", value->row->key);
    return false;
  }
  std::memcpy(&value->octets, param.data, sizeof value->octets);
  value->size = param.data_size;
  if (value->octets != nullptr || value->size == 0) return true;
  ctx.refuse(Reason::kUnreadableParameter, "%s is NULL and has %zu bytes", value->row->key,
             value->size);
  return false;
}

bool GivenParams::read_value(const CipherContext& ctx, const OSSL_PARAM& param, Value* value) {
  const ContextParam& row = *value->row;
  if (row.type == OSSL_PARAM_OCTET_PTR) return read_pointer(ctx, param, value);
  if (row.set_octets != nullptr) {
    value->octets = static_cast<const std::uint8_t*>(param.data);
    value->size = param.data_size;
    if (row.get == get_tweak && value->size != ctx.spec().tweak_bytes) {
      ctx.refuse(Reason::kBadParameter, "%s is %zu bytes, that of %s has %zu", row.key, value->size,
                 ctx.spec().name, ctx.spec().tweak_bytes);
      return false;
    }
    if (param.data_type == OSSL_PARAM_OCTET_STRING && (param.data != nullptr || row.size_alone)) {
      return true;
    }
    ctx.refuse(row.unreadable(param), "%s is not a string of octets", row.key);
    return false;
  }
  if (read_uint(param, &value->number) && value->number <= row.most) return true;
  ctx.refuse(Reason::kUnreadableParameter, "%s is not a non-negative integer%s", row.key,
             row.most == UINT32_MAX ? " of 32 bits" : "");
  return false;
}

bool GivenParams::read_alone(const CipherContext& ctx, const OSSL_PARAM& param, Value* value) {
  value->row = row_of(ctx.spec(), ctx.mode(), param, true);
  return value->row == nullptr || read_value(ctx, param, value);
}

bool GivenParams::read(const CipherContext& ctx, const OSSL_PARAM* params) {
  if (params->key != nullptr && params[1].key == nullptr) {
    if (!read_alone(ctx, *params, &values_[0])) return false;
    count_ = values_[0].row != nullptr;
    return true;
  }
  const ContextParam* rows[kMaxContextParams];
  const std::size_t rows_count = context_params(ctx.spec(), ctx.mode(), rows, names_batch(params));
  for (std::size_t i = 0; i < rows_count; ++i) {
    const OSSL_PARAM* param = rows[i]->can_set() ? find_param(params, rows[i]->key) : nullptr;
    if (param == nullptr) continue;
    values_[count_].row = rows[i];
    if (!read_value(ctx, *param, &values_[count_])) return false;
    ++count_;
  }
  return true;
}

inline bool GivenParams::set(CipherContext* ctx, const Value& value) {
  const ContextParam& row = *value.row;
  return row.set != nullptr ? row.set(*ctx, value.number)
                            : row.set_octets(*ctx, value.octets, value.size);
}

bool GivenParams::set(CipherContext* ctx) const {
  return std::all_of(values_, values_ + count_,
                     [ctx](const Value& value) { return set(ctx, value); });
}

// Most calls set one parameter, such as a tag. If it is refused, nothing is set.
bool GivenParams::set_alone(CipherContext* ctx, const OSSL_PARAM& param) {
  Value value;
  if (!read_alone(*ctx, param, &value)) return false;
  if (value.row == nullptr) return true;
  if (!set(ctx, value)) return false;
  ctx->apply_settings();
  return true;
}

namespace {

struct SetStep final : Step {
  SetStep(CipherContext* context, const GivenParams& given) : context_(context), given_(given) {}
  bool run() override { return given_.set(context_); }
  CipherContext* context_;
  const GivenParams& given_;
};

// At each init, libcrypto sets `padding` in this form. A mode without padding ignores it. False:
// another call.
inline bool set_padding_alone(CipherContext* ctx, const OSSL_PARAM* params) {
  unsigned on;
  if (params->data_type != OSSL_PARAM_UNSIGNED_INTEGER || params->data == nullptr ||
      params->data_size != sizeof on || !is_key(*params, OSSL_CIPHER_PARAM_PADDING)) {
    return false;
  }
  std::memcpy(&on, params->data, sizeof on);
  return ctx->set_padding(on);
}

// Not inlined: one parameter needs less stack.
GPUCTR_NOINLINE bool set_several(CipherContext* ctx, const OSSL_PARAM* params) {
  GivenParams given;
  if (!given.read(*ctx, params)) return false;
  SetStep step(ctx, given);
  if (!ctx->all_or_nothing(step)) return false;
  ctx->apply_settings();
  return true;
}

}  // namespace

bool set_cipher_ctx_params(CipherContext* ctx, const OSSL_PARAM* params) {
  if (params == nullptr || params->key == nullptr) return true;
  if (params[1].key == nullptr) {
    return set_padding_alone(ctx, params) || GivenParams::set_alone(ctx, *params);
  }
  return set_several(ctx, params);
}

}  // namespace gpuctr
