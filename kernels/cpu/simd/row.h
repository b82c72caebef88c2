// One block in one vector of 16 bytes, for ciphers with S-boxes on a CPU with GFNI. A message of
// one block, and each block of CBC encryption, waits for the chain of rounds alone: a round of the
// same cipher with a vector for each byte of the block has five times the operations.
//
// A cipher offers it with kRows (facts.h): encrypt_row(x, keys) and decrypt_row(x, keys), where x
// is a Row of the block's bytes as they lie in memory.
#ifndef GPUCTR_KERNELS_CPU_SIMD_ROW_H
#define GPUCTR_KERNELS_CPU_SIMD_ROW_H

#include "kernels/cipher/word.h"
#include "kernels/cpu/simd/word.h"

namespace gpuctr::simd {

// The place of no byte: moved() makes zero of it.
inline constexpr std::uint8_t kNoByte = 0x80;

template <unsigned First>
struct FourTimes {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(First + i / 4);
  }
};

template <class M>
struct Row {
  using V = Vec<std::uint8_t, 16>;
  using V32 = Vec<std::uint32_t, 16>;
  V v;

  GPUCTR_INLINE friend Row operator^(Row a, Row b) { return {a.v ^ b.v}; }
  GPUCTR_INLINE friend Row operator&(Row a, Row b) { return {a.v & b.v}; }
  GPUCTR_INLINE friend Row operator|(Row a, Row b) { return {a.v | b.v}; }

  // Byte i becomes byte Map::at(i).
  template <class Map>
  GPUCTR_INLINE Row moved() const {
    return {M::look_up(v, table<std::uint8_t, 16, Map>())};
  }
  template <class Box>
  GPUCTR_INLINE Row sub() const {
    return {simd::sub<M, Box>(v)};
  }
  // Byte i is that of row number Map::at(i), 0 or 1.
  template <class Map>
  GPUCTR_INLINE static Row picked(Row zero, Row one) {
    return {pick<Map>(zero.v, one.v, std::make_index_sequence<16>{})};
  }
  // The linear map Map::kMap of each byte; that of a matrix for each half, on a CPU with GFNI.
  template <class Map>
  GPUCTR_INLINE Row linear() const {
    return {simd::affine<M, Map>(v)};
  }
  GPUCTR_INLINE Row by_matrices(Row matrices) const { return {M::by_matrices(v, matrices.v)}; }
  // Big-endian numbers, the first in the first half.
  GPUCTR_INLINE static Row of_numbers(std::uint64_t first, std::uint64_t second) {
    return {as<V>(M::pair(__builtin_bswap64(first), __builtin_bswap64(second)))};
  }
  GPUCTR_INLINE static Row load(const std::uint8_t* p) { return {simd::load<V>(p)}; }
  // Its first `count` bytes, 8 or 16, four times each.
  GPUCTR_INLINE void store_words(std::uint32_t* out, unsigned count) const {
    moved<FourTimes<0>>().store(out);
    moved<FourTimes<4>>().store(out + 4);
    if (count == 8) return;
    moved<FourTimes<8>>().store(out + 8);
    moved<FourTimes<12>>().store(out + 12);
  }
  GPUCTR_INLINE void store(void* p) const { simd::store(static_cast<std::uint8_t*>(p), v); }
  // Linear maps of bytes, one in the low half and one in the high half; of 1 / x the second.
  template <class Low, class High>
  GPUCTR_INLINE Row linear_halves() const {
    return {M::template linear_halves<Low, High>(v)};
  }
  template <class Low, class High>
  GPUCTR_INLINE Row linear_halves_of_inverse() const {
    return {M::template linear_halves_of_inverse<Low, High>(v)};
  }
  template <class Map>
  GPUCTR_INLINE static Row constant() {
    return {table<std::uint8_t, 16, Map>()};
  }

  // a ^ b ^ c in one step on a CPU that can: the order of a chain's sums is the cipher's.
  GPUCTR_INLINE static Row sum3(Row a, Row b, Row c) { return {M::sum3(a.v, b.v, c.v)}; }
  // As four numbers of 32 bits, the first byte of each the least significant.
  GPUCTR_INLINE static Row sum(Row a, Row b) { return {as<V>(as<V32>(a.v) + as<V32>(b.v))}; }
  GPUCTR_INLINE Row rotl1() const {
    const V32 x = as<V32>(v);
    return {as<V>((x << 1) | (x >> 31))};
  }
  GPUCTR_INLINE static Row of_number(std::uint32_t x) {
    return {as<V>(splat<std::uint32_t, 16>(x))};
  }

 private:
  template <class Map, std::size_t... I>
  GPUCTR_INLINE static V pick(V zero, V one, std::index_sequence<I...>) {
    return __builtin_shufflevector(zero, one, (16 * Map::at(I) + I)...);
  }
};

// Round keys as they are stored.
template <class M>
struct RowKeys {
  const std::uint8_t* bytes;

  GPUCTR_INLINE Row<M> operator()(unsigned at) const {
    return {load<typename Row<M>::V>(bytes + at)};
  }
  // Eight bytes, in both halves.
  GPUCTR_INLINE Row<M> twice(unsigned at) const {
    return {as<typename Row<M>::V>(splat<std::uint64_t, 16>(load<std::uint64_t>(bytes + at)))};
  }
  // A big-endian number of 32 bits, four times.
  GPUCTR_INLINE Row<M> number(unsigned at) const {
    return Row<M>::of_number(load_be<std::uint32_t>(bytes + at));
  }
  GPUCTR_INLINE std::uint8_t stored(unsigned at) const { return bytes[at]; }
};

}  // namespace gpuctr::simd

#endif
