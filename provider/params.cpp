#include "provider/params.h"

#include <cstring>

namespace gpuctr {
namespace {

// Native integers of any size up to 8 bytes, as OSSL_PARAM carries them.
template <class T>
std::uint64_t load_native(const void* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return static_cast<std::uint64_t>(value);
}

template <class T>
void store_native(void* data, std::uint64_t value) {
  const T narrow = static_cast<T>(value);
  std::memcpy(data, &narrow, sizeof narrow);
}

bool is_integer(const OSSL_PARAM& param) {
  return param.data_type == OSSL_PARAM_INTEGER || param.data_type == OSSL_PARAM_UNSIGNED_INTEGER;
}

}  // namespace

const OSSL_PARAM* find_param(const OSSL_PARAM* params, const char* key) {
  for (; params != nullptr && params->key != nullptr; ++params) {
    if (is_key(*params, key)) return params;
  }
  return nullptr;
}

OSSL_PARAM* find_param(OSSL_PARAM* params, const char* key) {
  return const_cast<OSSL_PARAM*>(find_param(static_cast<const OSSL_PARAM*>(params), key));
}

bool read_uint(const OSSL_PARAM& param, std::uint64_t* value) {
  if (!is_integer(param) || param.data == nullptr) return false;
  std::uint64_t raw;
  switch (param.data_size) {
    case 1:
      raw = load_native<std::uint8_t>(param.data);
      break;
    case 2:
      raw = load_native<std::uint16_t>(param.data);
      break;
    case 4:
      raw = load_native<std::uint32_t>(param.data);
      break;
    case 8:
      raw = load_native<std::uint64_t>(param.data);
      break;
    default:
      return false;
  }
  const std::uint64_t sign = std::uint64_t{1} << (8 * param.data_size - 1);
  if (param.data_type == OSSL_PARAM_INTEGER && (raw & sign) != 0) return false;
  *value = raw;
  return true;
}

bool answer_uint(OSSL_PARAM* param, std::uint64_t value) {
  if (!is_integer(*param)) return false;
  param->return_size = sizeof value;
  if (param->data == nullptr) return true;
  const unsigned sign_bits = param->data_type == OSSL_PARAM_INTEGER ? 1 : 0;
  if (param->data_size < 8 && value >> (8 * param->data_size - sign_bits) != 0) return false;
  if (param->data_size == 8 && sign_bits == 1 && value >> 63 != 0) return false;
  switch (param->data_size) {
    case 4:
      store_native<std::uint32_t>(param->data, value);
      break;
    case 8:
      store_native<std::uint64_t>(param->data, value);
      break;
    default:
      return false;
  }
  param->return_size = param->data_size;
  return true;
}

bool answer_text(OSSL_PARAM* param, const char* text) {
  const std::size_t size = std::strlen(text);
  param->return_size = size;
  if (param->data_type == OSSL_PARAM_UTF8_PTR) {
    if (param->data != nullptr) std::memcpy(param->data, &text, sizeof text);
    return true;
  }
  if (param->data_type != OSSL_PARAM_UTF8_STRING) return false;
  if (param->data == nullptr) return true;
  if (param->data_size < size) return false;
  std::memcpy(param->data, text, size);
  if (param->data_size > size) static_cast<char*>(param->data)[size] = '\0';
  return true;
}

bool answer_octets(OSSL_PARAM* param, const void* data, std::size_t size) {
  param->return_size = size;
  if (param->data_type == OSSL_PARAM_OCTET_PTR) {
    if (param->data != nullptr) std::memcpy(param->data, &data, sizeof data);
    return true;
  }
  if (param->data_type != OSSL_PARAM_OCTET_STRING) return false;
  if (param->data == nullptr) return true;
  if (param->data_size < size) return false;
  std::memcpy(param->data, data, size);
  return true;
}

}  // namespace gpuctr
