// Key schedules by the boxes of a SIMD backend (box.h): a tenth of the steps of bit-sliced boxes.
#ifndef GPUCTR_KERNELS_CPU_SIMD_KEY_SCHEDULE_H
#define GPUCTR_KERNELS_CPU_SIMD_KEY_SCHEDULE_H

#include "kernels/cpu/simd/block_vector.h"
#include "kernels/cpu/simd/few_blocks.h"

namespace gpuctr::simd {

// The boxes parameter of an expand(), like BitSlicedBoxes. M is a backend with vectors of 16 bytes.
template <class M>
struct RegisterBoxes {
  static constexpr bool kHasBlockVector = true;
  using Vector = BlockVector<M>;
  using V = Vec<std::uint8_t, 16>;
  using V64 = Vec<std::uint64_t, 16>;

  template <class Box>
  GPUCTR_INLINE static V64 sub_pair(V64 words) {
    return as<V64>(simd::sub<M, Box>(as<V>(words)));
  }
  template <class Box, unsigned N>
  GPUCTR_INLINE static void sub_bytes(std::uint64_t (&words)[N]) {
    static_assert(N % 2 == 0, "two words a vector");
    for (unsigned i = 0; i < N; i += 2) {
      const V64 pair = sub_pair<Box>(V64{words[i], words[i + 1]});
      words[i] = pair[0];
      words[i + 1] = pair[1];
    }
  }
  template <class Box>
  GPUCTR_INLINE static std::uint64_t sub_bytes(std::uint64_t bytes) {
    return sub_pair<Box>(V64{bytes, 0})[0];
  }
};

// Whether cipher C's expand() takes boxes as a parameter.
template <class C, class Boxes, class = void>
struct TakesBoxes : std::false_type {};
template <class C, class Boxes>
struct TakesBoxes<C, Boxes,
                  std::void_t<decltype(C::template expand<Boxes>(
                      std::declval<const std::uint8_t (&)[C::kKeyBytes]>(),
                      std::declval<typename C::Word (&)[C::kRoundKeyWords]>()))>> : std::true_type {
};

// Of AES: aes_modes.h.
template <class M, class Narrow, class C>
struct AesKeySchedule;

template <class M, class Narrow, class C>
struct ScheduleForm<M, Narrow, C,
                    std::enable_if_t<TakesBoxes<C, RegisterBoxes<LaneOf<M, Narrow>>>::value>> {
  using Boxes = RegisterBoxes<LaneOf<M, Narrow>>;
  // The largest has 312 bytes: SEED's, on sse by GCC 12, on avx512-gfni by Clang 14.
  static constexpr unsigned kFrameBytes = 640;

  GPUCTR_INLINE static void expand_inline(const std::uint8_t* key, typename C::Word* rk) {
    if constexpr (kOnAes<M, C>) {
      AesKeySchedule<M, Narrow, C>::expand_inline(key, rk);
    } else {
      C::template expand<Boxes>(*reinterpret_cast<const std::uint8_t(*)[C::kKeyBytes]>(key),
                                *reinterpret_cast<typename C::Word(*)[C::kRoundKeyWords]>(rk));
    }
  }
};

}  // namespace gpuctr::simd

#endif
