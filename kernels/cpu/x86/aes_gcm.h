// GCM's text by instructions for AES rounds and carry-less multiplication. M::Aes::Hash is GHASH's
// arithmetic in vectors of the same size (x86/ghash_vectors.h).
//
// The other ciphers have no such function. They keep all vector pipes of the CPU busy, so GHASH
// costs the same in one loop and in two (kernels/cpu/README.md).
#ifndef GPUCTR_KERNELS_CPU_X86_AES_GCM_H
#define GPUCTR_KERNELS_CPU_X86_AES_GCM_H

#include "kernels/cpu/base/gcm_text.h"
#include "kernels/cpu/base/ghash_ops.h"
#include "kernels/cpu/simd/aes.h"
#include "kernels/cpu/x86/ghash_vectors.h"

namespace gpuctr::simd {

// Whether 32 registers hold a batch that is hashed beside the one that is encrypted.
#ifdef __AVX512VL__
constexpr bool kBatchesInRegisters = true;
#else
constexpr bool kBatchesInRegisters = false;
#endif

// Text in registers: counter mode and GHASH of the ciphertext. The blocks of a reduction are
// independent of each other, so the CPU multiplies some of them while it encrypts others. Whole
// batches are hashed between the rounds of a batch, because the CPU does not look that far ahead:
// 1 KiB takes 63 ns instead of 92 on a Xeon. Without AVX-512 only for short texts.
template <class M, bool kEncrypts>
struct AesGcmFew {
  using A = typename M::Aes;
  using Narrow = typename A::Narrow;
  using H = typename A::Hash;
  using Block = typename H::Block;
  template <class On>
  using Lanes = Vec<std::uint64_t, On::kBytes>;
  template <class On>
  using Numbered = Vec<std::uint32_t, On::kBytes>;
  // A number in the first word of each block, or in the last byte.
  template <unsigned First, unsigned Step, bool kInLastByte = false>
  struct Numbers {
    GPUCTR_INLINE static constexpr std::uint32_t at(std::size_t i) {
      const auto number = First + Step * static_cast<std::uint32_t>(i / 4);
      return i % 4 != (kInLastByte ? 3 : 0) ? 0 : kInLastByte ? number << 24 : number;
    }
  };

  const AesKeys keys;
  Block counter;  // the next counter block as a number: its last 32 bits are the first word
  Block y;        // GHASH so far; zero if the present sums include it
  const std::uint8_t* powers;
  AesData data;
  typename H::Sum wide = {};
  clmul::Products<Block> narrow = {};

  // The counter blocks from one on, in a vector. Numbers, not bytes, can be added.
  template <class On>
  GPUCTR_INLINE static Numbered<On> numbers(Block from) {
    return as<Numbered<On>>(On::key(as<typename Narrow::V>(from))) +
           table<std::uint32_t, On::kBytes, Numbers<0, 1>>();
  }
  template <class On>
  GPUCTR_INLINE static typename On::V bytes_of(Numbered<On> numbers) {
    return as<typename On::V>(clmul::reverse(as<Lanes<On>>(numbers)));
  }
  template <class On, unsigned G>
  GPUCTR_INLINE void counters(typename On::V (&x)[G]) {
    const auto key = keys.template end<On>(0);
    auto next = numbers<On>(counter);
    count<G * On::kBytes / 16>();
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      x[g] = bytes_of<On>(next) ^ key;
      next += table<std::uint32_t, On::kBytes, Numbers<On::kBytes / 16, 0>>();
    }
  }
  template <unsigned Blocks>
  GPUCTR_INLINE void count() {
    counter =
        as<Block>(as<Numbered<Narrow>>(counter) + table<std::uint32_t, 16, Numbers<Blocks, 0>>());
  }
  template <class On, unsigned G>
  GPUCTR_INLINE void keystream(typename On::V (&x)[G]) {
    counters<On>(x);
    aes_rounds_but_last<On, G>(keys, x);
  }
  template <class Sum, class V>
  GPUCTR_INLINE void hash(Sum& sum, V blocks) {
    sum.add(clmul::reverse(blocks) ^ clmul::in_first_lane<V>(y), powers);
    y = Block{};
    powers += sizeof(V);
  }
  template <class On, unsigned G, class Sum>
  GPUCTR_INLINE void text(Sum& sum) {
    typename On::V x[G];
    keystream<On>(x);
    const auto last = keys.template end<On>(keys.rounds);
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      const auto given = load<typename On::V>(data.in + g * On::kBytes);
      const auto made = On::encrypt_last(x[g], last ^ given);
      store(data.out + g * On::kBytes, made);
      hash(sum, as<Lanes<On>>(kEncrypts ? made : given));
    }
    data.step(G * On::kBytes);
  }

