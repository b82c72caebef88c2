// One block in one vector of 16 bytes, for ciphers with S-boxes. This form has the least latency. A
// message of one block, and each block of CBC encryption, wait for the chain of operations of a
// round. A round with one vector for each byte of the block has five times the operations.
//
// A cipher supports this form through `block_vector` (facts.h) and a BlockVectorForm of its Core:
// encrypt(x, keys) and decrypt(x, keys). x is a BlockVector with the block's bytes in memory order.
// With `vector_chain`, chain(x, keys, blocks, text) is CBC encryption after the block x: it reads
// text.in(i), writes text.out(i, y), and returns the last block.
#ifndef GPUCTR_KERNELS_CPU_SIMD_BLOCK_VECTOR_H
#define GPUCTR_KERNELS_CPU_SIMD_BLOCK_VECTOR_H

#include "kernels/cipher/word.h"
#include "kernels/cpu/simd/box.h"

namespace gpuctr::simd {

// An index that moved() turns into a zero byte.
inline constexpr std::uint8_t kNoByte = 0x80;

template <unsigned First>
struct FourTimes {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(First + i / 4);
  }
};

struct Reversed {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>(15 - i);
  }
};

// A block whose byte i is at place Place::at(i), because AESENCLAST also applies ShiftRows. moved()
// undoes that at no cost.
template <class M, class Place>
struct Placed;
// The place of byte i after ShiftRows, `Times` times.
template <unsigned Times>
struct AfterShiftRows {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    return static_cast<std::uint8_t>((i + 4 * (4 - Times) * (i % 4)) % 16);
  }
};

// 1 / x of each byte of a block, in AES's field. Without such instructions: box_tables.h.
template <class M, class = void>
struct InverseVector;

// Byte i is taken from vector Map::at(i), 0 or 1.
template <class Map, std::size_t... I>
GPUCTR_INLINE Vec<std::uint8_t, 16> pick(Vec<std::uint8_t, 16> zero, Vec<std::uint8_t, 16> one,
                                         std::index_sequence<I...>) {
  return __builtin_shufflevector(zero, one, (16 * Map::at(I) + I)...);
}
template <class Map>
GPUCTR_INLINE Vec<std::uint8_t, 16> pick(Vec<std::uint8_t, 16> zero, Vec<std::uint8_t, 16> one) {
  return pick<Map>(zero, one, std::make_index_sequence<16>{});
}
// The half that contains byte i, and the half that contains the byte that ShiftRows moves to place
// i.
struct Half {
  GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) { return i / 8; }
};
struct HalfBeforeShiftRows {
  GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) { return ShiftedRows<1>::at(i) / 8; }
};

template <class M>
struct BlockVector {
  using V = Vec<std::uint8_t, 16>;
  using V32 = Vec<std::uint32_t, 16>;
  static constexpr bool kGfni = M::kAffine;
  V v;

  GPUCTR_INLINE friend BlockVector operator^(BlockVector a, BlockVector b) { return {a.v ^ b.v}; }
  GPUCTR_INLINE friend BlockVector operator&(BlockVector a, BlockVector b) { return {a.v & b.v}; }
  GPUCTR_INLINE friend BlockVector operator|(BlockVector a, BlockVector b) { return {a.v | b.v}; }

