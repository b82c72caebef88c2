// CBC. In encryption each block waits for the one before it: one loop for the chain, in registers,
// and one wiping for all of it. A call of encrypt() for each block wiped after each: of
// AES-128, 16 blocks took 400 ns on a Zen 4, of which the rounds are 180.
#ifndef GPUCTR_KERNELS_CPU_SIMD_CBC_H
#define GPUCTR_KERNELS_CPU_SIMD_CBC_H

#include "kernels/cpu/simd/aes.h"
#include "kernels/cpu/simd/few_blocks.h"

namespace gpuctr::simd {

// A cipher of which one block goes through integer registers or is a row (few_blocks.h).
template <class M, class Narrow, class C>
struct Cbc {
  using Word = typename C::Word;
  using Few = FewBlocks<M, Narrow, C>;
  static constexpr bool kServes = Few::kIntegers || Few::kRow;

  GPUCTR_NOINLINE static void words(const Word* keys, std::uint8_t* chain, const std::uint8_t* in,
                                    std::uint8_t* out, std::size_t blocks) {
    constexpr bool kBig = C::kFacts.big_endian;
    constexpr std::size_t kBlock = BlockBytes<C>::kValue;
    PlainWord<Word> x[C::kWords];
    for (unsigned j = 0; j < C::kWords; ++j) {
      x[j].v = load_word<Word, kBig>(chain + sizeof(Word) * j);
    }
    for (; blocks != 0; --blocks, in += kBlock, out += kBlock) {
      for (unsigned j = 0; j < C::kWords; ++j) {
        x[j].v ^= load_word<Word, kBig>(in + sizeof(Word) * j);
        Few::in_integer_register(x[j]);
      }
      C::encrypt(x, PlainKeys<Word>{keys});
      for (unsigned j = 0; j < C::kWords; ++j) {
        Few::in_integer_register(x[j]);
        store_word<kBig>(out + sizeof(Word) * j, x[j].v);
      }
    }
    for (unsigned j = 0; j < C::kWords; ++j) store_word<kBig>(chain + sizeof(Word) * j, x[j].v);
  }

  using One = typename Few::One;
  // What chain_rows() of a cipher reads and writes.
  struct Text {
    const std::uint8_t* from;
    std::uint8_t* to;
    GPUCTR_INLINE Row<One> in(std::size_t i) const { return Row<One>::load(from + 16 * i); }
    GPUCTR_INLINE void out(std::size_t i, Row<One> x) const { x.store(to + 16 * i); }
  };

  GPUCTR_NOINLINE static void rows(const Word* keys, std::uint8_t* chain, const std::uint8_t* in,
                                   std::uint8_t* out, std::size_t blocks) {
    const RowKeys<One> row_keys{keys};
    const Text text{in, out};
    auto x = Row<One>::load(chain);
    if constexpr (C::kFacts.row_chain) {
      x = C::chain_rows(x, row_keys, blocks, text);
    } else {
      for (std::size_t i = 0; i < blocks; ++i) {
        x = C::encrypt_row(x ^ text.in(i), row_keys);
        text.out(i, x);
      }
    }
    x.store(chain);
  }

  static void encrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                      std::uint8_t* out, std::size_t blocks) {
    if constexpr (Few::kRow) {
      rows(keys.words<Word>(), chain, in, out, blocks);
    } else {
      words(keys.words<Word>(), chain, in, out, blocks);
    }
    Few::wipe_block_stack();
    M::wipe_registers();
  }
};

// Decryption, whose blocks wait for nothing: whole batches go as ECB's do and are XORed before they
// are written. An XOR of its own, over 8 KiB in the nearest cache, took 12 % of ARIA's time on
// AVX-512.
template <class M, class Narrow, class C>
struct CbcDecryption {
  using Few = FewBlocks<M, Narrow, C>;
  using Many = Verbs<M, FormOf<M, C>>;
  static constexpr std::size_t kBlock = BlockBytes<C>::kValue;
  using Block = Vec<std::uint64_t, kBlock>;
  static constexpr bool kServes = M::kBytes >= 32 && kBlock <= 16;

  // Not inline: it has a frame of its own, up to the limit (tuning.cmake).
  GPUCTR_NOINLINE static void few(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                                  std::size_t blocks) {
    Few::decrypt(keys, in, out, blocks);
  }
  // The last n bytes, fewer than a batch.
  GPUCTR_NOINLINE static void rest(const RoundKeys& keys, const std::uint8_t* before,
                                   const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    alignas(M::kBytes) std::uint8_t made[Many::kBatchBytes];
    few(keys, in, made, n / kBlock);
    for (std::size_t at = n - kBlock; at != 0; at -= kBlock) {
      store(out + at, load<Block>(made + at) ^ load<Block>(in + at - kBlock));
    }
    store(out, load<Block>(made) ^ load<Block>(before));
    wipe_vectors<M>(made, (n + M::kBytes - 1) / M::kBytes * M::kBytes);
  }

