// Logarithm, sine and cosine for normal numbers, of basic operations only: the same bits on every
// CPU and on a GPU. There is no a * b + c here that a compiler could contract.
#ifndef GPUCTR_KERNELS_RANDOM_REAL_H
#define GPUCTR_KERNELS_RANDOM_REAL_H

#include <cstdint>
#include <cstring>

#include "kernels/base/inline.h"
#include "kernels/random/numbers.h"

namespace gpuctr::random {

// a * b + c, rounded once. Without such an instruction it is a function of libm.
GPUCTR_HD float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GPUCTR_HD double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
GPUCTR_HD float square_root(float x) { return __builtin_sqrtf(x); }
GPUCTR_HD double square_root(double x) { return __builtin_sqrt(x); }

// a + b z + c z^2 + ...
template <class F>
GPUCTR_HD F polynomial(F, F a) {
  return a;
}
template <class F, class... Rest>
GPUCTR_HD F polynomial(F z, F a, Rest... rest) {
  return fused(polynomial(z, rest...), z, a);
}

// What differs between float and double. The coefficients are interpolations at Chebyshev's nodes;
// the comments give the largest relative error.
template <class F>
struct Real;

template <>
struct Real<float> {
  using Bits = std::uint32_t;
  using Signed = std::int32_t;
  static constexpr unsigned kFraction = 23;
  static constexpr Bits kRootOfHalf = 0x3f3504f3;  // sqrt(1/2)
  static constexpr float kLn2 = 0.693147182f;
  static constexpr float kUnit = 0x1p-32f;
  // ln(1 + f) from (ln(1 + f) - f + f^2 / 2) / f^3 between sqrt(1/2) and sqrt(2): 3.2e-9
  GPUCTR_HD static float log1p(float f) {
    const float p =
        polynomial(f, 0.3333333118f, -0.2499999696f, 0.2000071575f, -0.1666780232f, 0.1424905765f,
                   -0.1242568733f, 0.1168541992f, -0.1147973385f, 0.06971611471f);
    return fused(f * f, fused(f, p, -0.5f), f);
  }
  // sin(pi r) and cos(pi r) for |r| <= 1/4, z = r^2: 3.4e-9, 4.8e-11
  GPUCTR_HD static float sine(float r, float z) {
    return polynomial(z, 3.141592644f, -5.167707821f, 2.549766965f, -0.5890750992f) * r;
  }
  GPUCTR_HD static float cosine(float z) {
    return polynomial(z, 1.0f, -4.934802163f, 4.058707258f, -1.335044448f, 0.231328785f);
  }
  // Rounded to nearest. AVX2 converts only signed integers.
  GPUCTR_HD static float from(Bits w) {
    const auto high = static_cast<float>(static_cast<Signed>(w >> 16));
    return fused(high, 65536.0f, static_cast<float>(static_cast<Signed>(w & 0xffff)));
  }
};

template <>
struct Real<double> {
  using Bits = std::uint64_t;
  using Signed = std::int64_t;
  static constexpr unsigned kFraction = 52;
  static constexpr Bits kRootOfHalf = 0x3fe6a09e667f3bcd;
  static constexpr double kLn2 = 0.69314718055994530942;
  static constexpr double kUnit = 0x1p-64;
  // By (ln((1 + s) / (1 - s)) / s - 2) / s^2: 4.6e-18
  GPUCTR_HD static double log1p(double f) {
    const double s = f / (2.0 + f);
    const double z = s * s;
    const double p =
        polynomial(z, 0.66666666666666696862, 0.3999999999989950449, 0.28571428625975484921,
                   0.22222211134795079855, 0.1818288912526172208, 0.15331721600556041269,
                   0.1461644968504340586);
    const double half_square = f * f * 0.5;
    return f - fused(-s, fused(z, p, half_square), half_square);
  }
  // 3.5e-18, 3.0e-20
  GPUCTR_HD static double sine(double r, double z) {
    return polynomial(z, 3.1415926535897932286, -5.1677127800499545258, 2.5501640398733761003,
                      -0.59926452893964492693, 0.082145869180001746186, -0.0073700215869077702698,
                      0.0004615318553835809959) *
           r;
  }
  GPUCTR_HD static double cosine(double z) {
    return polynomial(z, 1.0, -4.9348022005446792473, 4.0587121264167473456, -1.3352627688519173826,
                      0.23533063019088786453, -0.025806885652951304647, 0.0019294657440800043057,
                      -0.00010356747255199479252);
  }
  GPUCTR_HD static double from(Bits w) {
    const auto high = static_cast<double>(static_cast<Signed>(w >> 32));
    return fused(high, 4294967296.0, static_cast<double>(static_cast<Signed>(w & 0xffffffff)));
  }
};

// ln(u) for 0 < u <= 1, not subnormal.
template <class F>
GPUCTR_HD F log_of(F u) {
  using R = Real<F>;
  using Bits = typename R::Bits;
  Bits bits;
  std::memcpy(&bits, &u, sizeof bits);
  const Bits above = bits - R::kRootOfHalf;
  const auto exponent = static_cast<typename R::Signed>(above) >> R::kFraction;
  bits = (above & ((Bits{1} << R::kFraction) - 1)) + R::kRootOfHalf;
  F m;
  std::memcpy(&m, &bits, sizeof m);
  return fused(static_cast<F>(static_cast<std::int32_t>(exponent)), R::kLn2, R::log1p(m - F{1}));
}

// Two independent normal numbers from two uniform words (Box and Muller 1958).
template <class F>
GPUCTR_HD void normal_pair(typename Real<F>::Bits a, typename Real<F>::Bits b, F mean, F stddev,
                           F* x, F* y) {
  using R = Real<F>;
  using Bits = typename R::Bits;
  constexpr unsigned kBits = 8 * sizeof(Bits);
  const F radius = square_root(F{-2} * log_of(fused(R::from(a), R::kUnit, R::kUnit * F{0.5})));
  // The angle is b / 2^kBits turns: `quarter` quarters, and r half turns.
  const Bits quarter = (b + (Bits{1} << (kBits - 3))) >> (kBits - 2);
  const auto rest = static_cast<typename R::Signed>(b - (quarter << (kBits - 2)));
  const F r = static_cast<F>(rest) * (R::kUnit * F{2});
  const F z = r * r;
  const F sine = R::sine(r, z), cosine = R::cosine(z);
  const bool swapped = (quarter & 1) != 0;
  const F along = swapped ? sine : cosine, across = swapped ? cosine : sine;
  const F scale = radius * stddev;
  *x = fused(scale, ((quarter + 1) & 2) != 0 ? -along : along, mean);
  *y = fused(scale, (quarter & 2) != 0 ? -across : across, mean);
}

// Uniform numbers of a floating-point type, in the range of `what`.
template <class F>
struct Uniform {
  GPUCTR_HD Uniform(const Distribution& what, const Limits& limits)
      : shift_(8 * sizeof(F) - digits(what.type)),
        unit_(F{1} / static_cast<F>(std::int64_t{1} << digits(what.type))),
        low_(static_cast<F>(what.low)),
        range_(static_cast<F>(what.high - what.low)),
        least_(static_cast<F>(limits.least)),
        greatest_(static_cast<F>(limits.greatest)) {}

