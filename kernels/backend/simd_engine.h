// CTR and ECB of any cipher on any SIMD machine.
//
// A batch is G groups of blocks (simd_layout.h) that go through the rounds together. Whole batches
// go straight between memory and registers. The end of a message takes the narrowest batch that
// covers it, and a buffer. The buffer and the stack below, where compilers keep some words of a
// batch, are wiped, and so are the vector registers.
#ifndef GPUCTR_KERNELS_BACKEND_SIMD_ENGINE_H
#define GPUCTR_KERNELS_BACKEND_SIMD_ENGINE_H

#include "kernels/backend/machine.h"
#include "kernels/backend/simd_counter.h"
#include "kernels/backend/simd_layout.h"
#include "kernels/backend/simd_word.h"
#include "kernels/wipe.h"

#define GPUCTR_NOINLINE __attribute__((noinline))

namespace gpuctr::simd {

// Bytes of stack wiped after each call. The build refuses a batch whose frame is larger.
constexpr std::size_t kFrameBytes = 2048;

template <class M, class C, unsigned G>
struct Batch {
  using Word = typename C::Word;
  using L = Layout<M::kBytes, Word, C::kWords>;
  using V = typename L::V;
  using W = Words<M, Word, G>;
  using Keys = WordKeys<M, Word, G>;
  using Count = Counter<Word, C::kWords>;
  static constexpr unsigned kBlocks = G * L::kBlocks;
  static constexpr unsigned kBytes = G * L::kGroupBytes;

  GPUCTR_INLINE static void read(const std::uint8_t* in, W (&x)[C::kWords]) {
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      V bytes[C::kWords];
      V words[C::kWords];
      for (unsigned k = 0; k < C::kWords; ++k) {
        bytes[k] = load<V>(in + g * L::kGroupBytes + k * M::kBytes);
      }
      L::from_memory(bytes, words);
      for (unsigned k = 0; k < C::kWords; ++k) x[k].v[g] = words[k];
    }
  }

  // Writes the words' bytes, XORed with those at `in` unless that is nullptr.
  GPUCTR_INLINE static void write(const W (&x)[C::kWords], const std::uint8_t* in,
                                  std::uint8_t* out) {
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      V bytes[C::kWords];
      V words[C::kWords];
      for (unsigned k = 0; k < C::kWords; ++k) words[k] = x[k].v[g];
      L::to_memory(words, bytes);
      for (unsigned k = 0; k < C::kWords; ++k) {
        const std::size_t at = g * L::kGroupBytes + k * M::kBytes;
        if (in != nullptr) bytes[k] ^= load<V>(in + at);
        store(out + at, bytes[k]);
      }
    }
  }

  // A batch through the block cipher: the counter's, XORed onto `in` (or alone where that is
  // nullptr), or, without a counter, the blocks at `in`. No loop over batches surrounds the rounds
  // within a function, because Clang would move all the broadcasts of constants before it and spill
  // them.
  GPUCTR_NOINLINE static void encrypt(const std::uint32_t* keys, Count* counter,
                                      const std::uint8_t* in, std::uint8_t* out) {
    W x[C::kWords];
    if (counter != nullptr) {
      CounterWords<M::kBytes, Word, C::kWords, G>::make(*counter, x);
      *counter = counter->plus(kBlocks);
    } else {
      read(in, x);
    }
    C::encrypt(x, Keys{keys});
    write(x, counter != nullptr ? in : nullptr, out);
  }

  GPUCTR_NOINLINE static void decrypt(const std::uint32_t* keys, Count*, const std::uint8_t* in,
                                      std::uint8_t* out) {
    W x[C::kWords];
    read(in, x);
    C::decrypt(x, Keys{keys});
    write(x, nullptr, out);
  }
};

// The round keys as WordKeys wants them.
template <class C>
struct KeyWords {
  using Word = typename C::Word;
  static constexpr bool kAsStored = sizeof(Word) == 4;

  Wiped<std::uint32_t[kAsStored ? 1 : C::kRoundKeyWords]> repeated;
  const std::uint32_t* words;

