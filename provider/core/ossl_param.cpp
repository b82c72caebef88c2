#include "provider/core/ossl_param.h"

#include <cstring>

namespace gpuctr {
namespace {

bool is_integer(const OSSL_PARAM& param) {
  return param.data_type == OSSL_PARAM_INTEGER || param.data_type == OSSL_PARAM_UNSIGNED_INTEGER;
}

// The index of the byte with weight 2^(8 i) in a native integer of `size` bytes.
std::size_t native(std::size_t size, std::size_t i) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return size - 1 - i;
#else
  static_cast<void>(size);
  return i;
#endif
}

bool read_real(const OSSL_PARAM& param, std::uint64_t* value) {
  double real;
  if (param.data_size != sizeof real) return false;
  std::memcpy(&real, param.data, sizeof real);
  // The first comparison also refuses NaN. 2^64 is a double; 2^64 - 1 is not.
  if (!(real >= 0) || real >= 18446744073709551616.0) return false;
  const auto whole = static_cast<std::uint64_t>(real);
  if (static_cast<double>(whole) != real) return false;
  *value = whole;
  return true;
}

// Only for integers below 2^53, which a double holds exactly.
bool answer_real(OSSL_PARAM* param, std::uint64_t value) {
  const auto real = static_cast<double>(value);
  if (param->data_size != sizeof real || value >> 53 != 0) return false;
  std::memcpy(param->data, &real, sizeof real);
  return true;
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
  if (param.data == nullptr) return false;
  if (param.data_type == OSSL_PARAM_REAL) return read_real(param, value);
  if (!is_integer(param) || param.data_size == 0) return false;
  const auto* bytes = static_cast<const std::uint8_t*>(param.data);
  const std::size_t size = param.data_size;
  if (param.data_type == OSSL_PARAM_INTEGER && (bytes[native(size, size - 1)] & 0x80) != 0) {
    return false;
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t byte = bytes[native(size, i)];
    if (i < sizeof sum) {
      sum |= byte << (8 * i);
    } else if (byte != 0) {
      return false;
    }
  }
  *value = sum;
  return true;
}

bool answer_uint(OSSL_PARAM* param, std::uint64_t value, Width width) {
  param->return_size = 0;
  const bool real = param->data_type == OSSL_PARAM_REAL;
  if (!real && !is_integer(*param)) return false;
  param->return_size = real ? sizeof(double) : static_cast<std::size_t>(width);
  if (param->data == nullptr) return true;
  if (real) return answer_real(param, value);
  const std::size_t size = param->data_size;
  if (size == sizeof value && param->data_type == OSSL_PARAM_UNSIGNED_INTEGER) {
    // The fast path: libcrypto requests the IV's length in this form at each init.
    std::memcpy(param->data, &value, sizeof value);
    param->return_size = sizeof value;
    return true;
  }
  if (size == 0) return false;
  std::size_t bits = 8 * size;
  if (param->data_type == OSSL_PARAM_INTEGER) --bits;
  if (bits < 64 && value >> bits != 0) return false;
  auto* bytes = static_cast<std::uint8_t*>(param->data);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t byte = i < sizeof value ? value >> (8 * i) : 0;
    bytes[native(size, i)] = static_cast<std::uint8_t>(byte);
  }
  param->return_size = size;
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
