// The modes of the reference backend: plain integers, on any CPU. They use functions that encrypt
// and decrypt blocks (wordwise.h, boxes.h).
#ifndef GPUCTR_KERNELS_CPU_SCALAR_MODES_H
#define GPUCTR_KERNELS_CPU_SCALAR_MODES_H

#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/cipher/facts.h"
#include "kernels/cpu/base/cipher_ops.h"

namespace gpuctr {
namespace {

// out[i] = keystream[i], XORed with in[i] unless in is nullptr. By words, because these files are
// compiled without GCC's vectorizer.
inline void put_keystream(const std::uint8_t* keystream, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t n) {
  std::size_t i = 0;
  for (std::uint64_t word, data = 0; i + sizeof word <= n; i += sizeof word) {
    std::memcpy(&word, keystream + i, sizeof word);
    if (in != nullptr) std::memcpy(&data, in + i, sizeof data);
    word ^= data;
    std::memcpy(out + i, &word, sizeof word);
  }
  for (; i < n; ++i) {
    out[i] = static_cast<std::uint8_t>(keystream[i] ^ (in != nullptr ? in[i] : 0));
  }
}

// The modes of a cipher whose blocks are computed by Blocks: encrypt_blocks(), decrypt_blocks(),
// and kTogether counter blocks at a time.
template <class C, class Blocks>
struct Scalar {
  using Word = typename C::Word;
  static constexpr std::size_t kBlock = BlockBytes<C>::kValue;

  static void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    Blocks::encrypt_blocks(keys, in, out, blocks);
    wipe_stack<Blocks::kStackBytes>();
  }

  static void decrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    Blocks::decrypt_blocks(keys, in, out, blocks);
    wipe_stack<Blocks::kStackBytes>();
  }

  static constexpr std::size_t kTogether = Blocks::kTogether;

  // The counter is also secret: for CTR_DRBG it is V.
  __attribute__((noinline)) static void ctr_blocks(const RoundKeys& keys,
                                                   const std::uint8_t* counter,
                                                   const std::uint8_t* in, std::uint8_t* out,
                                                   std::size_t n) {
    Wiped<std::uint8_t[kBlock]> next;
    Wiped<std::uint8_t[kTogether * kBlock]> keystream;
    std::memcpy(next.value, counter, kBlock);
    while (n != 0) {
      const std::size_t take = n < sizeof keystream.value ? n : sizeof keystream.value;
      const std::size_t blocks = (take + kBlock - 1) / kBlock;
      for (std::size_t i = 0; i < blocks; ++i) {
        std::memcpy(keystream.value + i * kBlock, next.value, kBlock);
        counter_add(next.value, kBlock, 1);
      }
      Blocks::encrypt_blocks(keys, keystream.value, keystream.value, blocks);
      put_keystream(keystream.value, in, out, take);
      if (in != nullptr) in += take;
      out += take;
      n -= take;
    }
  }

  static void ctr(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    ctr_blocks(keys, counter, in, out, n);
    wipe_stack<Blocks::kStackBytes>();
  }

  static void step(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                   std::size_t n, std::uint8_t* seed) {
    ctr_blocks(keys, counter, nullptr, out, n);
    Wiped<std::uint8_t[kBlock]> next;
    std::memcpy(next.value, counter, kBlock);
    counter_add(next.value, kBlock, (n + kBlock - 1) / kBlock);
    ctr_blocks(keys, next.value, nullptr, seed, kSeedBlocks<C> * kBlock);
    wipe_stack<Blocks::kStackBytes>();
  }

  __attribute__((noinline)) static void run_chain(Word* words, std::uint8_t* seed,
                                                  std::uint64_t blocks, ChainLink* links,
                                                  std::size_t count) {
    const auto& keys = *reinterpret_cast<const RoundKeys*>(words);
    std::uint8_t* const v = seed + C::kKeyBytes;
    for (std::size_t i = 0; i < count; ++i) {
      counter_add(v, kBlock, 1);
      std::memcpy(links[i].key, seed, C::kKeyBytes);
      std::memcpy(links[i].counter, v, kBlock);
      expand_key<C>(seed, words);
      counter_add(v, kBlock, blocks);
      ctr_blocks(keys, v, nullptr, seed, kSeedBlocks<C> * kBlock);
    }
  }

  static void chain(std::uint8_t* key, std::uint8_t* v, std::uint64_t blocks, ChainLink* list,
                    std::size_t count) {
    static_assert(C::kKeyBytes <= sizeof list->key && kBlock <= sizeof list->counter);
    Wiped<Schedule<C>> keys;
    Wiped<std::uint8_t[kSeedBlocks<C> * kBlock]> seed;
    std::memcpy(seed.value, key, C::kKeyBytes);
    std::memcpy(seed.value + C::kKeyBytes, v, kBlock);
    run_chain(keys.value.words, seed.value, blocks, list, count);
    std::memcpy(key, seed.value, C::kKeyBytes);
    std::memcpy(v, seed.value + C::kKeyBytes, kBlock);
    wipe_stack<Blocks::kStackBytes>();
  }
};

template <class C, class Blocks>
constexpr CipherOps scalar_ops() {
  using Modes = Scalar<C, Blocks>;
  CipherOps ops = {};
  ops.ctr = Modes::ctr;
  ops.encrypt = Modes::encrypt;
  ops.decrypt = Modes::decrypt;
  if constexpr (C::kFacts.has_generator()) {
    ops.step = Modes::step;
    ops.chain = Modes::chain;
  }
  return ops;
}

}  // namespace
}  // namespace gpuctr

#endif
