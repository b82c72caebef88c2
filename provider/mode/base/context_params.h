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

// A parameter of a context.
struct ContextParam {
  const char* key;
  unsigned type;  // OSSL_PARAM_UNSIGNED_INTEGER, ...: what the list of parameters says
  // nullptr: cannot be asked for. False: another type, or too little room.
  bool (*get)(CipherContext& context, OSSL_PARAM* param);
  // nullptr: cannot be set. False: one error on the queue, and nothing is set.
  bool (*set)(CipherContext& context, std::uint64_t value);
  std::uint64_t most;  // the largest value to set
  // The same of a string of octets.
  bool (*set_octets)(CipherContext& context, const std::uint8_t* data, std::size_t size) = nullptr;
  // Whether there is an answer to be had now. False: one error on the queue.
  bool (*has_answer)(CipherContext& context) = nullptr;
  // set_octets takes no data, nullptr, and its size: the size to set.
  bool size_alone = false;
  // The answer changes the context, so it is given after all others: one of them may be refused. A
  // mode has at most one such parameter.
  bool changes = false;
  // get leaves its own error.
  bool raises = false;
  // The errors of a parameter of another type; and, of one of this type, where it has no room for
  // the answer, or, if it cannot be asked for, no data.
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

// The key's length that EVP gets, bytes. Programs have buffers of EVP_MAX_KEY_LENGTH for a
// key, `openssl enc` among them, and fill as much as the cipher says: for a longer one they have to
// ask by keylen.
std::size_t usual_key_bytes(const CipherSpec& cipher);

// A request for updated-iv by pointer makes it writable: see CipherContext::updated_iv().
bool get_cipher_ctx_params(CipherContext* ctx, OSSL_PARAM* params);

// More rows than any mode has, its own and the common ones.
constexpr std::size_t kMaxContextParams = 20;

// The rows of a cipher's contexts in the order in which they are set: a length that is refused
// before all that changes something, and what can fail before what cannot. Returns how many.
std::size_t context_params(const CipherSpec& cipher, const Mode& mode,
                           const ContextParam* (&rows)[kMaxContextParams]);

// The parameters of one call, read and not yet set. Unknown ones are ignored, as libcrypto expects.
class GivenParams {
 public:
  // False, with an error: a value of another type or size.
  bool read(const CipherContext& ctx, const OSSL_PARAM* params);
  std::size_t count() const { return count_; }
  // False, with an error: a bad value; those before it are set. See CipherContext::all_or_nothing()
  // and apply_settings().
  bool set(CipherContext* ctx) const;

 private:
  // What a parameter brought: a number, or octets.
  struct Value {
    const ContextParam* row;
    std::uint64_t number;
    const std::uint8_t* octets;
    std::size_t size;
  };
  static bool read_value(const CipherContext& ctx, const OSSL_PARAM& param, Value* value);

  Value values_[kMaxContextParams];  // the first count_ are there
  std::size_t count_ = 0;
};

// All of them or none: a bad value is an error, and then none is set.
bool set_cipher_ctx_params(CipherContext* ctx, const OSSL_PARAM* params);

}  // namespace gpuctr

#endif
