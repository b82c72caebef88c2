// Numbers of a distribution from random bytes: against formulas in long double, the same on every
// backend, and distributed as they should be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>

#include "kernels/random/numbers.h"
#include "test/support/vectors.h"

namespace gpuctr {
namespace {

using test::Bytes;

Bytes random_bytes(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 source(seed);
  Bytes bytes((n + 7) / 8 * 8);
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const std::uint64_t word = source();
    std::memcpy(bytes.data() + i, &word, 8);
  }
  bytes.resize(n);
  return bytes;
}

Distribution make(Output output, NumberType type) {
  Distribution what;
  what.output = output;
  what.type = type;
  return what;
}

Bytes numbers(const Distribution& what, const Bytes& random) {
  Bytes out(random.size() / what.word_bytes() * what.number_bytes());
  make_numbers(what, random.data(), out.data(), random.size() / what.word_bytes());
  return out;
}

template <class F>
std::vector<F> as(const Bytes& bytes) {
  std::vector<F> list(bytes.size() / sizeof(F));
  std::memcpy(list.data(), bytes.data(), bytes.size());
  return list;
}

double half_value(std::uint16_t half, int digits) {
  const int exponent_bits = 16 - digits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = half >> (digits - 1) & ((1 << exponent_bits) - 1);
  const int fraction = half & ((1 << (digits - 1)) - 1);
  const double value =
      exponent == 0 ? std::ldexp(fraction, 2 - digits - bias)
                    : std::ldexp(fraction + (1 << (digits - 1)), exponent - bias - digits + 1);
  return (half & 0x8000) != 0 ? -value : value;
}

std::vector<double> values(const Distribution& what, const Bytes& numbers) {
  std::vector<double> list;
  switch (what.type) {
    case NumberType::kFloat32:
      for (const float x : as<float>(numbers)) list.push_back(double{x});
      break;
    case NumberType::kFloat64:
      list = as<double>(numbers);
      break;
    case NumberType::kFloat16:
      for (const std::uint16_t x : as<std::uint16_t>(numbers)) list.push_back(half_value(x, 11));
      break;
    case NumberType::kBfloat16:
      for (const std::uint16_t x : as<std::uint16_t>(numbers)) list.push_back(half_value(x, 8));
      break;
    default:
      ADD_FAILURE();
  }
  return list;
}

constexpr NumberType kFloats[] = {NumberType::kFloat32, NumberType::kFloat64, NumberType::kFloat16,
                                  NumberType::kBfloat16};

// Box and Muller's pair in long double.
template <class Word>
void reference_pair(Word a, Word b, double* x, double* y) {
  const long double turns = std::ldexp(1.0L, -8 * static_cast<int>(sizeof(Word)));
  const long double radius = std::sqrt(-2 * std::log((a + 0.5L) * turns));
  const long double angle = 2 * std::acos(-1.0L) * (b * turns);
  *x = static_cast<double>(radius * std::cos(angle));
  *y = static_cast<double>(radius * std::sin(angle));
}

template <class F, class Word>
void expect_normal(NumberType type, double rounded) {
  Bytes random = random_bytes(sizeof(Word) << 17, 1);
  // The extremes of the logarithm and of each quarter of the circle.
  const Word extremes[] = {0, 1, ~Word{0}, ~Word{0} / 2, Word(~Word{0} / 2 + 1), ~Word{0} / 8 * 3};
  auto words = as<Word>(random);
  std::size_t at = 0;
  for (const Word a : extremes) {
    for (const Word b : extremes) words[at++] = a, words[at++] = b;
  }
  std::memcpy(random.data(), words.data(), random.size());
  const std::vector<F> made = as<F>(numbers(make(Output::kNormal, type), random));
  for (std::size_t i = 0; i < words.size(); i += 2) {
    double x, y;
    reference_pair(words[i], words[i + 1], &x, &y);
    // A word is rounded to the type's digits before the logarithm, whose value near 1 then loses
    // digits; all else is exact to some units in the last place of the pair's radius.
    const double radius = std::hypot(x, y);
    const double unit =
        std::min(std::sqrt(2 * rounded), 2 * rounded / radius) + 16 * rounded * radius;
    ASSERT_NEAR(static_cast<double>(made[i]), x, unit) << i << " " << +words[i];
    ASSERT_NEAR(static_cast<double>(made[i + 1]), y, unit) << i << " " << +words[i + 1];
  }
}

TEST(Numbers, NormalIsBoxAndMullers) {
  expect_normal<float, std::uint32_t>(NumberType::kFloat32, 0x1p-25);
  expect_normal<double, std::uint64_t>(NumberType::kFloat64, 0x1p-54);
}

// Away from the logarithm's zero, the error is a few units in the last place.
TEST(Numbers, NormalIsExactInItsTails) {
  auto words = as<std::uint32_t>(random_bytes(4u << 17, 2));
  for (std::size_t i = 0; i < words.size(); i += 2) words[i] >>= 1 + i % 24;
  Bytes random(words.size() * 4);
  std::memcpy(random.data(), words.data(), random.size());
  const auto made = as<float>(numbers(make(Output::kNormal, NumberType::kFloat32), random));
  for (std::size_t i = 0; i < words.size(); i += 2) {
    double x, y;
    reference_pair(words[i], words[i + 1], &x, &y);
    const double unit = std::hypot(x, y) * 0x1p-21;
    ASSERT_NEAR(double{made[i]}, x, unit) << i;
    ASSERT_NEAR(double{made[i + 1]}, y, unit) << i;
  }
}

TEST(Numbers, UniformHasTheTypesDigits) {
  const Bytes random = random_bytes(8u << 12, 3);
  const std::map<NumberType, int> digits = {{NumberType::kFloat32, 24},
                                            {NumberType::kFloat64, 53},
                                            {NumberType::kFloat16, 11},
                                            {NumberType::kBfloat16, 8}};
  for (const NumberType type : kFloats) {
    const Distribution what = make(Output::kUniform, type);
    const std::vector<double> made = values(what, numbers(what, random));
    const int kept = digits.at(type);
    for (std::size_t i = 0; i < made.size(); ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, random.data() + i * what.word_bytes(), what.word_bytes());
      const auto top = word >> (8 * what.word_bytes() - static_cast<std::size_t>(kept));
      ASSERT_EQ(made[i], std::ldexp(static_cast<double>(top), -kept)) << i;
    }
  }
}

