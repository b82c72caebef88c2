// Any function of three bits, on bit-sliced values with XOR, AND, OR and NOT: at most four of these
// operations.
#ifndef GPUCTR_KERNELS_CIPHER_LOGIC_H
#define GPUCTR_KERNELS_CIPHER_LOGIC_H

#include "kernels/cipher/word.h"

namespace gpuctr {

// A function of x and y as a number: bit 2 x + y is the value.
constexpr unsigned logic2_cost(unsigned map) {
  switch (map) {
    case 0:
    case 15:
    case 12:  // x
    case 10:  // y
      return 0;
    case 9:
    case 7:
    case 1:
    case 13:
    case 11:
      return 2;
    default:
      return 1;
  }
}
template <unsigned Map, class V>
GPUCTR_HD constexpr V logic2(V x, V y) {
  switch (Map) {
    case 0:
      return x ^ x;
    case 1:
      return ~(x | y);
    case 2:
      return ~x & y;
    case 3:
      return ~x;
    case 4:
      return x & ~y;
    case 5:
      return ~y;
    case 6:
      return x ^ y;
    case 7:
      return ~(x & y);
    case 8:
      return x & y;
    case 9:
      return ~(x ^ y);
    case 10:
      return y;
    case 11:
      return ~x | y;
    case 12:
      return x;
    case 13:
      return x | ~y;
    case 14:
      return x | y;
    default:
      return ~(x ^ x);
  }
}

// A function of three bits as a number: bit 4 a + 2 b + c is the value. The function is split by
// one of the three bits, the pivot: low ^ pivot & (low ^ high), where low and high are functions of
// the other two bits.
struct Logic3 {
  unsigned low, high;
  constexpr unsigned change() const { return low ^ high; }
  constexpr unsigned cost() const {
    if (change() == 0) return logic2_cost(low);
    if (change() == 15) return logic2_cost(low) + 1;
    if (low == 0) return logic2_cost(high) + 1;
    if (high == 0) return logic2_cost(low) + 1;
    return logic2_cost(low) + logic2_cost(change()) + 2;
  }
  // Pivot 0 is a, 1 is b, 2 is c; the other two keep their order.
  static constexpr Logic3 by(unsigned map, unsigned pivot) {
    Logic3 made = {0, 0};
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned bit = 2 - pivot;
      const unsigned rest = (i >> (bit + 1) << bit) | (i & ((1u << bit) - 1));
      const unsigned value = (map >> i & 1) << rest;
      ((i >> bit & 1) != 0 ? made.high : made.low) |= value;
    }
    return made;
  }
  static constexpr unsigned best(unsigned map) {
    unsigned pivot = 0;
    for (unsigned p = 1; p < 3; ++p) {
      if (by(map, p).cost() < by(map, pivot).cost()) pivot = p;
    }
    return pivot;
  }
};

template <unsigned Map, class V>
GPUCTR_HD constexpr V logic3(V a, V b, V c) {
  constexpr unsigned kPivot = Logic3::best(Map);
  constexpr Logic3 kParts = Logic3::by(Map, kPivot);
  const V pivot = kPivot == 0 ? a : kPivot == 1 ? b : c;
  const V x = kPivot == 0 ? b : a;
  const V y = kPivot == 2 ? b : c;
  const V low = logic2<kParts.low>(x, y);
  if constexpr (kParts.change() == 0) {
    return low;
  } else if constexpr (kParts.change() == 15) {
    return low ^ pivot;
  } else if constexpr (kParts.low == 0) {
    return pivot & logic2<kParts.high>(x, y);
  } else if constexpr (kParts.high == 0) {
    return low & ~pivot;
  } else {
    return low ^ (pivot & logic2<kParts.change()>(x, y));
  }
}

}  // namespace gpuctr

#endif
