// For the units of tables.h, which define GPUCTR_TABLES as `real` or `model`.
#ifndef GPUCTR_TEST_KERNELS_EMULATED_INTRINSICS_ROWS_H
#define GPUCTR_TEST_KERNELS_EMULATED_INTRINSICS_ROWS_H

#include <immintrin.h>

#include <cstring>

#include "test/kernels/emulated/intrinsics/tables.h"

template <class V>
static inline __attribute__((always_inline)) V operand(const std::uint8_t* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

// Operands: vectors a, b, c; x, the first qword of a; `mask`; `at`, the bytes of a. X, Y, Z: the
// vectors of 16, 32 and 64 bytes.
#define GPUCTR_OPERANDS(V)                                                 \
  [[maybe_unused]] const V a = operand<V>(in.a);                           \
  [[maybe_unused]] const V b = operand<V>(in.b);                           \
  [[maybe_unused]] const V c = operand<V>(in.c);                           \
  [[maybe_unused]] const auto x = operand<long long>(in.a);                \
  [[maybe_unused]] const __m128i lane = operand<__m128i>(in.a);            \
  [[maybe_unused]] const auto mask =                                       \
      operand<__mmask64>(reinterpret_cast<const std::uint8_t*>(&in.mask)); \
  [[maybe_unused]] const std::uint8_t* const at = in.a;
#define GPUCTR_ROW(V, name, call)                                    \
  {name, [](const ::gpuctr::test::Operands& in, std::uint8_t* out) { \
     GPUCTR_OPERANDS(V)                                              \
     const auto made = call;                                         \
     std::memcpy(out, &made, sizeof made);                           \
   }},
#define X(call) GPUCTR_ROW(__m128i, #call, call)
#define Y(call) GPUCTR_ROW(__m256i, #call, call)
#define Z(call) GPUCTR_ROW(__m512i, #call, call)

// A row for each immediate: the products of halves that GHASH takes, numbers of bytes or bits below
// 16, and bytes (among them those of the kernels).
#define GPUCTR_HALVES(row) row(0x00) row(0x01) row(0x10) row(0x11)
#define GPUCTR_BELOW_16(row)                                                                    \
  row(0) row(1) row(2) row(3) row(4) row(5) row(6) row(7) row(8) row(9) row(10) row(11) row(12) \
      row(13) row(14) row(15)
#define GPUCTR_BYTES(row)                                                                       \
  row(0x00) row(0x01) row(0x1b) row(0x20) row(0x2c) row(0x31) row(0x44) row(0x4e) row(0x63)     \
      row(0x72) row(0x88) row(0x96) row(0xa8) row(0xb1) row(0xca) row(0xd8) row(0xdd) row(0xe2) \
          row(0xee) row(0xff)

#endif