#ifdef __AVX512VL__
  // Fewer blocks than a vector has, in its first lanes. The others meet powers of zero in GHASH.
  GPUCTR_INLINE void part(typename H::Sum& sum, std::size_t blocks) {
    using V = typename H::V;
    const auto lanes = static_cast<__mmask8>((1u << 2 * blocks) - 1);
    const auto before = as<Numbered<Narrow>>(counter);
    typename A::V x[1];
    keystream<A>(x);
    counter = as<Block>(before + Numbered<Narrow>{static_cast<std::uint32_t>(blocks)});
    const auto given = clmul::load_lanes<V>(data.in, blocks);
    const auto last = keys.template end<A>(keys.rounds) ^ as<typename A::V>(given);
    const auto made = A::encrypt_last(x[0], last);
    _mm512_mask_storeu_epi64(data.out, lanes, as<__m512i>(made));
    sum.add(clmul::reverse(kEncrypts ? as<V>(made) : given), clmul::load_lanes<V>(powers, blocks),
            clmul::load_lanes<V>(powers + clmul::kSums, blocks));
    data.step(16 * blocks);
  }

  // GHASH of a batch in registers, during the rounds of the next batch. The lanes have hashes of
  // their own, which meet in the last batch: until then each is multiplied by the powers of the
  // first. Products are four of halves, not Karatsuba's three: as many instructions for the port of
  // shuffles and products, and fewer for the others.
  struct Beside {
    using V = typename H::V;
    V of[H::kVectors];
    V lanes;  // the hashes so far
    V low, middle, high;

    struct Keys : AesKeys {
      AesGcmFew* f;
      Beside* hash;

      template <class On>
      GPUCTR_INLINE typename On::V inner(unsigned round) const {
        if (round <= H::kVectors) hash->template turn<false>(*f, round);
        return AesKeys::inner<On>(round);
      }
    };
    template <bool kLast>
    GPUCTR_INLINE V powers(const AesGcmFew& f, std::size_t i) const {
      const std::uint8_t* const at = f.powers + i * A::kBytes;
      if constexpr (kLast) return load<V>(at);
      return clmul::in_all_lanes<V>(load<Block>(at));
    }
    // Turn number 1 to kVectors. The first vector, which waits for the hashes so far, comes in the
    // last turn.
    template <bool kLast>
    GPUCTR_INLINE void turn(const AesGcmFew& f, std::size_t number) {
      const std::size_t i = number % H::kVectors;
      if (i % 2 != 0) return;
      auto first = clmul::reverse(of[i]);
      if (i == 0) first ^= lanes;
      const V second = clmul::reverse(of[i + 1]);
      const V a = powers<kLast>(f, i), b = powers<kLast>(f, i + 1);
      using clmul::multiply;
      if (number == 2) {  // the first
        low = multiply<0x00>(first, a) ^ multiply<0x00>(second, b);
        high = multiply<0x11>(first, a) ^ multiply<0x11>(second, b);
        middle = multiply<0x01>(first, a) ^ multiply<0x10>(first, a);
      } else {
        low = clmul::sum3(low, multiply<0x00>(first, a), multiply<0x00>(second, b));
        high = clmul::sum3(high, multiply<0x11>(first, a), multiply<0x11>(second, b));
        middle = clmul::sum3(middle, multiply<0x01>(first, a), multiply<0x10>(first, a));
      }
      middle = clmul::sum3(middle, multiply<0x01>(second, b), multiply<0x10>(second, b));
      __asm__("" : "+v"(low), "+v"(middle), "+v"(high));  // as in Products
    }
    GPUCTR_INLINE void end() { lanes = clmul::reduce(low, middle, high); }
  };
  GPUCTR_INLINE void end_batch(const typename A::V (&x)[H::kVectors], Beside& hash) {
    const auto last = keys.template end<A>(keys.rounds);
    GPUCTR_UNROLL
    for (unsigned g = 0; g < H::kVectors; ++g) {
      const auto given = load<typename A::V>(data.in + g * A::kBytes);
      const auto made = A::encrypt_last(x[g], last ^ given);
      store(data.out + g * A::kBytes, made);
      hash.of[g] = as<typename H::V>(kEncrypts ? made : given);
    }
    data.step(H::kVectors * A::kBytes);
  }
  // counters() of a batch, number `number` in the last byte. Where no other byte changes in this
  // batch or before the next, it counts in `next`, the first vector of counter blocks.
  GPUCTR_INLINE void batch_counters(typename A::V (&x)[H::kVectors], Numbered<A>& next,
                                    std::uint8_t number) {
    if (number >= 256 - H::kTogether) {
      counters<A>(x);
      next = as<Numbered<A>>(bytes_of<A>(numbers<A>(counter)));
      return;
    }
    count<H::kTogether>();
    const auto key = keys.template end<A>(0);
    GPUCTR_UNROLL
    for (unsigned g = 0; g < H::kVectors; ++g) {
      x[g] = as<typename A::V>(next) ^ key;
      next += table<std::uint32_t, A::kBytes, Numbers<H::kPerVector, 0, true>>();
    }
  }
  // All text, whole batches, at least one.
  GPUCTR_INLINE void batches() {
    Beside hash;
    typename A::V x[H::kVectors];
    auto next = as<Numbered<A>>(bytes_of<A>(numbers<A>(counter)));
    auto number = static_cast<std::uint8_t>(as<Numbered<Narrow>>(counter)[0]);
    batch_counters(x, next, number);
    aes_rounds_but_last<A, H::kVectors>(keys, x);
    end_batch(x, hash);
    hash.lanes = clmul::in_first_lane<typename H::V>(y);
    while (data.n != 0) {
      number = static_cast<std::uint8_t>(number + H::kTogether);
      batch_counters(x, next, number);
      aes_rounds_but_last<A, H::kVectors>(typename Beside::Keys{keys, this, &hash}, x);
      hash.end();
      end_batch(x, hash);
    }
    GPUCTR_UNROLL
    for (unsigned turn = 1; turn <= H::kVectors; ++turn) hash.template turn<true>(*this, turn);
    hash.end();
    y = clmul::add_lanes(hash.lanes);
  }