  GPUCTR_HD F of(typename Real<F>::Bits word) const {
    F x = fused(range_, Real<F>::from(word >> shift_) * unit_, low_);
    x = x < least_ ? least_ : x;
    return x > greatest_ ? greatest_ : x;
  }

 private:
  // As many random digits as the type has.
  GPUCTR_HD static unsigned digits(NumberType type) {
    if (type == NumberType::kFloat16) return 11;
    if (type == NumberType::kBfloat16) return 8;
    return Real<F>::kFraction + 1;
  }

  const unsigned shift_;
  const F unit_, low_, range_, least_, greatest_;
};

// The nearest float16 or bfloat16, ties to even; for numbers that are not NaN.
GPUCTR_HD std::uint16_t bfloat16_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
GPUCTR_HD std::uint16_t float16_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const std::uint32_t sign = (bits >> 16) & 0x8000;
  bits &= 0x7fffffff;
  // Below 2^-14: adding 1/2 leaves the subnormal's digits at the end, correctly rounded.
  float small;
  std::memcpy(&small, &bits, sizeof small);
  small += 0.5f;
  std::uint32_t tiny;
  std::memcpy(&tiny, &small, sizeof tiny);
  tiny -= 0x3f000000;
  std::uint32_t usual = (bits - 0x38000000 + 0xfff + ((bits >> 13) & 1)) >> 13;
  usual = usual > 0x7c00 ? 0x7c00 : usual;
  return static_cast<std::uint16_t>(sign | (bits < 0x38800000 ? tiny : usual));
}

}  // namespace gpuctr::random

#endif
