// The parameters of a cipher's context.
#ifndef GPUCTR_PROVIDER_MODE_BASE_CONTEXT_PARAMS_H
#define GPUCTR_PROVIDER_MODE_BASE_CONTEXT_PARAMS_H

#include <openssl/core.h>

#include <cstring>

#include "provider/mode/base/cipher_context.h"

namespace gpuctr {

// Names of our own parameters; gpuctr(7) describes them.
constexpr char kParamCounterBits[] = "ctr-bits";
constexpr char kParamBackend[] = "backend";
constexpr char kParamMaxBytes[] = "max-bytes";
constexpr char kParamTweak[] = "tweak";

struct ContextParam {
  const char* key;
  unsigned type;  // OSSL_PARAM_UNSIGNED_INTEGER, ...: the type in the list of parameters
  // nullptr: the parameter cannot be read. False: another type, or too little room.
  bool (*get)(CipherContext& context, OSSL_PARAM* param);
  // nullptr: the parameter cannot be set as a number. False: one error on the queue, and nothing is
  // set.
  bool (*set)(CipherContext& context, std::uint64_t value);
  std::uint64_t most;  // the largest value to set
  // As `set`, for an octet string or, if `type` says so, an octet pointer.
  bool (*set_octets)(CipherContext& context, const std::uint8_t* data, std::size_t size) = nullptr;
  // Whether the parameter can be read now. False: one error on the queue.
  bool (*has_answer)(CipherContext& context) = nullptr;
  // set_octets also accepts nullptr with a size: it then sets only the size.
  bool size_alone = false;
  // Reading the parameter changes the context. So this parameter is read after all others of a
  // call, because one of those may be refused. A mode has at most one such parameter.
  bool changes = false;
  // `get` puts its own error on the queue.
  bool raises = false;
  // wrong_type: the error for a parameter of another type. wrong_size: the error for a parameter of
  // this type that has no room for the answer, or, where the parameter cannot be read, no data.
  Reason wrong_type = Reason::kUnreadableParameter;
  Reason wrong_size = Reason::kUnreadableParameter;

  bool is(const char* name) const { return std::strcmp(key, name) == 0; }
  bool can_set() const { return set != nullptr || set_octets != nullptr; }
  Reason unreadable(const OSSL_PARAM& param) const {
    return get == nullptr && param.data_type == type ? wrong_size : wrong_type;
  }
  Reason unfit(const OSSL_PARAM& param) const {
    const Reason reason = param.data_type == type ? wrong_size : wrong_type;
    return reason == Reason::kUnreadableParameter ? Reason::kUnfitAnswer : reason;
  }
};

// The key length that the provider reports to EVP, bytes. Programs such as `openssl enc` fill as
// many bytes as the cipher reports into a buffer of EVP_MAX_KEY_LENGTH. So a longer key is used
// only after a program sets its length with the parameter `keylen`.
std::size_t usual_key_bytes(const CipherSpec& cipher, const Mode& mode);

// A request for updated-iv by pointer makes the IV writable: see CipherContext::updated_iv().
bool get_cipher_ctx_params(CipherContext* ctx, OSSL_PARAM* params);

// No mode has more rows, its own and the common rows together.
constexpr std::size_t kMaxContextParams = 32;

// Writes the rows of a cipher's contexts, in the order in which parameters are set, and returns
// their number. A row of the mode replaces the common row with the same key. The key's length,
// which can be refused, comes before every row that changes something. Rows that can fail come
// before rows that cannot. Without `batches` the rows of kBatchParams are left out.
std::size_t context_params(const CipherSpec& cipher, const Mode& mode,
                           const ContextParam* (&rows)[kMaxContextParams], bool batches = true);

// The parameters of one call, read but not yet set. Unknown parameters are ignored, as libcrypto
// expects.
class GivenParams {
 public:
  // False, with an error: a value has another type or size.
  bool read(const CipherContext& ctx, const OSSL_PARAM* params);
  // False, with an error: a value is bad. The values before the bad one are set. See
  // CipherContext::all_or_nothing() and apply_settings().
  bool set(CipherContext* ctx) const;
  // Reads one parameter, sets it, and applies the settings. False: as above, and nothing is set.
  static bool set_alone(CipherContext* ctx, const OSSL_PARAM& param);

 private:
  // The value of one parameter: a number or octets.
  struct Value {
    const ContextParam* row;
    std::uint64_t number;
    const std::uint8_t* octets;
    std::size_t size;
  };
  static bool read_pointer(const CipherContext& ctx, const OSSL_PARAM& param, Value* value);
  static bool read_value(const CipherContext& ctx, const OSSL_PARAM& param, Value* value);
  // Most calls set one parameter. value->row is nullptr for an unknown one.
  static bool read_alone(const CipherContext& ctx, const OSSL_PARAM& param, Value* value);
  static bool set(CipherContext* ctx, const Value& value);

  Value values_[kMaxContextParams];  // the first count_ are valid
  std::size_t count_ = 0;
};

// Sets all parameters. A bad value is an error, and then no parameter is set.
bool set_cipher_ctx_params(CipherContext* ctx, const OSSL_PARAM* params);

}  // namespace gpuctr

#endif
