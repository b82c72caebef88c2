// Logarithm, sine and cosine for normal numbers, of basic operations only: the same bits on every
// CPU and on a GPU. The files that include this are compiled without contraction of a * b + c.
#ifndef GPUCTR_KERNELS_RANDOM_REAL_H
#define GPUCTR_KERNELS_RANDOM_REAL_H

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/base/inline.h"

namespace gpuctr::random {

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
  // (ln(1 + f) - f + f^2 / 2) / f^3 between sqrt(1/2) and sqrt(2): 3.2e-9
  static constexpr float kLog[] = {0.3333333118f,  -0.2499999696f, 0.2000071575f,
                                   -0.1666780232f, 0.1424905765f,  -0.1242568733f,
                                   0.1168541992f,  -0.1147973385f, 0.06971611471f};
  // sin(pi r) / r and cos(pi r) in r^2, |r| <= 1/4: 3.4e-9, 4.8e-11
  static constexpr float kSin[] = {3.141592644f, -5.167707821f, 2.549766965f, -0.5890750992f};
  static constexpr float kCos[] = {1.0f, -4.934802163f, 4.058707258f, -1.335044448f, 0.231328785f};

  // ln(1 + f)
  GPUCTR_INLINE static float log1p(float f) {
    float p = kLog[8];
    for (int i = 7; i >= 0; --i) p = p * f + kLog[i];
    const float square = f * f;
    return f - (square * 0.5f - square * f * p);
  }
  // Rounded to nearest. AVX2 converts only signed integers.
  GPUCTR_INLINE static float from(Bits w) {
    const auto high = static_cast<float>(static_cast<Signed>(w >> 16));
    return high * 65536.0f + static_cast<float>(static_cast<Signed>(w & 0xffff));
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
  // (ln((1 + s) / (1 - s)) / s - 2) / s^2 in s^2: 4.6e-18
  static constexpr double kLog[] = {0.66666666666666696862, 0.3999999999989950449,
                                    0.28571428625975484921, 0.22222211134795079855,
                                    0.1818288912526172208,  0.15331721600556041269,
                                    0.1461644968504340586};
  // 3.5e-18, 3.0e-20
  static constexpr double kSin[] = {3.1415926535897932286,   -5.1677127800499545258,
                                    2.5501640398733761003,   -0.59926452893964492693,
                                    0.082145869180001746186, -0.0073700215869077702698,
                                    0.0004615318553835809959};
  static constexpr double kCos[] = {1.0,
                                    -4.9348022005446792473,
                                    4.0587121264167473456,
                                    -1.3352627688519173826,
                                    0.23533063019088786453,
                                    -0.025806885652951304647,
                                    0.0019294657440800043057,
                                    -0.00010356747255199479252};

  GPUCTR_INLINE static double log1p(double f) {
    const double s = f / (2.0 + f);
    const double z = s * s;
    double p = kLog[6];
    for (int i = 5; i >= 0; --i) p = p * z + kLog[i];
    const double half_square = f * f * 0.5;
    return f - (half_square - s * (half_square + z * p));
  }
  GPUCTR_INLINE static double from(Bits w) {
    const auto high = static_cast<double>(static_cast<Signed>(w >> 32));
    return high * 4294967296.0 + static_cast<double>(static_cast<Signed>(w & 0xffffffff));
  }
};

// ln(u) for 0 < u <= 1, not subnormal.
template <class F>
GPUCTR_INLINE F log_of(F u) {
  using R = Real<F>;
  using Bits = typename R::Bits;
  Bits bits;
  std::memcpy(&bits, &u, sizeof bits);
  const Bits above = bits - R::kRootOfHalf;
  const auto exponent = static_cast<typename R::Signed>(above) >> R::kFraction;
  bits = (above & ((Bits{1} << R::kFraction) - 1)) + R::kRootOfHalf;
  F m;
  std::memcpy(&m, &bits, sizeof m);
  return static_cast<F>(static_cast<std::int32_t>(exponent)) * R::kLn2 + R::log1p(m - F{1});
}

// Two independent standard normal numbers from two uniform words (Box and Muller 1958).
template <class F>
GPUCTR_INLINE void normal_pair(typename Real<F>::Bits a, typename Real<F>::Bits b, F* x, F* y) {
  using R = Real<F>;
  using Bits = typename R::Bits;
  constexpr unsigned kBits = 8 * sizeof(Bits);
  const F radius = std::sqrt(F{-2} * log_of((R::from(a) + F{0.5}) * R::kUnit));
  // The angle is b / 2^kBits turns: `quarter` quarters, and r half turns.
  const Bits quarter = (b + (Bits{1} << (kBits - 3))) >> (kBits - 2);
  const auto rest = static_cast<typename R::Signed>(b - (quarter << (kBits - 2)));
  const F r = static_cast<F>(rest) * (R::kUnit * F{2});
  const F z = r * r;
  constexpr int kSins = sizeof R::kSin / sizeof(F), kCoses = sizeof R::kCos / sizeof(F);
  F sine = R::kSin[kSins - 1], cosine = R::kCos[kCoses - 1];
  for (int i = kSins - 2; i >= 0; --i) sine = sine * z + R::kSin[i];
  for (int i = kCoses - 2; i >= 0; --i) cosine = cosine * z + R::kCos[i];
  sine = sine * r;
  const bool swapped = (quarter & 1) != 0;
  const F along = swapped ? sine : cosine, across = swapped ? cosine : sine;
  *x = radius * (((quarter + 1) & 2) != 0 ? -along : along);
  *y = radius * ((quarter & 2) != 0 ? -across : across);
}

// The nearest float16 or bfloat16, ties to even; for numbers that are not NaN.
GPUCTR_INLINE std::uint16_t bfloat16_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
GPUCTR_INLINE std::uint16_t float16_of(float x) {
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
