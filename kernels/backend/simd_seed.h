// The few blocks that each step of CTR_DRBG waits for, with the least delay: one narrow batch whose
// elements are its blocks, no buffer, and the round keys as they are stored.
#ifndef GPUCTR_KERNELS_BACKEND_SIMD_SEED_H
#define GPUCTR_KERNELS_BACKEND_SIMD_SEED_H

#include "kernels/backend/machine.h"
#include "kernels/backend/simd_counter.h"
#include "kernels/backend/simd_layout.h"
#include "kernels/backend/simd_word.h"
#include "kernels/wipe.h"

namespace gpuctr::simd {

// Round keys for Words, broadcast as they come.
template <class M, class T>
struct StoredKeys {
  const T* words;

  GPUCTR_INLINE Words<M, T, 1> operator()(unsigned i) const {
    return Words<M, T, 1>::all(splat<T, M::kBytes>(words[i]));
  }
};

// M as in simd_word.h, with vectors of 16 bytes.
template <class M, class C>
struct Seed {
  static_assert(M::kBytes == 16, "the narrowest vectors");
  using Word = typename C::Word;
  using L = Layout<16, Word, C::kWords>;
  using W = Words<M, Word, 1>;
  static constexpr unsigned kBytes = kSeedBlocks<C> * L::kBlock;
  static_assert(kSeedBlocks<C> <= L::kBlocks, "one batch is enough");

  __attribute__((noinline)) static void rounds(const Word* keys, const std::uint8_t* counter,
                                               std::uint8_t* out) {
    W x[C::kWords];
    CounterWords<16, Word, C::kWords, 1>::make(Counter<Word, C::kWords>::from(counter), x);
    C::encrypt(x, StoredKeys<M, Word>{keys});
    typename L::V words[C::kWords];
    typename L::V bytes[C::kWords];
    for (unsigned k = 0; k < C::kWords; ++k) words[k] = x[k].v[0];
    L::to_memory(words, bytes);
    for (unsigned k = 0; 16 * k < kBytes; ++k) {
      __builtin_memcpy(out + 16 * k, &bytes[k], kBytes - 16 * k < 16 ? kBytes - 16 * k : 16);
    }
  }

  // Called where rounds() was, and so over the same stack.
  __attribute__((noinline)) static void wipe_stack() {
    std::uint8_t below[512];
    wipe(below, sizeof below);
  }

  static void run(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out) {
    rounds(keys.words<Word>(), counter, out);
    wipe_stack();
    M::wipe_registers();
  }
};

}  // namespace gpuctr::simd

#endif