#endif

  // The next counter block.
  GPUCTR_INLINE void block(std::uint8_t* to) {
    typename Narrow::V x[1];
    keystream<Narrow>(x);
    store(to, Narrow::encrypt_last(x[0], keys.template end<Narrow>(keys.rounds)));
  }
  // The counter block before the present one.
  GPUCTR_INLINE void mask(std::uint8_t* to) {
    counter = as<Block>(as<Numbered<Narrow>>(counter) - table<std::uint32_t, 16, Numbers<1, 0>>());
    block(to);
  }
  // `before`, unless it is nullptr, and so much text, at most four blocks, that `rest` bytes are
  // left.
  GPUCTR_INLINE void few_blocks(const GhashKey& hash_key, const std::uint8_t* before,
                                std::size_t rest) {
    powers = H::powers(hash_key, (data.n - rest) / 16 + (before != nullptr));
    narrow = {};
    if (before != nullptr) hash(narrow, load<Block>(before));
    while (data.n - rest >= 32) text<Narrow, 2>(narrow);
    if (data.n != rest) text<Narrow, 1>(narrow);
    y = narrow.reduced();
  }
  // The same for at least a vector: in all at most as many blocks as share a reduction.
  GPUCTR_INLINE void reduction(const GhashKey& hash_key, const std::uint8_t* before,
                               std::size_t rest) {
    powers = H::powers(hash_key, (data.n - rest) / 16 + (before != nullptr));
    wide = {};
    narrow = {};
    if (before != nullptr) hash(narrow, load<Block>(before));
    while (data.n - rest >= 8 * A::kBytes) text<A, 8>(wide);
    if (data.n - rest >= 4 * A::kBytes) text<A, 4>(wide);
    if (data.n - rest >= 2 * A::kBytes) text<A, 2>(wide);
    if (data.n - rest >= A::kBytes) text<A, 1>(wide);
#ifdef __AVX512VL__
    // y is in the sums by now.
    if (data.n != rest) part(wide, (data.n - rest) / 16);
#else
    static_assert(H::kPerVector <= 2);
    if (H::kPerVector == 2 && data.n != rest) text<Narrow, 1>(narrow);
#endif
    using V = typename H::V;
    wide.low ^= clmul::in_first_lane<V>(narrow.low);
    wide.high ^= clmul::in_first_lane<V>(narrow.high);
    wide.sums ^= clmul::in_first_lane<V>(narrow.sums);
    y = H::reduced(wide);
  }
  // `before`, unless it is nullptr, and all text.
  GPUCTR_INLINE void all(const GhashKey& hash_key, const std::uint8_t* before) {
#ifdef __AVX512VL__
    if (data.n >= 2 * 16 * H::kTogether) {
      const std::size_t head = data.n / 16 % H::kTogether;
      const std::size_t rest = data.n - 16 * head;
      if (head >= H::kPerVector) {
        reduction(hash_key, before, rest);
      } else if (head != 0 || before != nullptr) {
        few_blocks(hash_key, before, rest);
      }
      powers = H::powers(hash_key);
      return batches();
    }
#endif
    if (data.n < A::kBytes) return few_blocks(hash_key, before, 0);
    do {
      const bool first = before != nullptr;
      std::size_t blocks = data.n / 16 + first;
      if (blocks > H::kTogether) blocks = first ? 1 + H::kTogether / 2 : H::kTogether;
      reduction(hash_key, before, data.n - 16 * (blocks - first));
      before = nullptr;
    } while (data.n >= A::kBytes);
    if (data.n != 0) few_blocks(hash_key, nullptr, 0);
  }
};

