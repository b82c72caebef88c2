// OSSL_PARAM without libcrypto: the module is not linked with libcrypto, so one binary serves all
// versions.
#ifndef GPUCTR_PROVIDER_CORE_OSSL_PARAM_H
#define GPUCTR_PROVIDER_CORE_OSSL_PARAM_H

#include <openssl/core.h>
#include <openssl/params.h>

#include <cstddef>
#include <cstdint>

namespace gpuctr {

// libcrypto requests the IV's length at each init, and a call of strcmp() takes a tenth of a small
// message's time. `key` is not empty.
inline bool is_key(const OSSL_PARAM& param, const char* key) {
  const char* given = param.key;
  for (; *given == *key; ++given, ++key) {
    if (*given == '\0') return true;
  }
  return false;
}

// The parameter named `key`, or nullptr; `params` may be nullptr.
const OSSL_PARAM* find_param(const OSSL_PARAM* params, const char* key);
OSSL_PARAM* find_param(OSSL_PARAM* params, const char* key);

// Reads a non-negative integer from every type and size that OSSL_PARAM_get_uint64() takes, except
// integers of 0 bytes. (For these, OSSL_PARAM_get_uint64() reads 0, or the byte before the data.)
// False: another type, no data, negative, or too large.
bool read_uint(const OSSL_PARAM& param, std::uint64_t* value);

// The size that a request without a buffer returns: that of OSSL_PARAM_set_uint() or
// OSSL_PARAM_set_size_t().
enum class Width : std::size_t { kInt = 4, kSize = 8 };

// Answers a request. A request without a buffer returns only the size. False: wrong type, or the
// value does not fit. answer_uint() takes every type and size that OSSL_PARAM_set_uint64() takes,
// except integers of 0 bytes.
bool answer_uint(OSSL_PARAM* param, std::uint64_t value, Width width = Width::kSize);
bool answer_text(OSSL_PARAM* param, const char* text);  // utf8 string or utf8 pointer
bool answer_octets(OSSL_PARAM* param, const void* data, std::size_t size);

// Entries of gettable and settable lists.
constexpr OSSL_PARAM param_uint(const char* key) {
  return {key, OSSL_PARAM_UNSIGNED_INTEGER, nullptr, sizeof(std::size_t), OSSL_PARAM_UNMODIFIED};
}
constexpr OSSL_PARAM param_text(const char* key) {
  return {key, OSSL_PARAM_UTF8_STRING, nullptr, 0, OSSL_PARAM_UNMODIFIED};
}
constexpr OSSL_PARAM param_octets(const char* key) {
  return {key, OSSL_PARAM_OCTET_STRING, nullptr, 0, OSSL_PARAM_UNMODIFIED};
}
constexpr OSSL_PARAM param_pointer(const char* key) {
  return {key, OSSL_PARAM_OCTET_PTR, nullptr, 0, OSSL_PARAM_UNMODIFIED};
}
constexpr OSSL_PARAM kParamEnd = {nullptr, 0, nullptr, 0, 0};

}  // namespace gpuctr

#endif
