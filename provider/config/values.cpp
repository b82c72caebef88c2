#include "provider/config/values.h"

#include <cstring>

namespace gpuctr {
namespace {

constexpr char kUnits[] = "KMGT";

// Reads digits and returns a pointer to the text behind them. nullptr: no digit, or the number does
// not fit.
const char* digits(const char* text, std::uint64_t* number) {
  const char* p = text;
  std::uint64_t value = 0;
  for (; *p >= '0' && *p <= '9'; ++p) {
    const auto digit = static_cast<std::uint64_t>(*p - '0');
    if (value > (UINT64_MAX - digit) / 10) return nullptr;
    value = 10 * value + digit;
  }
  *number = value;
  return p == text ? nullptr : p;
}

ShortText size_text(std::uint64_t bytes) {
  std::size_t unit = 0;
  while (unit < sizeof kUnits - 1 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  ShortText text(bytes);
  if (unit != 0) text += kUnits[unit - 1];
  return text;
}

bool within(std::uint64_t value, std::uint64_t least, std::uint64_t most, std::uint64_t* result) {
  if (value < least || value > most) return false;
  *result = value;
  return true;
}

}  // namespace

bool parse_number(const char* text, std::uint64_t least, std::uint64_t most,
                  std::uint64_t* number) {
  std::uint64_t value;
  const char* end = digits(text, &value);
  return end != nullptr && *end == '\0' && within(value, least, most, number);
}

bool parse_size(const char* text, std::uint64_t least, std::uint64_t most, std::uint64_t* bytes) {
  std::uint64_t value;
  const char* end = digits(text, &value);
  if (end == nullptr) return false;
  if (*end != '\0') {
    const char* unit = std::strchr(kUnits, *end);
    if (unit == nullptr || end[1] != '\0') return false;
    const auto shift = static_cast<unsigned>(10 * (unit - kUnits + 1));
    if (value > UINT64_MAX >> shift) return false;
    value <<= shift;
  }
  return within(value, least, most, bytes);
}

bool parse_list(const char* text, unsigned limit, std::uint64_t* mask) {
  std::uint64_t bits = 0;
  for (;;) {
    std::uint64_t value;
    text = digits(text + std::strspn(text, kListSpace), &value);
    if (text == nullptr || value >= limit || (bits >> value & 1) != 0) return false;
    bits |= std::uint64_t{1} << value;
    text += std::strspn(text, kListSpace);
    if (*text == '\0') break;
    if (*text++ != ',') return false;
  }
  *mask = bits;
  return true;
}

ShortText sizes(std::uint64_t least, std::uint64_t most) {
  return ShortText("a size from ") + size_text(least) + " to " + size_text(most);
}

}  // namespace gpuctr
