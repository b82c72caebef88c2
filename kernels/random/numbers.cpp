#include "kernels/random/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "kernels/base/wipe.h"
#include "kernels/random/integer.h"

namespace gpuctr {
namespace random {

extern const MakeFloats floats_plain;
#ifdef GPUCTR_X86
extern const MakeFloats floats_avx2;
extern const MakeFloats floats_avx512;
#endif

namespace {

// Best first.
constexpr FloatsForm kForms[] = {
#ifdef GPUCTR_X86
    {"avx512",
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("fma");
     },
     &floats_avx512},
    {"avx2", [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); },
     &floats_avx2},
#endif
    {"plain", [] { return true; }, &floats_plain},
};

MakeFloats best_form() {
  const FloatsForm* form = kForms;
  while (!form->available()) ++form;
  return *form->make;
}

}  // namespace

FloatsFormList floats_forms() { return {kForms, std::size(kForms)}; }

}  // namespace random

namespace {

// Properties of the floating-point types.
struct FloatType {
  int digits;
  int least_exponent;  // of the smallest normal number is 2^least_exponent
  double greatest;
};
constexpr FloatType kFloatTypes[] = {{24, -126, 0x1.fffffep127},
                                     {53, -1022, 0x1.fffffffffffffp1023},
                                     {11, -14, 65504.0},
                                     {8, -126, 0x1.fep127}};

const FloatType& float_type(NumberType type) { return kFloatTypes[static_cast<int>(type)]; }

// The distance between the numbers of the type near x.
double spacing(const FloatType& type, double x) {
  int exponent = type.least_exponent;
  if (x != 0) exponent = std::max(exponent, std::ilogb(x));
  return std::ldexp(1.0, exponent - type.digits + 1);
}

// The greatest number of the type that is at most x.
double at_most(const FloatType& type, double x) {
  const double step = spacing(type, x);
  return std::floor(x / step) * step;
}

bool fits(const FloatType& type, double x) { return std::abs(x) <= type.greatest; }

std::uint64_t word_at(const std::uint8_t* random, std::size_t i) {
  std::uint64_t word;
  std::memcpy(&word, random + i * sizeof word, sizeof word);
  return word;
}

// Integers are stored in the CPU's order of bytes, which is that of the random words.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

template <class Integer>
void make_integers_of(const Distribution& what, const std::uint8_t* random, std::uint8_t* out,
                      std::size_t count) {
  const auto first = static_cast<std::uint64_t>(what.first);
  const std::uint64_t range = static_cast<std::uint64_t>(what.last) - first + 1;  // 0: 2^64
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t high = word_at(random, 2 * i), low = word_at(random, 2 * i + 1);
    const auto x = static_cast<Integer>(first + random::below(range, high, low));
    std::memcpy(out + i * sizeof x, &x, sizeof x);
  }
}

void make_integers(const Distribution& what, const std::uint8_t* random, std::uint8_t* out,
                   std::size_t count) {
  const auto make = what.type == NumberType::kUint8   ? make_integers_of<std::uint8_t>
                    : what.type == NumberType::kInt32 ? make_integers_of<std::uint32_t>
                                                      : make_integers_of<std::uint64_t>;
  make(what, random, out, count);
}

// The number 1 of the type.
std::uint64_t one_of(NumberType type) {
  switch (type) {
    case NumberType::kFloat32:
      return 0x3f800000;
    case NumberType::kFloat64:
      return 0x3ff0000000000000;
    case NumberType::kFloat16:
      return 0x3c00;
    case NumberType::kBfloat16:
      return 0x3f80;
    case NumberType::kInt32:
    case NumberType::kInt64:
    case NumberType::kUint8:
      break;
  }
  return 1;
}

template <class Integer>
void make_bernoulli_of(const Distribution& what, const std::uint8_t* random, std::uint8_t* out,
                       std::size_t count) {
  const Bernoulli bernoulli(what);
  const auto one = static_cast<Integer>(bernoulli.one);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_one = bernoulli.always | (word_at(random, i) < bernoulli.bound);
    const Integer x = is_one ? one : Integer{0};
    std::memcpy(out + i * sizeof x, &x, sizeof x);
  }
}

