// The first rounds of counter mode of a cipher with S-boxes. The counter blocks of a period, 256 of
// them, differ in their last byte alone. What the first rounds make of such blocks with a last byte
// of zero is computed for sixteen periods at a time, in one narrow batch. Each word of it is a
// table of sixteen bytes, in which a batch looks the periods of its blocks up, one instruction a
// word. Then the last byte comes in, which has reached few words as yet (set_last_byte() of
// facts.h). The tables are as secret as the counter; nothing depends on it but what is looked up in
// registers.
#ifndef GPUCTR_KERNELS_CPU_SIMD_PERIODS_H
#define GPUCTR_KERNELS_CPU_SIMD_PERIODS_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/word.h"
#include "kernels/cpu/simd/batch.h"

namespace gpuctr::simd {

// CounterWords of bytes, each of which is looked up in two.
template <class InOne, class M, class C, unsigned G, class I>
GPUCTR_INLINE void counter_bytes(const Counter<C>& counter, Words<M, std::uint8_t, G, I> (&x)[16]) {
  using Byte = std::uint8_t;
  using W = Words<M, Byte, G, I>;
  using Made = CounterWords<M::kBytes, C, G>;
  const auto row = [](const Counter<C>& of) {
    return InOne::pair(__builtin_bswap64(of.limb[0]), __builtin_bswap64(of.limb[1]));
  };
  const auto before = row(counter), after = row(counter.plus_period());
  const auto low = interleave<1, 0>(before, after), high = interleave<1, 1>(before, after);
  alignas(16) Byte pairs[32];
  if constexpr (M::kBytes > 16) {
    store(pairs, low);
    store(pairs + 16, high);
  }
  const auto first = splat<Byte, M::kBytes>(counter.last());
  W passed;
  GPUCTR_UNROLL
  for (unsigned g = 0; g < G; ++g) {
    const auto number = Made::numbers(g);
    x[15].v[g] = first + number;
    passed.v[g] = as<typename W::V>(x[15].v[g] < number) & splat<Byte, M::kBytes>(1);
  }
  for (unsigned j = 0; j < 15; ++j) {
    const W place = passed + W::constant(2 * (j % 8));
    if constexpr (M::kBytes > 16) {
      x[j] = place.looked_up_in(pairs + j / 8 * 16);
    } else {
      x[j].v[0] = as<typename W::V>(M::look_up(j < 8 ? low : high, as<decltype(low)>(place.v[0])));
    }
  }
}

template <class M, class C>
class Periods {
  using Byte = std::uint8_t;
  using InOne = typename M::InOne;

 public:
  GPUCTR_INLINE explicit Periods(const Counter<C>& counter) : counter_(counter) {}
  Periods(const Periods&) = delete;
  Periods& operator=(const Periods&) = delete;
  GPUCTR_INLINE ~Periods() {
    wipe_vectors<M>(tables_, sizeof tables_);
    wipe(&counter_, sizeof counter_);
    wipe(&first_, sizeof first_);
  }

  GPUCTR_INLINE bool has_tables() const { return made_; }
  GPUCTR_INLINE const Counter<C>& first() const { return counter_; }

  // The words of a message of one batch from `counter` on.
  template <unsigned G, class I>
  GPUCTR_INLINE static void one_batch(const Counter<C>& counter, Words<M, Byte, G, I> (&x)[16]) {
    counter_bytes<InOne>(counter, x);
  }

  // Before a batch of `blocks`, which begins where the last one ended.
  GPUCTR_INLINE void prepare(const std::uint32_t* keys, unsigned blocks) {
    if (left_ < blocks) make(keys);
    left_ -= blocks;
  }

  // The words of the batch after the first rounds.
  template <unsigned G, class I>
  GPUCTR_INLINE void look_up(const std::uint32_t* keys, Words<M, Byte, G, I> (&x)[C::kWords]) {
    using W = Words<M, Byte, G, I>;
    using V = typename W::V;
    const V first = splat<Byte, M::kBytes>(counter_.last());
    const V period = splat<Byte, M::kBytes>(static_cast<Byte>(number() - first_));
    W last, periods;
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      const V number = CounterWords<M::kBytes, C, G>::numbers(g);
      last.v[g] = first + number;
      periods.v[g] = period - as<V>(last.v[g] < number);  // the comparison is 0 or -1
    }
    const W turned = periods.template turned<1>();
    for (unsigned j = 0; j < C::kWords; ++j) {
      x[j] = (C::first_rounds_turned(j) ? turned : periods).looked_up_in(tables_[j]);
    }
    C::set_last_byte(x, last, WordKeys<M, Byte, G>{keys});
    counter_ = counter_.plus(G * Layout<M::kBytes, C>::kBlocks);
  }

 private:
  static_assert(std::is_same_v<typename C::Word, Byte> && C::kWords == 16, "blocks of 16 bytes");
  using Small = Words<InOne, Byte, 1>;

  GPUCTR_INLINE std::uint64_t number() const { return counter_.limb[1] >> 8; }

  // For this period and the fifteen after it. The first batch may begin at the end of this one.
  GPUCTR_NOINLINE void make(const std::uint32_t* keys) {
    left_ = 15 * 256;
    made_ = true;
    first_ = number();
    Small shifted[16], x[16];
    const Counter<C> upper{{counter_.limb[0] >> 8, counter_.limb[0] << 56 | first_}};
    counter_bytes<InOne>(upper, shifted);
    for (unsigned j = 0; j < 15; ++j) x[j] = shifted[j + 1];
    x[15] = Small::constant(0);
    C::first_rounds(x, WordKeys<InOne, Byte, 1>{keys});
    for (unsigned j = 0; j < 16; ++j) {
      store(tables_[j], (C::first_rounds_turned(j) ? x[j].template turned<3>() : x[j]).v[0]);
    }
  }

  alignas(M::kBytes) Byte tables_[16][16];
  Counter<C> counter_;
  std::uint64_t first_;  // the number of the tables' first period, without its upper bytes
  unsigned left_ = 0;    // blocks that they serve yet
  bool made_ = false;
};

template <class M, class C>
struct CounterOf<
    M, C, std::enable_if_t<C::kFacts.tabulates_first_rounds && (M::kAffine || M::kAesBoxes)>> {
  using Type = Periods<M, C>;
  static constexpr bool kByPeriods = true;
};

}  // namespace gpuctr::simd

#endif
