// Logarithm, sine and cosine for normal numbers, of basic operations only: the same bits on every
// CPU and on a GPU. There is no a * b + c here that a compiler could contract.
#ifndef GPUCTR_KERNELS_RANDOM_REAL_H
#define GPUCTR_KERNELS_RANDOM_REAL_H

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/base/inline.h"
#include "kernels/random/numbers.h"

namespace gpuctr::random {

// a * b + c, rounded once. Without such an instruction it is a function of libm.
GPUCTR_HD float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GPUCTR_HD double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
// For numbers that are not NaN.
GPUCTR_HD float greater(float a, float b) {
#ifdef __CUDA_ARCH__
  return fmaxf(a, b);
#else
  return a > b ? a : b;
#endif
}
GPUCTR_HD double greater(double a, double b) { return a > b ? a : b; }
GPUCTR_HD float less(float a, float b) {
#ifdef __CUDA_ARCH__
  return fminf(a, b);
#else
  return a < b ? a : b;
#endif
}
GPUCTR_HD double less(double a, double b) { return a < b ? a : b; }

// The nearest to the root of x, which is neither subnormal nor 0 nor infinite.
GPUCTR_HD float square_root(float x) {
#ifdef __CUDA_ARCH__
  // The steps of sqrt.rn without its other cases; gpu_device_test compares the bits with a CPU's.
  float root;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
  const float first = x * root;
  return fused(fused(-first, first, x), root * 0.5f, first);
#else
  return __builtin_sqrtf(x);
#endif
}
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
  static constexpr float kLeastSquare = 0x1p-100f;
  // ln(1 + f) from (ln(1 + f) - f + f^2 / 2) / f^3 between sqrt(1/2) and sqrt(2): 3.2e-9
  GPUCTR_HD static float log1p(float f) {
    const float p =
        polynomial(f, 0.3333333118f, -0.2499999696f, 0.2000071575f, -0.1666780232f, 0.1424905765f,
                   -0.1242568733f, 0.1168541992f, -0.1147973385f, 0.06971611471f);
    return fused(f * f, fused(f, p, -0.5f), f);
  }
  // sin(pi t) and cos(pi t) for |t| <= 1/2, z = t^2: 6.7e-9, 2.3e-10
  GPUCTR_HD static float sine(float t, float z) {
    return polynomial(z, 3.1415926401f, -5.1677100767f, 2.5500773865f, -0.59829041128f,
                      0.077655912276f) *
           t;
  }
  GPUCTR_HD static float cosine(float z) {
    return polynomial(z, 1.0f, -4.9348021369f, 4.0587091548f, -1.3352119494f, 0.2349370686f,
                      -0.024395932098f);
  }
  // Rounded to nearest. AVX2 converts only signed integers.
  GPUCTR_HD static float from(Bits w) {
#ifdef __CUDA_ARCH__
    return static_cast<float>(w);
#endif
    const auto high = static_cast<float>(static_cast<Signed>(w >> 16));
    return fused(high, 65536.0f, static_cast<float>(static_cast<Signed>(w & 0xffff)));
  }
  GPUCTR_HD static float from_digits(Bits w) { return static_cast<float>(static_cast<Signed>(w)); }
};

template <>
struct Real<double> {
  using Bits = std::uint64_t;
  using Signed = std::int64_t;
  static constexpr unsigned kFraction = 52;
  static constexpr Bits kRootOfHalf = 0x3fe6a09e667f3bcd;
  static constexpr double kLn2 = 0.69314718055994530942;
  static constexpr double kUnit = 0x1p-64;
  static constexpr double kLeastSquare = 0x1p-200;
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
  // 4.8e-22, 8.6e-24
  GPUCTR_HD static double sine(double t, double z) {
    return polynomial(z, 3.1415926535897932385, -5.1677127800499700285, 2.5501640398773453428,
                      -0.59926452932078689914, 0.082145886610993557444, -0.0073704309437021358482,
                      0.00046630278745932727291, -0.000021915250301851374269,
                      7.9485390373723208439e-7, -2.2283712160696968871e-8) *
           t;
  }
  GPUCTR_HD static double cosine(double z) {
    return polynomial(z, 1.0, -4.9348022005446793094, 4.0587121264167682169, -1.3352627688545894133,
                      0.23533063035889056133, -0.025806891389964700206, 0.0019295743088292206295,
                      -0.00010463810062667313617, 4.3030489281910884012e-6,
                      -1.3872781244548444688e-7, 3.5003120737037622012e-9);
  }
  GPUCTR_HD static double from(Bits w) {
    const auto high = static_cast<double>(static_cast<Signed>(w >> 32));
    return fused(high, 4294967296.0, static_cast<double>(static_cast<Signed>(w & 0xffffffff)));
  }
  GPUCTR_HD static double from_digits(Bits w) { return from(w); }
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
  const F u = fused(R::from(a), R::kUnit, R::kUnit * F{0.5});
  const F scale = square_root(greater(F{-2} * log_of(u), R::kLeastSquare)) * stddev;
  // t: the half of the angle in half turns. Its sine and cosine give those of the angle, without
  // the cases that a reduction of the angle would have.
  const F t = static_cast<F>(static_cast<typename R::Signed>(b)) * R::kUnit;
  const F z = t * t;
  const F sine = R::sine(t, z), cosine = R::cosine(z);
  *x = fused(scale, fused(cosine, cosine, -(sine * sine)), mean);
  *y = fused(scale, F{2} * sine * cosine, mean);
}

// A distribution's parameters as the loops use them. Made on the CPU: a GPU converts double slowly.
template <class F>
struct FloatParameters {
  FloatParameters() = default;
  FloatParameters(const Distribution& what, const Limits& limits)
      : normal(what.output == Output::kNormal),
        type(what.type),
        mean(static_cast<F>(what.mean)),
        stddev(static_cast<F>(what.stddev)),
        shift(static_cast<unsigned>(8 * sizeof(F)) - digits(what.type)),
        low(static_cast<F>(what.low)),
        step(
            static_cast<F>(std::ldexp(what.high - what.low, -static_cast<int>(digits(what.type))))),
        least(static_cast<F>(limits.least)),
        greatest(static_cast<F>(limits.greatest)) {}

  GPUCTR_HD F uniform(typename Real<F>::Bits word) const {
    // The digits are less than 2^53, or 2^24: signed, because AVX2 converts no other.
    const F digit = Real<F>::from_digits(word >> shift);
    return less(greater(fused(step, digit, low), least), greatest);
  }

  bool normal;
  NumberType type;
  F mean, stddev;

 private:
  // As many random digits as the type has.
  static unsigned digits(NumberType number) {
    if (number == NumberType::kFloat16) return 11;
    if (number == NumberType::kBfloat16) return 8;
    return Real<F>::kFraction + 1;
  }

  unsigned shift;
  F low, step, least, greatest;
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