  // Byte i becomes byte Map::at(i).
  template <class Map>
  GPUCTR_INLINE BlockVector moved() const {
    return {M::look_up(v, table<std::uint8_t, 16, Map>())};
  }
  template <class Box>
  GPUCTR_INLINE BlockVector sub() const {
    return {simd::sub<M, Box>(v)};
  }
  // Like the above, for moved() only. Only the bytes i with i % 4 == kRow are defined.
  template <class Box, unsigned kRow>
  GPUCTR_INLINE auto sub_placed() const {
    if constexpr (M::kAesBoxes) {
      constexpr bool kBack = kByInverse<Box>;
      return Placed<M, AfterShiftRows<kBack ? 3 : 1>>{sub_by_aes<M, Box, kBack, kRow % 2 == 1>(v)};
    } else {
      return sub<Box>();
    }
  }
  // Byte i is taken from block vector Map::at(i), 0 or 1.
  template <class Map>
  GPUCTR_INLINE static BlockVector picked(BlockVector zero, BlockVector one) {
    return {pick<Map>(zero.v, one.v)};
  }
  // The linear map Map::kMap of each byte. On a CPU with GFNI: one matrix for each half.
  template <class Map>
  GPUCTR_INLINE BlockVector linear() const {
    return {simd::affine<M, Map>(v)};
  }
  GPUCTR_INLINE BlockVector by_matrices(BlockVector matrices) const {
    return {M::by_matrices(v, matrices.v)};
  }
  // From two big-endian numbers; the first goes to the first half.
  GPUCTR_INLINE static BlockVector of_numbers(std::uint64_t first, std::uint64_t second) {
    return {as<V>(M::pair(__builtin_bswap64(first), __builtin_bswap64(second)))};
  }
  GPUCTR_INLINE static BlockVector load(const std::uint8_t* p) { return {simd::load<V>(p)}; }
  // Stores the first `count` bytes, 8 or 16, four times each.
  GPUCTR_INLINE void store_words(std::uint32_t* out, unsigned count) const {
    moved<FourTimes<0>>().store(out);
    moved<FourTimes<4>>().store(out + 4);
    if (count == 8) return;
    moved<FourTimes<8>>().store(out + 8);
    moved<FourTimes<12>>().store(out + 12);
  }
  GPUCTR_INLINE void store(void* p) const { simd::store(static_cast<std::uint8_t*>(p), v); }
  // Applies one linear map to the bytes of the low half and one to those of the high half.
  template <class Low, class High>
  GPUCTR_INLINE BlockVector linear_halves() const {
    if constexpr (M::kAffine) {
      return {M::template linear_halves<Low, High>(v)};
    } else {
      const V low = affine_by_tables<M, Low>(v);
      if constexpr (std::is_same_v<Low, High>) return {low};
      return {pick<Half>(low, affine_by_tables<M, High>(v))};
    }
  }
  // linear_halves() of the result is linear_halves() of 1 / x. The result may only be passed
  // through moved().
  GPUCTR_INLINE InverseVector<M> inverse() const { return InverseVector<M>::of(v); }
  template <class Map>
  GPUCTR_INLINE static BlockVector constant() {
    return {table<std::uint8_t, 16, Map>()};
  }

  // a ^ b ^ c in one step if the CPU has such an instruction: the cipher determines the order of a
  // chain's sums.
  GPUCTR_INLINE static BlockVector sum3(BlockVector a, BlockVector b, BlockVector c) {
    return {M::sum3(a.v, b.v, c.v)};
  }
  // The block as a big-endian number, rotated to the right; 64 does not divide `by`.
  GPUCTR_INLINE BlockVector rotr_number(unsigned by) const {
    using V64 = Vec<std::uint64_t, 16>;
    const V64 x = as<V64>(moved<Reversed>().v);
    const V64 other = __builtin_shufflevector(x, x, 1, 0);
    const V64 low = by < 64 ? x : other, high = by < 64 ? other : x;
    const BlockVector turned = {as<V>((low >> by % 64) | (high << (64 - by % 64)))};
    return turned.template moved<Reversed>();
  }
  // Adds as four 32-bit numbers, least significant byte first.
  GPUCTR_INLINE static BlockVector sum(BlockVector a, BlockVector b) {
    return {as<V>(as<V32>(a.v) + as<V32>(b.v))};
  }
  GPUCTR_INLINE BlockVector rotl1() const {
    const V32 x = as<V32>(v);
    return {as<V>((x << 1) | (x >> 31))};
  }
  GPUCTR_INLINE static BlockVector of_number(std::uint32_t x) {
    return {as<V>(splat<std::uint32_t, 16>(x))};
  }
};

