// Models of the intrinsics that vectors of 16, 32 and 64 bytes have in the same form, as templates
// on the vector. sse.h, avx2.h and avx512.h give them their names.
#ifndef GPUCTR_TEST_KERNELS_EMULATED_WIDTHS_H
#define GPUCTR_TEST_KERNELS_EMULATED_WIDTHS_H

#include "test/kernels/emulated/crypto.h"

namespace gpuctr::emulated {
namespace {

using Byte = std::uint8_t;
using Word = std::uint16_t;
using Dword = std::uint32_t;
using Qword = std::uint64_t;

// PSHUFB: in each lane; an index with its top bit set gives 0.
template <class V>
V shuffle_bytes(V v, V index) {
  const Lanes<Byte, V> x(v), at(index);
  return made<Byte, V>(
      [&](unsigned i) { return (at.of[i] & 0x80) != 0 ? 0 : x.of[i / 16 * 16 + at.of[i] % 16]; });
}
// PSHUFD: two bits of the order for each dword of a lane.
template <class V>
V shuffle_dwords(V v, unsigned order) {
  const Lanes<Dword, V> x(v);
  return made<Dword, V>([&](unsigned i) { return x.of[i / 4 * 4 + (order >> (i % 4 * 2) & 3)]; });
}
// SHUFPS: the first two dwords of a lane from a, the others from b.
template <class V>
V shuffle_floats(V a, V b, unsigned order) {
  const Lanes<Dword, V> x(a), y(b);
  return made<Dword, V>(
      [&](unsigned i) { return (i % 4 < 2 ? x : y).of[i / 4 * 4 + (order >> (i % 4 * 2) & 3)]; });
}
// PUNPCKL and PUNPCKH, in units of T.
template <class T, class V>
V unpacked(V a, V b, bool high) {
  constexpr unsigned kInLane = 16 / sizeof(T);
  const Lanes<T, V> x(a), y(b);
  return made<T, V>([&](unsigned i) {
    const unsigned from = i / kInLane * kInLane + i % kInLane / 2 + (high ? kInLane / 2 : 0);
    return (i % 2 == 0 ? x : y).of[from];
  });
}
// PALIGNR: the 16 bytes from `bytes` on of b, then a, then zeros; in each lane.
template <class V>
V aligned(V a, V b, unsigned bytes) {
  const Lanes<Byte, V> high(a), low(b);
  return made<Byte, V>([&](unsigned i) {
    const unsigned lane = i / 16 * 16, from = i % 16 + bytes;
    if (from < 16) return low.of[lane + from];
    return from < 32 ? high.of[lane + from - 16] : Byte{0};
  });
}
template <class V>
V shifted_left(V v, unsigned bytes) {  // PSLLDQ
  return bytes > 15 ? V{} : aligned(v, V{}, 16 - bytes);
}
template <class V>
V shifted_right(V v, unsigned bytes) {  // PSRLDQ
  return bytes > 15 ? V{} : aligned(V{}, v, bytes);
}
// VPTERNLOGQ: bit 4 a + 2 b + c of the map.
template <class V>
V ternary(V a, V b, V c, unsigned map) {
  return each_qword(a, b, c, [&](Qword x, Qword y, Qword z) {
    Qword made = 0;
    for (unsigned i = 0; i < 8; ++i) {
      if ((map >> i & 1) == 0) continue;
      made |= ((i & 4) != 0 ? x : ~x) & ((i & 2) != 0 ? y : ~y) & ((i & 1) != 0 ? z : ~z);
    }
    return made;
  });
}
template <class V>
V high_words_of_products(V a, V b) {  // PMULHUW
  return each<Word>(a, b, [](Dword x, Dword y) { return x * y >> 16; });
}
// VPSHLDW: the upper half of a and b shifted left together.
template <class V>
V shifted_together(V a, V b, unsigned bits) {
  return each<Word>(a, b, [&](Dword x, Dword y) { return (x << 16 | y) << bits % 16 >> 16; });
}
template <class V>
V both_and(V a, V b) {
  return each<Qword>(a, b, [](Qword x, Qword y) { return x & y; });
}
template <class V>
V either(V a, V b) {
  return each<Qword>(a, b, [](Qword x, Qword y) { return x | y; });
}
template <class V>
V sum_without_carry(V a, V b) {
  return each<Qword>(a, b, [](Qword x, Qword y) { return x ^ y; });
}
// A lane of 16 bytes in every lane, or in the first one.
template <class V>
V repeated(__m128i lane) {
  return made<Qword, V>([x = Lanes<Qword, __m128i>(lane)](unsigned i) { return x.of[i % 2]; });
}
template <class V>
V only(__m128i lane) {
  return masked<Qword, V>(3, repeated<V>(lane));
}
template <class T, class V>
V all(T x) {
  return made<T, V>([x](unsigned) { return x; });
}

}  // namespace
}  // namespace gpuctr::emulated

#endif
