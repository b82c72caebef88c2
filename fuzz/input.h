// What the fuzz targets share: reading choices from the fuzzer's bytes, and failing loudly.
#ifndef GPUCTR_FUZZ_INPUT_H
#define GPUCTR_FUZZ_INPUT_H

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels/cipher/registry.h"
#include "test/support/generators.h"

namespace gpuctr::fuzz {

using Bytes = std::vector<std::uint8_t>;

// A property that must hold; libFuzzer saves the input that breaks it.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

// Choices made from the fuzzer's bytes. When they run out every choice is 0 and every byte string
// is made of zeros, so that no input is rejected.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data, size) {}

  bool more() { return data_.remaining_bytes() != 0; }
  bool flag() { return data_.ConsumeBool(); }
  std::size_t upto(std::size_t most) { return data_.ConsumeIntegralInRange<std::size_t>(0, most); }
  const CipherSpec& any_cipher() { return cipher_spec(upto(kCipherCount - 1)); }
  // Of those that have generators, which are offered without being asked for. A target that calls
  // this needs a build with a generator.
  const CipherSpec& cipher() {
    static const std::vector<const char*> names = test::generator_ciphers();
    return *find_cipher(names[upto(names.size() - 1)]);
  }

  // Exactly n bytes.
  Bytes bytes(std::size_t n) {
    Bytes out = data_.ConsumeBytes<std::uint8_t>(n);
    out.resize(n);
    return out;
  }

  // n bytes that look random, from one byte of input: lengths may be larger than the input.
  Bytes filler(std::size_t n) {
    auto x = data_.ConsumeIntegral<std::uint8_t>() + 1u;
    Bytes out(n);
    for (auto& b : out) {
      x = x * 1664525u + 1013904223u;
      b = static_cast<std::uint8_t>(x >> 24);
    }
    return out;
  }

  // A length that is interesting beside `unit`: small, or a few bytes off a multiple of it.
  std::size_t length(std::size_t unit, std::size_t most) {
    const std::size_t n = flag() ? upto(3 * unit) : upto(most / unit) * unit + upto(4);
    return n < most ? n : most;
  }

  // A counter block, often close to a carry.
  Bytes counter(std::size_t block) {
    Bytes out = bytes(block);
    for (std::size_t i = upto(block); i != 0; --i) out[block - i] = 0xff;
    if (flag()) out[block - 1] = static_cast<std::uint8_t>(0xff - upto(0xff));
    return out;
  }

 private:
  FuzzedDataProvider data_;
};

}  // namespace gpuctr::fuzz

#endif