template <class M, class Place>
struct Placed {
  typename BlockVector<M>::V v;

  template <class Map>
  struct Moved {
    GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
      const std::uint8_t from = Map::at(i);
      return from == kNoByte ? from : Place::at(from);
    }
  };
  template <class Map>
  GPUCTR_INLINE BlockVector<M> moved() const {
    return {M::look_up(v, table<std::uint8_t, 16, Moved<Map>>())};
  }
};

// With GFNI one instruction computes a map of 1 / x.
template <class M>
struct InverseVector<M, std::enable_if_t<M::kAffine>> {
  typename BlockVector<M>::V x;

  GPUCTR_INLINE static InverseVector of(typename BlockVector<M>::V x) { return {x}; }
  template <class Low, class High>
  GPUCTR_INLINE BlockVector<M> linear_halves() const {
    return {M::template linear_halves_of_inverse<Low, High>(x)};
  }
};
// With AES-NI any linear map of 1 / x is the sum of two look-ups. The indices are the two halves of
// AES's box.
template <class M>
struct InverseVector<M, std::enable_if_t<M::kAesBoxes>> {
  using V = typename BlockVector<M>::V;
  using Result = Placed<M, AfterShiftRows<1>>;
  V first, second;

  GPUCTR_INLINE static InverseVector of(V x) {
    const V nibble = splat<std::uint8_t, 16>(0x0f);
    x = M::sub_shift(x);
    return {x & nibble, as<V>(as<Vec<std::uint16_t, 16>>(x) >> 4) & nibble};
  }
  template <class Low, class High>
  GPUCTR_INLINE Result linear_halves() const {
    if constexpr (std::is_same_v<Low, High>) return {linear<Low>()};
    return {pick<HalfBeforeShiftRows>(linear<Low>(), linear<High>())};
  }

 private:
  template <class Map>
  struct AfterAes {
    static constexpr Affine kMap = composed(linear_part(Map::kMap), AesInverseBox::kIn);
  };
  template <class Map>
  GPUCTR_INLINE V linear() const {
    return M::look_up(table<std::uint8_t, 16, AffineTable<AfterAes<Map>, false>>(), first) ^
           M::look_up(table<std::uint8_t, 16, AffineTable<AfterAes<Map>, true>>(), second);
  }
};

// A backend's vectors of 16 bytes for one block: the backend's Lane if it has one.
template <class M, class Narrow, class = void>
struct LaneVectors {
  using Type = Narrow;
};
template <class M, class Narrow>
struct LaneVectors<M, Narrow, std::void_t<typename M::Lane>> {
  using Type = typename M::Lane;
};
// For a backend whose boxes change the order of the blocks in a vector: restores the order.
template <class L>
struct InOrder : L {
  static constexpr bool kLayers = false;
};
template <class M, class Narrow>
using LaneOf = InOrder<typename LaneVectors<M, Narrow>::Type>;

// Round keys in their stored form.
template <class M>
struct BlockVectorKeys {
  const std::uint8_t* bytes;

  GPUCTR_INLINE BlockVector<M> operator()(unsigned at) const {
    return {load<typename BlockVector<M>::V>(bytes + at)};
  }
  // Loads eight bytes into both halves.
  GPUCTR_INLINE BlockVector<M> twice(unsigned at) const {
    return {
        as<typename BlockVector<M>::V>(splat<std::uint64_t, 16>(load<std::uint64_t>(bytes + at)))};
  }
  // Loads a big-endian 32-bit number four times.
  GPUCTR_INLINE BlockVector<M> number(unsigned at) const {
    return BlockVector<M>::of_number(load_be<std::uint32_t>(bytes + at));
  }
  GPUCTR_INLINE std::uint8_t stored(unsigned at) const { return bytes[at]; }
};

}  // namespace gpuctr::simd

#endif