// Rounding takes no number out of the range, whose end is open.
TEST(Numbers, UniformStaysInItsRange) {
  Bytes random = random_bytes(8u << 12, 4);
  std::memset(random.data(), 0xff, 1024);
  std::memset(random.data() + 1024, 0, 1024);
  const double ranges[][2] = {{0, 1},       {-1, 1},     {1, 1.03125}, {0.1, 0.9},
                              {1024, 1032}, {-0.1, 0.1}, {-3, -2.9},   {0, 0x1p-24}};
  for (const NumberType type : kFloats) {
    for (const auto& range : ranges) {
      Distribution what = make(Output::kUniform, type);
      what.low = range[0], what.high = range[1];
      ASSERT_EQ(fault_of(what), nullptr);
      const std::vector<double> made = values(what, numbers(what, random));
      for (const double x : made) {
        ASSERT_GE(x, what.low) << static_cast<int>(type);
        ASSERT_LT(x, what.high) << static_cast<int>(type);
      }
      if (what.number_bytes() > 2) {  // some ranges have one half
        EXPECT_NE(*std::min_element(made.begin(), made.end()),
                  *std::max_element(made.begin(), made.end()));
      }
    }
  }
}

// The bits do not depend on the vectors, on the number of numbers, or on alignment.
TEST(Numbers, EveryFormMakesTheSame) {
  const Bytes random = random_bytes(8 * 1032, 5);  // normal numbers take pairs
  for (const Output output : {Output::kNormal, Output::kUniform}) {
    for (const NumberType type : kFloats) {
      Distribution what = make(output, type);
      what.mean = 0.3, what.stddev = 1.7, what.low = -0.3, what.high = 2.1;
      const Bytes model = numbers(what, random);
      const random::FloatsFormList list = random::floats_forms();
      for (std::size_t f = 0; f < list.count; ++f) {
        if (!list.first[f].available()) continue;
        const char* const form = list.first[f].name;
        for (const std::size_t count : {1u, 2u, 255u, 256u, 257u, 1031u}) {
          Bytes out(count * what.number_bytes() + 2, 0xee);
          (*list.first[f].make)(what, limits_of(what), random.data(), out.data() + 1, count);
          ASSERT_TRUE(std::equal(out.begin() + 1, out.end() - 1, model.begin()))
              << form << " " << count;
          EXPECT_EQ(out.front(), 0xee);
          EXPECT_EQ(out.back(), 0xee);
        }
      }
    }
  }
}

