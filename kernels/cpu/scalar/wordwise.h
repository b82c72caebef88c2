// Ciphers of additions, rotations, XORs and products of words on the reference backend.
#ifndef GPUCTR_KERNELS_CPU_SCALAR_WORDWISE_H
#define GPUCTR_KERNELS_CPU_SCALAR_WORDWISE_H

#include "kernels/cipher/interleaved.h"
#include "kernels/cpu/scalar/modes.h"

namespace gpuctr {
namespace {

// One block at a time, in integers of the cipher's word.
template <class C>
struct OneBlock {
  using Word = typename C::Word;
  using V = PlainWord<Word>;
  static constexpr std::size_t kBlock = BlockBytes<C>::kValue;
  static constexpr std::size_t kTogether = 1;
  // The stack of two nested functions.
  static constexpr std::size_t kStackBytes = kBlock <= 16 ? 640 : 2048;

  static void load(V (&x)[C::kWords], const std::uint8_t* in) {
    for (unsigned j = 0; j < C::kWords; ++j) {
      x[j].v = load_word<Word, C::kFacts.big_endian>(in + sizeof(Word) * j);
    }
  }
  static void store(std::uint8_t* out, const V (&x)[C::kWords]) {
    for (unsigned j = 0; j < C::kWords; ++j) {
      store_word<C::kFacts.big_endian>(out + sizeof(Word) * j, x[j].v);
    }
  }

  // Not inlined, so that its frame lies where wipe_stack's frame lies later.
  __attribute__((noinline)) static void encrypt_blocks(const RoundKeys& keys,
                                                       const std::uint8_t* in, std::uint8_t* out,
                                                       std::size_t blocks) {
    const PlainKeys<Word> rk{words_of<Word>(keys)};
    for (; blocks != 0; --blocks, in += kBlock, out += kBlock) {
      V x[C::kWords];
      load(x, in);
      C::encrypt(x, rk);
      store(out, x);
    }
  }

  __attribute__((noinline)) static void decrypt_blocks(const RoundKeys& keys,
                                                       const std::uint8_t* in, std::uint8_t* out,
                                                       std::size_t blocks) {
    const PlainKeys<Word> rk{words_of<Word>(keys)};
    for (; blocks != 0; --blocks, in += kBlock, out += kBlock) {
      V x[C::kWords];
      load(x, in);
      C::decrypt(x, rk);
      store(out, x);
    }
  }
};

// A few blocks at a time, then the remaining blocks one by one.
template <class C>
struct FewBlocks {
  using Word = typename C::Word;
  static constexpr std::size_t kBlock = BlockBytes<C>::kValue;
  static constexpr std::size_t kTogether = 4 * C::kFacts.scalar_blocks;
  static constexpr std::size_t kStackBytes = 640;

  template <bool Encrypt, unsigned Count>
  GPUCTR_INLINE static void run(const Word* keys, const std::uint8_t*& in, std::uint8_t*& out,
                                std::size_t& blocks) {
    using V = Interleaved<Word, Count>;
    for (; blocks >= Count; blocks -= Count, in += Count * kBlock, out += Count * kBlock) {
      V x[C::kWords];
      for (unsigned j = 0; j < C::kWords; ++j) {
        x[j] = V::each([&](unsigned b) {
          return load_word<Word, C::kFacts.big_endian>(in + b * kBlock + sizeof(Word) * j);
        });
      }
      if constexpr (Encrypt) {
        C::encrypt(x, InterleavedKeys<Word, Count>{keys});
      } else {
        C::decrypt(x, InterleavedKeys<Word, Count>{keys});
      }
      for (unsigned j = 0; j < C::kWords; ++j) {
        for (unsigned b = 0; b < Count; ++b) {
          store_word<C::kFacts.big_endian>(out + b * kBlock + sizeof(Word) * j, x[j].v[b]);
        }
      }
    }
  }
  __attribute__((noinline)) static void encrypt_blocks(const RoundKeys& keys,
                                                       const std::uint8_t* in, std::uint8_t* out,
                                                       std::size_t blocks) {
    run<true, C::kFacts.scalar_blocks>(words_of<Word>(keys), in, out, blocks);
    run<true, 1>(words_of<Word>(keys), in, out, blocks);
  }
  __attribute__((noinline)) static void decrypt_blocks(const RoundKeys& keys,
                                                       const std::uint8_t* in, std::uint8_t* out,
                                                       std::size_t blocks) {
    run<false, C::kFacts.scalar_blocks>(words_of<Word>(keys), in, out, blocks);
    run<false, 1>(words_of<Word>(keys), in, out, blocks);
  }
};

template <class C>
constexpr CipherOps wordwise_ops() {
  return scalar_ops<C,
                    std::conditional_t<(C::kFacts.scalar_blocks > 1), FewBlocks<C>, OneBlock<C>>>();
}

}  // namespace
}  // namespace gpuctr

#endif
