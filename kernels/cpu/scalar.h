// The reference backend: plain integers, on any CPU.
#ifndef GPUCTR_KERNELS_CPU_SCALAR_H
#define GPUCTR_KERNELS_CPU_SCALAR_H

#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/cipher/several.h"
#include "kernels/cipher/sliced.h"
#include "kernels/cpu/backend.h"
#include "kernels/cpu/simd/des_words.h"
#include "kernels/cpu/simd/vec.h"
#include "kernels/cpu/table_ciphers.h"

namespace gpuctr {
namespace {

// One block at a time, in integers of the cipher's word.
template <class C>
struct OneBlock {
  using Word = typename C::Word;
  using V = PlainWord<Word>;
  static constexpr std::size_t kBlock = BlockBytes<C>::kValue;
  // Of two functions, one in the other.
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

  // Not inlined, so that its frame lies where wipe_stack's comes to lie after it.
  __attribute__((noinline)) static void encrypt_blocks(const RoundKeys& keys,
                                                       const std::uint8_t* in, std::uint8_t* out,
                                                       std::size_t blocks) {
    const PlainKeys<Word> rk{keys.words<Word>()};
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
    const PlainKeys<Word> rk{keys.words<Word>()};
    for (; blocks != 0; --blocks, in += kBlock, out += kBlock) {
      V x[C::kWords];
      load(x, in);
      C::decrypt(x, rk);
      store(out, x);
    }
  }
};

// A few blocks side by side, and what is left of them one by one.
template <class C>
struct FewBlocks {
  using Word = typename C::Word;
  static constexpr std::size_t kBlock = BlockBytes<C>::kValue;
  static constexpr std::size_t kStackBytes = 640;

  template <bool Encrypt, unsigned Count>
  GPUCTR_INLINE static void run(const Word* keys, const std::uint8_t*& in, std::uint8_t*& out,
                                std::size_t& blocks) {
    using V = Several<Word, Count>;
    for (; blocks >= Count; blocks -= Count, in += Count * kBlock, out += Count * kBlock) {
      V x[C::kWords];
      for (unsigned j = 0; j < C::kWords; ++j) {
        x[j] = V::each([&](unsigned b) {
          return load_word<Word, C::kFacts.big_endian>(in + b * kBlock + sizeof(Word) * j);
        });
      }
      if constexpr (Encrypt) {
        C::encrypt(x, SeveralKeys<Word, Count>{keys});
      } else {
        C::decrypt(x, SeveralKeys<Word, Count>{keys});
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
    run<true, C::kFacts.scalar_blocks>(keys.words<Word>(), in, out, blocks);
    run<true, 1>(keys.words<Word>(), in, out, blocks);
  }
  __attribute__((noinline)) static void decrypt_blocks(const RoundKeys& keys,
                                                       const std::uint8_t* in, std::uint8_t* out,
                                                       std::size_t blocks) {
    run<false, C::kFacts.scalar_blocks>(keys.words<Word>(), in, out, blocks);
    run<false, 1>(keys.words<Word>(), in, out, blocks);
  }
};

// S-boxes: 128 blocks at a time in bit planes (cipher/sliced.h), however few there are. A plane is
// 16 bytes, which are one register of every x86-64 and AArch64 CPU and two words elsewhere.
template <class C>
struct ManyBlocks {
  static constexpr std::size_t kBlock = BlockBytes<C>::kValue;
  static constexpr std::size_t kBlocks = 128;
  static constexpr std::size_t kStackBytes = 16 << 10;
  static_assert(sizeof(typename C::Word) == 1, "a cipher with S-boxes has words of a byte");
  typedef std::uint64_t Plane __attribute__((vector_size(16)));
  using V = SlicedByte<Plane>;

  struct Keys {
    const std::uint8_t* bytes;
    V operator()(unsigned i) const { return V::constant(bytes[i]); }
    unsigned stored(unsigned i) const { return bytes[i]; }
  };

  // Byte j of the 128 blocks at `in`: sixteen blocks at a time are turned into vectors of one byte
  // of each, and eight such vectors, of all blocks, into planes. The order of blocks in a plane is
  // that of store().
  static void load(V (&x)[kBlock], const std::uint8_t* in) {
    for (unsigned sixteen = 0; sixteen < 8; ++sixteen) {
      Plane blocks[16], bytes[16];
      for (unsigned i = 0; i < 16; ++i) {
        blocks[i] = simd::load<Plane>(in + 256 * sixteen + 16 * i);
      }
      simd::Gather<1, 16>::run(blocks, bytes);
      for (unsigned j = 0; j < 16; ++j) x[j].plane[sixteen] = bytes[j];
    }
    for (V& byte : x) transpose(byte.plane);
  }
  static void store(std::uint8_t* out, V (&x)[kBlock]) {
    for (V& byte : x) transpose(byte.plane);
    for (unsigned sixteen = 0; sixteen < 8; ++sixteen) {
      Plane blocks[16], bytes[16];
      for (unsigned j = 0; j < 16; ++j) bytes[j] = x[j].plane[sixteen];
      simd::Gather<1, 16>::run(bytes, blocks);
      for (unsigned i = 0; i < 16; ++i) {
        simd::store(out + 256 * sixteen + 16 * i, blocks[i]);
      }
    }
  }
  static_assert(kBlock == 16, "vectors of one byte of each of sixteen blocks");

  // Bit i of the bytes of vector k becomes bit k of those of vector i. Its own inverse.
  GPUCTR_INLINE static void transpose(Plane (&a)[8]) {
    swap_bits<4>(a, 0x0f0f0f0f0f0f0f0f);
    swap_bits<2>(a, 0x3333333333333333);
    swap_bits<1>(a, 0x5555555555555555);
  }
  template <unsigned Step>
  GPUCTR_INLINE static void swap_bits(Plane (&a)[8], std::uint64_t low) {
    GPUCTR_UNROLL
    for (unsigned k = 0; k < 8; ++k) {
      if ((k & Step) != 0) continue;
      const Plane swap = ((a[k] >> Step) ^ a[k + Step]) & low;
      a[k + Step] ^= swap;
      a[k] ^= swap << Step;
    }
  }

  template <bool Encrypt>
  __attribute__((noinline)) static void all(const RoundKeys& keys, const std::uint8_t* in,
                                            std::uint8_t* out) {
    V x[kBlock];
    load(x, in);
    const Keys rk{keys.words<std::uint8_t>()};
    if constexpr (Encrypt) {
      C::encrypt(x, rk);
    } else {
      C::decrypt(x, rk);
    }
    store(out, x);
  }

  template <bool Encrypt>
  __attribute__((noinline)) static void run(const RoundKeys& keys, const std::uint8_t* in,
                                            std::uint8_t* out, std::size_t blocks) {
    for (; blocks >= kBlocks; blocks -= kBlocks, in += kBlocks * kBlock, out += kBlocks * kBlock) {
      all<Encrypt>(keys, in, out);
    }
    if (blocks == 0) return;
    Wiped<std::uint8_t[kBlocks * kBlock]> buffer;
    std::memcpy(buffer.value, in, blocks * kBlock);
    std::memset(buffer.value + blocks * kBlock, 0, (kBlocks - blocks) * kBlock);
    all<Encrypt>(keys, buffer.value, buffer.value);
    std::memcpy(out, buffer.value, blocks * kBlock);
  }
  static void encrypt_blocks(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                             std::size_t blocks) {
    run<true>(keys, in, out, blocks);
  }
  static void decrypt_blocks(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                             std::size_t blocks) {
    run<false>(keys, in, out, blocks);
  }
};

template <class C>
using Blocks = std::conditional_t<
    C::kFacts.boxes, ManyBlocks<typename CoreOf<C>::Type>,
    std::conditional_t<(C::kFacts.scalar_blocks > 1), FewBlocks<C>, OneBlock<C>>>;

// out[i] = keystream[i], XORed with in[i] unless that is nullptr. By words: these files are
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

template <class C>
struct Scalar {
  using Word = typename C::Word;
  using Form = Blocks<C>;
  static constexpr std::size_t kBlock = BlockBytes<C>::kValue;

  static void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    Form::encrypt_blocks(keys, in, out, blocks);
    wipe_stack<Form::kStackBytes>();
  }

  static void decrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    Form::decrypt_blocks(keys, in, out, blocks);
    wipe_stack<Form::kStackBytes>();
  }

