// 8-bit S-boxes that are an inversion in a field between two affine maps.
//
// A definition states a box as its standard does, by a struct with
//
//   static constexpr unsigned kPolynomial          of the field, as 0x11b for AES's
//   static constexpr Affine kBefore                the map before the inversion
//   static constexpr std::uint8_t at(unsigned x)   S(x), by a table or by a formula
//
// and uses Box<that struct>. The map after the inversion is derived. So is the change to AES's
// field, in which every backend computes, in constant time. The derivation of a box that is not of
// this kind does not compile. InverseBox<B> is the inverse of the box B.
#ifndef GPUCTR_KERNELS_CIPHER_BOX_H
#define GPUCTR_KERNELS_CIPHER_BOX_H

#include <cstddef>
#include <cstdint>

#include "kernels/base/inline.h"

// Before a loop of a key schedule: its arrays are registers on a device.
#if defined(__CUDA_ARCH__) && !defined(GPUCTR_DEVICE_UNROLL)
#define GPUCTR_DEVICE_UNROLL _Pragma("unroll")
#elif !defined(GPUCTR_DEVICE_UNROLL)
#define GPUCTR_DEVICE_UNROLL
#endif

namespace gpuctr {

// Swaps the two halves of a block.
template <unsigned N, class V>
GPUCTR_HD void swap_halves(V (&x)[N]) {
  for (unsigned i = 0; i < N / 2; ++i) {
    const V left = x[i];
    x[i] = x[N / 2 + i];
    x[N / 2 + i] = left;
  }
}

// Stores the number of rounds behind a schedule. Code of a device knows the number, and keeps no
// room for it.
template <class T>
GPUCTR_HD void state_rounds(T* at, unsigned rounds) {
#if defined(__CUDA_ARCH__) || defined(GPUCTR_TEST_ON_THE_CPU)
  static_cast<void>(at), static_cast<void>(rounds);
#else
  *at = static_cast<T>(rounds);
#endif
}

// An affine map of eight bits. The matrix has the format of GF2P8AFFINEQB: byte 7 - i selects the
// bits of x whose parity is bit i.
struct Affine {
  std::uint64_t matrix;
  std::uint8_t constant;

  constexpr std::uint8_t row(unsigned bit) const {
    return static_cast<std::uint8_t>(matrix >> (8 * (7 - bit)));
  }
  constexpr std::uint8_t linear(unsigned x) const {
    unsigned y = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      unsigned chosen = x & row(bit);
      chosen ^= chosen >> 4;
      chosen ^= chosen >> 2;
      chosen ^= chosen >> 1;
      y |= (chosen & 1) << bit;
    }
    return static_cast<std::uint8_t>(y);
  }
  constexpr std::uint8_t operator()(unsigned x) const {
    return static_cast<std::uint8_t>(linear(x) ^ constant);
  }
  constexpr bool is_identity() const { return matrix == 0x0102040810204080 && constant == 0; }
};

constexpr Affine kIdentity = {0x0102040810204080, 0};

// The matrix of a linear map of eight bits, given as a function.
template <class F>
constexpr std::uint64_t matrix_of(F f) {
  std::uint64_t matrix = 0;
  for (unsigned from = 0; from < 8; ++from) {
    const auto column = static_cast<unsigned>(f(1u << from));
    for (unsigned to = 0; to < 8; ++to) {
      if ((column >> to & 1) != 0) matrix |= std::uint64_t{1} << (8 * (7 - to) + from);
    }
  }
  return matrix;
}

// outer(inner(x))
constexpr Affine composed(const Affine& outer, const Affine& inner) {
  return {matrix_of([&](unsigned x) { return outer.linear(inner.linear(x)); }),
          outer(inner.constant)};
}

constexpr Affine linear_part(const Affine& map) { return {map.matrix, 0}; }
// The inverse of a map that is a permutation.
constexpr Affine inverse_of(const Affine& map) {
  const Affine linear = {matrix_of([&](unsigned x) {
                           unsigned y = 0;
                           while (map.linear(y) != x) ++y;
                           return y;
                         }),
                         0};
  return {linear.matrix, linear(map.constant)};
}

// A matrix from rows as strings of 0 and 1. The row of result bit 0 is first; in a row bit 0 is
// first.
constexpr std::uint64_t matrix_of_rows(const char* const (&rows)[8]) {
  return matrix_of([&](unsigned x) {
    unsigned y = 0;
    for (unsigned i = 0; i < 64; ++i) {
      if (rows[i / 8][i % 8] == '1') y ^= (x >> (i % 8) & 1) << (i / 8);
    }
    return y;
  });
}

// The transposed matrix.
constexpr std::uint64_t transposed(std::uint64_t matrix) {
  const Affine map = {matrix, 0};
  return matrix_of([&](unsigned x) {
    unsigned bit = 0;
    while (x >> bit != 1) ++bit;
    return map.row(bit);
  });
}