// word * range / 2^128, by long division of its parts.
TEST(Numbers, IntegersAreAPartOf128RandomBits) {
  Bytes random = random_bytes(16u << 12, 6);
  std::memset(random.data(), 0xff, 160);
  std::memset(random.data() + 160, 0, 160);
  const auto words = as<std::uint64_t>(random);
  const std::int64_t bounds[][2] = {{0, 9},
                                    {-5, 5},
                                    {0, INT64_MAX},
                                    {-1, INT64_MAX},
                                    {7, 7},
                                    {INT64_MIN, INT64_MAX},
                                    {-(1ll << 62), 1ll << 62}};
  for (const auto& bound : bounds) {
    Distribution what = make(Output::kIntegers, NumberType::kInt64);
    what.first = bound[0], what.last = bound[1];
    const auto made = as<std::int64_t>(numbers(what, random));
    const auto first = static_cast<std::uint64_t>(bound[0]);
    const std::uint64_t range = static_cast<std::uint64_t>(bound[1]) - first + 1;
    for (std::size_t i = 0; i < made.size(); ++i) {
      std::uint64_t x = words[2 * i];  // the first word has the higher digits
      if (range != 0) {
        // In digits of 32 bits.
        std::uint64_t digits[6] = {}, word[4], factor[2] = {range & 0xffffffff, range >> 32};
        for (int k = 0; k < 4; ++k) word[k] = words[2 * i + (k < 2)] >> 32 * (k % 2) & 0xffffffff;
        for (int k = 0; k < 4; ++k) {
          std::uint64_t carry = 0;
          for (int l = 0; l < 2; ++l) {
            carry += digits[k + l] + word[k] * factor[l];
            digits[k + l] = carry & 0xffffffff;
            carry >>= 32;
          }
          digits[k + 2] = carry;
        }
        x = digits[4] | digits[5] << 32;
      }
      ASSERT_EQ(static_cast<std::uint64_t>(made[i]), first + x) << i << " " << range;
    }
  }
}

TEST(Numbers, IntegersOfEachType) {
  const Bytes random = random_bytes(16u << 10, 7);
  for (const NumberType type : {NumberType::kInt32, NumberType::kInt64, NumberType::kUint8}) {
    Distribution what = make(Output::kIntegers, type);
    what.first = 3, what.last = 200;
    const Bytes made = numbers(what, random);
    for (std::size_t i = 0; i < made.size() / what.number_bytes(); ++i) {
      std::int64_t x = 0;
      std::memcpy(&x, made.data() + i * what.number_bytes(), what.number_bytes());
      ASSERT_GE(x, 3);
      ASSERT_LE(x, 200);
    }
  }
}

TEST(Numbers, Bernoulli) {
  const Bytes random = random_bytes(8u << 16, 8);
  for (const double p : {0.0, 0.25, 0.5, 0.999, 1.0}) {
    Distribution what = make(Output::kBernoulli, NumberType::kUint8);
    what.p = p;
    const Bytes made = numbers(what, random);
    double ones = 0;
    for (const std::uint8_t x : made) {
      ASSERT_LE(x, 1);
      ones += x;
    }
    const double n = static_cast<double>(made.size());
    EXPECT_NEAR(ones, n * p, 5 * std::sqrt(n * p * (1 - p))) << p;
  }
  Distribution what = make(Output::kBernoulli, NumberType::kBfloat16);
  for (const double x : values(what, numbers(what, random))) ASSERT_TRUE(x == 0 || x == 1);
}

// Anderson and Darling's statistic of numbers that should be uniform; above 6 with a probability of
// about 0.001 (Marsaglia and Marsaglia 2004). The bytes are the same in each run.
double anderson_darling(std::vector<double> u) {
  std::sort(u.begin(), u.end());
  const double n = static_cast<double>(u.size());
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double low = std::clamp(u[i], 1e-12, 1 - 1e-12);
    const double high = std::clamp(u[u.size() - 1 - i], 1e-12, 1 - 1e-12);
    sum += (2 * static_cast<double>(i) + 1) * (std::log(low) + std::log1p(-high));
  }
  return -n - sum / n;
}

TEST(Numbers, NormalsAndUniformsAreDistributedAsTheyShould) {
  const Bytes random = random_bytes(8u << 17, 9);
  for (const NumberType type : {NumberType::kFloat32, NumberType::kFloat64}) {
    Distribution what = make(Output::kNormal, type);
    std::vector<double> x = values(what, numbers(what, random));
    const double n = static_cast<double>(x.size());
    double moments[5] = {};
    for (const double v : x) {
      for (int k = 1; k <= 4; ++k) moments[k] += std::pow(v, k) / n;
    }
    EXPECT_NEAR(moments[1], 0, 5 / std::sqrt(n));
    EXPECT_NEAR(moments[2], 1, 5 * std::sqrt(2 / n));
    EXPECT_NEAR(moments[3], 0, 5 * std::sqrt(15 / n));
    EXPECT_NEAR(moments[4], 3, 5 * std::sqrt(96 / n));
    // Beyond k standard deviations.
    for (const double k : {1.0, 2.0, 3.0, 4.0}) {
      const auto beyond = std::count_if(x.begin(), x.end(), [&](double v) { return v > k; });
      const double expected = n * std::erfc(k / std::sqrt(2.0)) / 2;
      EXPECT_NEAR(static_cast<double>(beyond), expected, 5 * std::sqrt(expected) + 1) << k;
    }
    for (double& v : x) v = std::erfc(-v / std::sqrt(2.0)) / 2;
    EXPECT_LT(anderson_darling(x), 6);
    what = make(Output::kUniform, type);
    EXPECT_LT(anderson_darling(values(what, numbers(what, random))), 6);
  }
}