  // A block in memory that is wiped: Clang would hold it in a register, and so in another place of
  // the stack while functions are called.
  GPUCTR_INLINE static void keep(std::uint8_t* block, const std::uint8_t* from) {
    store(block, load<Block>(from));
    __asm__("" : : "r"(block) : "memory");
  }

  static void decrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                      std::uint8_t* out, std::size_t blocks) {
    if (blocks == 0) return;
    const std::size_t n = kBlock * blocks, left = n % Many::kBatchBytes, whole = n - left;
    std::uint8_t between[kBlock], last[kBlock];  // of ciphertext, which `out` may overwrite
    keep(last, in + n - kBlock);
    if (whole != 0) {
      keep(between, in + whole - kBlock);
      Many::cbc_decrypt(keys, chain, in, out, whole);
      store(chain, load<Block>(between));
    }
    if (left != 0) rest(keys, chain, in + whole, out + whole, left);
    store(chain, load<Block>(last));
    wipe(between, kBlock);
    wipe(last, kBlock);
    M::wipe_registers();
  }
};

// By instructions for AES's rounds. Decryption, whose blocks wait for nothing, goes as ECB's does,
// and XORs in registers.
template <class M, class C>
struct AesCbc {
  using OnCore = Aes<M, C>;
  using A = typename OnCore::A;
  using Narrow = typename OnCore::Narrow;
  using V = typename Narrow::V;

  GPUCTR_NOINLINE static void chained(const std::uint8_t* words, std::uint8_t* chain,
                                      const std::uint8_t* in, std::uint8_t* out,
                                      std::size_t blocks) {
    const AesKeys keys = OnCore::keys_of(words);
    V x[1] = {load<V>(chain)};
    for (; blocks != 0; --blocks, in += 16, out += 16) {
      x[0] ^= load<V>(in) ^ keys.template end<Narrow>(0);
      aes_rounds<Narrow>(keys, x);
      store(out, x[0]);
    }
    store(chain, x[0]);
  }

  static void encrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                      std::uint8_t* out, std::size_t blocks) {
    chained(keys.words<std::uint8_t>(), chain, in, out, blocks);
    OnCore::wipe_after_few(16);  // of which there is one in the registers
  }

  GPUCTR_NOINLINE static void unchain_few(const std::uint8_t* words, std::uint8_t* chain,
                                          const std::uint8_t* in, std::uint8_t* out,
                                          std::size_t n) {
    const AesInverseKeys keys = OnCore::inverse_keys_of(words);
    AesData data{in, out, n};
    V before = load<V>(chain);
    if (n == 16) {
      aes_unchain<Narrow, 1>(keys, before, data);
    } else {
      aes_unchain<Narrow, 8>(keys, before, data);
    }
    store(chain, before);
  }
  template <class Keys>
  GPUCTR_INLINE static void unchain(const Keys& keys, std::uint8_t* chain, AesData data) {
    V before = load<V>(chain);
    aes_unchain<A, OnCore::kGroups>(keys, before, data);
    aes_unchain<Narrow, A::kBytes / 16>(keys, before, data);
    store(chain, before);
  }
  GPUCTR_NOINLINE static void unchain_some(const std::uint8_t* words, std::uint8_t* chain,
                                           const AesData& data) {
    unchain(OnCore::inverse_keys_of(words), chain, data);
  }
  GPUCTR_NOINLINE static void unchain_many(const std::uint8_t* words, std::uint8_t* chain,
                                           const AesData& data) {
    const typename OnCore::PreparedKeys prepared(words);
    unchain(prepared.keys(), chain, data);
  }

  static void decrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                      std::uint8_t* out, std::size_t blocks) {
    const auto* const words = keys.words<std::uint8_t>();
    const std::size_t n = 16 * blocks;
    if (n <= OnCore::kFewBytes) {
      unchain_few(words, chain, in, out, n);
      return OnCore::wipe_after_few(n);
    }
    n <= OnCore::kBatchBytes ? unchain_some(words, chain, {in, out, n})
                             : unchain_many(words, chain, {in, out, n});
    OnCore::wipe_after(n);
  }
};

}  // namespace gpuctr::simd

#endif
