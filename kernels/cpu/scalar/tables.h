// Ciphers with look-up tables (cipher/interleaved.h) and blocks of two 32-bit words, in integer
// registers. All backends except avx512-gfni (x86/vbmi_tables.h) use this code. Not constant time.
#ifndef GPUCTR_KERNELS_CPU_SCALAR_TABLES_H
#define GPUCTR_KERNELS_CPU_SCALAR_TABLES_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/interleaved.h"
#include "kernels/cpu/base/cipher_ops.h"

namespace gpuctr {
namespace {

template <class C>
struct TableOperations {
  using Word = typename C::Word;
  // Number of blocks at a time. On a Zen 4, where words wait in memory, Blowfish makes 0.19, 0.29,
  // 0.47 and 0.54 GB/s with 1, 2, 4 and 8 blocks.
  static constexpr unsigned kTogether = 8;
  static_assert(sizeof(Word) == 4 && C::kWords == 2 && C::kFacts.big_endian, "blocks of 8 bytes");

  // A block is a number; x[0] is its high half.
  template <unsigned Count>
  GPUCTR_INLINE static void load(Interleaved<Word, Count> (&x)[2], const std::uint8_t* in) {
    for (unsigned b = 0; b < Count; ++b) {
      for (unsigned j = 0; j < 2; ++j) x[j].v[b] = load_be<Word>(in + 8 * b + 4 * j);
    }
  }
  template <unsigned Count>
  GPUCTR_INLINE static void count(Interleaved<Word, Count> (&x)[2], std::uint64_t counter) {
    for (unsigned b = 0; b < Count; ++b) {
      x[0].v[b] = static_cast<Word>((counter + b) >> 32);
      x[1].v[b] = static_cast<Word>(counter + b);
    }
  }
  template <unsigned Count>
  GPUCTR_INLINE static void store(const Interleaved<Word, Count> (&x)[2], const std::uint8_t* in,
                                  std::uint8_t* out) {
    for (unsigned b = 0; b < Count; ++b) {
      for (unsigned j = 0; j < 2; ++j) {
        const std::size_t at = 8 * b + 4 * j;
        const Word text = in != nullptr ? load_be<Word>(in + at) : 0;
        store_be<Word>(out + at, x[j].v[b] ^ text);
      }
    }
  }

  // Count blocks at a time while at least Count blocks are left.
  template <unsigned Count>
  GPUCTR_INLINE static void run_ctr(const Word* keys, std::uint64_t& counter,
                                    const std::uint8_t*& in, std::uint8_t*& out, std::size_t& n) {
    for (; n >= 8 * Count; n -= 8 * Count) {
      Interleaved<Word, Count> x[2];
      count(x, counter);
      C::encrypt(x, InterleavedKeys<Word, Count>{keys});
      store(x, in, out);
      counter += Count;
      if (in != nullptr) in += 8 * Count;
      out += 8 * Count;
    }
  }
  __attribute__((noinline)) static void ctr_here(const Word* keys, std::uint64_t counter,
                                                 const std::uint8_t* in, std::uint8_t* out,
                                                 std::size_t n) {
    run_ctr<kTogether>(keys, counter, in, out, n);
    run_ctr<kTogether / 2>(keys, counter, in, out, n);
    run_ctr<1>(keys, counter, in, out, n);
    if (n == 0) return;
    std::uint8_t part[8];
    std::uint8_t* to = part;
    const std::uint8_t* none = nullptr;
    std::size_t one = sizeof part;
    run_ctr<1>(keys, counter, none, to, one);
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = static_cast<std::uint8_t>(part[i] ^ (in != nullptr ? in[i] : 0));
    }
  }

  template <bool Encrypt, unsigned Count>
  GPUCTR_INLINE static void run(const Word* keys, const std::uint8_t*& in, std::uint8_t*& out,
                                std::size_t& blocks) {
    for (; blocks >= Count; blocks -= Count) {
      Interleaved<Word, Count> x[2];
      load(x, in);
      if constexpr (Encrypt) {
        C::encrypt(x, InterleavedKeys<Word, Count>{keys});
      } else {
        C::decrypt(x, InterleavedKeys<Word, Count>{keys});
      }
      store(x, nullptr, out);
      in += 8 * Count;
      out += 8 * Count;
    }
  }
  template <bool Encrypt>
  __attribute__((noinline)) static void blocks_here(const Word* keys, const std::uint8_t* in,
                                                    std::uint8_t* out, std::size_t blocks) {
    run<Encrypt, kTogether>(keys, in, out, blocks);
    run<Encrypt, kTogether / 2>(keys, in, out, blocks);
    run<Encrypt, 1>(keys, in, out, blocks);
  }

  // The values that the next block needs stay in registers.
  __attribute__((noinline)) static void chain_here(const Word* keys, std::uint8_t* chain,
                                                   const std::uint8_t* in, std::uint8_t* out,
                                                   std::size_t blocks) {
    Interleaved<Word, 1> x[2];
    load(x, chain);
    for (; blocks != 0; --blocks, in += 8, out += 8) {
      for (unsigned j = 0; j < 2; ++j) x[j].v[0] ^= load_be<Word>(in + 4 * j);
      C::encrypt(x, InterleavedKeys<Word, 1>{keys});
      store(x, nullptr, out);
    }
    store(x, nullptr, chain);
  }
  static void cbc_encrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t blocks) {
    chain_here(words_of<Word>(keys), chain, in, out, blocks);
    wipe_stack<kFewStackBytes>();
  }

  template <bool Encrypt>
  __attribute__((noinline)) static void few_here(const Word* keys, const std::uint8_t* in,
                                                 std::uint8_t* out, std::size_t blocks) {
    run<Encrypt, 1>(keys, in, out, blocks);
  }
  template <bool Encrypt>
  GPUCTR_INLINE static void any(const Word* keys, const std::uint8_t* in, std::uint8_t* out,
                                std::size_t blocks) {
    if (blocks < kTogether / 2) {
      few_here<Encrypt>(keys, in, out, blocks);
      wipe_stack<kFewStackBytes>();
    } else {
      blocks_here<Encrypt>(keys, in, out, blocks);
      wipe_stack<kStackBytes>();
    }
  }

  // Stack of the functions above: their spills, and a part of a block.
  static constexpr std::size_t kStackBytes = 640;
  static constexpr std::size_t kFewStackBytes = 192;  // of few_here() and chain_here()

  static void ctr(const RoundKeys& keys, const std::uint8_t* block, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    ctr_here(words_of<Word>(keys), load_be<std::uint64_t>(block), in, out, n);
    wipe_stack<kStackBytes>();
  }
  static void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    any<true>(words_of<Word>(keys), in, out, blocks);
  }
  static void decrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    any<false>(words_of<Word>(keys), in, out, blocks);
  }
};

template <class C>
constexpr CipherOps table_ops() {
  CipherOps ops = {};
  ops.ctr = TableOperations<C>::ctr;
  ops.encrypt = TableOperations<C>::encrypt;
  ops.decrypt = TableOperations<C>::decrypt;
  ops.cbc_encrypt = TableOperations<C>::cbc_encrypt;
  return ops;
}

}  // namespace
}  // namespace gpuctr

#endif
