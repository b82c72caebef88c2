// The kinds of value that openssl.cnf's keys take. Each parser takes the whole text or refuses it,
// and then leaves the result as it was.
#ifndef GPUCTR_PROVIDER_CONFIG_VALUES_H
#define GPUCTR_PROVIDER_CONFIG_VALUES_H

#include <cstdint>

#include "provider/core/short_text.h"

namespace gpuctr {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

// A decimal number, least to most.
bool parse_number(const char* text, std::uint64_t least, std::uint64_t most, std::uint64_t* number);

// Bytes: a decimal number, with K, M, G or T behind it for powers of 1024.
bool parse_size(const char* text, std::uint64_t least, std::uint64_t most, std::uint64_t* bytes);

// What may stand around the commas of a list.
constexpr char kListSpace[] = " \t";

// Different decimal numbers below `limit`, at most 64, with commas between: the set bits of `mask`.
bool parse_list(const char* text, unsigned limit, std::uint64_t* mask);

// For messages: "a size from 64K to 1G".
ShortText sizes(std::uint64_t least, std::uint64_t most);

}  // namespace gpuctr

#endif