// The farthest tails: half a word's unit is the least uniform number.
TEST(Numbers, NormalReachesSixStandardDeviations) {
  const Distribution what = make(Output::kNormal, NumberType::kFloat32);
  const auto made = as<float>(numbers(what, Bytes(8)));
  EXPECT_NEAR(double{made[0]}, std::sqrt(66 * std::log(2.0)), 1e-5);  // 6.76
}

// float16 and bfloat16 are the float, rounded to the nearest, ties to even.
TEST(Numbers, HalvesAreRoundedFloats) {
  const Bytes random = random_bytes(4u << 14, 10);
  for (const double stddev : {1.0, 1e-4, 3e-6, 3e4}) {
    Distribution what = make(Output::kNormal, NumberType::kFloat32);
    what.stddev = stddev;
    const std::vector<double> floats = values(what, numbers(what, random));
    for (const NumberType type : {NumberType::kFloat16, NumberType::kBfloat16}) {
      what.type = type;
      const std::vector<double> halves = values(what, numbers(what, random));
      const int digits = type == NumberType::kFloat16 ? 11 : 8;
      const int least = type == NumberType::kFloat16 ? -14 : -126;
      for (std::size_t i = 0; i < floats.size(); ++i) {
        const double unit = std::ldexp(1.0, std::max(least, std::ilogb(floats[i])) - digits + 1);
        double nearest = std::nearbyint(floats[i] / unit) * unit;
        if (type == NumberType::kFloat16 && std::abs(nearest) > 65504) {
          nearest = std::copysign(65536.0, nearest);  // infinity, as half_value() reads it
        }
        ASSERT_EQ(halves[i], nearest) << floats[i];
      }
    }
  }
}

TEST(Numbers, Faults) {
  const auto fault = [](Output output, NumberType type,
                        const std::function<void(Distribution*)>& set) {
    Distribution what = make(output, type);
    set(&what);
    const char* const text = fault_of(what);
    return std::string(text == nullptr ? "" : text);
  };
  const auto nothing = [](Distribution*) {};
  EXPECT_EQ(fault(Output::kNormal, NumberType::kInt32, nothing),
            "these numbers have a floating-point type");
  EXPECT_EQ(fault(Output::kIntegers, NumberType::kFloat32, nothing),
            "integers have the type int32, int64 or uint8");
  EXPECT_EQ(fault(Output::kNormal, NumberType::kFloat32, [](auto* d) { d->stddev = -1; }),
            "stddev must not be negative");
  EXPECT_EQ(fault(Output::kNormal, NumberType::kFloat16, [](auto* d) { d->mean = 1e5; }),
            "mean or stddev is too large");
  // An infinite factor would meet a sine of 0.
  EXPECT_EQ(fault(Output::kNormal, NumberType::kFloat32, [](auto* d) { d->stddev = 6e37; }),
            "mean or stddev is too large");
  EXPECT_EQ(fault(Output::kNormal, NumberType::kFloat64, [](auto* d) { d->stddev = 1e308; }),
            "mean or stddev is too large");
  EXPECT_EQ(fault(Output::kNormal, NumberType::kFloat16, [](auto* d) { d->stddev = 6e4; }), "");
  EXPECT_EQ(fault(Output::kUniform, NumberType::kFloat32, [](auto* d) { d->high = 1e39; }),
            "low or high is too large");
  EXPECT_EQ(fault(Output::kUniform, NumberType::kFloat32, [](auto* d) { d->low = 1; }),
            "no number of the type is between low and high");
  EXPECT_EQ(fault(Output::kUniform, NumberType::kBfloat16,
                  [](auto* d) { d->low = 1.001, d->high = 1.002; }),
            "no number of the type is between low and high");
  EXPECT_EQ(fault(Output::kIntegers, NumberType::kUint8, [](auto* d) { d->last = 256; }),
            "low or high does not fit the type");
  EXPECT_EQ(fault(Output::kIntegers, NumberType::kInt32, [](auto* d) { d->first = 1; }),
            "low must be less than high");
  EXPECT_EQ(fault(Output::kBernoulli, NumberType::kUint8, [](auto* d) { d->p = 1.5; }),
            "p must be from 0 to 1");
  EXPECT_EQ(fault(Output::kBernoulli, NumberType::kUint8, [](auto* d) { d->p = std::nan(""); }),
            "p must be from 0 to 1");
}

}  // namespace
}  // namespace gpuctr
