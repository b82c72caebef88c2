// What the tests draw at random, always from the same seeds.
#ifndef GPUCTR_AVR_TEST_CASES_H
#define GPUCTR_AVR_TEST_CASES_H

#include <gtest/gtest.h>

#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "device.h"

namespace gpuctr::avr {

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  Bytes bytes(std::size_t size) {
    Bytes out(size);
    for (std::uint8_t& b : out) b = static_cast<std::uint8_t>(engine_());
    return out;
  }
  // A counter block that often carries: a random number of 0xff at its end, sometimes just below.
  Bytes iv(std::size_t size) {
    Bytes out = bytes(size);
    const std::size_t ones = below(2) == 0 ? 0 : below(size + 1);
    for (std::size_t i = size - ones; i < size; ++i) out[i] = 0xff;
    if (ones != 0) out.back() = static_cast<std::uint8_t>(0xff - below(8));
    return out;
  }

 private:
  std::mt19937 engine_;
};

inline void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.symbol; }
inline std::string variant_name(const testing::TestParamInfo<Variant>& info) {
  return info.param.symbol;
}

// The variants that take a key.
inline std::vector<Variant> with_any_key() {
  std::vector<Variant> out;
  for (const Variant& variant : kVariants) {
    if (!variant.fixed) out.push_back(variant);
  }
  return out;
}

// The variant's key: the image's where it is in the code.
inline Bytes draw_key(Draw& draw, const Variant& variant, std::size_t size) {
  return variant.fixed ? fixed_key() : draw.bytes(size);
}

}  // namespace gpuctr::avr

#endif
