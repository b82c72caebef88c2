// S-boxes and linear maps of bytes on vectors, in constant time. An S-box is an affine map, 1 / x
// in AES's field, and another affine map (cipher/box.h). Cost of a vector:
//
// - GFNI (M::kAffine): affine<Map>(v) and affine_inverse<Map>(v), the map of 1 / x, are one
//   instruction each. An S-box takes one, or two if its inner map is not the identity.
// - AES-NI (M::kAesBoxes): sub_shift(v) is AES's SubBytes and ShiftRows of each 16-byte lane,
//   unsub_unshift(v) its inverse: one AESENCLAST or AESDECLAST. Each further map is two look-ups.
// - Otherwise (box_tables.h) an S-box is 8 look-ups of four bits, which compute in GF(16), and
// about
//   as many other operations.
//
// look_up(table, index) is the byte at the index in each lane's table, or 0 if the index's top bit
// is set; on NEON 0 for every index above 15.
#ifndef GPUCTR_KERNELS_CPU_SIMD_BOX_H
#define GPUCTR_KERNELS_CPU_SIMD_BOX_H

#include "kernels/cipher/box.h"
#include "kernels/cipher/facts.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

// An affine map as two tables, for the low and the high four bits.
template <class Map, bool High>
struct AffineTable {
  GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
    const auto nibble = static_cast<unsigned>(i % 16);
    return High ? Map::kMap.linear(nibble << 4) : Map::kMap(nibble);
  }
};

// kOdd: only bytes 1, 3, 5 and so on are used. The shift moves no bits of other bytes into them.
template <class M, class Map, bool kOdd = false, class V>
GPUCTR_INLINE V affine_by_tables(V v) {
  using V16 = Vec<std::uint16_t, sizeof(V)>;
  const V nibble = splat<std::uint8_t, sizeof(V)>(0x0f);
  V high = as<V>(as<V16>(v) >> 4);
  if constexpr (!kOdd) high &= nibble;
  return M::look_up(table<std::uint8_t, sizeof(V), AffineTable<Map, false>>(), v & nibble) ^
         M::look_up(table<std::uint8_t, sizeof(V), AffineTable<Map, true>>(), high);
}

// The boxes of a CPU without such instructions: box_tables.h.
template <class M>
struct BoxTables;

template <class Box>
struct InMap {
  static constexpr Affine kMap = Box::kIn;
};
template <class Box>
struct OutMap {
  static constexpr Affine kMap = Box::kOut;
};

template <class M, class Map, class V>
GPUCTR_INLINE V affine(V v) {
  if constexpr (M::kAffine) {
    return M::template affine<Map>(v);
  } else {
    return affine_by_tables<M, Map>(v);
  }
}

// A box made from AES's box, an affine map of 1 / x. Maps that are not the identity come before and
// after it.
template <class Box>
struct ByAesBox {
  struct Before {
    static constexpr Affine kMap = Box::kIn;
  };
  struct After {
    static constexpr Affine kMap = composed(Box::kOut, AesInverseBox::kIn);
  };
};
template <class Box>
struct ByAesInverseBox {
  struct Before {
    static constexpr Affine kMap = composed(AesBox::kOut, Box::kIn);
  };
  struct After {
    static constexpr Affine kMap = Box::kOut;
  };
};
template <class By>
constexpr unsigned kMapsOf = !By::Before::kMap.is_identity() + !By::After::kMap.is_identity();

template <class M, class Map, bool kOdd = false, class V>
GPUCTR_INLINE V affine_or_same(V v) {
  if constexpr (Map::kMap.is_identity()) {
    return v;
  } else {
    return affine_by_tables<M, Map, kOdd>(v);
  }
}

// ShiftRows, `Times` times: byte i becomes the byte 4 (i mod 4) places later (FIPS 197 5.1.2).
template <unsigned Times>
struct ShiftedRows {
  GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) {
    return (i + 4 * Times * (i % 4)) % 16;
  }
};