  GPUCTR_INLINE explicit KeyWords(const RoundKeys& keys) {
    if constexpr (kAsStored) {
      words = keys.words<Word>();
    } else {
      const Word* const stored = keys.words<Word>();
      constexpr std::uint32_t kRepeat = sizeof(Word) == 1 ? 0x01010101 : 0x00010001;
      for (unsigned i = 0; i < C::kRoundKeyWords; ++i) repeated.value[i] = stored[i] * kRepeat;
      words = repeated.value;
    }
  }
};

// M::groups<C>() is the G of machine M for cipher C: a power of two. M::wipe_registers() sets the
// vector registers to zero; on AVX this also tells the CPU that their upper halves are free,
// without which its SSE code in the caller runs at a third of its speed. GCC 12 forgets VZEROUPPER
// here.
template <class M, class C>
struct Engine {
  static constexpr unsigned kGroups = M::template groups<C>();
  using Count = typename Batch<M, C, 1>::Count;
  static constexpr std::size_t kBlock = Count::kBlock;
  using Run = void (*)(const std::uint32_t*, Count*, const std::uint8_t*, std::uint8_t*);

  struct Encrypt {
    template <unsigned G>
    static constexpr Run kRun = Batch<M, C, G>::encrypt;
  };
  struct Decrypt {
    template <unsigned G>
    static constexpr Run kRun = Batch<M, C, G>::decrypt;
  };

  // The last n bytes, fewer than a batch of G groups, through a buffer.
  template <class Direction, unsigned G>
  GPUCTR_INLINE static void tail(const std::uint32_t* keys, Count* counter, const std::uint8_t* in,
                                 std::uint8_t* out, std::size_t n) {
    constexpr std::size_t kBytes = Batch<M, C, G>::kBytes;
    if constexpr (G > 1) {
      if (n <= kBytes / 2) return tail<Direction, G / 2>(keys, counter, in, out, n);
    }
    alignas(M::kBytes) std::uint8_t buffer[kBytes];
    if (counter == nullptr) {
      __builtin_memcpy(buffer, in, n);
      Direction::template kRun<G>(keys, nullptr, buffer, buffer);
      __builtin_memcpy(out, buffer, n);
    } else {
      Direction::template kRun<G>(keys, counter, nullptr, buffer);
      if (in == nullptr) {
        __builtin_memcpy(out, buffer, n);
      } else {
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(in[i] ^ buffer[i]);
      }
    }
    wipe(buffer, kBytes);
  }

  // Called where a batch was called, and so over the same stack.
  GPUCTR_NOINLINE static void wipe_stack() {
    std::uint8_t below[kFrameBytes - 64];
    wipe(below, sizeof below);
  }

  template <class Direction>
  GPUCTR_NOINLINE static void run(const RoundKeys& keys, Count* counter, const std::uint8_t* in,
                                  std::uint8_t* out, std::size_t n) {
    constexpr std::size_t kBytes = Batch<M, C, kGroups>::kBytes;
    const KeyWords<C> key_words(keys);
    for (; n >= kBytes; n -= kBytes) {
      Direction::template kRun<kGroups>(key_words.words, counter, in, out);
      if (in != nullptr) in += kBytes;
      out += kBytes;
    }
    if (n != 0) tail<Direction, kGroups>(key_words.words, counter, in, out, n);
    wipe_stack();
  }

  static void ctr(const RoundKeys& keys, const std::uint8_t* block, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    Count counter = Count::from(block);
    run<Encrypt>(keys, &counter, in, out, n);
    M::wipe_registers();
  }
  static void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    run<Encrypt>(keys, nullptr, in, out, blocks * kBlock);
    M::wipe_registers();
  }
  static void decrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    run<Decrypt>(keys, nullptr, in, out, blocks * kBlock);
    M::wipe_registers();
  }
};

template <class M, class... C>
constexpr Machine make_machine(const char* name, bool (*available)(), CipherList<C...>) {
  return {name, available, {{Engine<M, C>::ctr, Engine<M, C>::encrypt, Engine<M, C>::decrypt}...}};
}

}  // namespace gpuctr::simd

#endif
