// The reference machine: one block at a time in plain integers, on any CPU.
#ifndef GPUCTR_KERNELS_CPU_SCALAR_H
#define GPUCTR_KERNELS_CPU_SCALAR_H

#include <cstring>

#include "kernels/counter.h"
#include "kernels/cpu/backend.h"
#include "kernels/wipe.h"

namespace gpuctr {
namespace {

template <class C>
struct Scalar {
  using Word = typename C::Word;
  using V = Lane<Word>;
  static constexpr std::size_t kBlock = C::kWords * sizeof(Word);

  static void load(V (&x)[C::kWords], const std::uint8_t* in) {
    for (unsigned j = 0; j < C::kWords; ++j) x[j].v = load_le<Word>(in + sizeof(Word) * j);
  }
  static void store(std::uint8_t* out, const V (&x)[C::kWords]) {
    for (unsigned j = 0; j < C::kWords; ++j) store_le<Word>(out + sizeof(Word) * j, x[j].v);
  }

  // Not inlined, so that its frame lies where wipe_stack's comes to lie after it.
  __attribute__((noinline)) static void encrypt_blocks(const RoundKeys& keys,
                                                       const std::uint8_t* in, std::uint8_t* out,
                                                       std::size_t blocks) {
    const LaneKeys<Word> rk{keys.words<Word>()};
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
    const LaneKeys<Word> rk{keys.words<Word>()};
    for (; blocks != 0; --blocks, in += kBlock, out += kBlock) {
      V x[C::kWords];
      load(x, in);
      C::decrypt(x, rk);
      store(out, x);
    }
  }

  // Below the frame of its caller, where the functions that are not inlined had theirs: the rounds'
  // words are spilled there, and whatever else the compiler saves.
  __attribute__((noinline)) static void wipe_stack() {
    std::uint8_t below[640];  // frames of two of them, one in the other (kernels_wipe_test)
    wipe(below, sizeof below);
  }

  static void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    encrypt_blocks(keys, in, out, blocks);
    wipe_stack();
  }

  static void decrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    decrypt_blocks(keys, in, out, blocks);
    wipe_stack();
  }

  // A counter is secret too: CTR_DRBG's is V.
  __attribute__((noinline)) static void ctr_blocks(const RoundKeys& keys,
                                                   const std::uint8_t* counter,
                                                   const std::uint8_t* in, std::uint8_t* out,
                                                   std::size_t n) {
    Wiped<std::uint8_t[kBlock]> block, keystream;
    std::memcpy(block.value, counter, kBlock);
    while (n != 0) {
      const std::size_t take = n < kBlock ? n : kBlock;
      encrypt_blocks(keys, block.value, keystream.value, 1);
      counter_add(block.value, kBlock, 1);
      for (std::size_t i = 0; i < take; ++i) {
        out[i] = static_cast<std::uint8_t>(keystream.value[i] ^ (in != nullptr ? in[i] : 0));
      }
      if (in != nullptr) in += take;
      out += take;
      n -= take;
    }
  }

  static void ctr(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    ctr_blocks(keys, counter, in, out, n);
    wipe_stack();
  }

  static void step(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                   std::size_t n, std::uint8_t* seed) {
    ctr_blocks(keys, counter, nullptr, out, n);
    Wiped<std::uint8_t[kBlock]> next;
    std::memcpy(next.value, counter, kBlock);
    counter_add(next.value, kBlock, (n + kBlock - 1) / kBlock);
    ctr_blocks(keys, next.value, nullptr, seed, kSeedBlocks<C> * kBlock);
    wipe_stack();
  }

  __attribute__((noinline)) static void run_chain(RoundKeys* keys, std::uint8_t* seed,
                                                  std::uint64_t blocks, ChainLink* links,
                                                  std::size_t count) {
    std::uint8_t* const v = seed + C::kKeyBytes;
    for (std::size_t i = 0; i < count; ++i) {
      counter_add(v, kBlock, 1);
      std::memcpy(links[i].key, seed, C::kKeyBytes);
      std::memcpy(links[i].counter, v, kBlock);
      C::expand(seed, keys->words<Word>());
      counter_add(v, kBlock, blocks);
      ctr_blocks(*keys, v, nullptr, seed, kSeedBlocks<C> * kBlock);
    }
  }

  static void chain(std::uint8_t* key, std::uint8_t* v, std::uint64_t blocks, ChainLink* links,
                    std::size_t count) {
    Wiped<RoundKeys> keys;
    Wiped<std::uint8_t[kSeedBlocks<C> * kBlock]> seed;
    std::memcpy(seed.value, key, C::kKeyBytes);
    std::memcpy(seed.value + C::kKeyBytes, v, kBlock);
    run_chain(&keys.value, seed.value, blocks, links, count);
    std::memcpy(key, seed.value, C::kKeyBytes);
    std::memcpy(v, seed.value + C::kKeyBytes, kBlock);
    wipe_stack();
  }
};

template <class C>
constexpr CipherOps kOps = {Scalar<C>::ctr,  Scalar<C>::encrypt, Scalar<C>::decrypt,
                            Scalar<C>::step, Scalar<C>::chain,   nullptr};

}  // namespace

}  // namespace gpuctr

#endif
