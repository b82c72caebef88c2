// Each implementation of the XOR of data with keystream that this CPU runs, not only the one it
// prefers.
#include "kernels/bulk/base/xor.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace gpuctr::bulk {
namespace {

using Bytes = std::vector<std::uint8_t>;

class Xor : public testing::TestWithParam<std::size_t> {
 protected:
  const XorForm& form() const { return xor_forms().first[GetParam()]; }
};

Bytes random_bytes(std::mt19937* random, std::size_t n) {
  Bytes bytes(n);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>((*random)());
  return bytes;
}

enum class In { kNone, kApart, kInPlace };

// The bytes around the output must stay.
void check(const XorForm& form, std::mt19937* random, std::size_t n, In in, bool bypass) {
  const std::size_t at = (*random)() % 64, data_at = (*random)() % 64, key_at = (*random)() % 64;
  const Bytes keystream = random_bytes(random, n + 64), data = random_bytes(random, n + 64);
  Bytes out = random_bytes(random, n + 128);
  Bytes want = out;
  const std::uint8_t* const from = in == In::kNone    ? nullptr
                                   : in == In::kApart ? data.data() + data_at
                                                      : out.data() + at;
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned plain = from == nullptr ? 0 : from[i];
    want[at + i] = static_cast<std::uint8_t>(keystream[key_at + i] ^ plain);
  }
  form.run(keystream.data() + key_at, from, out.data() + at, n, bypass);
  ASSERT_EQ(out, want) << n << " bytes, " << static_cast<int>(in) << ", " << bypass;
}

TEST_P(Xor, AnyLengthAndAlignment) {
  if (!form().available()) GTEST_SKIP() << "not on this CPU";
  std::mt19937 random(1);
  for (std::size_t n = 0; n < 1200; ++n) {
    for (const In in : {In::kNone, In::kApart, In::kInPlace}) {
      check(form(), &random, n, in, n % 2 == 0);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Xor, testing::Range<std::size_t>(0, xor_forms().count),
                         [](const testing::TestParamInfo<std::size_t>& tested) {
                           return std::string(xor_forms().first[tested.param].name);
                         });

}  // namespace
}  // namespace gpuctr::bulk
