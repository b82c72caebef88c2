// GCM's text in registers, by instructions for AES rounds and carry-less multiplication.
// M::Aes::Hash is GHASH's arithmetic in vectors of the same size (x86/ghash_vectors.h).
#ifndef GPUCTR_KERNELS_CPU_X86_AES_GCM_REGISTERS_H
#define GPUCTR_KERNELS_CPU_X86_AES_GCM_REGISTERS_H

#include "kernels/base/part_of_block.h"
#include "kernels/cpu/base/ghash_ops.h"
#include "kernels/cpu/base/many.h"
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
  GPUCTR_INLINE void skip(std::size_t blocks) {
    counter = as<Block>(as<Numbered<Narrow>>(counter) +
                        Numbered<Narrow>{static_cast<std::uint32_t>(blocks)});
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
  // Less than a vector, in its first bytes; GHASH's last block is filled with zeros. The other
  // lanes meet powers of zero.
  GPUCTR_INLINE void part(typename H::Sum& sum, std::size_t n) {
    using V = typename H::V;
    const std::size_t blocks = (n + 15) / 16;
    const __mmask64 bytes = (std::uint64_t{1} << n) - 1;
    const Block before = counter;
    typename A::V x[1];
    keystream<A>(x);
    counter = before;
    skip(blocks);
    const auto given = _mm512_maskz_loadu_epi8(bytes, data.in);
    const auto last = keys.template end<A>(keys.rounds) ^ as<typename A::V>(given);
    const auto made = as<__m512i>(A::encrypt_last(x[0], last));
    _mm512_mask_storeu_epi8(data.out, bytes, made);
    const auto hashed = as<V>(kEncrypts ? _mm512_maskz_mov_epi8(bytes, made) : given);
    sum.add(clmul::reverse(hashed) ^ clmul::in_first_lane<V>(y),
            clmul::load_lanes<V>(powers, blocks),
            clmul::load_lanes<V>(powers + clmul::kSums, blocks));
    y = Block{};
    powers += 16 * blocks;
    data.step(n);
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

  // The next counter block, encrypted.
  GPUCTR_INLINE typename Narrow::V block() {
    typename Narrow::V x[1];
    keystream<Narrow>(x);
    return Narrow::encrypt_last(x[0], keys.template end<Narrow>(keys.rounds));
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
  // All of at most four blocks, or of two vectors of four.
  GPUCTR_INLINE void small(const GhashKey& hash_key, const std::uint8_t* before) {
    if (A::kBytes != 64 || data.n < A::kBytes) return few_blocks(hash_key, before, 0);
    powers = H::powers(hash_key, data.n / 16 + (before != nullptr));
    wide = {};
    narrow = {};
    if (before != nullptr) hash(narrow, load<Block>(before));
    data.n == A::kBytes ? text<A, 1>(wide) : text<A, 2>(wide);
    end_reduction();
  }
  // The same for at least a vector: in all at most as many blocks as share a reduction.
  GPUCTR_INLINE void reduction(const GhashKey& hash_key, const std::uint8_t* before,
                               std::size_t rest) {
    powers = H::powers(hash_key, (data.n - rest) / 16 + (before != nullptr));
    wide = {};
    narrow = {};
    if (before != nullptr) hash(narrow, load<Block>(before));
    vectors(rest);
    end_reduction();
  }
  // The text of a reduction. Without AVX-512 whole blocks.
  GPUCTR_INLINE void vectors(std::size_t rest) {
    while (data.n - rest >= 8 * A::kBytes) text<A, 8>(wide);
    if (data.n - rest >= 4 * A::kBytes) text<A, 4>(wide);
    if (data.n - rest >= 2 * A::kBytes) text<A, 2>(wide);
    if (data.n - rest >= A::kBytes) text<A, 1>(wide);
#ifdef __AVX512VL__
    if (data.n != rest) part(wide, data.n - rest);
#else
    static_assert(H::kPerVector <= 2);
    if (H::kPerVector == 2 && data.n - rest >= 16) text<Narrow, 1>(narrow);
#endif
  }
  GPUCTR_INLINE void end_reduction() {
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

  // A last part of a block, of `data`.
  GPUCTR_INLINE void last_bytes() {
    const BlockWords given = load_part(data.in, data.n);
    const BlockWords made = (as<BlockWords>(block()) ^ given) & first_bytes_mask(data.n);
    store_part(data.out, data.n, made);
    hash(narrow, as<Block>(kEncrypts ? made : given));
  }
  // Associated data of at most a reduction. The last block is filled with zeros.
  GPUCTR_INLINE void add_aad(const std::uint8_t* aad, std::size_t n) {
    for (; n >= A::kBytes; n -= A::kBytes, aad += A::kBytes) {
      hash(wide, load<Lanes<A>>(aad));
    }
    for (; n >= 16; n -= 16, aad += 16) hash(narrow, load<Block>(aad));
    if (n != 0) hash(narrow, as<Block>(load_part(aad, n)));
  }
  // The last blocks of a message: associated data, text and lengths, in all at most a reduction.
  // Returns the hash.
  GPUCTR_INLINE Block last_blocks(const GhashKey& hash_key, const std::uint8_t* aad,
                                  std::size_t aad_bytes, const ManyText& whole) {
    powers = H::powers(hash_key, (aad_bytes + 15) / 16 + (data.n + 15) / 16 + 1);
    wide = {};
    narrow = {};
    add_aad(aad, aad_bytes);
    vectors(0);
#ifndef __AVX512VL__
    if (data.n != 0) last_bytes();
#endif
    narrow.add(y ^ Block{8 * whole.n, 8 * whole.aad_bytes}, powers);
    end_reduction();
    return y;
  }
};

}  // namespace gpuctr::simd

#endif