void make_bernoulli(const Distribution& what, const std::uint8_t* random, std::uint8_t* out,
                    std::size_t count) {
  const std::size_t size = what.number_bytes();
  const auto make = size == 1   ? make_bernoulli_of<std::uint8_t>
                    : size == 2 ? make_bernoulli_of<std::uint16_t>
                    : size == 4 ? make_bernoulli_of<std::uint32_t>
                                : make_bernoulli_of<std::uint64_t>;
  make(what, random, out, count);
}

const char* integer_fault(const Distribution& what) {
  if (what.is_float()) return "integers have the type int32, int64 or uint8";
  if (what.first > what.last) return "low must be less than high";
  const bool fit =
      what.type == NumberType::kInt64 ||
      (what.type == NumberType::kInt32 && what.first >= INT32_MIN && what.last <= INT32_MAX) ||
      (what.type == NumberType::kUint8 && what.first >= 0 && what.last <= UINT8_MAX);
  return fit ? nullptr : "low or high does not fit the type";
}

const char* float_fault(const Distribution& what) {
  if (!what.is_float()) return "these numbers have a floating-point type";
  const FloatType& type = float_type(what.type);
  if (what.output == Output::kNormal) {
    // normal_pair() multiplies stddev by up to 6.8, or 9.5 in double, and what is infinite by 0.
    const double room = what.type == NumberType::kFloat16 ? 1 : 16;  // float16's are made in float
    if (!fits(type, what.mean) || !fits(type, what.stddev * room)) {
      return "mean or stddev is too large";
    }
    return what.stddev >= 0 ? nullptr : "stddev must not be negative";
  }
  if (!fits(type, what.low) || !fits(type, what.high) || !fits(type, what.high - what.low)) {
    return "low or high is too large";
  }
  const Limits limits = limits_of(what);
  return limits.least <= limits.greatest ? nullptr
                                         : "no number of the type is between low and high";
}

constexpr std::size_t kFloatStack = 8192;  // Block<double>, and what the loops spill

}  // namespace

Limits limits_of(const Distribution& what) {
  if (what.output != Output::kUniform) return {};
  const FloatType& type = float_type(what.type);
  return {-at_most(type, -what.low), at_most(type, std::nextafter(what.high, -HUGE_VAL))};
}

std::size_t Distribution::number_bytes() const {
  if (output == Output::kBytes) return 1;
  constexpr std::size_t kSizes[] = {4, 8, 2, 2, 4, 8, 1};
  return kSizes[static_cast<int>(type)];
}

std::size_t Distribution::word_bytes() const {
  switch (output) {
    case Output::kBytes:
      return 1;
    case Output::kUniform:
    case Output::kNormal:
      return type == NumberType::kFloat64 ? 8 : 4;
    case Output::kIntegers:
      return 16;
    case Output::kBernoulli:
      break;
  }
  return 8;
}

Bernoulli::Bernoulli(const Distribution& what)
    : one(one_of(what.type)),
      bound(what.p < 1 ? static_cast<std::uint64_t>(std::ldexp(what.p, 64)) : 0),
      always(what.p >= 1) {}

const char* fault_of(const Distribution& what) {
  switch (what.output) {
    case Output::kBytes:
      return nullptr;
    case Output::kUniform:
    case Output::kNormal:
      return float_fault(what);
    case Output::kIntegers:
      return integer_fault(what);
    case Output::kBernoulli:
      break;
  }
  return what.p >= 0 && what.p <= 1 ? nullptr : "p must be from 0 to 1";
}

void make_numbers(const Distribution& what, const std::uint8_t* random, std::uint8_t* out,
                  std::size_t count) {
  if (what.output == Output::kIntegers) return make_integers(what, random, out, count);
  if (what.output == Output::kBernoulli) return make_bernoulli(what, random, out, count);
  static const random::MakeFloats make_floats = random::best_form();
  make_floats(what, limits_of(what), random, out, count);
  wipe_stack<kFloatStack>();
}

}  // namespace gpuctr