// Arithmetic modulo a polynomial of degree 8; AES's is x^8 + x^4 + x^3 + x + 1 (FIPS 197 4.2). Only
// for constants: the time depends on the values.
namespace field {

inline constexpr unsigned kAes = 0x11b;

GPUCTR_HD constexpr std::uint8_t times(unsigned a, unsigned b, unsigned polynomial = kAes) {
  unsigned product = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) product ^= a;
    a = (a << 1) ^ ((a & 0x80) != 0 ? polynomial : 0u);
  }
  return static_cast<std::uint8_t>(product);
}

// 1 / x, and 0 for 0. The powers of 3 are all field elements except 0, and 1 / 3 is 0xf6.
struct Inverses {
  std::uint8_t values[256] = {};
  constexpr Inverses() {
    unsigned power = 1;
    unsigned inverse = 1;
    for (unsigned i = 0; i < 255; ++i) {
      values[power] = static_cast<std::uint8_t>(inverse);
      power = times(power, 3);
      inverse = times(0xf6, inverse);
    }
  }
};
inline constexpr Inverses kInverses;
constexpr std::uint8_t inverse(unsigned x) { return kInverses.values[x]; }

// x to the power of n.
constexpr std::uint8_t power(unsigned x, unsigned n, unsigned polynomial = kAes) {
  unsigned result = 1;
  for (; n != 0; n >>= 1, x = times(x, x, polynomial)) {
    if ((n & 1) != 0) result = times(result, x, polynomial);
  }
  return static_cast<std::uint8_t>(result);
}

// The isomorphism from the field modulo `polynomial` to AES's field: x becomes the least root of
// the polynomial.
constexpr Affine to_aes_field(unsigned polynomial) {
  for (unsigned root = 2;; ++root) {
    unsigned value = 0;
    for (unsigned i = 8; i <= 8; --i) value = times(value, root) ^ (polynomial >> i & 1);
    if (value != 0) continue;
    return {matrix_of([root](unsigned x) {
              unsigned y = 0;
              for (unsigned i = 8; i-- != 0;) y = times(y, root) ^ (x >> i & 1);
              return y;
            }),
            0};
  }
}

}  // namespace field

// The affine map of a function; a function that is not affine does not compile.
template <class F>
constexpr Affine affine_of(F f) {
  const auto constant = static_cast<std::uint8_t>(f(0u));
  const Affine map = {matrix_of([&](unsigned x) { return f(x) ^ constant; }), constant};
  for (unsigned x = 0; x < 256; ++x) {
    if (map(x) != f(x)) throw "not an affine map";
  }
  return map;
}

// S(x) = kOut(1 / kIn(x)) in AES's field.
template <class Stated>
struct Box {
  static constexpr Affine kIn = composed(field::to_aes_field(Stated::kPolynomial), Stated::kBefore);
  static constexpr Affine kBack = inverse_of(kIn);
  static constexpr Affine kOut =
      affine_of([](unsigned y) { return Stated::at(kBack(field::inverse(y))); });
  static constexpr std::uint8_t at(unsigned x) { return Stated::at(x); }
};

template <class B>
struct InverseBox {
  static constexpr Affine kIn = inverse_of(B::kOut);
  static constexpr Affine kOut = inverse_of(B::kIn);
  static constexpr std::uint8_t at(unsigned y) { return kOut(field::inverse(kIn(y))); }
};

// Multiplication by a constant of AES's field: a linear map.
template <unsigned Factor>
struct Times {
  static constexpr Affine kMap = {matrix_of([](unsigned x) { return field::times(Factor, x); }), 0};
};

// AES's S-box and its inverse (FIPS 197 5.1.1, 5.3.2). ARIA uses both, and backends have
// instructions for them.
struct AesBoxStated {
  static constexpr unsigned kPolynomial = 0x11b;
  static constexpr Affine kBefore = kIdentity;
  // Bit i of S(x) is the sum of bits i, i + 4, i + 5, i + 6 and i + 7, modulo 8, of 1 / x, and bit
  // i of 0x63.
  static constexpr std::uint8_t at(unsigned x) {
    const unsigned y = field::inverse(x) * 0x101u;
    return static_cast<std::uint8_t>(y ^ (y >> 4) ^ (y >> 5) ^ (y >> 6) ^ (y >> 7) ^ 0x63);
  }
};
using AesBox = Box<AesBoxStated>;
using AesInverseBox = InverseBox<AesBox>;

// The rounds for many blocks on a backend whose boxes are instructions, if the cipher has special
// rounds for it: a struct like Core, specialised in the cipher's folder. With prepared_words,
// prepare<R>(schedule, decrypts, words) makes its keys from the schedule, and decryption is
// encryption with other keys.
template <class C, bool kGfni, unsigned kRegisters>
struct BoxInstructionRounds {
  using Type = C;
};

template <class Core>
struct BlockVectorForm;  // kernels/cpu/simd/block_vector.h
struct BitSlicedBoxes;   // bit_sliced.h

}  // namespace gpuctr

#endif