// GHASH of a batch, with as many blocks as share a reduction; each round does one turn of it.
template <class H>
struct HashBesideAes {
  const std::uint8_t* powers;
  typename H::Block y;
  const std::uint8_t* in;  // the batch
  typename H::Sum sum = {};

  struct Keys : AesKeys {
    HashBesideAes* hash;

    template <class A>
    GPUCTR_INLINE typename A::V inner(unsigned round) const {
      if (round <= H::kVectors) H::add(hash->sum, hash->powers, hash->y, hash->in, round);
      return AesKeys::inner<A>(round);
    }
  };
  GPUCTR_INLINE Keys begin(const AesKeys& keys) {
    sum = {};
    return {keys, this};
  }
  GPUCTR_INLINE void end() {
    y = H::reduced(sum);
    in += H::kVectors * H::kBytes;
  }
};

// A long text without AVX-512: counter mode and GHASH in one loop, over batches in memory. In
// decryption a batch is hashed during its own rounds. In encryption a batch is hashed two batches
// later: if it is hashed sooner, CPUs wait for stores that cross two cache lines.
template <class M, class C>
struct AesGcm {
  using OnCore = Aes<M, C>;
  using Count = typename OnCore::Count;
  using Batches = typename OnCore::Batches;
  using H = typename M::Aes::Hash;
  static_assert(Batches::kBytes == 16 * H::kTogether, "a batch has a reduction");

