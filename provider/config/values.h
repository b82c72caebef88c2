// The kinds of value that openssl.cnf's keys take. A parser accepts the whole text, or returns
// false and leaves the result unchanged.
#ifndef GPUCTR_PROVIDER_CONFIG_VALUES_H
#define GPUCTR_PROVIDER_CONFIG_VALUES_H

#include <cstdint>

#include "provider/core/short_text.h"

namespace gpuctr {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

// A decimal number from `least` to `most`.
bool parse_number(const char* text, std::uint64_t least, std::uint64_t most, std::uint64_t* number);

// A number of bytes: a decimal number, optionally followed by K, M, G or T for powers of 1024.
bool parse_size(const char* text, std::uint64_t least, std::uint64_t most, std::uint64_t* bytes);

// The characters allowed around the commas of a list.
constexpr char kListSpace[] = " \t";

// A list of different decimal numbers below `limit`, which is at most 64. Each number is a set bit
// of `mask`.
bool parse_list(const char* text, unsigned limit, std::uint64_t* mask);

// For messages: "a size from 64K to 1G".
ShortText sizes(std::uint64_t least, std::uint64_t most);

}  // namespace gpuctr

#endif
