// S-boxes of eight bits as facts of a cipher's definition.
//
// A box is a struct with
//   static constexpr std::uint8_t at(unsigned x)   S(x): the fact
//   static constexpr Affine kIn, kOut              where S(x) = kOut(1 / kIn(x)) in AES's field
// from which every backend works in constant time. A definition checks the second against the first
// with decomposes<Box>().
#ifndef GPUCTR_KERNELS_CIPHER_BOX_H
#define GPUCTR_KERNELS_CIPHER_BOX_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

// An affine map of eight bits. The matrix is as GF2P8AFFINEQB takes it: its byte 7 - i selects the
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

// The matrix of a linear map of eight bits that is given as a function.
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
// Of a map that is a permutation.
constexpr Affine inverse_of(const Affine& map) {
  const Affine linear = {matrix_of([&](unsigned x) {
                           unsigned y = 0;
                           while (map.linear(y) != x) ++y;
                           return y;
                         }),
                         0};
  return {linear.matrix, linear(map.constant)};
}

// The matrix of the map whose matrix is turned over its diagonal.
constexpr std::uint64_t transposed(std::uint64_t matrix) {
  const Affine map = {matrix, 0};
  return matrix_of([&](unsigned x) {
    unsigned bit = 0;
    while (x >> bit != 1) ++bit;
    return map.row(bit);
  });
}

// Arithmetic modulo x^8 + x^4 + x^3 + x + 1, AES's field (FIPS 197 4.2). For constants only: their
// time depends on their values.
namespace field {

constexpr std::uint8_t times(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) product ^= a;
    a = (a << 1) ^ ((a & 0x80) != 0 ? 0x11bu : 0u);
  }
  return static_cast<std::uint8_t>(product);
}

// 1 / x, and 0 for 0. The powers of 3 are all of the field but 0, and 1 / 3 is 0xf6.
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

}  // namespace field

template <class Box>
constexpr bool decomposes() {
  for (unsigned x = 0; x < 256; ++x) {
    if (Box::at(x) != Box::kOut(field::inverse(Box::kIn(x)))) return false;
  }
  return true;
}

// The x with S(x) = y, of a box that is a permutation.
template <class Box>
struct InverseTable {
  std::uint8_t values[256] = {};
  constexpr InverseTable() {
    for (unsigned x = 0; x < 256; ++x) values[Box::at(x)] = static_cast<std::uint8_t>(x);
  }
};
template <class Box>
inline constexpr InverseTable<Box> kInverseTable;
template <class Box>
constexpr std::uint8_t preimage(unsigned y) {
  return kInverseTable<Box>.values[y];
}

// Multiplication by a constant of AES's field: a linear map.
template <unsigned Factor>
struct Times {
  static constexpr Affine kMap = {matrix_of([](unsigned x) { return field::times(Factor, x); }), 0};
};

}  // namespace gpuctr

#endif