  static constexpr unsigned kBehind = 2;
  static_assert(OnCore::kManyBatches > kBehind);
  static constexpr std::size_t kFirstBytes = kBehind * Batches::kBytes;

  // kSmall: at most four blocks, in the registers that wipe_after_few() clears.
  template <bool kEncrypts, bool kSmall = false>
  GPUCTR_NOINLINE static void few(const std::uint8_t* words, const GhashKey& hash_key,
                                  std::uint8_t* y, const GcmText& text) {
    const Count number = Count::from(text.counter);
    AesGcmFew<M, kEncrypts> f{OnCore::keys_of(words),
                              {number.limb[1], number.limb[0]},
                              H::load_block(y),
                              nullptr,
                              {text.in, text.out, 16 * text.blocks}};
    if (text.mask != nullptr) f.mask(text.mask);
    if (text.before != nullptr || text.blocks != 0) {
      kSmall ? f.few_blocks(hash_key, text.before, 0) : f.all(hash_key, text.before);
    }
    if (text.after != nullptr) f.block(text.after);
    H::store_block(y, f.y);
  }

  GPUCTR_NOINLINE static void many(const std::uint8_t* words, bool encrypts,
                                   const GhashKey& hash_key, std::uint8_t* y, const GcmText& text) {
    const auto some = encrypts ? few<true> : few<false>;
    const std::size_t rest = text.blocks % H::kTogether;
    Count counter = Count::from(text.counter);
    if (text.mask != nullptr || text.before != nullptr) {
      some(words, hash_key, y,
           {text.counter, text.mask, text.before, text.in, text.out, 0, nullptr});
    }
    AesData data{text.in, text.out, 16 * (text.blocks - rest)};
    HashBesideAes<H> hash{H::powers(hash_key), H::load_block(y), encrypts ? data.out : data.in};
    if (encrypts) {
      OnCore::many(words, counter, data.in, data.out, kFirstBytes);
      counter = counter.plus(kFirstBytes / 16);
      data.step(kFirstBytes);
    }
    Batches::run_many(OnCore::keys_of(words), counter, data, hash);
    GPUCTR_ROUNDS
    for (unsigned left = encrypts ? kBehind : 0; left != 0; --left) {
      hash.y = H::hash_together(hash.powers, hash.y, hash.in);
      hash.in += Batches::kBytes;
    }
    H::store_block(y, hash.y);
    if (rest == 0 && text.after == nullptr) return;
    std::uint8_t block[16];
    counter.plus(data.n / 16).to(block);
    some(words, hash_key, y,
         {block, nullptr, nullptr, data.in + data.n, data.out + data.n, rest, text.after});
  }

  // The frame of many(), and of a function that it calls.
  GPUCTR_NOINLINE static void wipe_stack() { M::template wipe_below<kGcmFrame + 256>(); }

  static void crypt(const RoundKeys& keys, bool encrypts, const GhashKey& hash_key, std::uint8_t* y,
                    const GcmText& text) {
    const auto* const words = words_of<std::uint8_t>(keys);
    if constexpr (!kBatchesInRegisters) {
      if (text.blocks >= OnCore::kManyBatches * H::kTogether) {
        many(words, encrypts, hash_key, y, text);
        wipe_stack();
        return M::wipe_registers();
      }
    }
    if (text.blocks <= 4) {
      (encrypts ? few<true, true> : few<false, true>)(words, hash_key, y, text);
      return OnCore::wipe_after_few(16 * text.blocks);
    }
    (encrypts ? few<true> : few<false>)(words, hash_key, y, text);
    OnCore::wipe_few_stack();
    M::wipe_registers();
  }
  static constexpr GcmUnit kUnit = {crypt, H::kTogether};
};

}  // namespace gpuctr::simd

#endif
