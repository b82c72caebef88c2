// The reference machine: one block at a time in plain integers, on any CPU.
#include <cstring>

#include "kernels/backend/machine.h"
#include "kernels/counter.h"
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

  // The rounds' words are spilled to the stack, where trust.zeroization_evp once found the last
  // block.
  __attribute__((noinline)) static void wipe_stack() {
    std::uint8_t below[256];  // frames of the two functions above: at most 152 bytes with gcc 12
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

  static void ctr(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    std::uint8_t block[kBlock];
    std::memcpy(block, counter, kBlock);
    Wiped<std::uint8_t[kBlock]> keystream;
    while (n != 0) {
      const std::size_t take = n < kBlock ? n : kBlock;
      encrypt_blocks(keys, block, keystream.value, 1);
      counter_add(block, kBlock, 1);
      for (std::size_t i = 0; i < take; ++i) {
        out[i] = static_cast<std::uint8_t>(keystream.value[i] ^ (in != nullptr ? in[i] : 0));
      }
      if (in != nullptr) in += take;
      out += take;
      n -= take;
    }
    wipe_stack();
  }

  static void step(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                   std::size_t n, std::uint8_t* seed) {
    ctr(keys, counter, nullptr, out, n);
    std::uint8_t next[kBlock];
    std::memcpy(next, counter, kBlock);
    counter_add(next, kBlock, (n + kBlock - 1) / kBlock);
    ctr(keys, next, nullptr, seed, kSeedBlocks<C> * kBlock);
  }

  static void chain(std::uint8_t* key, std::uint8_t* v, std::uint64_t blocks, ChainLink* links,
                    std::size_t count) {
    Wiped<RoundKeys> keys;
    Wiped<std::uint8_t[kSeedBlocks<C> * kBlock]> seed;
    for (std::size_t i = 0; i < count; ++i) {
      counter_add(v, kBlock, 1);
      std::memcpy(links[i].key, key, C::kKeyBytes);
      std::memcpy(links[i].counter, v, kBlock);
      C::expand(key, keys.value.words<Word>());
      counter_add(v, kBlock, blocks);
      ctr(keys.value, v, nullptr, seed.value, sizeof seed.value);
      std::memcpy(key, seed.value, C::kKeyBytes);
      std::memcpy(v, seed.value + C::kKeyBytes, kBlock);
    }
  }
};

template <class... C>
constexpr Machine make_scalar(CipherList<C...>) {
  return {"scalar",
          [] { return true; },
          {{Scalar<C>::ctr, Scalar<C>::encrypt, Scalar<C>::decrypt, Scalar<C>::step,
            Scalar<C>::chain, nullptr}...}};
}

}  // namespace

extern const Machine kScalarMachine;
constexpr Machine kScalarMachine = make_scalar(AllCiphers{});

}  // namespace gpuctr
