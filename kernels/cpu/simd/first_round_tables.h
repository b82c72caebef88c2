// Tables of first-round states, for counter mode of ciphers with S-boxes. The 256 counter blocks of
// a period differ only in their last byte. One narrow batch computes the state after first_rounds()
// for sixteen periods, each for the block with last byte 0. Each word of these states is a table of
// sixteen bytes. A batch looks up the periods of its blocks, one instruction a word. Then it sets
// the last byte, which affects few words after the first rounds (set_last_byte() of facts.h). The
// tables are as secret as the counter. No branch and no address depends on the tables or the
// counter.
#ifndef GPUCTR_KERNELS_CPU_SIMD_FIRST_ROUND_TABLES_H
#define GPUCTR_KERNELS_CPU_SIMD_FIRST_ROUND_TABLES_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/word.h"
#include "kernels/cpu/simd/batch.h"

namespace gpuctr::simd {

// Like CounterWords::make, for byte words: each word is one of two values, selected by a look-up.
template <class Lane, class M, class C, unsigned G, class I>
GPUCTR_INLINE void counter_bytes(const Counter<C>& counter, Words<M, std::uint8_t, G, I> (&x)[16]) {
  using Byte = std::uint8_t;
  using W = Words<M, Byte, G, I>;
  using Made = CounterWords<M::kBytes, C, G>;
  const auto row = [](const Counter<C>& of) {
    return Lane::pair(__builtin_bswap64(of.limb[0]), __builtin_bswap64(of.limb[1]));
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
class FirstRoundTables {
  using Byte = std::uint8_t;
  using Lane = typename M::Lane;

 public:
  GPUCTR_INLINE explicit FirstRoundTables(const Counter<C>& counter) : counter_(counter) {}
  FirstRoundTables(const FirstRoundTables&) = delete;
  FirstRoundTables& operator=(const FirstRoundTables&) = delete;
  GPUCTR_INLINE ~FirstRoundTables() {
    wipe_vectors<M>(tables_, sizeof tables_);
    wipe(&counter_, sizeof counter_);
    wipe(&first_, sizeof first_);
  }

  // Not inline: inside a step of CTR_DRBG it would leave no register for V.
  template <class Operations>
  GPUCTR_NOINLINE static void ctr(const RoundKeys& keys, const std::uint8_t* block,
                                  const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    FirstRoundTables counter(Counter<C>::from(block));
    Operations::template run<typename Operations::Encrypt>(keys, &counter, in, out, n);
  }

  // A batch of counter mode, like Batch::encrypt.
  template <class Batch>
  GPUCTR_INLINE static void encrypt(const std::uint32_t* keys, FirstRoundTables* counter,
                                    const std::uint8_t* in, std::uint8_t* out) {
    counter->made_ ? by_tables<Batch>(keys, counter, in, out)
                   : one_batch<Batch>(keys, counter->counter_, in, out);
  }

  // Called before a batch of `blocks`, which begins where the last batch ended.
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
    const W shifted = periods.template shifted_rows<1>();
    for (unsigned j = 0; j < C::kWords; ++j) {
      x[j] = (C::first_rounds_turned(j) ? shifted : periods).looked_up_in(tables_[j]);
    }
    C::set_last_byte(x, last, WordKeys<M, Byte, G>{keys});
    counter_ = counter_.plus(G * Layout<M::kBytes, C>::kBlocks);
  }

 private:
  static_assert(std::is_same_v<typename C::Word, Byte> && C::kWords == 16, "blocks of 16 bytes");
  using Small = Words<Lane, Byte, 1>;

  template <class Batch>
  GPUCTR_NOINLINE static void by_tables(const std::uint32_t* keys, FirstRoundTables* counter,
                                        const std::uint8_t* in, std::uint8_t* out) {
    typename Batch::W x[C::kWords];
    counter->look_up(keys, x);
    C::other_rounds(x, typename Batch::Keys{keys});
    if constexpr (M::kLayers) BoxesOn<M>::template restore_order<C>(x, typename Batch::Keys{keys});
    Batch::write(x, in, out);
  }
  // For a message that is one batch.
  template <class Batch>
  GPUCTR_NOINLINE static void one_batch(const std::uint32_t* keys, Counter<C> counter,
                                        const std::uint8_t* in, std::uint8_t* out) {
    typename Batch::W x[C::kWords];
    counter_bytes<Lane>(counter, x);
    encrypt_words<C>(x, typename Batch::Keys{keys});
    Batch::write(x, in, out);
  }

  GPUCTR_INLINE std::uint64_t number() const { return counter_.limb[1] >> 8; }

  // Makes the tables for this period and the next fifteen. The first batch may begin at the end of
  // this period.
  GPUCTR_NOINLINE void make(const std::uint32_t* keys) {
    left_ = 15 * 256;
    made_ = true;
    first_ = number();
    Small shifted[16], x[16];
    const Counter<C> upper{{counter_.limb[0] >> 8, counter_.limb[0] << 56 | first_}};
    counter_bytes<Lane>(upper, shifted);
    for (unsigned j = 0; j < 15; ++j) x[j] = shifted[j + 1];
    x[15] = Small::constant(0);
    C::first_rounds(x, WordKeys<Lane, Byte, 1>{keys});
    for (unsigned j = 0; j < 16; ++j) {
      store(tables_[j], (C::first_rounds_turned(j) ? x[j].template shifted_rows<3>() : x[j]).v[0]);
    }
  }

  alignas(M::kBytes) Byte tables_[16][16];
  Counter<C> counter_;
  std::uint64_t first_;  // number of the tables' first period, without its upper bytes
  unsigned left_ = 0;    // blocks that the tables still hold
  bool made_ = false;
};

template <class M, class C>
constexpr bool kHasFirstRoundTables = C::kFacts.tabulates_first_rounds &&
                                      (M::kAffine || M::kAesBoxes);
template <class M, class C>
struct CounterSource<M, C, std::enable_if_t<kHasFirstRoundTables<M, C>>> {
  using Type = FirstRoundTables<M, C>;
  static constexpr bool kFirstRoundTables = true;
};

}  // namespace gpuctr::simd

#endif