  // Counter blocks that go through the rounds together.
  static constexpr std::size_t kTogether =
      C::kFacts.boxes ? 128 : (C::kFacts.scalar_blocks > 1 ? 4 * C::kFacts.scalar_blocks : 1);

  // A counter is secret too: CTR_DRBG's is V.
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
      Form::encrypt_blocks(keys, keystream.value, keystream.value, blocks);
      put_keystream(keystream.value, in, out, take);
      if (in != nullptr) in += take;
      out += take;
      n -= take;
    }
  }

  static void ctr(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    ctr_blocks(keys, counter, in, out, n);
    wipe_stack<Form::kStackBytes>();
  }

  static void step(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                   std::size_t n, std::uint8_t* seed) {
    ctr_blocks(keys, counter, nullptr, out, n);
    Wiped<std::uint8_t[kBlock]> next;
    std::memcpy(next.value, counter, kBlock);
    counter_add(next.value, kBlock, (n + kBlock - 1) / kBlock);
    ctr_blocks(keys, next.value, nullptr, seed, kSeedBlocks<C> * kBlock);
    wipe_stack<Form::kStackBytes>();
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
    ScopedRoundKeys keys{sizeof(Schedule<C>)};
    Wiped<std::uint8_t[kSeedBlocks<C> * kBlock]> seed;
    std::memcpy(seed.value, key, C::kKeyBytes);
    std::memcpy(seed.value + C::kKeyBytes, v, kBlock);
    run_chain(&keys.value, seed.value, blocks, links, count);
    std::memcpy(key, seed.value, C::kKeyBytes);
    std::memcpy(v, seed.value + C::kKeyBytes, kBlock);
    wipe_stack<Form::kStackBytes>();
  }
};

// What simd/planes.h asks of a backend.
struct PlanesOf16 {
  static constexpr unsigned kBytes = 16;
  template <unsigned Size>
  GPUCTR_INLINE static void wipe_below() {
    gpuctr::wipe_stack<Size>();
  }
  GPUCTR_INLINE static void wipe_registers() {}
};

template <class C>
constexpr CipherOps make_ops() {
  if constexpr (C::kFacts.bit_sliced) {
    return make_des_ops<PlanesOf16, C, DesWords<C>>();
  } else if constexpr (C::kFacts.tables) {
    return make_table_ops<C>();
  } else {
    CipherOps ops = {};
    ops.ctr = Scalar<C>::ctr;
    ops.encrypt = Scalar<C>::encrypt;
    ops.decrypt = Scalar<C>::decrypt;
    if constexpr (C::kFacts.has_generator()) {
      ops.step = Scalar<C>::step;
      ops.chain = Scalar<C>::chain;
    }
    return ops;
  }
}
template <class C>
constexpr CipherOps kOps = make_ops<C>();

}  // namespace

}  // namespace gpuctr

#endif