// Each byte of a lane belongs to another block, so ShiftRows changes the order of blocks. If every
// word of the cipher passes a box in each layer (box_layers of facts.h), all words have the same
// order. Then restore_order() restores the order once, after the last layer. Back: uses AES's
// inverse box, with the inverse of ShiftRows.
template <class M, class Box, bool Back, bool kOdd = false, class V>
GPUCTR_INLINE V sub_by_aes(V v) {
  using By = std::conditional_t<Back, ByAesInverseBox<Box>, ByAesBox<Box>>;
  v = affine_or_same<M, typename By::Before, kOdd>(v);
  v = Back ? M::unsub_unshift(v) : M::sub_shift(v);
  return affine_or_same<M, typename By::After, kOdd>(v);
}
// Whether the box needs fewer maps with AES's inverse box.
template <class Box>
constexpr bool kByInverse = kMapsOf<ByAesBox<Box>> > kMapsOf<ByAesInverseBox<Box>>;
template <class M, class Box, class V>
GPUCTR_INLINE V sub_by_aes(V v) {
  constexpr bool kBack = kByInverse<Box>;
  v = sub_by_aes<M, Box, kBack>(v);
  if constexpr (kBack) return shuffle_lanes<ShiftedRows<M::kLayers ? 2 : 1>>(v);
  return M::kLayers ? v : shuffle_lanes<ShiftedRows<3>>(v);
}

// trust.constant_time_msan has a function for each box: with inlined boxes clang takes minutes for
// a file.
#ifdef GPUCTR_BOXES_APART
#define GPUCTR_BOX_INLINE inline __attribute__((noinline))
#else
#define GPUCTR_BOX_INLINE GPUCTR_INLINE
#endif

template <class M, class Box, class V>
GPUCTR_BOX_INLINE V sub(V v) {
  if constexpr (M::kAesBoxes) {
    return sub_by_aes<M, Box>(v);
  } else if constexpr (!M::kAffine) {
    return BoxTables<M>::template sub<Box>(v);
  } else if constexpr (Box::kIn.is_identity()) {
    return M::template affine_inverse<OutMap<Box>>(v);
  } else {
    return M::template affine_inverse<OutMap<Box>>(M::template affine<InMap<Box>>(v));
  }
}

template <class M, class Box, bool Back, class V>
GPUCTR_BOX_INLINE V sub_shifting(V v) {
  if constexpr (M::kAesBoxes) {
    return sub_by_aes<M, Box, Back>(v);
  } else {
    return sub<M, Box>(v);
  }
}

// The operations of Words (word.h).
template <class M>
struct BoxesOn {
  template <class Box, class V>
  GPUCTR_INLINE static V sub(V v) {
    if constexpr (M::kCallsBoxes) return called<Box>(v);
    return simd::sub<M, Box>(v);
  }
  template <class Box, class V>
  GPUCTR_NOINLINE static V called(V v) {
    return simd::sub<M, Box>(v);
  }
  template <class Box, bool Back, class V>
  GPUCTR_INLINE static V sub_shifting(V v) {
    return simd::sub_shifting<M, Box, Back>(v);
  }
  template <class Map, class V>
  GPUCTR_INLINE static V affine(V v) {
    return simd::affine<M, Map>(v);
  }
  template <unsigned Times, class V>
  GPUCTR_INLINE static V shifted_rows(V v) {
    if constexpr (!M::kAesBoxes) return v;
    return shuffle_lanes<ShiftedRows<Times>>(v);
  }
  // Undoes the ShiftRows of all layers of boxes.
  template <class C, class W, class K>
  GPUCTR_INLINE static void restore_order(W (&x)[C::kWords], const K& rk) {
    const unsigned layers = C::box_layers(rk);
    if (layers % 4 == 0) return;
    for (W& word : x) {
      for (auto& v : word.v) {
        if (layers % 4 == 1) v = shuffle_lanes<ShiftedRows<3>>(v);
        if (layers % 4 == 2) v = shuffle_lanes<ShiftedRows<2>>(v);
        if (layers % 4 == 3) v = shuffle_lanes<ShiftedRows<1>>(v);
      }
    }
  }
};

}  // namespace gpuctr::simd

#endif
